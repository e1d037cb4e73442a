"""Somebody else at the table: an object is moved, dropped, swapped or added once, in the middle of a task."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import hypot
from random import Random
from typing import Final

from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, RobotState
from reins.sim.objects import rest_height
from reins.sim.placement import TablePose, footprint, place, spacing
from reins.sim.predicates import evaluate
from reins.sim.simulators import SimulatedTable
from reins.sim.tasks import HAND_RADIUS, TabletopTask, has_room
from reins.sim.world import WorldSpec, load_world
from reins.sim.world_state import WorldState

KINDS: Final = ("moved", "dropped", "swapped", "added")
"""moved: something that the task is about is put elsewhere. dropped: what the hand carries slips out and lies below it.
swapped: something that the task is about and something else change places. added: something that was not there when the
task began is put on the table."""

AWAY: Final = TablePose(-1.5, 1.5, 0.0)
"""Where something is that is not there yet: out of sight and out of reach."""

EARLIEST, LATEST = 0.5, 8.0
"""Time after the beginning of a task within which somebody interferes [s], or as soon after it as that can be done."""

LOOK: Final = 0.1
"""Time between two looks at whether it can be done now [s]."""

LIFTED: Final = 0.08
"""What the hand has lifted so far is carried [m]."""

FAR: Final = 0.08
"""What is moved goes at least so far [m]."""

NEAR: Final = 0.15
"""What is dropped comes to lie at most so far from below the hand, if there is room [m]."""

STANDS: Final = 0.005
"""What stands on the table is this near to its height there [m]."""

_TRIES: Final = 300

Poses = Mapping[str, TablePose]


def possible_kinds(task: TabletopTask) -> list[str]:
    """How a task can be disturbed and still be done. What is to be pushed stays where it is, for its way is measured
    from there."""
    world = load_world(task.world)
    kinds = ["moved", "dropped"] if _carried(task) else []
    if _carried(task) and len(_movable(task, world)) > 1:
        kinds.append("swapped")
    if _spare(task, world):
        kinds.append("added")
    return kinds


class Meddler:
    """Disturbs one task once.

    Args:
        kind: one of `possible_kinds`.
        task: the task.
        robot: at whose table it is.
        profile: of the robot.

    Attributes:
        struck: what was done, in words; empty as long as nothing was.
    """

    def __init__(self, kind: str, task: TabletopTask, robot: SimulatedTable, profile: RobotProfile) -> None:
        self.struck = ""
        self._task, self._world = task, load_world(task.world)
        self._robot = robot
        self._tool = Kinematics(profile).tool_pose
        self._rng = rng = Random(f"{kind}/{task.seed}")
        self._start = place(self._world, task.seed)
        strike: Mapping[str, Callable[[WorldState, FloatArray], str]] = {
            "moved": self._move,
            "dropped": self._drop,
            "swapped": self._swap,
            "added": self._add,
        }
        self._strike = strike[kind]
        self._next = rng.uniform(EARLIEST, LATEST) if kind != "dropped" else 0.0
        self._involved = _shuffled(sorted({name for goal in _carried(task) for name in goal[1:]}), rng)
        self._missing = rng.choice(_spare(task, self._world)) if kind == "added" else ""
        if self._missing:
            robot.put(self._missing, AWAY)

    @property
    def missing(self) -> str:
        """The object that is still to come, or ""."""
        return "" if self.struck else self._missing

    def begin(self, t: float) -> None:
        """The task begins at robot time `t` [s]."""
        self._next += t

    def look(self, state: RobotState) -> None:
        """Interfere if it is time to and can be done; called in every control period of the task."""
        if self.struck or state.stamp < self._next:
            return
        self._next = state.stamp + LOOK
        self.struck = self._strike(self._robot.world_state(), self._tool(state.position).position)

    def _move(self, world: WorldState, hand: FloatArray) -> str:
        standing = self._standing(world)
        for name in self._free(world, standing, hand):
            others = {key: pose for key, pose in standing.items() if key != name}
            there = standing[name]
            for pose in self._places(name, others, hand):
                if hypot(pose.x - there.x, pose.y - there.y) >= FAR and self._possible(world, {**others, name: pose}):
                    self._robot.put(name, pose)
                    return f"{name} was moved"
        return ""

    def _drop(self, world: WorldState, hand: FloatArray) -> str:
        name = world.held
        if name is None or world.find(name).position[2] < rest_height(self._world.by_id[name]) + LIFTED:
            return ""
        others = self._standing(world)
        for pose in self._places(name, others, hand, near=True):
            if self._possible(world, {**others, name: pose}):
                self._robot.put(name, pose)
                return f"{name} slipped out of the hand"
        return ""

    def _swap(self, world: WorldState, hand: FloatArray) -> str:
        standing = self._standing(world)
        free = self._free(world, standing, hand)
        others = self._free(world, standing, hand, _movable(self._task, self._world))
        for one in free:
            for two in others:
                poses = {**standing, one: standing[two], two: standing[one]}
                if one != two and self._apart(one, poses) and self._apart(two, poses) and self._possible(world, poses):
                    self._robot.put(one, poses[one])
                    self._robot.put(two, poses[two])
                    return f"{one} and {two} were swapped"
        return ""

    def _add(self, world: WorldState, hand: FloatArray) -> str:
        others = self._standing(world)
        others.pop(self._missing, None)
        for pose in self._places(self._missing, others, hand):
            if self._possible(world, {**others, self._missing: pose}):
                self._robot.put(self._missing, pose)
                return f"{self._missing} was added"
        return ""

    def _standing(self, world: WorldState) -> dict[str, TablePose]:
        """Where everything is that stands on the table."""
        return {
            name: TablePose(item.position[0], item.position[1], self._start[name].yaw)
            for name, item in world.objects.items()
            if name != world.held and abs(item.position[2] - rest_height(self._world.by_id[name])) < STANDS
        }

    def _free(self, world: WorldState, standing: Poses, hand: FloatArray, names: list[str] | None = None) -> list[str]:
        """Which of these objects, by default those that the task is about, somebody could take off the table now."""
        return [
            name
            for name in (self._involved if names is None else names)
            if name in standing and self._off(hand, standing[name], name) and not self._loaded(name, world)
        ]

    def _loaded(self, name: str, world: WorldState) -> bool:
        """Whether something is on or in it."""
        x, y, z = world.find(name).position
        size = footprint(self._world.by_id[name])
        return any(
            other.id != name and hypot(other.position[0] - x, other.position[1] - y) < size and other.position[2] > z
            for other in world.objects.values()
        )

    def _off(self, hand: FloatArray, pose: TablePose, name: str) -> bool:
        """Whether the hand is not over it."""
        return hypot(hand[0] - pose.x, hand[1] - pose.y) > HAND_RADIUS + footprint(self._world.by_id[name])

    def _apart(self, name: str, poses: Poses) -> bool:
        """Whether there is room for fingers around an object and whatever is next to it."""
        item, here = self._world.by_id[name], poses[name]
        return all(
            hypot(here.x - pose.x, here.y - pose.y) >= spacing(item, self._world.by_id[other], self._world.placement)
            for other, pose in poses.items()
            if other != name
        )

    def _places(self, name: str, others: Poses, hand: FloatArray, near: bool = False) -> Iterator[TablePose]:
        """Random places with room for an object; off the hand, or below it first."""
        rules, turn = self._world.placement, self._start[name].yaw
        middle = [min(max(float(hand[axis]), rules.lower[axis]), rules.upper[axis]) for axis in (0, 1)]
        for tries in range(_TRIES):
            lower, upper = rules.lower, rules.upper
            if near and tries < _TRIES // 2:
                lower = (max(lower[0], middle[0] - NEAR), max(lower[1], middle[1] - NEAR))
                upper = (min(upper[0], middle[0] + NEAR), min(upper[1], middle[1] + NEAR))
            pose = TablePose(self._rng.uniform(lower[0], upper[0]), self._rng.uniform(lower[1], upper[1]), turn)
            if (near or self._off(hand, pose, name)) and self._apart(name, {**others, name: pose}):
                yield pose

    def _possible(self, world: WorldState, poses: Poses) -> bool:
        """Whether what is still to be done has the room that it needs."""
        left = tuple(goal for goal in self._task.goal if not evaluate(goal, world, self._start))
        return has_room(replace(self._task, goal=left), poses)


def _carried(task: TabletopTask) -> list[tuple[str, ...]]:
    """The goals that something is carried for."""
    return [goal for goal in task.goal if goal[0] != "moved"]


def _movable(task: TabletopTask, world: WorldSpec) -> list[str]:
    """What may be taken elsewhere: all but what is to be pushed, and what must not be touched."""
    fixed = {goal[1] for goal in task.goal if goal[0] == "moved"} | set(task.forbidden)
    return [name for name in world.by_id if name not in fixed]


def _spare(task: TabletopTask, world: WorldSpec) -> list[str]:
    """What the instruction says nothing of."""
    named = {name for goal in task.goal for name in goal[1:]} | set(task.forbidden)
    return [name for name in world.by_id if name not in named]


def _shuffled(names: list[str], rng: Random) -> list[str]:
    return rng.sample(names, len(names))
