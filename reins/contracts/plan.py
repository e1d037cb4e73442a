"""Plans: JSON by schema, exactly one of steps, question or refusal."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from typing_extensions import Self

from reins.contracts.scene import FARTHEST, Vector3

ArgumentValue = str | float


class SkillCall(BaseModel):
    """One skill with its arguments, by parameter name. Object arguments are object ids of the scene."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    skill: str
    arguments: dict[str, ArgumentValue] = Field(default_factory=dict)

    def __str__(self) -> str:
        inner = ", ".join(f"{name}={value}" for name, value in self.arguments.items())
        return f"{self.skill}({inner})"


ConstraintKind = Literal["avoid", "keep_out", "speed", "payload"]


class Constraint(BaseModel):
    """A rule that holds for a task, or until it is removed. The operator may loosen; a planner may only tighten.

    kind:
        "avoid": the arm keeps away from `object`; a legged robot's footprint by `distance` [m], where that is more than
            it keeps from everything.
        "keep_out": the robot keeps out of the box of `size` (full extents) at `centre` [m]: base frame of an arm,
            odometry frame of a robot that walks, for the box stands still.
        "speed": no joint or tool motion faster than `scale` (0 … 1) of the profile's limits.
        "payload": `mass` [kg] at the tool point of an arm.

    The safety monitor gives each its `id`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    kind: ConstraintKind
    object: str = ""
    scale: float = Field(default=1.0, gt=0.0, le=1.0)
    centre: Vector3 = (0.0, 0.0, 0.0)
    size: Vector3 = (0.0, 0.0, 0.0)
    mass: float = Field(default=0.0, ge=0.0, le=100.0)
    distance: float = Field(default=0.0, ge=0.0, le=10.0)
    set_by: Literal["operator", "planner"] = "planner"
    id: str = ""

    @model_validator(mode="after")
    def _says_what_its_kind_needs(self) -> Self:
        if (self.kind == "avoid") != bool(self.object):
            raise ValueError("an 'avoid' constraint names an object, and no other kind does")
        if self.distance and self.kind != "avoid":
            raise ValueError("an 'avoid' constraint may have a distance, and no other kind has one")
        if self.kind == "keep_out" and not all(extent > 0.0 for extent in self.size):
            raise ValueError("a 'keep_out' constraint has a box with three extents greater than 0 m")
        if max(map(abs, (*self.centre, *self.size))) > FARTHEST:
            raise ValueError(f"a 'keep_out' constraint has a box that is at most {FARTHEST:g} m away, and large")
        return self

    def __str__(self) -> str:
        if self.kind == "avoid":
            return f"keep {self.distance:g} m away from {self.object}" if self.distance else f"avoid {self.object}"
        if self.kind == "keep_out":
            return "keep out of the box of {} m at {} m".format(*(_dimensions(v) for v in (self.size, self.centre)))
        if self.kind == "payload":
            return f"payload {self.mass:g} kg"
        return f"speed at most {self.scale:g}"


def _dimensions(vector: Vector3) -> str:
    return ", ".join(f"{value:g}" for value in vector)


class Plan(BaseModel):
    """What a planner answers: a thought, then exactly one of steps, question or refusal, plus constraints.

    doubts:
        why a person should look at it before it runs, as the planner knows it, a sentence each; never a model's words.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    thought: str = ""
    steps: tuple[SkillCall, ...] | None = None
    question: str | None = None
    refusal: str | None = None
    constraints: tuple[Constraint, ...] = ()
    doubts: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        said = [name for name in ("steps", "question", "refusal") if getattr(self, name) is not None]
        if len(said) != 1:
            raise ValueError(f"a plan has exactly one of steps, question, refusal; this one has {said or 'none'}")
        return self
