"""The gate of body commands: which are well-formed, in order and fresh enough to be considered at all."""

from reins.hardware.legged import BodyCommand, LeggedState
from reins.safety.legged.validate import check_body_shape
from reins.safety.order import Order
from reins.safety.settings import SafetySettings
from reins.safety.validate import Rejection, check_timing


class BodyGate:
    """Checks body commands; what `Gate` says of goals, resets and hand-backs holds here, too.

    Args:
        settings: the monitor's.
    """

    def __init__(self, settings: SafetySettings) -> None:
        self._settings, self._order = settings, Order()

    def check(self, command: BodyCommand, newest: LeggedState) -> Rejection | None:
        """Why `command` cannot be used, given the newest robot state; None, and it is taken note of, if it can."""
        return check_body_shape(command) or check_timing(command, newest, self._settings) or self._order.check(command)

    def open_from(self, source: str, now: float) -> None:
        """From robot time `now` [s] on, goals that begin are fresh."""
        self._order.open_from(source, now)

    def restart(self) -> None:
        """Robot time went back: what was seen says nothing any more. Every source is barred again."""
        self._order.restart()

    def is_fresh(self, command: BodyCommand) -> bool:
        """Whether a command that passed `check` belongs to a goal that may move the robot."""
        return self._order.is_fresh(command)
