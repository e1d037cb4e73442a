"""Plans: JSON by schema, exactly one of steps, question or refusal."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from typing_extensions import Self

ArgumentValue = str | float


class SkillCall(BaseModel):
    """One skill with its arguments, by parameter name. Object arguments are object ids of the scene."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    skill: str
    arguments: dict[str, ArgumentValue] = Field(default_factory=dict)

    def __str__(self) -> str:
        inner = ", ".join(f"{name}={value}" for name, value in self.arguments.items())
        return f"{self.skill}({inner})"


class Constraint(BaseModel):
    """A rule that holds while a task runs. The operator may loosen; a planner may only tighten.

    kind:
        "avoid": `object` must not be touched.
        "speed": no joint or tool motion faster than `scale` (0 … 1) of the profile's limits.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["avoid", "speed"]
    object: str = ""
    scale: float = Field(default=1.0, gt=0.0, le=1.0)
    set_by: Literal["operator", "planner"] = "planner"

    @model_validator(mode="after")
    def _names_its_object(self) -> Self:
        if (self.kind == "avoid") != bool(self.object):
            raise ValueError("an 'avoid' constraint names an object, and no other kind does")
        return self


class Plan(BaseModel):
    """What a planner answers: a thought, then exactly one of steps, question or refusal, plus constraints."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    thought: str = ""
    steps: tuple[SkillCall, ...] | None = None
    question: str | None = None
    refusal: str | None = None
    constraints: tuple[Constraint, ...] = ()

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        said = [name for name in ("steps", "question", "refusal") if getattr(self, name) is not None]
        if len(said) != 1:
            raise ValueError(f"a plan has exactly one of steps, question, refusal; this one has {said or 'none'}")
        return self
