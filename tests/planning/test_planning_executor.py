"""The closed loop: what happens when the world, the skills, perception or the planner do not do what they should."""

from dataclasses import replace

import pytest
from planning_tables import at, tabletop
from planning_world import World

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.contracts.scene import Scene, SceneObject
from reins.planning.actions import Done, Limits, Look, RunSkill
from reins.planning.executor import TaskExecutor
from reins.planning.factory import make_planner
from reins.planning.planner import History
from reins.planning.scripted import ScriptedPlanner
from reins.skills.library import SKILLS

RED_IN_BOWL = "put the red block in the blue bowl"


def executor(instruction: str = RED_IN_BOWL, planner: str = "symbolic", limits: Limits | None = None) -> TaskExecutor:
    return TaskExecutor(make_planner(planner, SKILLS), SKILLS, instruction, limits)


def shows(world: World, subject: str, predicate: str, other: str) -> bool:
    return subject in world.scene().related(predicate, other)


def test_does_what_was_asked_and_no_more() -> None:
    world = World(tabletop())
    task = executor()
    done = world.drive(task)
    assert done.outcome == "succeeded"
    assert done.reason == "done: pick red_block and place_in blue_bowl"
    assert world.calls == ["pick(object=red_block)", "place_in(container=blue_bowl)"]
    assert task.replans == 0
    assert shows(world, "red_block", "in", "blue_bowl")


def test_nothing_to_do_is_a_success_without_motion() -> None:
    world = World(tabletop(red_block="in blue_bowl"))
    done = world.drive(executor())
    assert (done.outcome, world.calls) == ("succeeded", [])


@pytest.mark.parametrize(
    ("instruction", "outcome", "named"),
    [
        ("put the block in the bowl", "question", "red_block"),
        ("put the purple block in the bowl", "refused", "purple"),
        ("pick up the bowl", "refused", "blue_bowl"),
        ("frobnicate the red block", "refused", "frobnicate"),
        ("", "refused", "asks for nothing"),
    ],
)
def test_questions_and_refusals_move_nothing(instruction: str, outcome: str, named: str) -> None:
    world = World(tabletop())
    done = world.drive(executor(instruction))
    assert (done.outcome, world.calls) == (outcome, [])
    assert named in done.reason
    assert done.plan is not None and done.plan.steps is None


def test_success_is_seen_never_believed() -> None:
    world = World(tabletop())
    world.lies = {("pick", number) for number in range(20)}
    done = world.drive(executor())
    assert done.outcome == "failed"
    assert "red_block is not held" in done.reason
    assert not shows(world, "red_block", "in", "blue_bowl")
    assert world.calls.count("pick(object=red_block)") == Limits().same_failures


@pytest.mark.parametrize("failures", [1, 2])
def test_a_skill_that_fails_is_tried_again(failures: int) -> None:
    world = World(tabletop())
    world.faults = {("pick", number) for number in range(failures)}
    task = executor()
    assert world.drive(task).outcome == "succeeded"
    assert task.replans == failures


def test_the_same_failure_over_and_over_ends_the_task_with_its_reason() -> None:
    world = World(tabletop())
    world.faults = {("pick", number) for number in range(20)}
    done = world.drive(executor())
    assert done.outcome == "failed"
    assert "pick(object=red_block)" in done.reason and "the fingers closed on nothing" in done.reason


def test_replans_are_bounded_when_every_failure_is_another_one() -> None:
    world = World(tabletop())
    for run in range(1, 40):  # whatever is placed on the plate is taken off again

        def undo(world: World) -> None:
            for name in world.scene().related("on", "white_plate"):
                world.to_table(name)

        world.events[run] = undo
    task = executor("put all the blocks on the plate", limits=Limits(replans=4, same_failures=100))
    done = world.drive(task)
    assert (done.outcome, task.replans) == ("failed", 4)


def test_an_object_that_was_moved_is_found_where_it_is_now() -> None:
    world = World(tabletop())
    world.events[1] = lambda world: world.put("green_block", "on", "blue_block")
    task = executor("put the red block in the bowl and then put the blue block on the plate")
    assert world.drive(task).outcome == "succeeded"
    assert "pick(object=green_block)" in world.calls, "the tower that was built meanwhile had to be taken down"
    assert shows(world, "blue_block", "on", "white_plate")


def test_a_dropped_object_is_picked_up_again() -> None:
    world = World(tabletop())

    def drop(world: World) -> None:
        world.to_table("red_block")

    world.events[1] = drop
    task = executor()
    assert world.drive(task).outcome == "succeeded"
    assert world.calls == ["pick(object=red_block)"] * 2 + ["place_in(container=blue_bowl)"]
    assert task.replans == 1


def test_an_earlier_goal_that_came_undone_is_mended() -> None:
    world = World(tabletop())
    world.events[4] = lambda world: world.to_table("red_block")
    task = executor("put the red block in the bowl and the green block on the plate")
    assert world.drive(task).outcome == "succeeded"
    assert shows(world, "red_block", "in", "blue_bowl") and shows(world, "green_block", "on", "white_plate")
    assert task.replans == 1


def test_a_goal_that_somebody_else_reached_is_not_reached_twice() -> None:
    world = World(tabletop())
    world.events[2] = lambda world: world.put("green_block", "on", "white_plate")
    task = executor("put the red block in the bowl and the green block on the plate")
    assert world.drive(task).outcome == "succeeded"
    assert "pick(object=green_block)" not in world.calls


def test_an_object_that_vanished_is_looked_for_once_with_the_arm_away() -> None:
    world = World(tabletop())
    world.faults = {("pick", 0)}
    world.events[1] = lambda world: world.hidden.add("red_block")
    done = world.drive(executor())
    assert done.outcome == "failed"
    assert "no longer see red_block" in done.reason
    assert world.calls == ["pick(object=red_block)", "home()"]


def test_an_object_that_the_arm_hid_is_found_again() -> None:
    world = World(tabletop())
    world.faults = {("pick", 0)}
    world.events[1] = lambda world: world.hidden.add("red_block")
    world.events[2] = lambda world: world.hidden.clear()
    done = world.drive(executor("carefully put the red block in the bowl but don't touch the yellow block"))
    assert done.outcome == "succeeded"
    assert world.calls[1] == "home()"
    assert world.ran[1][1] == world.ran[0][1] != (), "the arm clears the view under the task's constraints"


def test_an_effect_that_the_arm_hides_is_looked_at_from_home() -> None:
    world = World(tabletop())
    world.hides_until_home = True
    task = executor("push the green block left")
    done = world.drive(task)
    assert (done.outcome, task.replans) == ("succeeded", 0)
    assert world.calls == ["push(object=green_block, direction=left)", "home()"]


def test_perception_may_take_a_moment_to_see_an_effect() -> None:
    world = World(tabletop())
    on_table = world.objects["red_block"]
    in_hand: list[SceneObject] = []
    looks: list[float] = []

    def hide(world: World) -> None:
        in_hand.append(world.objects["red_block"])
        world.held, world.objects["red_block"] = None, on_table

    def on_look(world: World) -> None:
        looks.append(world.t)
        if len(world.ran) == 1 and len(looks) == 3:
            world.held, world.objects["red_block"] = "red_block", in_hand[0]

    world.events[1] = hide
    task = executor()
    assert world.drive(task, on_look).outcome == "succeeded"
    assert task.replans == 0
    assert world.calls.count("pick(object=red_block)") == 1


def test_every_step_runs_under_the_plans_constraints() -> None:
    world = World(tabletop())
    world.drive(executor("carefully put the red block in the bowl, but don't touch the yellow block"))
    wanted = {Constraint(kind="avoid", object="yellow_block"), Constraint(kind="speed", scale=0.5)}
    assert [set(constraints) for _, constraints in world.ran] == [wanted, wanted]


def test_what_an_operator_forbids_is_planned_around_or_told_and_never_begun() -> None:
    forbidden = Constraint(kind="avoid", object="red_block", set_by="operator", id="operator-1")
    world, task = World(tabletop()), executor()
    task.rules.standing = (forbidden,)
    done = world.drive(task)
    assert (done.outcome, world.calls) == ("refused", [])
    assert "touching red_block, which must not be touched" in done.reason

    scripted = executor("pick(object=red_block)", planner="scripted")
    scripted.rules.standing = (forbidden,)
    done = world.drive(scripted)
    assert (done.outcome, world.calls) == ("failed", []), "whatever the planner does, the verifier knows"
    assert "touches red_block, which must not be touched" in done.reason


def test_what_is_forbidden_and_in_the_way_is_named() -> None:
    world = World(tabletop(yellow_block="on red_block"))
    task = executor()
    task.rules.standing = (Constraint(kind="avoid", object="yellow_block", set_by="operator", id="operator-1"),)
    done = world.drive(task)
    assert (done.outcome, world.calls) == ("refused", [])
    assert "touching yellow_block, which must not be touched" in done.reason


def test_what_others_ask_for_holds_for_the_skills_and_is_not_the_plans() -> None:
    slow = Constraint(kind="speed", scale=0.3, set_by="operator", id="operator-1")
    elsewhere = Constraint(kind="avoid", object="cup", set_by="operator", id="operator-2")
    world, task = World(tabletop()), executor("put the red block in the bowl but don't touch the yellow block")
    task.rules.standing = (slow, elsewhere)
    assert world.drive(task).outcome == "succeeded"
    own = Constraint(kind="avoid", object="yellow_block")
    assert [set(constraints) for _, constraints in world.ran] == [{own, slow, elsewhere}] * 2
    assert task.rules.own == (own,)


def test_a_constraint_that_comes_in_the_middle_counts_from_the_next_step_on() -> None:
    world, task = World(tabletop()), executor()

    def forbid(_: World) -> None:
        task.rules.standing = (Constraint(kind="avoid", object="blue_bowl", set_by="operator", id="operator-1"),)

    world.events[1] = forbid
    done = world.drive(task)
    assert done.outcome == "failed" and "blue_bowl" in done.reason
    assert "place_in(container=blue_bowl)" not in world.calls


def test_without_scenes_it_gives_up_in_time() -> None:
    task = executor(limits=Limits(look=3.0))
    assert isinstance(task.next(None, 10.0), Look)
    assert isinstance(task.next(None, 12.9), Look)
    done = task.next(None, 13.1)
    assert isinstance(done, Done) and done.outcome == "failed" and "perception" in done.reason


def test_why_no_scene_comes_is_said_where_it_is_known() -> None:
    task = executor(limits=Limits(look=3.0))
    task.next(None, 10.0)
    task.blind = "camera 'overhead' shows the same picture"
    done = task.next(None, 13.1)
    assert isinstance(done, Done) and done.reason == "no new scene for 3 s; camera 'overhead' shows the same picture"


def test_a_scene_from_before_the_task_is_too_old() -> None:
    task = executor()
    assert task.next(at(4.0), 5.0) == Look(5.0)
    assert isinstance(task.next(at(5.1), 5.2), RunSkill)


def test_a_scene_from_before_the_skill_ended_is_too_old() -> None:
    task = executor()
    task.next(at(0.0), 0.0)
    assert isinstance(task.next(at(0.1), 0.1), RunSkill)
    task.skill_finished(True, "", 4.0)
    assert task.next(at(3.9, held="red_block"), 4.1) == Look(4.0)
    action = task.next(at(4.1, held="red_block"), 4.2)
    assert isinstance(action, RunSkill) and action.call.skill == "place_in"


def test_cancelled_before_during_and_after() -> None:
    early = executor()
    early.cancel("changed my mind")
    assert early.next(tabletop(), 1.0) == Done("cancelled", "changed my mind", None)

    running = executor()
    running.next(at(0.0), 0.0)
    running.next(at(1.0), 1.0)
    running.cancel("changed my mind")
    running.skill_finished(False, "cancelled", 2.0)
    done = running.next(at(3.0), 3.0)
    assert isinstance(done, Done) and done.outcome == "cancelled"

    world = World(tabletop())
    over = executor()
    finished = world.drive(over)
    over.cancel("too late")
    assert over.next(world.scene(), world.t) == finished


def test_interruptions_do_not_count_and_it_plans_anew_after_them() -> None:
    world = World(tabletop())
    task = executor()
    for _ in range(2 * Limits().replans):
        world.t += 0.5
        while isinstance(action := task.next(world.scene(), world.t), Look):
            world.t += 0.5
        assert isinstance(action, RunSkill)
        task.skill_finished(False, "teleop took over", world.t, interrupted=True)
    world.put("red_block", "on", "white_plate")  # the operator did something else with it
    done = world.drive(task)
    assert (done.outcome, task.replans) == ("succeeded", 0)


def test_misuse_is_told() -> None:
    task = executor()
    with pytest.raises(ReinsError, match="no skill is running"):
        task.skill_finished(True, "", 0.0)
    task.next(at(0.0), 0.0)
    task.next(at(1.0), 1.0)
    with pytest.raises(ReinsError, match="still running"):
        task.next(at(2.0), 2.0)


class PatientPlanner(ScriptedPlanner):
    """Counts how often it is asked for a plan."""

    def __init__(self) -> None:
        super().__init__(SKILLS)
        self.asked = 0

    def plan(self, instruction: str, scene: Scene, history: History) -> Plan:
        self.asked += 1
        return super().plan(instruction, scene, history)


def test_a_slow_planner_is_asked_only_when_the_world_disagrees_or_after_an_interruption() -> None:
    calls = "pick(object=red_block); place_in(container=blue_bowl)"
    planner, world = PatientPlanner(), World(tabletop())
    assert world.drive(TaskExecutor(planner, SKILLS, calls)).outcome == "succeeded"
    assert planner.asked == 1

    planner, world = PatientPlanner(), World(tabletop())
    task = TaskExecutor(planner, SKILLS, calls)
    task.next(world.scene(), world.t)
    world.t += 1.0
    task.next(world.scene(), world.t)
    task.skill_finished(False, "teleop took over", world.t, interrupted=True)
    assert world.drive(task).outcome == "succeeded"
    assert (planner.asked, task.replans) == (2, 0)


class BrokenPlanner:
    """A backend whose plans name an object that is not there, or that fails altogether."""

    name = "broken"
    quick = False

    def __init__(self, error: str = "") -> None:
        self.error = error
        self.told: list[tuple[str, ...]] = []

    def plan(self, instruction: str, scene: Scene, history: History) -> Plan:
        if self.error:
            raise ReinsError(self.error)
        self.told.append(history.problems)
        return Plan(steps=(SkillCall(skill="pick", arguments={"object": "unicorn"}),))

    def unmet(self, instruction: str, scene: Scene, history: History) -> list[str]:
        return ["nothing is as it should be"]


def test_a_plan_that_the_verifier_rejects_never_moves_the_robot_and_the_planner_is_told() -> None:
    planner = BrokenPlanner()
    world = World(tabletop())
    done = world.drive(TaskExecutor(planner, SKILLS, "whatever"))
    assert (done.outcome, world.calls) == ("failed", [])
    assert "unicorn" in done.reason
    assert planner.told[0] == () and "unicorn" in planner.told[1][0]
    assert len(planner.told) == 1 + Limits().replans


def test_each_plan_of_a_slow_planner_has_a_turn_of_its_own_and_a_newer_scene() -> None:
    planner, world = BrokenPlanner(), World(tabletop())
    task = TaskExecutor(planner, SKILLS, "whatever")
    assert isinstance(task.next(world.scene(), world.t), Look)
    for asked in (1, 2):
        world.t += 1.0
        scene = world.scene()
        assert isinstance(task.next(scene, world.t), Look) and len(planner.told) == asked
        assert isinstance(task.next(scene, world.t), Look) and len(planner.told) == asked, "the scene is an old one"


def test_a_planner_that_fails_ends_the_task_with_its_reason() -> None:
    world = World(tabletop())
    done = world.drive(TaskExecutor(BrokenPlanner("the model is not loaded"), SKILLS, "whatever"))
    assert (done.outcome, done.reason) == ("failed", "the model is not loaded")


def test_a_planner_without_goals_is_judged_by_what_its_steps_were_for() -> None:
    world = World(tabletop())
    world.events[3] = lambda world: world.to_table("red_block")
    task = executor("pick(object=red_block); place_in(container=blue_bowl); home()", planner="scripted")
    done = world.drive(task)
    assert done.outcome == "failed" and "red_block is not in blue_bowl" in done.reason

    world = World(tabletop())
    task = executor("pick(object=red_block); place_in(container=blue_bowl); home()", planner="scripted")
    assert world.drive(task).outcome == "succeeded"


def test_a_push_that_goes_short_is_pushed_the_rest() -> None:
    world = World(tabletop())
    world.lies = {("push", 0)}

    def short(world: World) -> None:
        item = world.objects["green_block"]
        x, y, z = item.position
        world.objects["green_block"] = replace(item, position=(x, y + 0.03, z))

    world.events[1] = short
    assert world.drive(executor("push the green block left")).outcome == "succeeded"
    assert world.calls == [
        "push(object=green_block, direction=left)",
        "push(object=green_block, direction=left, distance=0.07)",
    ]
