"""What the environments ask for: where an episode starts, what its goal is, what has been achieved."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import atan2, cos, pi, sin
from typing import ClassVar, Final

import numpy as np

from reins.hardware.kinematics import ToolPose
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.skills.pose_ik import PoseSolver
from reins.skills.scripted.hand import FRANKA_HAND, pointing_down
from reins.skills.scripted.layout import LOWEST_GRASP, grasp_above_underside
from reins.skills.scripted.push import STAND_OFF

SUBJECT: Final = "red_block"
"""The object that every task but reach is about."""

AREA: Final = ((0.36, -0.30), (0.64, 0.30))
"""Corners of the rectangle that objects are drawn in [m]: the placement of the tabletop worlds."""

REGION: Final = ((0.34, -0.36, 0.05), (0.64, 0.36, 0.40))
"""Corners of the box that reach draws starts and goals from [m]."""

FARTHEST: Final = 0.35
"""Longest way of a reach [m]."""

PARKED: Final = (-0.10, -0.90)
"""Where things stand that an episode has no use for, out of reach [m]."""

LIFT: Final = 0.10
"""How high pick lifts the object [m]."""

CLEAR: Final = 0.05
"""Distance of the tool from the object from which the object counts as let go [m]."""

FREE: Final = 0.10
"""What "let go" counts for in a goal [m]: more than any tolerance, so that it must hold."""

MARGIN: Final = 0.12
"""Distance to the joint limits at the start [rad]."""


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """How one episode starts.

    Attributes:
        tool: pose of the tool.
        width: of the gripper [m]; with `grasped`, of the object between the fingers.
        grasped: the subject is between the fingers, and they close on it.
        objects: (x, y, z, yaw) of every object [m, rad].
        goal: (k,) what should be achieved.
        direction: for push: angle of the stroke about +z [rad].
    """

    tool: ToolPose
    width: float
    objects: Mapping[str, tuple[float, float, float, float]]
    goal: FloatArray
    grasped: bool = False
    direction: float = 0.0


@dataclass(frozen=True)
class Task(ABC):
    """One goal-conditioned skill.

    Attributes:
        name: e.g. "pick".
        skills: skills of the library whose contact-rich part it is.
        world: its world, a file in `reins/training/envs/worlds`.
        horizon: longest episode [policy steps].
        tolerance: largest distance from the goal that is a success [m].
        goal_size: numbers in a goal: a position, and for some whether the object is let go.
        looks: whether the policy looks at the object.
    """

    name: ClassVar[str]
    skills: ClassVar[tuple[str, ...]]
    world: ClassVar[str] = "one_block"
    horizon: ClassVar[int]
    tolerance: ClassVar[float] = 0.02
    goal_size: ClassVar[int] = 3
    looks: ClassVar[bool] = True
    sizes: Mapping[str, FloatArray] = field(default_factory=dict)

    @abstractmethod
    def draw(self, random: np.random.Generator) -> Setup:
        """A random start and goal; its tool pose may be out of reach, then it is drawn again."""

    def achieved(self, tool: FloatArray, subject: FloatArray) -> FloatArray:
        """(k,) what is achieved with the tool at (3,) and the object at (3,) [m]."""
        return subject

    def size(self, name: str = SUBJECT) -> FloatArray:
        """(3,) extents of an object [m]."""
        return self.sizes[name]


def distance(achieved: FloatArray, desired: FloatArray) -> FloatArray:
    """(…) distance [m] between achieved and desired goals (…, k)."""
    gap: FloatArray = np.linalg.norm(achieved - desired, axis=-1)
    return gap


def _on_table(random: np.random.Generator, half: float) -> tuple[float, float, float, float]:
    x, y = random.uniform(*AREA).tolist()
    return x, y, half, float(random.uniform(-pi, pi))


def _parked(half: float, place: float = 0.0) -> tuple[float, float, float, float]:
    return PARKED[0] + place, PARKED[1], half, 0.0


def _half_turn(yaw: float) -> float:
    """The same yaw of a two-finger hand within a quarter turn either way of straight ahead [rad]."""
    return (yaw + pi / 2) % pi - pi / 2


def _quarter(yaw: float) -> float:
    """The yaw of a block's side within an eighth of a turn either way [rad]."""
    return (yaw + pi / 4) % (pi / 2) - pi / 4


class Reach(Task):
    """Bring the tool to a place over the table."""

    name = "reach"
    skills = ("move_to",)
    horizon = 250
    tolerance = 0.01
    looks = False

    def draw(self, random: np.random.Generator) -> Setup:
        start, goal = random.uniform(*REGION), random.uniform(*REGION)
        way = goal - start
        goal = start + way * min(1.0, FARTHEST / float(np.linalg.norm(way)))
        x, y, z = start.tolist()
        pose = pointing_down(x, y, z, float(random.uniform(-pi / 2, pi / 2)))
        return Setup(pose, 0.08, {SUBJECT: _parked(self.size()[2] / 2)}, goal)

    def achieved(self, tool: FloatArray, subject: FloatArray) -> FloatArray:
        return tool


class Push(Task):
    """Push an object along the table with closed fingers."""

    name = "push"
    skills = ("push",)
    horizon = 300

    def draw(self, random: np.random.Generator) -> Setup:
        size = self.size()
        x, y, z, yaw = _on_table(random, size[2] / 2)
        direction, length = float(random.integers(4)) * pi / 2, float(random.uniform(0.04, 0.20))
        way = np.array([cos(direction), sin(direction)])
        goal = np.array([*(np.array([x, y]) + length * way), z])
        reach = size[0] / 2 * abs(cos(direction - yaw)) + size[1] / 2 * abs(sin(direction - yaw))
        back = reach + FRANKA_HAND.finger_width / 2 + STAND_OFF
        start = np.array([x, y]) - back * way + random.normal(0.0, 0.006, 2)
        turn = _half_turn(direction + float(random.normal(0.0, 0.08)))
        pose = pointing_down(float(start[0]), float(start[1]), z + float(random.uniform(0.05, 0.11)), turn)
        return Setup(pose, 0.0, {SUBJECT: (x, y, z, yaw)}, goal, direction=direction)


class Pick(Task):
    """Grasp an object and lift it."""

    name = "pick"
    skills = ("pick",)
    horizon = 250

    def draw(self, random: np.random.Generator) -> Setup:
        size = self.size()
        x, y, z, yaw = _on_table(random, size[2] / 2)
        goal = np.array([x, y, z + LIFT])
        height = z - size[2] / 2 + grasp_above_underside(size[2]) + float(random.uniform(0.05, 0.13))
        off_x, off_y = random.normal(0.0, 0.008, 2).tolist()
        turn = _quarter(yaw) + float(random.normal(0.0, 0.12))
        opening = min(0.08, float(size[1]) + float(random.uniform(0.012, 0.03)))
        return Setup(pointing_down(x + off_x, y + off_y, height, turn), opening, {SUBJECT: (x, y, z, yaw)}, goal)


class Place(Task):
    """Put the held object down on the table or in a bowl, let go of it and rise."""

    name = "place"
    skills = ("place_in", "place_beside")
    world = "block_and_bowl"
    horizon = 250
    goal_size = 4
    bowl: ClassVar[str] = "blue_bowl"

    def draw(self, random: np.random.Generator) -> Setup:
        size, bowl = self.size(), self.size(self.bowl)
        x, y, _, yaw = _on_table(random, 0.0)
        into = bool(random.random() < 0.4)
        floor = BOWL_FLOOR if into else 0.0
        objects = {self.bowl: (x, y, bowl[2] / 2, 0.0) if into else _parked(bowl[2] / 2)}
        return held_over(random, size, np.array([x, y, floor + size[2] / 2]), yaw, objects)

    def achieved(self, tool: FloatArray, subject: FloatArray) -> FloatArray:
        return let_go(tool, subject)


class Stack(Task):
    """Put the held object on top of another one, let go of it and rise."""

    name = "stack"
    skills = ("place_on",)
    world = "two_blocks"
    horizon = 250
    goal_size = 4
    base: ClassVar[str] = "blue_block"

    def draw(self, random: np.random.Generator) -> Setup:
        size, base = self.size(), self.size(self.base)
        x, y, z, yaw = _on_table(random, base[2] / 2)
        goal = np.array([x, y, base[2] + size[2] / 2])
        return held_over(random, size, goal, yaw, {self.base: (x, y, z, yaw)})

    def achieved(self, tool: FloatArray, subject: FloatArray) -> FloatArray:
        return let_go(tool, subject)


BOWL_FLOOR: Final = 0.006
"""Height of the floor of a bowl [m]; as in `reins.sim.objects`."""


def held_over(
    random: np.random.Generator,
    size: FloatArray,
    goal: FloatArray,
    yaw: float,
    objects: Mapping[str, tuple[float, float, float, float]],
) -> Setup:
    """The subject in the hand, somewhat beside and well over its goal (3,) [m], its sides at about `yaw` [rad]."""
    x, y = (goal[:2] + random.normal(0.0, 0.012, 2)).tolist()
    z = float(goal[2]) + float(random.uniform(0.06, 0.13))
    turn = _quarter(yaw + float(random.normal(0.0, 0.15)))
    tool = pointing_down(x, y, z - size[2] / 2 + max(grasp_above_underside(size[2]), LOWEST_GRASP), turn)
    placed = {SUBJECT: (x, y, z, turn), **objects}
    return Setup(tool, float(size[1]), placed, np.array([*goal, FREE]), grasped=True)


def let_go(tool: FloatArray, subject: FloatArray) -> FloatArray:
    """(4,) where the object is, and FREE once the tool is CLEAR of it [m]."""
    x, y, z = subject.tolist()
    a, b, c = tool.tolist()
    free = (a - x) ** 2 + (b - y) ** 2 + (c - z) ** 2 > CLEAR**2
    return np.array([x, y, z, FREE if free else 0.0])


TASKS: Final[Mapping[str, type[Task]]] = {task.name: task for task in (Reach, Push, Pick, Place, Stack)}
"""Every task, by name."""


class StartFinder:
    """Finds the posture that an episode starts in.

    Args:
        profile: the robot.
    """

    def __init__(self, profile: RobotProfile) -> None:
        self._solver = PoseSolver(profile)
        self._home = profile.home

    def find(self, task: Task, random: np.random.Generator) -> tuple[Setup, FloatArray]:
        """A setup within reach, and (n,) the joint position of its start [rad]."""
        while True:
            setup = task.draw(random)
            solution = self._solver.solve(setup.tool, (self._home,), MARGIN)
            if solution is not None and self._reaches(setup):
                return setup, solution.position

    def _reaches(self, setup: Setup) -> bool:
        goal = setup.goal[:3]
        yaw = atan2(setup.tool.rotation[1, 0], setup.tool.rotation[0, 0])
        over = pointing_down(float(goal[0]), float(goal[1]), max(float(goal[2]), LOWEST_GRASP), yaw)
        return self._solver.solve(over, (self._home,), MARGIN) is not None
