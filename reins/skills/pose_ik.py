"""Inverse kinematics of a pose: whether the arm reaches it, in which posture, and how far from its joint limits."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import pinocchio as pin

from reins.hardware.kinematics import Kinematics, ToolPose
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.skills.differential_ik import posture_pull

STEPS: Final = 80
"""Steps after which a search is given up."""

ARRIVED: Final = 1e-4
"""Pose error that counts as none: [m] and [rad] together."""

DAMPING: Final = 0.01
"""Damping per squared pose error: strong far from the goal, where a linear step means little."""

PULL: Final = 0.5
"""Share of the way to the home posture that a step takes in the null space."""

SETTLED: Final = 0.01
"""Null-space step at which the posture is as near to home as the pose allows [rad]."""

LARGEST_STEP: Final = 0.5
"""Largest change of a joint in one step [rad]."""


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
    """Finds, for a pose, the posture nearest to home: where the null space of the differential kinematics settles too.

    One instance per thread.

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

    def _descend(self, goal: ToolPose, seed: FloatArray) -> FloatArray | None:
        """Levenberg-Marquardt steps from `seed`; None where they do not arrive."""
        position = np.array(seed, dtype=np.float64)
        home, eye = self._profile.home, np.eye(6)
        for _ in range(STEPS):
            pose, jacobian = self._kinematics.tool_jacobian(position)
            error = pose_error(goal, pose)
            size = float(error @ error)
            inverse = jacobian.T @ np.linalg.inv(jacobian @ jacobian.T + (DAMPING * size + 1e-6) * eye)
            pull = PULL * posture_pull(position, home)
            settle = pull - inverse @ (jacobian @ pull)
            if size < ARRIVED**2 and float(np.max(np.abs(settle))) < SETTLED:
                return position
            change = inverse @ error + settle
            change *= min(1.0, LARGEST_STEP / max(float(np.max(np.abs(change))), 1e-9))
            position = np.clip(position + change, self._profile.lower, self._profile.upper)
        return None
