"""What a connection to a real arm gives its driver's thread. A call may block for its protocol's time-outs."""

from dataclasses import dataclass
from typing import Protocol

from reins.contracts.errors import ReinsError
from reins.hardware.robot import FloatArray, GripperCommand


class SessionLost(ReinsError):
    """The connection is of no more use: one sentence in the robot's words."""


class Aborted(ReinsError):
    """The robot ended the motion, and the connection stands: one sentence in the robot's words."""


def unforeseen(error: Exception) -> str:
    """What is told of an error that nobody foresaw: a vendor's library may raise what its papers do not say."""
    words = " ".join(str(error).split())
    return (
        f"the driver met an error that nobody foresaw ({type(error).__name__}: {words}); recover the robot, and report "
        "this if it comes again"
    )


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """What the robot said last.

    Attributes:
        time: the robot's own clock [s].
        position, velocity, effort: (n,) [rad], [rad/s], [N·m].
        trouble: one sentence that says why the robot takes no motion; empty if it does.
        at: CLOCK_MONOTONIC when a state with this time was first seen [s].
    """

    time: float
    position: FloatArray
    velocity: FloatArray
    effort: FloatArray
    trouble: str
    at: float


class Session(Protocol):
    """One connection, used by one thread. Between `begin` and `end` the robot tracks a reference, else it holds itself.

    Every method raises `SessionLost` when the connection is broken.
    """

    @property
    def tracking(self) -> bool:
        """Whether the robot tracks a reference."""
        ...

    def measure(self) -> Measured:
        """The newest state."""
        ...

    def begin(self, position: FloatArray) -> None:
        """Track from this position (n,) on [rad], where the robot is. Raises `Aborted` if it takes no motion now."""

    def track(self, position: FloatArray, velocity: FloatArray) -> None:
        """The reference from now on [rad, rad/s]."""

    def check(self) -> None:
        """Raise `Aborted` with what ended the motion, if something did."""

    def end(self) -> None:
        """End the motion of a robot that stands; `tracking` says when it is done."""

    def halt(self) -> None:
        """Have the robot end the motion at once, by its own means."""

    def recover(self) -> None:
        """Have the robot clear its errors. Raises `Aborted` if it does not."""

    def close(self) -> None:
        """Let go of the robot."""


@dataclass(frozen=True, slots=True)
class Fingers:
    """Where the fingers are [m], whether they hold something, and why the gripper does not work, if so."""

    width: float
    holding: bool
    trouble: str = ""


class Hand(Protocol):
    """A gripper; no method blocks, except `close` for a moment."""

    def fingers(self) -> Fingers:
        """The newest state."""
        ...

    def command(self, command: GripperCommand) -> None:
        """Do this from now on; the same command again changes nothing."""

    def freeze(self) -> None:
        """Stop the fingers where they are."""

    def recover(self) -> None:
        """Clear the trouble, connecting anew if need be; no earlier command resumes."""

    def close(self) -> None:
        """Let go of the gripper, which keeps what it holds."""
