"""Arms whose brakes fail: mix it into any driver."""

from typing import Any

from reins.hardware.robot import SafeCommand, StopCategory


class Brakeless:
    """Once its brakes fail, it goes on as it moved last, whatever it is told; only a cut stops it.

    Attributes:
        failing: whether they do.
    """

    failing = False
    _fault: Any

    def write(self, command: SafeCommand) -> None:
        """Not done any more."""
        if not self.failing:
            super().write(command)  # type: ignore[misc]

    def stop(self, category: StopCategory, reason: str) -> None:
        """Only told."""
        if self.failing and category is StopCategory.CONTROLLED:
            self._fault = self._fault or reason
        else:
            super().stop(category, reason)  # type: ignore[misc]
