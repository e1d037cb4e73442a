"""What a file says about itself: why it was written, of which robot, by what. A metadata record of texts."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from typing_extensions import Self

from reins.blackbox.stops import Cause
from reins.contracts.errors import ReinsError

SAVED: Final = "saved"
"""Kind of a file that was asked for: nothing stopped."""


BODY: Final = ("x", "y", "yaw")
"""What moves of a robot that walks: its body over the ground, forward, to the left, and turning."""

BODY_UNITS: Final = ("m/s", "m/s", "rad/s")
"""Of its velocities."""

RADIANS: Final = "rad/s"
"""Unit of a joint's velocity."""


class CauseEntry(BaseModel):
    """One cause, first one first; times are log times, that is system time [ns]."""

    model_config = ConfigDict(frozen=True)

    stamp: int
    kind: str
    source: str
    reason: str


class Case(BaseModel):
    """Why and by whom a file was written.

    Attributes:
        kind: of the first cause, or "saved".
        reason: the first cause in words.
        stop: log time of the first cause [ns].
        mode: the safety monitor's mode just before.
        causes: all that stopped the robot, in order.
        robot: name of the robot's profile.
        joint_names: what moves, in the order of states and commands: joints, or BODY.
        velocity_limits: of the profile, in that order [rad/s, or `units`].
        units: of the velocities, in that order; of joints, none are given.
        namespace: of the graph; empty for none.
        span: how far back it goes at most [s].
        written: when, UTC, ISO 8601.
        versions: of reins and what it rests on.
    """

    model_config = ConfigDict(frozen=True)

    kind: str
    reason: str
    stop: int
    mode: str
    causes: tuple[CauseEntry, ...]
    robot: str
    joint_names: Annotated[tuple[str, ...], Field(min_length=1)]
    velocity_limits: tuple[Annotated[float, Field(gt=0.0)], ...]
    units: tuple[str, ...] = ()
    namespace: str
    span: float
    written: str
    versions: dict[str, str]

    def as_metadata(self) -> dict[str, str]:
        """Each field as text: words as they are, everything else as JSON."""
        fields = self.model_dump(mode="json")
        return {name: value if isinstance(value, str) else json.dumps(value) for name, value in fields.items()}

    @model_validator(mode="after")
    def _one_limit_a_joint(self) -> Self:
        if len(self.velocity_limits) != len(self.joint_names):
            raise ValueError(f"{len(self.joint_names)} joints have {len(self.velocity_limits)} velocity limits")
        if self.units and len(self.units) != len(self.joint_names):
            raise ValueError(f"{len(self.joint_names)} joints have {len(self.units)} units")
        return self

    def unit(self, joint: int) -> str:
        """Of the velocity of that joint."""
        return self.units[joint] if self.units else RADIANS

    @classmethod
    def from_metadata(cls, texts: Mapping[str, str]) -> "Case":
        """The other way round.

        Raises:
            ReinsError: a field is missing or of the wrong kind.
        """
        try:
            kinds = {name: field.annotation for name, field in cls.model_fields.items() if name in texts}
            values: dict[str, Any] = {
                name: texts[name] if kind is str else json.loads(texts[name]) for name, kind in kinds.items()
            }
            return cls.model_validate(values)
        except (ValueError, ValidationError) as error:
            raise ReinsError(f"its record of the stop cannot be read: {str(error).splitlines()[0]}") from error


def entries(causes: Sequence[Cause], offset: int) -> tuple[CauseEntry, ...]:
    """Causes in log time; `offset` is system time minus steady time [ns]."""
    return tuple(CauseEntry(stamp=c.stamp + offset, kind=c.kind, source=c.source, reason=c.reason) for c in causes)
