"""An independent check of what reached the robot: limits are re-read from the profile, no safety code is used."""

from collections import Counter

import numpy as np

from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import RobotState, SafeCommand

POSITION_TOLERANCE = 1e-9
"""Rounding allowance on commanded positions [rad]."""

RATE_TOLERANCE = 1e-6
"""Rounding allowance on commanded rates, as a share of the limit."""

TOOL_TOLERANCE = 0.005
"""How far the measured tool may lag outside the workspace box [m]: the impedance controller's tracking error."""


class LimitAudit:
    """Counts, per kind, the control periods in which a limit of the profile was broken.

    Kinds: command_position, command_velocity, command_acceleration (of the safe command), state_position,
    state_velocity (measured), tool_workspace (measured, judged once the tool has been inside).

    A listener may miss commands: the velocity may then have changed for as many periods as the sequence went on.
    """

    def __init__(self, profile: RobotProfile) -> None:
        self._profile = profile
        self._kinematics = Kinematics(profile)
        self._last_velocity = np.zeros(len(profile.joints))
        self._last_sequence: int | None = None
        self._been_inside = False
        self.counts: Counter[str] = Counter()

    @property
    def total(self) -> int:
        """All violations so far."""
        return sum(self.counts.values())

    def on_command(self, command: SafeCommand) -> None:
        """Check one safe command against the newest one before that was heard; the robot stands before the first."""
        profile = self._profile
        end = command.position + command.velocity * command.period
        for position in (command.position, end):
            if np.any(position < profile.lower - POSITION_TOLERANCE) or np.any(
                position > profile.upper + POSITION_TOLERANCE
            ):
                self.counts["command_position"] += 1
                break
        slack = 1.0 + RATE_TOLERANCE
        if np.any(np.abs(command.velocity) > profile.velocity * slack):
            self.counts["command_velocity"] += 1
        change = np.abs(command.velocity - self._last_velocity)
        periods = 1 if self._last_sequence is None else max(1, command.sequence - self._last_sequence)
        if np.any(change > profile.acceleration * command.period * periods * slack):
            self.counts["command_acceleration"] += 1
        self._last_velocity, self._last_sequence = command.velocity.copy(), command.sequence

    def on_state(self, state: RobotState) -> None:
        """Check one measured state."""
        profile = self._profile
        if np.any(state.position < profile.lower) or np.any(state.position > profile.upper):
            self.counts["state_position"] += 1
        if np.any(np.abs(state.velocity) > profile.velocity):
            self.counts["state_velocity"] += 1
        tool = self._kinematics.tool_pose(state.position).position
        outside = np.maximum(profile.workspace.lower - tool, tool - np.array(profile.workspace.upper)).max()
        self._been_inside |= bool(outside <= 0.0)
        if self._been_inside and outside > TOOL_TOLERANCE:
            self.counts["tool_workspace"] += 1
