"""A robot of any kind under test: one driver at a time, and time that passes."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final, Generic, Protocol, TypeVar

from reins.hardware.host import Faulty
from reins.hardware.profile_base import Profile
from reins.hardware.robot import Driver, StopCategory

SETTLE: Final = 0.3
"""Time after a recovery before the next check looks [s]."""

RECOVERING: Final = 8.0
"""Longest time that a recovery may take [s], with a new connection, or five seconds that an arm insists on, in it."""

StateT = TypeVar("StateT", bound=Faulty)
SafeT = TypeVar("SafeT")
ProfileT = TypeVar("ProfileT", bound=Profile)


class Tampering(Protocol):
    """What a peer lets the suite do to the robot behind the driver. Every call returns once it is in effect."""

    def cut_network(self) -> None:
        """Nothing passes any more, and neither side is told."""

    def restore_network(self) -> None:
        """As it was before."""

    def raise_fault(self) -> str:
        """Have the robot itself stop as on a collision; returns a word that its driver's fault must then contain."""
        ...


class UnderTest(ABC, Generic[StateT, SafeT, ProfileT]):
    """One driver under test at a time. `stalled` is the longest time that this machine kept a real robot waiting [s].

    Args:
        make: makes another driver of the same robot, not yet connected.
        profile: the robot's.
        networked: whether all drivers that are made share one robot behind a network.
        tampering: of the peer behind the driver, if there is one.
    """

    def __init__(
        self,
        make: Callable[[], Driver[StateT, SafeT]],
        profile: ProfileT,
        networked: bool = False,
        tampering: Tampering | None = None,
    ) -> None:
        self.make = make
        self.profile = profile
        self.networked = networked
        self.tampering = tampering
        self.period = 1.0 / profile.rates.command
        self.robot = make()
        self._sequence = 0
        self._due: float | None = None
        self.stalled = 0.0

    @property
    def paced(self) -> bool:
        """Whether robot time is the clock's: not in a simulation."""
        return not self.robot.spec.simulated

    def open(self) -> None:
        """Connect, and hold still for a moment.

        Raises:
            ReinsError: it cannot be connected.
        """
        self.robot.connect()
        self.wait(SETTLE)

    def reopen(self) -> None:
        """Close the driver and connect another one in its place."""
        self.robot.close()
        self.robot = self.make()
        self.open()

    def close(self) -> None:
        """Leave the robot standing."""
        self.robot.close()

    def read(self) -> StateT:
        """The newest state."""
        return self.robot.read()

    def step(self) -> None:
        """Let one period pass."""
        self.robot.step(self.period)
        if self.paced:
            now = time.monotonic()
            late = 0.0 if self._due is None else now - self._due
            self.stalled = max(self.stalled, late)
            self._due = self.period + (now if self._due is None or late > 5 * self.period else self._due)
            time.sleep(max(0.0, self._due - now))

    def wait(self, seconds: float) -> list[StateT]:
        """Let time pass without a command; the states of every period."""
        states = []
        for _ in range(max(1, round(seconds / self.period))):
            self.step()
            states.append(self.read())
        return states

    @abstractmethod
    def prepare(self, drive: bool) -> None:
        """Before a check: no fault, at rest, and where the suite found the robot, if it may be driven there.

        Args:
            drive: whether it may be commanded; a check that commands nothing takes it as it is.

        Raises:
            ReinsError: it does not recover, or is too far away to be brought back.
        """

    def recover(self) -> StateT:
        """Recover, wait until the robot has done so, and a moment more; the last state."""
        self.robot.recover()
        for _ in range(round(RECOVERING / self.period)):
            if not self.wait(self.period)[-1].fault:
                break
        return self.wait(SETTLE)[-1]

    def rest(self) -> None:
        """At rest, with no command that could go stale."""
        self.robot.stop(StopCategory.CONTROLLED, "between two checks")
        self.wait(0.1)
        self.recover()
        self._due, self.stalled = None, 0.0
