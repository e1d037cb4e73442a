"""The gate: which commands are well-formed, in order and fresh enough to be considered at all."""

import math
from dataclasses import dataclass

from reins.hardware.profile import RobotProfile
from reins.hardware.robot import JointCommand, RobotState
from reins.safety.settings import SafetySettings
from reins.safety.validate import SOURCES, Rejection, check_shape, check_timing


@dataclass(slots=True)
class _Stream:
    """What is known of one source: its newest goal and command, and since when goals count."""

    activation: float = -math.inf
    sequence: int = -1
    not_before: float = math.inf
    barred: float = -math.inf


class Gate:
    """Checks commands. Every source is barred until `open_from` is called for it.

    An old goal never resumes: after `open_from(source, now)` only commands of goals that began at `now` or later, and
    that were not heard of before, are fresh, however long the older ones go on and whatever became of their process.

    Args:
        profile: the robot.
        settings: the monitor's.
    """

    def __init__(self, profile: RobotProfile, settings: SafetySettings) -> None:
        self._profile, self._settings = profile, settings
        self._streams = {source: _Stream() for source in SOURCES}

    def check(self, command: JointCommand, newest: RobotState) -> Rejection | None:
        """Why `command` cannot be used, given the newest robot state; None, and it is taken note of, if it can."""
        return (
            check_shape(command, self._profile)
            or check_timing(command, newest, self._settings)
            or self._check_order(command)
        )

    def open_from(self, source: str, now: float) -> None:
        """From robot time `now` [s] on, goals that begin are fresh."""
        stream = self._streams[source]
        stream.not_before, stream.barred = now, stream.activation

    def restart(self) -> None:
        """Robot time went back: what was seen says nothing any more. Every source is barred again."""
        self._streams = {source: _Stream() for source in SOURCES}

    def is_fresh(self, command: JointCommand) -> bool:
        """Whether a command that passed `check` belongs to a goal that may move the robot."""
        stream = self._streams[command.source]
        return command.activation >= stream.not_before and command.activation > stream.barred

    def _check_order(self, command: JointCommand) -> Rejection | None:
        stream = self._streams[command.source]
        if command.activation < stream.activation:
            return Rejection("superseded", "belongs to an older goal than the command before it")
        if command.activation == stream.activation and command.sequence <= stream.sequence:
            return Rejection("out_of_sequence", f"sequence {command.sequence} after {stream.sequence}")
        stream.activation, stream.sequence = command.activation, command.sequence
        return None
