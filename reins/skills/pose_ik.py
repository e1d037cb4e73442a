"""Inverse kinematics of a pose: whether the arm reaches it, in which posture, and how far from its joint limits."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from reins.hardware.kinematics import Kinematics, ToolPose
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class PoseSolution:
    """A posture that reaches a pose.

    Attributes:
        position: (n,) joint position [rad].
        margin: distance to the nearest joint limit [rad], > 0.
    """

    position: FloatArray
    margin: float


def pose_error(goal: ToolPose, pose: ToolPose) -> FloatArray:
    """(6,) twist that carries `pose` to `goal` in one second: linear [m/s], angular [rad/s], base frame."""
    turn = pose.rotation @ pin.log3(pose.rotation.T @ goal.rotation)
    return np.concatenate((goal.position - pose.position, turn))


class PoseSolver:
    """Finds postures for poses by damped Newton steps with a pull towards the home posture. One instance per thread.

    Args:
        profile: the robot.
        kinematics: its kinematics, shared scratch memory; made anew by default.
    """

    def __init__(self, profile: RobotProfile, kinematics: Kinematics | None = None) -> None:
        self._profile = profile
        self._kinematics = kinematics or Kinematics(profile)

    def solve(self, goal: ToolPose, seeds: Iterable[FloatArray], min_margin: float = 0.08) -> PoseSolution | None:
        """The first posture found, starting from each of `seeds` in turn, that reaches `goal`; None where none does.

        Args:
            goal: tool pose in the base frame.
            seeds: (n,) joint positions to start from [rad]; nearest first.
            min_margin: least distance to every joint limit [rad].
        """
        for seed in seeds:
            position = self._descend(goal, seed)
            if position is None:
                continue
            margin = float(np.min(np.minimum(position - self._profile.lower, self._profile.upper - position)))
            if margin >= min_margin:
                return PoseSolution(position, margin)
        return None

    def _descend(self, goal: ToolPose, seed: FloatArray, steps: int = 60) -> FloatArray | None:
        position = np.array(seed, dtype=np.float64)
        home, n = self._profile.home, len(seed)
        for _ in range(steps):
            pose, jacobian = self._kinematics.tool_jacobian(position)
            error = pose_error(goal, pose)
            if np.linalg.norm(error) < 1e-4:
                return position
            inverse = jacobian.T @ np.linalg.inv(jacobian @ jacobian.T + 1e-4 * np.eye(6))
            change = inverse @ error + (np.eye(n) - inverse @ jacobian) @ (0.1 * (home - position))
            change *= min(1.0, 0.4 / max(float(np.max(np.abs(change))), 1e-9))
            position = np.clip(position + change, self._profile.lower, self._profile.upper)
        return None
