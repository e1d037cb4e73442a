"""What a physics engine gives of one legged robot on one ground."""

from dataclasses import dataclass
from typing import Protocol

from reins.hardware.legs import Flags
from reins.hardware.robot import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """Where everything is, exactly.

    Attributes:
        position: (3,) of the base [m].
        orientation: (4,) of the base, x y z w.
        linear: (3,) velocity of the base in the world [m/s].
        rates: (3,) turn rates in the body frame [rad/s].
        joints, speeds, torques: (12,) of the joints [rad, rad/s, N·m].
        contact: (4,) whether each foot touches something.
        scraped: whether anything but feet touches something.
    """

    position: FloatArray
    orientation: FloatArray
    linear: FloatArray
    rates: FloatArray
    joints: FloatArray
    speeds: FloatArray
    torques: FloatArray
    contact: Flags
    scraped: bool


class LegEngine(Protocol):
    """One robot on one ground. Every joint pulls to its target with its motor's stiffness and damping, once a physics
    step, and no harder than its limit."""

    @property
    def timestep(self) -> float:
        """Of physics and of the joints' control loops [s]."""
        ...

    def begin(self, position: FloatArray, yaw: float, joints: FloatArray) -> None:
        """Start anew, at rest: base at (3,) [m], turned by `yaw` [rad], joints (12,) [rad], which are their targets."""

    def lay(self, position: FloatArray, orientation: FloatArray, joints: FloatArray) -> None:
        """`begin`, with the base turned by any quaternion (4,) x y z w."""

    def aim(self, joints: FloatArray, grip: float) -> None:
        """From now on the joints pull to (12,) [rad] with this share of their stiffness."""

    def advance(self, steps: int) -> None:
        """Compute that many physics steps."""

    def push(self, change: FloatArray) -> None:
        """Change the velocity of the base at once by (3,) [m/s], world frame."""

    def truth(self) -> Truth:
        """How it is now; copies."""
        ...

    def close(self) -> None:
        """Release the engine. Safe to call twice."""
