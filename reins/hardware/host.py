"""The driver host: the last metre before a robot. It starts unarmed, applies safe commands only, stops on silence, and
makes a stop of category 0 where an arm does not brake."""

from typing import Generic, Protocol, TypeVar

from reins.contracts.errors import ReinsError
from reins.hardware.braking import MARGIN, braking_of
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
    out-of-sequence commands, and a cut (category 0) where a controlled stop (category 1) does not come about.

    It sees the robot's own motion, so it notices a stop that fails whoever asked for it: the safety monitor with a
    command to stand still, the host itself, or the driver.

    Passive: the robot node and the rig call it from one thread.

    Args:
        robot: a connected driver.
        profile: its profile.
        braking_margin: how much later than its limits allow an arm may stand [s].
    """

    def __init__(self, robot: Driver[StateT, SafeT], profile: Profile, braking_margin: float = MARGIN) -> None:
        self._robot = robot
        self._profile = profile
        self._braking = braking_of(profile, braking_margin)
        self._armed = self._faulty = False
        self._silence = 0.0
        self._last_sequence = 0
        self._cut = ""

    @property
    def armed(self) -> bool:
        """Whether safe commands reach the robot."""
        return self._armed

    @property
    def cut(self) -> str:
        """Why a stop of category 0 was made; empty if none was since the last recovery."""
        return self._cut

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
        self._faulty = False
        self._silence = 0.0
        self._last_sequence = 0

    def disarm(self, reason: str) -> None:
        """Stop (category 1) and let nothing through until the next `arm`."""
        if self._armed:
            self.stop(StopCategory.CONTROLLED, reason)

    def stop(self, category: StopCategory, reason: str) -> None:
        """Stop at once, armed or not."""
        self._armed = False
        if category is StopCategory.CUT:
            self._cut = self._cut or reason
        self._braking.stopped()
        self._robot.stop(category, reason)

    def recover(self) -> None:
        """Clear the fault; stays unarmed."""
        self._armed = False
        self._cut = ""
        self._braking.forget()
        self._robot.recover()

    def apply(self, command: SafeT) -> bool:
        """Hand a safe command to the driver; False when unarmed or when it is not newer than the last one."""
        if not self._armed or command.sequence <= self._last_sequence:
            return False
        self._last_sequence = command.sequence
        self._silence = 0.0
        self._robot.write(command)
        if not self._faulty:  # one that has a fault does not do it
            self._braking.told(command)
        return True

    def step(self, dt: float) -> None:
        """Let `dt` [s] of robot time pass; disarms when the safety monitor has been silent for `stale_after`, and makes
        a stop of category 0 where braking fails."""
        self._silence += dt
        if self._armed and self._silence > self._profile.rates.stale_after:
            self.disarm(f"no command/safe for {self._silence * 1e3:.0f} ms")
        self._robot.step(dt)
        self._watch_braking()

    def _watch_braking(self) -> None:
        state = self._robot.read()
        if self._armed and state.fault and not self._faulty:  # it stopped by itself
            self._braking.stopped()
        self._faulty = bool(state.fault)
        if not self._cut and (failure := self._braking.failure(state)):
            self.stop(StopCategory.CUT, f"cut (stop of category 0): {failure}")

    def read(self) -> StateT:
        """The newest measured state."""
        return self._robot.read()
