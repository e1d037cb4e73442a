"""An arm for demonstrators that goes straight to its goal, with a speed that depends on nothing but the way left.

The scripts' own arm follows a motion over time: it starts slowly because it has just started. A network without memory
that imitates it learns to stand still where it stands. Here what is asked follows from the state alone.
"""

from typing import Final

import numpy as np

from reins.hardware.kinematics import ToolPose
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, RobotState
from reins.skills.pose_ik import pose_error
from reins.skills.scripted.arm import TURN_LENGTH, Arm

GAIN: Final = 5.0
"""Velocity per distance near the goal [1/s]."""

BRAKING: Final = (0.8, 4.0)
"""Deceleration towards the goal that its speed allows for: [m/s²], [rad/s²]."""


class GoalArm(Arm):
    """One arm under scripted phases, whose motions are asked for as tool twists.

    Args:
        profile: the robot.
        speed, turn: fastest motion that it asks for [m/s], [rad/s].

    Attributes:
        twist: (4,) what it asked for at the last step: linear velocity [m/s], yaw rate [rad/s].
    """

    tolerance = 0.004

    def __init__(self, profile: RobotProfile, speed: float, turn: float) -> None:
        super().__init__(profile)
        self._fastest = speed, turn
        self._goal: ToolPose | None = None
        self._part = 1.0
        self.twist: FloatArray = np.zeros(4)

    def go_to(self, goal: ToolPose, state: RobotState, scale: float = 1.0) -> None:
        """Go straight to `goal`; see `Arm.go_to`."""
        self._goal, self._part, self._late = goal, scale, 0.0
        self._look(state)

    def stay(self, state: RobotState) -> None:
        """Hold the goal, or the measured pose where there is none."""
        if self._goal is None:
            self.go_to(self.tool(state), state)

    @property
    def remaining(self) -> float:
        """0 at the goal, else infinite: it does not plan its time."""
        return 0.0 if self._error <= self.tolerance else float("inf")

    @property
    def fraction(self) -> float:
        """1 at the goal, else 0."""
        return float(self.remaining == 0.0)

    def step(self, state: RobotState) -> FloatArray:
        """(n,) zeros: what it asks for is `twist`."""
        elapsed = self._elapsed(state.stamp)
        self._look(state)
        still = float(np.max(np.abs(state.velocity))) < 0.02
        self._late = self._late + elapsed if still and self._error > self.tolerance else 0.0
        return self._velocity

    def _look(self, state: RobotState) -> None:
        if self._goal is None:
            self.twist = np.zeros(4)
            return
        error = pose_error(self._goal, self.tool(state))
        self._error = float(np.linalg.norm(error[:3]) + TURN_LENGTH * abs(error[5]))
        speed, turn = self._fastest
        linear = _approach(error[:3], self._part * speed, BRAKING[0])
        self.twist = np.append(linear, _approach(error[5:], self._part * turn, BRAKING[1]))


def _approach(error: FloatArray, speed: float, braking: float) -> FloatArray:
    """Velocity along `error`: at most `speed`, what `braking` still stops, and GAIN times the error."""
    distance = float(np.linalg.norm(error))
    wanted = min(speed, GAIN * distance, float(np.sqrt(2.0 * braking * distance)))
    return error * (wanted / max(distance, 1e-12))
