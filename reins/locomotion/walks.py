"""What can carry a robot on its legs, by name."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np

from reins.contracts.errors import look_up
from reins.hardware.legged import Gait
from reins.hardware.legs import Sense
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.locomotion.posture import Legs, Walk
from reins.locomotion.trot import Trot
from reins.models.registry import SUFFIX


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

    def advance(self, sense: Sense, velocity: FloatArray, gait: Gait) -> FloatArray:
        """(1, 4, 3) target positions of the joints [rad]."""
        return self.trot.step(sense, np.asarray(velocity)[None], gait=gait.numbers[None])


SCRIPTED: Final = "scripted"
"""Name of the trot without a policy."""

WALKS: Final[dict[str, Callable[[QuadrupedProfile], Walk]]] = {SCRIPTED: TrotWalk}
"""Name → what carries a robot of this profile, beside the policies that ship with reins."""


def make_legs(walk: str, profile: QuadrupedProfile) -> Legs:
    """Legs with this way of walking: a name of WALKS, that of a policy that ships, or the path of a policy's ONNX file.

    Raises:
        UnknownName: no such walk; lists those that exist.
        ReinsError: the policy is refused; says why.
    """
    carrier: Walk
    if walk in WALKS:
        carrier = WALKS[walk](profile)
    else:
        from reins.locomotion.policy import PolicyWalk, shipped_walks  # ONNX Runtime takes a while; a trot needs none

        path = Path(walk)
        if path.suffix != SUFFIX:
            shipped = shipped_walks()
            look_up("walk", walk, {**dict.fromkeys(WALKS), **shipped})
            path = shipped[walk]
        carrier = PolicyWalk(profile, path)
    return Legs(profile, carrier, 1.0 / profile.rates.command)
