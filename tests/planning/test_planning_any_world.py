"""Whatever skills, people and perception do: a task ends in time, touches nothing forbidden, and tells the truth."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st
from planning_tables import TABLETOP, tabletop
from planning_world import World

from reins.contracts.facts import Fact, facts_of
from reins.planning.actions import Limits
from reins.planning.executor import TaskExecutor
from reins.planning.symbolic import SymbolicPlanner
from reins.planning.verifier import MAX_STEPS
from reins.skills.library import SKILLS

R, G, B, Y = "red_block", "green_block", "blue_block", "yellow_block"

TASKS: dict[str, set[Fact]] = {
    "put the red block in the bowl": {("in", R, "blue_bowl")},
    "put the red block in the bowl and the green block on the plate": {
        ("in", R, "blue_bowl"),
        ("on", G, "white_plate"),
    },
    "stack the red block on the green block on the blue block": {("on", R, G), ("on", G, B)},
    "put the green block beside the bowl and then put the red block on the green block": {
        ("beside", G, "blue_bowl"),
        ("on", R, G),
    },
    "push the red block left and then pick up the green block": {("holding", G)},
}
"""What a scene has to show at the end."""

MOST_RUNS = (Limits().replans + 1) * 2 * MAX_STEPS


@st.composite
def events(draw: st.DrawFn) -> Callable[[World], None]:
    """Somebody moves a block, takes it out of the gripper, puts it on something; or perception loses it for a while."""
    name = draw(st.sampled_from((R, G, B)))
    kind = draw(st.sampled_from(("table", "plate", "bowl", "hide", "show")))

    def event(world: World) -> None:
        if kind == "hide":
            world.hidden.add(name)
        elif kind == "show":
            world.hidden.clear()
        elif kind == "table":
            world.to_table(name)
        else:
            world.put(name, *{"plate": ("on", "white_plate"), "bowl": ("in", "blue_bowl")}[kind])

    return event


runs = st.tuples(st.sampled_from(("pick", "place_in", "place_on", "place_beside", "push", "home")), st.integers(0, 3))


@given(
    instruction=st.sampled_from(sorted(TASKS)),
    faults=st.sets(runs, max_size=6),
    lies=st.sets(runs, max_size=6),
    happenings=st.dictionaries(st.integers(1, 8), events(), max_size=4),
    covered=st.booleans(),
)
def test_every_task_ends_and_success_is_true(
    instruction: str,
    faults: set[tuple[str, int]],
    lies: set[tuple[str, int]],
    happenings: dict[int, Callable[[World], None]],
    covered: bool,
) -> None:
    world = World(tabletop(*TABLETOP))
    world.faults, world.lies, world.events, world.hides_until_home = faults, lies, happenings, covered
    task = TaskExecutor(SymbolicPlanner(SKILLS), SKILLS, f"{instruction}, but don't touch the yellow block")
    done = world.drive(task)
    assert done.reason
    assert len(world.ran) <= MOST_RUNS
    assert task.replans <= Limits().replans
    assert not any(Y in call.arguments.values() for call, _ in world.ran)
    assert all(any(rule.object == Y for rule in rules) for _, rules in world.ran)
    if done.outcome == "succeeded":
        assert TASKS[instruction] <= facts_of(world.scene())
    if not (faults or lies or happenings):
        assert done.outcome == "succeeded" and task.replans == 0
