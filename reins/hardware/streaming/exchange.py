"""What the control thread and a driver's own thread share: one lock, and every question answered under it."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Condition

from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, SafeCommand, StopCategory, refusal
from reins.hardware.streaming.session import Measured


@dataclass(frozen=True, slots=True)
class Orders:
    """What the driver's thread is to do now.

    Attributes:
        command: the newest setpoint, None since the last stop.
        commanded_at: CLOCK_MONOTONIC when it came [s].
        fault: why the robot must not move; empty if it may.
        cut: the stop is one of category 0.
        recovering: a recovery is asked for.
        ending: the driver is being closed.
    """

    command: SafeCommand | None
    commanded_at: float
    fault: str
    cut: bool
    recovering: bool
    ending: bool


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What the control thread sees: the newest measurement, robot time [s], reference (n,) [rad], sequence, fault."""

    measured: Measured
    stamp: float
    reference: FloatArray
    sequence: int
    fault: str


class Exchange:
    """Guarded by its lock; no method blocks.

    Args:
        first: the first measurement.
        profile: of the robot.
        clock: CLOCK_MONOTONIC [s], or what a test has in its place.
    """

    def __init__(self, first: Measured, profile: RobotProfile, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._lock = Condition()
        self._news = False
        self._names, self._limits = profile.joint_names, profile.velocity
        self._measured = first
        self._offset = -first.time
        self._reference = first.position.copy()
        self._command: SafeCommand | None = None
        self._commanded_at = 0.0
        self._sequence = 0
        self._fault = first.trouble
        self._cut = self._recovering = self._ending = False
        self._later, self._later_cut = "", False  # stops that came since a recovery was asked for

    # The control thread's side

    def view(self) -> View:
        """What is known now."""
        with self._lock:
            stamp = self._measured.time + self._offset
            return View(self._measured, stamp, self._reference.copy(), self._sequence, self._fault)

    def offer(self, command: SafeCommand) -> bool:
        """Have this tracked, unless a fault is set or it must be refused; whether it is.

        Raises:
            ReinsError: position or velocity has the wrong length.
        """
        with self._lock:
            refused = refusal(command, self._reference, self._measured.position, self._names, self._limits)
            if not self._fault:
                self._fault = refused
            if self._fault:
                return False
            self._command = command
            self._commanded_at = self.clock()
            self._sequence = command.sequence
            self._tell()
            return True

    def stop(self, category: StopCategory, reason: str) -> None:
        """Set the fault; the first reason stays. What comes while the robot recovers stays when it has recovered."""
        with self._lock:
            self._fault = self._fault or reason
            self._later = self._later or reason
            self._cut |= category == StopCategory.CUT
            self._later_cut |= category == StopCategory.CUT
            self._tell()

    def notice(self, silence: float, who: str) -> None:
        """Set a fault if the robot has said nothing for longer than `silence` [s]."""
        with self._lock:
            quiet = self.clock() - self._measured.at
            if quiet > silence and not self._fault:
                self._fault = (
                    f"{who} has said nothing for {1e3 * quiet:.0f} ms; "
                    "look at the cable and at the robot's controller, then recover the robot"
                )

    def ask_recovery(self) -> None:
        """Have the fault cleared; it stays until the robot has recovered."""
        with self._lock:
            self._recovering = True
            self._later, self._later_cut = "", False

    def ask_end(self) -> None:
        """Have the robot brought to a stand and let go."""
        with self._lock:
            self._ending = True

    def _tell(self) -> None:
        self._news = True
        self._lock.notify()

    # The driver's thread's side

    def wait(self, seconds: float) -> None:
        """Wait that long, or less where a setpoint or a stop comes: it is passed on at once."""
        with self._lock:
            if not self._news:
                self._lock.wait(max(0.0, seconds))
            self._news = False

    def orders(self) -> Orders:
        """What to do now."""
        with self._lock:
            return Orders(self._command, self._commanded_at, self._fault, self._cut, self._recovering, self._ending)

    def post(self, measured: Measured) -> None:
        """The newest measurement. Trouble of the robot is a fault."""
        with self._lock:
            self._measured = measured
            self._fault = self._fault or measured.trouble

    def refer(self, reference: FloatArray) -> None:
        """What is tracked now (n,) [rad]."""
        with self._lock:
            self._reference = reference.copy()

    def fail(self, sentence: str) -> None:
        """Set a fault; the first one stays."""
        with self._lock:
            self._fault = self._fault or sentence

    def take_recovery(self) -> None:
        """A recovery begins; one that is asked for from now on is another one."""
        with self._lock:
            self._recovering = False

    def settle(self, measured: Measured, fault: str, anew: bool) -> None:
        """A recovery is over: hold here with this fault, that of a stop that came meanwhile, or none; nothing earlier
        resumes.

        Args:
            measured: where the robot is.
            fault: why it did not recover; empty if it did.
            anew: whether the connection, and with it perhaps the robot's clock, is another one.
        """
        with self._lock:
            if anew:
                passed = measured.at - self._measured.at
                self._offset += self._measured.time + passed - measured.time
            self._measured = measured
            self._reference = measured.position.copy()
            self._command = None
            self._fault = fault or self._later
            self._cut = self._later_cut

    def give_up(self, sentence: str) -> None:
        """A recovery failed for want of a connection."""
        with self._lock:
            self._fault = sentence
