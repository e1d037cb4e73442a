"""Whether a robot that is told to come to rest does: what a controlled stop (category 1) is worth is seen in its own
motion, and where it fails, only the cut (category 0) is left.

An arm brakes within its acceleration limits, so that each second of braking takes a second off the time that it still
needs. From the moment of a stop it is therefore known by when it stands at the latest.
"""

from typing import Any, Final, Protocol, TypeVar

import numpy as np

from reins.hardware.profile import RobotProfile
from reins.hardware.profile_base import Profile
from reins.hardware.robot import FloatArray, RobotState, SafeCommand

MARGIN: Final = 0.25
"""How much later an arm may stand than its braking limits allow [s]: transport, control and a little swinging."""

STANDS: Final = 0.02
"""An arm stands whose joints are no faster than this [rad/s] …"""

SETTLED: Final = 0.05
"""… for this long [s]: one that swings has moments of rest, too."""

StateC = TypeVar("StateC", contravariant=True)
SafeC = TypeVar("SafeC", contravariant=True)


class Braking(Protocol[StateC, SafeC]):
    """Watches one robot. Passive: the driver host tells it everything."""

    def told(self, command: SafeC) -> None:
        """The robot is told to do this from now on."""

    def stopped(self) -> None:
        """The robot is told to stop."""

    def forget(self) -> None:
        """What was told is over."""

    def failure(self, state: StateC) -> str:
        """One sentence, once, about a robot that does not come to rest; empty for one that may still, or does."""
        ...


class ArmBraking:
    """A stop, or a command to stand still after one to move, begins a watch; standing ends it, and so does a command to
    move.

    The watch fails as soon as the arm could not stand in time any more, even if it braked as hard as it may from now
    on: when it goes on, when it brakes too gently, the sooner when it gains speed. A velocity that is no number does
    not stand. Time is that of the states: a robot of which nothing is heard cannot be judged.

    Args:
        profile: the arm.
        margin: how much later than its limits allow it may stand [s].
    """

    def __init__(self, profile: RobotProfile, margin: float = MARGIN) -> None:
        self._names, self._acceleration, self._fastest = profile.joint_names, profile.acceleration, profile.velocity
        self._margin = margin
        self._commanded = np.zeros(len(profile.joints))
        self._due: float | None = None
        self.forget()

    def told(self, command: SafeCommand) -> None:
        """Only the velocity counts. One beyond the limits, which no driver takes, counts as one at them."""
        if command.velocity.any():
            self._commanded = np.fmin(np.abs(command.velocity), self._fastest)
            self._moves, self._watches = True, False
        elif self._moves:
            self.stopped()

    def stopped(self) -> None:
        """A stop during another one gives the arm no further time."""
        self._moves = False
        if not self._watches:
            self._watches, self._due = True, None

    def forget(self) -> None:
        """There is nothing to watch."""
        self._moves = self._watches = False
        self._due = None
        self._begun = self._unsettled = 0.0

    def failure(self, state: RobotState) -> str:
        """See `Braking`."""
        if not self._watches:
            return ""
        speed = np.abs(state.velocity)
        if self._due is None:
            self._begun = self._unsettled = state.stamp
            self._due = state.stamp + self._time_to_rest(np.fmax(speed, self._commanded)) + self._margin
            self._commanded = np.zeros_like(speed)
        if (speed <= STANDS).all():
            self._watches = state.stamp - self._unsettled < SETTLED
            return ""
        self._unsettled = state.stamp
        if state.stamp + self._time_to_rest(speed) <= self._due:
            return ""
        self._watches = False
        worst = int(np.argmax(speed / self._acceleration))
        return (
            f"{self._names[worst]} moves at {speed[worst]:.2f} rad/s {1e3 * (state.stamp - self._begun):.0f} ms after "
            "it was told to stop: the braking failed"
        )

    def _time_to_rest(self, speed: FloatArray) -> float:
        """How long the hardest braking takes from (n,) speeds [rad/s]."""
        return float(np.max(speed / self._acceleration))


class Unwatched:
    """A legged robot is not judged by this: it brakes by walking, and without power it falls. Its driver cuts by
    itself where its legs may not be its own any more."""

    def told(self, command: Any) -> None:
        """Nothing."""

    def stopped(self) -> None:
        """Nothing."""

    def forget(self) -> None:
        """Nothing."""

    def failure(self, state: Any) -> str:
        """None."""
        return ""


def braking_of(profile: Profile, margin: float = MARGIN) -> Braking[Any, Any]:
    """The watch that fits the robot."""
    return ArmBraking(profile, margin) if isinstance(profile, RobotProfile) else Unwatched()
