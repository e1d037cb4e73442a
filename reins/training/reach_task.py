"""The reach task: from a posture to a tool pose over the table, in a kinematic simulation, and the teacher for it.

The simulation is the control loop without dynamics: a command computed from the state of one period acts in the next,
and its acceleration is bounded as the policy's runtime bounds it.
"""

from dataclasses import dataclass
from math import pi
from typing import Final

import numpy as np

from reins.hardware.kinematics import ToolPose
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, RobotState
from reins.skills.differential_ik import DifferentialIk
from reins.skills.pose_ik import PoseSolver, pose_error
from reins.skills.scripted.hand import pointing_down
from reins.skills.scripted.layout import between

VERSION: Final = "1"
"""Of the task: raise it with every change to what is asked, observed or taught."""

REGION: Final = ((0.34, -0.42, 0.05), (0.68, 0.42, 0.50))
"""Corners of the box that starts and goals are drawn from, base frame [m]."""

YAW: Final = 0.6 * pi
"""Largest yaw of starts and goals either way [rad]."""

MARGIN: Final = 0.12
"""Distance to the joint limits along the straight way from a start to its goal [rad]."""

TRIES: Final = 50
"""Goals that are drawn for one start."""

SPEED: Final = (0.38, 1.6)
"""Fastest motion that the teacher asks for: [m/s], [rad/s]."""

BRAKING: Final = (0.8, 3.0)
"""Deceleration towards the goal that its speed allows for: [m/s²], [rad/s²]."""

GAIN: Final = 4.0
"""Velocity per distance near the goal [1/s]."""

SETTLING: Final = (0.05, 0.25)
"""Distance from the goal under which the null space comes to rest: [m], [rad]."""


@dataclass(frozen=True, slots=True, eq=False)
class Episode:
    """One reach: the posture (n,) [rad] it starts from, and the tool pose it should end at."""

    start: FloatArray
    goal: ToolPose


class ReachTask:
    """Draws episodes and labels states.

    Args:
        profile: the robot.
    """

    def __init__(self, profile: RobotProfile) -> None:
        self.profile = profile
        self.ik = DifferentialIk(profile)
        self._solver = PoseSolver(profile, self.ik.kinematics)

    def episodes(self, count: int, random: np.random.Generator) -> list[Episode]:
        """Random episodes."""
        found: list[Episode] = []
        while len(found) < count:
            start = self._posture(random)
            goal = self.goal_from(start, random)
            if goal is not None:
                found.append(Episode(start, goal))
        return found

    def goal_from(
        self, start: FloatArray, random: np.random.Generator, lowest: float = REGION[0][2]
    ) -> ToolPose | None:
        """A random goal, `lowest` [m] high or more, that a straight way clear of limits leads to from `start`.

        None where a few tries find none: then the start is too near to a joint limit itself.

        Args:
            start: (n,) posture [rad].
        """
        for _ in range(TRIES):
            goal = _random_pose(random)
            if goal.position[2] >= lowest and self._clear(start, goal):
                return goal
        return None

    def teach(self, position: FloatArray, goal: ToolPose) -> FloatArray:
        """(n,) joint velocity that a policy should command at `position` (n,) [rad] to reach `goal` [rad/s].

        Straight towards the goal, at the highest speed that still brakes in time, by differential inverse kinematics.
        It depends on nothing but the posture and the goal, so that a network without memory can learn it.
        """
        ik, settings = self.ik, self.ik.settings
        error = pose_error(goal, ik.tool_pose(position))
        twist = np.concatenate((_approach(error[:3], SPEED[0], BRAKING[0]), _approach(error[3:], SPEED[1], BRAKING[1])))
        far = max(np.linalg.norm(error[:3]) / SETTLING[0], np.linalg.norm(error[3:]) / SETTLING[1])
        pull = min(1.0, float(far)) * ik.posture_velocity(position, self.profile.home)
        fastest = settings.velocity_share * self.profile.velocity
        return ik.solve(position, twist, pull, -fastest, fastest)

    def state(self, position: FloatArray, velocity: FloatArray, time: float) -> RobotState:
        """The state of a robot that follows its commands exactly."""
        return RobotState(time, position, velocity, np.zeros_like(position), position, 0.08, False, 0)

    def _posture(self, random: np.random.Generator) -> FloatArray:
        """A posture over the table: a little off the one nearest to home, and its tool a little off the vertical."""
        solution = None
        while solution is None:  # nearly every pose in REGION has one
            solution = self._solver.solve(_random_pose(random), (self.profile.home,), MARGIN)
        drifted = solution.position + random.normal(0.0, 0.08, len(self.profile.joints))
        return np.clip(drifted, self.profile.lower + MARGIN, self.profile.upper - MARGIN)

    def _clear(self, start: FloatArray, goal: ToolPose) -> bool:
        posture = start
        for pose in (*between(self.ik.tool_pose(start), goal), goal):
            solution = self._solver.solve(pose, (posture,), MARGIN)
            if solution is None:
                return False
            posture = solution.position
        return True


def _random_pose(random: np.random.Generator) -> ToolPose:
    x, y, z = random.uniform(*REGION).tolist()
    return pointing_down(x, y, z, float(random.uniform(-YAW, YAW)))


def _approach(error: FloatArray, speed: float, braking: float) -> FloatArray:
    """Velocity along `error`: at most `speed`, what `braking` still stops, and GAIN times the error."""
    distance = float(np.linalg.norm(error))
    wanted = min(speed, GAIN * distance, float(np.sqrt(2.0 * braking * distance)))
    return error * (wanted / max(distance, 1e-12))
