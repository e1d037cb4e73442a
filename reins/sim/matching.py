"""How one engine's drives and contacts differ from the reference's, so that both behave alike; identified, in YAML."""

from functools import cached_property
from typing import Annotated, Final

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator
from typing_extensions import Self

from reins.contracts.documents import Shelf
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray

SHELF: Final = Shelf("matching", "reins.sim", "matchings")
"""The matchings that ship with reins; made by `reins sim identify`."""

Factor = Annotated[float, Field(gt=0.0, le=10.0, allow_inf_nan=False)]


class Matching(BaseModel):
    """Factors of the nominal values of `reins.sim.model`.

    Attributes:
        name: "ROBOT_ENGINE".
        title: what was matched to what, and how.
        joints: names, in the profile's order.
        stiffness, damping: (n,) of the joints' drives.
        friction: (n,) Coulomb friction of the joints.
        surface: friction between table and objects.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", ignored_types=(cached_property,))

    name: str
    title: str
    joints: tuple[str, ...]
    stiffness: tuple[Factor, ...]
    damping: tuple[Factor, ...]
    friction: tuple[Factor, ...]
    surface: Factor = 1.0

    @model_validator(mode="after")
    def _complete(self) -> Self:
        for what in ("stiffness", "damping", "friction"):
            if len(getattr(self, what)) != len(self.joints):
                raise ValueError(f"{what} has {len(getattr(self, what))} factors for {len(self.joints)} joints")
        return self

    @cached_property
    def factors(self) -> FloatArray:
        """(3, n) stiffness, damping, friction."""
        return np.array([self.stiffness, self.damping, self.friction], dtype=np.float64)


def nominal(profile: RobotProfile, engine: str) -> Matching:
    """Nothing differs."""
    ones = (1.0,) * len(profile.joints)
    return Matching(
        name=f"{profile.name}_{engine}",
        title="nominal values",
        joints=profile.joint_names,
        stiffness=ones,
        damping=ones,
        friction=ones,
    )


def load_matching(profile: RobotProfile, engine: str) -> Matching:
    """What ships for this robot in this engine; nominal values where nothing was identified, or for other joints."""
    name = f"{profile.name}_{engine}"
    if name not in SHELF.names():
        return nominal(profile, engine)
    matching = SHELF.load(name, Matching)
    return matching if matching.joints == profile.joint_names else nominal(profile, engine)
