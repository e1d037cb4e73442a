"""Random tabletop tasks: a sentence, the world it is about, and what must be true afterwards, measured from physics."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import hypot
from typing import Final

import numpy as np

from reins.contracts.errors import ReinsError
from reins.contracts.facts import AXES
from reins.contracts.relations import BESIDE_GAP
from reins.sim.placement import TablePose, footprint, place
from reins.sim.predicates import Predicate, evaluate
from reins.sim.world import WorldSpec, load_world
from reins.sim.world_state import WorldState

WORLDS: Final = ("tabletop", "tableware", "blocks")
"""Worlds that tasks are drawn from."""

TWO_STEPS: Final = 0.3
"""Share of tasks with two steps."""

FORBIDDING: Final = 0.5
"""Share of tasks that also forbid to touch something, where there is something to forbid."""

PUSH_ROOM: Final = 0.12
"""Length of table in front of a pushed block, and behind it for the hand, that must be free [m]."""

HAND_RADIUS: Final = 0.11
"""Half of the width of the hand over the table: what stands nearer may be brushed by it [m]."""

FINGER_RADIUS: Final = 0.065
"""From the middle of the open gripper to the outside of its fingers [m]."""

PLACED_DIRECTIONS: Final = 8
"""Places around an object that are tried for something beside it."""


@dataclass(frozen=True, slots=True)
class TabletopTask:
    """One task.

    Attributes:
        instruction: the sentence, in the planner's controlled English.
        world: name of the world.
        seed: of the world's random poses.
        goal: predicates that must hold at the end; see `reins.sim.predicates`.
        forbidden: ids of objects that must not be touched.
    """

    instruction: str
    world: str
    seed: int
    goal: tuple[Predicate, ...]
    forbidden: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """How a task stands.

    Attributes:
        success: every goal predicate holds and nothing forbidden was touched.
        forbidden_touches: forbidden objects that the robot touched.
        unmet: goal predicates that do not hold.
    """

    success: bool
    forbidden_touches: tuple[str, ...]
    unmet: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class _Step:
    """One part of a task: its clause, its goal, and the ids of everything that it is about."""

    clause: str
    goal: Predicate
    uses: frozenset[str]


def evaluate_task(task: TabletopTask, state: WorldState) -> TaskOutcome:
    """Measure a task in the truth at its end.

    Raises:
        ReinsError: `state` is of another world or seed.
    """
    if (state.world, state.seed) != (task.world, task.seed):
        raise ReinsError(
            f"the task is about world '{task.world}' with seed {task.seed}, "
            f"the state is of world '{state.world}' with seed {state.seed}"
        )
    start = place(load_world(task.world), task.seed)
    unmet = tuple(predicate for predicate in task.goal if not evaluate(predicate, state, start))
    touched = tuple(name for name in task.forbidden if state.find(name).touched)
    return TaskOutcome(not unmet and not touched, touched, unmet)


def generate_task(seed: int) -> TabletopTask:
    """Draw a task that can be done: what it needs is reachable, free and not forbidden.

    Args:
        seed: same seed, same task; also the seed of its world's poses.

    Raises:
        ReinsError: the world with this seed offers nothing to do.
    """
    generator = np.random.default_rng(seed)
    world = load_world(WORLDS[generator.integers(len(WORLDS))])
    poses = place(world, seed)
    makers: tuple[Callable[[WorldSpec, Mapping[str, TablePose]], list[_Step]], ...] = (_into, _onto, _next_to, _pushes)
    weights = (0.35, 0.25, 0.2, 0.2)
    offers = [maker(world, poses) for maker in makers]
    first = _draw(offers, weights, generator)
    steps = [first]
    if generator.random() < TWO_STEPS:
        later = [[step for step in offer if _can_follow(first, step)] for offer in offers]
        if any(later):
            steps.append(_draw(later, weights, generator))
    instruction = " and then ".join(step.clause for step in steps)
    forbidden: tuple[str, ...] = ()
    if generator.random() < FORBIDDING and (spare := _forbiddable(world, steps)):
        name = spare[generator.integers(len(spare))]
        instruction += f" but don't touch the {words(world, name)}"
        forbidden = (name,)
    return TabletopTask(instruction, world.name, seed, tuple(step.goal for step in steps), forbidden)


def has_room(task: TabletopTask, poses: Mapping[str, TablePose]) -> bool:
    """Whether a task's pushes, and what it puts beside something, have the room that they need.

    Args:
        task: the task.
        poses: of what stands on the table now, by id.
    """
    world = load_world(task.world)
    for kind, name, other in task.goal:
        if kind == "moved" and name in poses and not _can_push(world, poses, name, other):
            return False
        if kind == "beside" and other in poses and not any(_free_places(world, poses, name, other)):
            return False
    return True


def words(world: WorldSpec, name: str) -> str:
    """How people call an object: its colour and its label."""
    item = world.by_id[name]
    return f"{item.colour} {item.label}"


def _draw(offers: list[list[_Step]], weights: tuple[float, ...], generator: np.random.Generator) -> _Step:
    """A step: first the kind by its weight among those on offer, then one of that kind."""
    share = np.array([weight if offer else 0.0 for offer, weight in zip(offers, weights, strict=True)])
    if not share.any():
        raise ReinsError("the world offers nothing to do; give it more objects or more room")
    chosen = offers[generator.choice(len(offers), p=share / share.sum())]
    return chosen[generator.integers(len(chosen))]


def _can_follow(first: _Step, step: _Step) -> bool:
    """They share no object, and at most one of them ends on a place of the table that it chooses itself: that place is
    free now, and whatever the other one does it does on top of an object."""
    return not first.uses & step.uses and ("in" in _ends(first, step) or "on" in _ends(first, step))


def _ends(*steps: _Step) -> set[str]:
    return {step.goal[0] for step in steps}


def _of(world: WorldSpec, label: str) -> list[str]:
    return [name for name, item in world.by_id.items() if item.label == label]


def _into(world: WorldSpec, poses: Mapping[str, TablePose]) -> list[_Step]:
    return [
        _Step(
            f"put the {words(world, block)} in the {words(world, bowl)}",
            ("in", block, bowl),
            frozenset((block, bowl)),
        )
        for block in _of(world, "block")
        for bowl in _of(world, "bowl")
    ]


def _onto(world: WorldSpec, poses: Mapping[str, TablePose]) -> list[_Step]:
    blocks = _of(world, "block")
    plated = [("place", "on", block, plate) for block in blocks for plate in _of(world, "plate")]
    stacked = [("stack", "on", block, under) for block in blocks for under in blocks if block != under]
    return [
        _Step(
            f"{verb} the {words(world, block)} {preposition} the {words(world, under)}",
            ("on", block, under),
            frozenset((block, under)),
        )
        for verb, preposition, block, under in plated + stacked
    ]


def _next_to(world: WorldSpec, poses: Mapping[str, TablePose]) -> list[_Step]:
    return [
        _Step(
            f"put the {words(world, block)} beside the {words(world, target)}",
            ("beside", block, target),
            frozenset((block, target)),
        )
        for block in _of(world, "block")
        for target in world.by_id
        if target != block and any(_free_places(world, poses, block, target))
    ]


def _free_places(
    world: WorldSpec, poses: Mapping[str, TablePose], block: str, target: str
) -> Iterator[tuple[float, float]]:
    """Places beside `target` where fingers can let go of `block` without touching anything else."""
    middle = poses[target]
    distance = footprint(world.by_id[target]) + footprint(world.by_id[block]) + BESIDE_GAP / 2
    for turn in np.arange(PLACED_DIRECTIONS) * (2 * np.pi / PLACED_DIRECTIONS):
        x, y = middle.x + distance * float(np.cos(turn)), middle.y + distance * float(np.sin(turn))
        if _on_table(world, x, y) and all(
            hypot(x - pose.x, y - pose.y) >= FINGER_RADIUS + footprint(world.by_id[name]) + 0.02
            for name, pose in poses.items()
            if name not in (block, target)
        ):
            yield x, y


def _on_table(world: WorldSpec, x: float, y: float) -> bool:
    lower, upper = world.placement.lower, world.placement.upper
    return lower[0] <= x <= upper[0] and lower[1] <= y <= upper[1]


def _pushes(world: WorldSpec, poses: Mapping[str, TablePose]) -> list[_Step]:
    return [
        _Step(f"push the {words(world, block)} {direction}", ("moved", block, direction), frozenset((block,)))
        for block in _of(world, "block")
        for direction in AXES
        if _can_push(world, poses, block, direction)
    ]


def _can_push(world: WorldSpec, poses: Mapping[str, TablePose], block: str, direction: str) -> bool:
    """The way ahead and the hand's place behind are free and on the table."""
    axis, sign = AXES[direction]
    pose = poses[block]
    ahead = [pose.x, pose.y]
    ahead[axis] += sign * PUSH_ROOM
    if not _on_table(world, *ahead):
        return False
    for name, other in poses.items():
        offset = ((other.x - pose.x) * sign, (other.y - pose.y) * sign)
        along, across = offset[axis], abs(offset[1 - axis])
        reach = HAND_RADIUS + footprint(world.by_id[name])
        if name != block and across < reach and abs(along) < PUSH_ROOM + reach:
            return False
    return True


def _forbiddable(world: WorldSpec, steps: list[_Step]) -> list[str]:
    """Objects that no step uses."""
    used = frozenset[str]().union(*(step.uses for step in steps))
    return [name for name in world.by_id if name not in used]
