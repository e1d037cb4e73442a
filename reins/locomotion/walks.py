"""What can carry a robot on its legs, by name."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np

from reins.contracts.errors import look_up
from reins.hardware.legs import Sense
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.locomotion.posture import Legs, Walk
from reins.locomotion.trot import Trot


class TrotWalk:
    """The trot of one robot, without a policy; implements `reins.locomotion.posture.Walk`.

    Args:
        profile: the robot.
    """

    def __init__(self, profile: QuadrupedProfile) -> None:
        self.trot = Trot(profile, 1, 1.0 / profile.rates.command)
        self.stance = self.trot.stance

    @property
    def stands(self) -> bool:
        """Whether it takes no steps."""
        return not self.trot.memory.stepping[0]

    def begin(self) -> None:
        """It stands."""
        self.trot.reset()

    def advance(self, sense: Sense, velocity: FloatArray) -> FloatArray:
        """(1, 4, 3) target positions of the joints [rad]."""
        return self.trot.step(sense, np.asarray(velocity)[None])


WALKS: Final[dict[str, Callable[[QuadrupedProfile], Walk]]] = {"scripted": TrotWalk}
"""Name → what carries a robot of this profile."""


def make_legs(walk: str, profile: QuadrupedProfile) -> Legs:
    """Legs with this way of walking: a name of WALKS, or the path of a policy's ONNX file.

    Raises:
        UnknownName: no such walk; lists those that exist.
        ReinsError: the policy is refused; says why.
    """
    carrier: Walk
    if walk.endswith(".onnx"):
        from reins.locomotion.policy import PolicyWalk  # ONNX Runtime takes a while to load, and a trot needs none

        carrier = PolicyWalk(profile, Path(walk))
    else:
        carrier = look_up("walk", walk, WALKS)(profile)
    return Legs(profile, carrier, 1.0 / profile.rates.command)
