"""What the filter of a legged robot answers: a body velocity and a posture, and which limits changed them."""

from dataclasses import dataclass

from reins.hardware.legged import Posture
from reins.hardware.robot import FloatArray
from reins.safety.verdict import Limit


@dataclass(frozen=True, slots=True, eq=False)
class BodyVerdict:
    """What the filter lets through.

    Attributes:
        velocity: (3,) safe body velocity [m/s, m/s, rad/s]; the very array that was asked for when it was not changed.
        posture: on its legs, or sitting.
        limits: why it was changed, each once; empty when nothing was.
    """

    velocity: FloatArray
    posture: Posture
    limits: tuple[Limit, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether it differs from what was asked for."""
        return bool(self.limits)
