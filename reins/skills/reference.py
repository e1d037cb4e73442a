"""Reference motions with bounded speed, acceleration and jerk, in tool space and in joint space, by ruckig.

A motion starts from the pose and the velocity that it is given, so a new one can take over from one under way without
a jump. Time along it is a parameter, so that whoever follows it can let it wait.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import pinocchio as pin
from ruckig import InputParameter, Result, Ruckig, RuckigError, Synchronization, Trajectory

from reins.contracts.errors import ReinsError
from reins.hardware.kinematics import ToolPose
from reins.hardware.robot import FloatArray

NO_WAY: Final = 1e-9
"""An axis with less way than this stands still [m, rad]."""


@dataclass(frozen=True, slots=True)
class MotionLimits:
    """Bounds of a tool motion.

    Attributes:
        speed, acceleration, jerk: of the tool's position [m/s, m/s², m/s³].
        turn_speed, turn_acceleration, turn_jerk: of its orientation [rad/s, rad/s², rad/s³].
    """

    speed: float = 0.4
    acceleration: float = 1.5
    jerk: float = 15.0
    turn_speed: float = 1.8
    turn_acceleration: float = 6.0
    turn_jerk: float = 60.0

    def scaled(self, scale: float) -> "MotionLimits":
        """The same limits for motions `scale` (0 … 1) as fast, so that the path in space stays the same."""
        return MotionLimits(
            self.speed * scale,
            self.acceleration * scale**2,
            self.jerk * scale**3,
            self.turn_speed * scale,
            self.turn_acceleration * scale**2,
            self.turn_jerk * scale**3,
        )


class ToolMotion:
    """A tool pose over time from a start, possibly moving, to rest at a goal.

    From rest it is a straight line with the shortest turn, both arriving together.

    Args:
        start, goal: poses in the base frame.
        start_twist: (6,) velocity at the start, linear [m/s] and angular [rad/s], base frame.
        limits: bounds of the motion.

    Raises:
        ReinsError: no such motion exists, e.g. because a value is not finite.
    """

    def __init__(self, start: ToolPose, goal: ToolPose, start_twist: FloatArray, limits: MotionLimits) -> None:
        self.goal = goal
        turn = pin.log3(goal.rotation.T @ start.rotation)
        turn_rate = pin.Jlog3(goal.rotation.T @ start.rotation) @ (start.rotation.T @ start_twist[3:])
        velocity = np.concatenate((start_twist[:3], turn_rate))
        share = np.repeat(
            (_axis_share(goal.position - start.position, velocity[:3]), _axis_share(turn, velocity[3:])), 3
        )
        self._trajectory = plan_motion(
            np.concatenate((start.position, turn)),
            velocity,
            np.concatenate((goal.position, np.zeros(3))),
            share * np.repeat((limits.speed, limits.turn_speed), 3),
            share * np.repeat((limits.acceleration, limits.turn_acceleration), 3),
            share * np.repeat((limits.jerk, limits.turn_jerk), 3),
        )

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return float(self._trajectory.duration)

    def at(self, time: float) -> tuple[ToolPose, FloatArray]:
        """Pose and (6,) twist at `time` [s] from its start; at rest at the goal after its duration."""
        position, velocity, _ = self._trajectory.at_time(max(time, 0.0))
        turn, rate = np.array(position[3:]), np.array(velocity[3:])
        rotation = self.goal.rotation @ pin.exp3(turn)
        angular = rotation @ (pin.Jexp3(turn) @ rate)
        return ToolPose(np.array(position[:3]), rotation), np.concatenate((velocity[:3], angular))


class JointMotion:
    """Joint positions over time from a start to rest at a goal, all joints arriving together.

    Args:
        start, velocity: (n,) joint position [rad] and velocity [rad/s] at the start.
        goal: (n,) joint position [rad].
        speed, acceleration, jerk: (n,) bounds.
    """

    def __init__(
        self,
        start: FloatArray,
        velocity: FloatArray,
        goal: FloatArray,
        speed: FloatArray,
        acceleration: FloatArray,
        jerk: FloatArray,
    ) -> None:
        self.goal = goal
        self._trajectory = plan_motion(start, velocity, goal, speed, acceleration, jerk)

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return float(self._trajectory.duration)

    def at(self, time: float) -> tuple[FloatArray, FloatArray]:
        """(n,) position [rad] and (n,) velocity [rad/s] at `time` [s] from its start."""
        position, velocity, _ = self._trajectory.at_time(max(time, 0.0))
        return np.array(position), np.array(velocity)


def plan_motion(
    position: FloatArray,
    velocity: FloatArray,
    goal: FloatArray,
    speed: FloatArray,
    acceleration: FloatArray,
    jerk: FloatArray,
) -> Trajectory:
    """Quickest jerk-limited trajectory (k axes) to rest at `goal`; a straight line where it starts from rest.

    Raises:
        ReinsError: ruckig finds none; names its reason.
    """
    if not np.any(velocity):
        speed, acceleration, jerk = (_alike(goal - position, bound) for bound in (speed, acceleration, jerk))
    problem = InputParameter(len(position))
    problem.current_position, problem.current_velocity = position.tolist(), velocity.tolist()
    problem.target_position = goal.tolist()
    problem.max_velocity, problem.max_acceleration = speed.tolist(), acceleration.tolist()
    problem.max_jerk = jerk.tolist()
    problem.synchronization = Synchronization.Phase
    trajectory = Trajectory(len(position))
    try:
        result = Ruckig(len(position)).calculate(problem, trajectory)
    except RuckigError as error:
        raise ReinsError(f"no motion from {position.round(3)} to {goal.round(3)}: {error}") from error
    if result not in (Result.Working, Result.Finished):
        raise ReinsError(f"no motion from {position.round(3)} to {goal.round(3)}: {result}")
    return trajectory


def _alike(way: FloatArray, bound: FloatArray) -> FloatArray:
    """(k,) bounds in proportion to each axis' way, so that all axes move alike and none reaches its own bound later.

    Ruckig leaves the straight line where an axis that moves like the slowest one would exceed a bound of its own.
    """
    moves = np.abs(way) > NO_WAY
    if not np.any(moves):
        return bound
    least = np.min(bound[moves] / np.abs(way[moves]))
    return np.where(moves, least * np.abs(way), bound)


def _axis_share(way: FloatArray, velocity: FloatArray) -> float:
    """Share of a bound on a vector's length that each of its three axes may have.

    A motion from rest is a straight line along `way`, so its largest component decides; any other motion may use every
    axis at once.
    """
    length = float(np.linalg.norm(way))
    if np.any(velocity) or length < NO_WAY:
        return float(1.0 / np.sqrt(3.0))
    return float(np.max(np.abs(way))) / length
