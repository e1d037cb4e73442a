"""When to write: which messages mean a stop, and which only follow from one that is known."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

STOPS: Final = frozenset(("stopping", "stopped", "estop"))
"""Modes of the safety monitor in which the robot is stopped; names as in reins_msgs/SafetyState."""

NOT_THERE: Final = "starting"
"""Mode of a safety monitor that is not active yet, or not any more: what was stopped is stopped still."""

ROBOT_STOPPED: Final = "robot_stopped"
"""Kind of the robot node's event when the robot refuses to move: disarmed, or a fault."""

CUT: Final = "cut"
"""Kind of the robot node's event when it makes a stop of category 0: one by itself, or where another one failed."""

SILENT: Final = "robot_silent"
"""Kind of the cause when nothing is heard of the robot any more."""

SILENCE: Final = 2.0
"""A robot that was heard and then was not for this long is gone [s]; patient, for the recorder yields to all others."""


@dataclass(frozen=True, slots=True)
class Cause:
    """What made the robot stop.

    Attributes:
        stamp: when it was heard of, steady time [ns].
        kind: machine-readable: the mode ("stopping", "estop"), "robot_stopped", "cut" or "robot_silent".
        source: which topic said so.
        reason: one sentence.
        mode: the safety monitor's mode just before.
    """

    stamp: int
    kind: str
    source: str
    reason: str
    mode: str


class StopWatch:
    """Decides when a file is due. Times are steady [ns]; one thread uses it.

    A stop opens one case. Whatever else stops the robot within `after` belongs to the same case; then its file is due.
    What follows from a stop (STOPPING to STOPPED, the disarmed robot under a stopped monitor, a robot that ends when
    its monitor has) opens none, until the monitor tells a mode in which the robot may move.

    Args:
        after: how long to go on after a stop, so that the braking is on record [ns].
    """

    def __init__(self, after: int) -> None:
        self._after = after
        self._causes: list[Cause] = []
        self._heard: int | None = None
        self._down = False
        self.mode = ""
        """Last mode of the safety monitor, in lower case; empty before it was heard."""

    @property
    def pending(self) -> bool:
        """Whether a case is open."""
        return bool(self._causes)

    def on_mode(self, stamp: int, mode: str, reason: str) -> None:
        """The safety monitor tells its mode."""
        before, self.mode = self.mode, mode.lower()
        self._down = self.mode in STOPS or (self._down and self.mode == NOT_THERE)
        if self.mode not in STOPS or self.mode == before:
            return
        if self.mode == "stopped" and before == "stopping":
            return
        self._causes.append(Cause(stamp, self.mode, "safety/state", reason, before))

    def on_event(self, stamp: int, kind: str, reason: str) -> None:
        """Some node tells an event."""
        if kind == CUT or (kind == ROBOT_STOPPED and (self.pending or not self._down)):
            self._down = True
            self._causes.append(Cause(stamp, kind, "safety/events", reason, self.mode))

    def on_robot(self, stamp: int) -> None:
        """A robot state has come."""
        self._heard = stamp

    def look(self, now: int) -> None:
        """Notice that the robot has fallen silent."""
        if self._heard is None or now - self._heard <= SILENCE * 1e9:
            return
        if not self._down:
            self._down = True
            reason = f"nothing was heard of the robot for {SILENCE:g} s"
            self._causes.append(Cause(self._heard, SILENT, "robot_state", reason, self.mode))
        self._heard = None

    def due(self, now: int) -> Sequence[Cause]:
        """The causes of a case whose file is due, first one first; closes it. Empty when none is."""
        if not self._causes or now - self._causes[0].stamp < self._after:
            return ()
        return self.close()

    def close(self) -> Sequence[Cause]:
        """The causes of the open case, due or not; closes it."""
        causes, self._causes = self._causes, []
        return causes
