"""The driver host: the last metre before a robot. It starts unarmed, applies safe commands only, stops on silence."""

from typing import Generic, Protocol, TypeVar

from reins.contracts.errors import ReinsError
from reins.hardware.profile_base import Profile
from reins.hardware.robot import Driver, StopCategory


class Faulty(Protocol):
    """A state of any robot, as far as the host looks at it."""

    @property
    def fault(self) -> str: ...


class Numbered(Protocol):
    """A safe command to any robot, as far as the host looks at it."""

    @property
    def sequence(self) -> int: ...


StateT = TypeVar("StateT", bound=Faulty)
SafeT = TypeVar("SafeT", bound=Numbered)


class DriverHost(Generic[StateT, SafeT]):
    """Hosts one driver, of an arm or of a legged robot: arming, the watchdog for the safety monitor, rejection of
    out-of-sequence commands.

    Passive: the robot node and the rig call it from one thread.

    Args:
        robot: a connected driver.
        profile: its profile.
    """

    def __init__(self, robot: Driver[StateT, SafeT], profile: Profile) -> None:
        self._robot = robot
        self._profile = profile
        self._armed = False
        self._silence = 0.0
        self._last_sequence = 0

    @property
    def armed(self) -> bool:
        """Whether safe commands reach the robot."""
        return self._armed

    def arm(self, publishers: int) -> None:
        """Let safe commands through.

        Args:
            publishers: how many publishers `command/safe` has now; exactly one is safe.

        Raises:
            ReinsError: none or more than one, or the robot has a fault; says what to do.
        """
        if publishers != 1:
            raise ReinsError(
                f"not armed: command/safe has {publishers} publishers, and exactly one (safety) is allowed"
            )
        if fault := self._robot.read().fault:
            raise ReinsError(f"not armed: {fault}; recover the robot first")
        self._armed = True
        self._silence = 0.0
        self._last_sequence = 0

    def disarm(self, reason: str) -> None:
        """Stop (category 1) and let nothing through until the next `arm`."""
        if self._armed:
            self._armed = False
            self._robot.stop(StopCategory.CONTROLLED, reason)

    def stop(self, category: StopCategory, reason: str) -> None:
        """Stop at once, armed or not."""
        self._armed = False
        self._robot.stop(category, reason)

    def recover(self) -> None:
        """Clear the fault; stays unarmed."""
        self._armed = False
        self._robot.recover()

    def apply(self, command: SafeT) -> bool:
        """Hand a safe command to the driver; False when unarmed or when it is not newer than the last one."""
        if not self._armed or command.sequence <= self._last_sequence:
            return False
        self._last_sequence = command.sequence
        self._silence = 0.0
        self._robot.write(command)
        return True

    def step(self, dt: float) -> None:
        """Let `dt` [s] of robot time pass; disarms when the safety monitor has been silent for `stale_after`."""
        self._silence += dt
        if self._armed and self._silence > self._profile.rates.stale_after:
            self.disarm(f"no command/safe for {self._silence * 1e3:.0f} ms")
        self._robot.step(dt)

    def read(self) -> StateT:
        """The newest measured state."""
        return self._robot.read()
