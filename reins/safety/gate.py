"""The gate: which commands are well-formed, in order and fresh enough to be considered at all."""

from reins.hardware.profile import RobotProfile
from reins.hardware.robot import JointCommand, RobotState
from reins.safety.order import Order
from reins.safety.settings import SafetySettings
from reins.safety.validate import Rejection, check_shape, check_timing


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
        self._order = Order()

    def check(self, command: JointCommand, newest: RobotState) -> Rejection | None:
        """Why `command` cannot be used, given the newest robot state; None, and it is taken note of, if it can."""
        return (
            check_shape(command, self._profile)
            or check_timing(command, newest, self._settings)
            or self._order.check(command)
        )

    def open_from(self, source: str, now: float) -> None:
        """From robot time `now` [s] on, goals that begin are fresh."""
        self._order.open_from(source, now)

    def restart(self) -> None:
        """Robot time went back: what was seen says nothing any more. Every source is barred again."""
        self._order.restart()

    def is_fresh(self, command: JointCommand) -> bool:
        """Whether a command that passed `check` belongs to a goal that may move the robot."""
        return self._order.is_fresh(command)
