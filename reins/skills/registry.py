"""What a skill is, declared once: the planner, the verifier, the command line and the skills node read it here."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from reins.contracts.errors import ReinsError, UnknownName, look_up
from reins.contracts.facts import Fact
from reins.contracts.plan import ArgumentValue, SkillCall
from reins.contracts.scene import Scene, SceneObject

HELD: Final = "@held"
"""In a condition: the object that is in the gripper when the skill starts."""

ANY: Final = "*"
"""In a negated condition, or in a precondition: whatever stands there."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One typed parameter of a skill.

    Attributes:
        name: snake_case.
        kind: "object" (an id of the scene), "number", or "word" (one of `words`).
        description: for a person and for the language model.
        labels: for "object": labels of objects that fit; empty means any.
        also: for "object": names that fit though they are no objects of the scene, e.g. "table".
        touches: for "object": the skill touches it, so a task that must avoid the object cannot use it here.
        lower, upper, unit: for "number": inclusive bounds and unit.
        step: for "number": who chooses among values need not choose more finely than this; 0 if it does not say.
        above: for "number": it is a height over the top of the object that this parameter names.
        along: for "number": it is a way of the object that the first of these parameters names, in the direction that
            the second one names.
        words: for "word": what is allowed.
        default: value when left out; None means required.
    """

    name: str
    kind: Literal["object", "number", "word"]
    description: str
    labels: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    touches: bool = False
    lower: float = 0.0
    upper: float = 0.0
    unit: str = ""
    step: float = 0.0
    above: str = ""
    along: tuple[str, str] | None = None
    words: tuple[str, ...] = ()
    default: ArgumentValue | None = None

    def check(self, value: ArgumentValue, scene: Scene) -> None:
        """Raise ReinsError, naming what is valid, unless `value` fits this parameter in `scene`."""
        if self.kind == "object":
            if value in self.also:
                return
            item = scene.find(str(value))
            if self.labels and item.label not in self.labels:
                fitting = " or ".join(
                    (*(f"a {label}" for label in self.labels), *(f"the {name}" for name in self.also))
                )
                raise WrongKind(item, fitting)
        elif self.kind == "word":
            if value not in self.words:
                raise UnknownName(self.name, str(value), self.words)
        elif not isinstance(value, int | float) or not self.lower <= value <= self.upper:
            raise OutOfRange(self, value)


class WrongKind(ReinsError):
    """An object that does not fit a parameter.

    Args:
        item: the object.
        fitting: what would fit, in words.
    """

    def __init__(self, item: SceneObject, fitting: str) -> None:
        self.item = item
        super().__init__(f"'{item.id}' is a {item.label}, not {fitting}")


class OutOfRange(ReinsError):
    """A number that a parameter does not take, or none.

    Args:
        parameter: that was given it.
        value: what was given.
    """

    def __init__(self, parameter: Parameter, value: ArgumentValue) -> None:
        self.parameter, self.value = parameter, value
        bounds = f"from {parameter.lower} to {parameter.upper} {parameter.unit}"
        super().__init__(f"{parameter.name} is {value}; it must be a number {bounds}")


@dataclass(frozen=True, slots=True)
class Condition:
    """A fact over parameters: ("in", HELD, "container"), where a parameter's name stands for its argument.

    `negated` conditions hold where the fact does not. As an effect, a negated condition deletes the fact: nothing more
    is known about it. ANY stands for anything: a negated ("on", "object", ANY) says that the object is on nothing, and
    the precondition ("holding", ANY) that something is held.
    """

    fact: Fact
    negated: bool = False


@dataclass(frozen=True, slots=True)
class SkillSpec:
    """One skill.

    Attributes:
        name: e.g. "pick".
        description: one sentence.
        parameters: in order.
        preconditions: must hold before it starts.
        effects: hold after it succeeded.
        time_limit: longest it may run [s], robot time.
        kinds: kinds of robot that it fits.
        risk: why what it does may be hard to undo, a clause that goes on after its name; empty if it is not.
    """

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    preconditions: tuple[Condition, ...]
    effects: tuple[Condition, ...]
    time_limit: float
    kinds: tuple[str, ...] = ("arm",)
    risk: str = ""

    def with_defaults(self, arguments: Mapping[str, ArgumentValue]) -> dict[str, ArgumentValue]:
        """The arguments, unchecked, with the defaults of those that were left out."""
        defaults = {item.name: item.default for item in self.parameters if item.default is not None}
        return {**defaults, **arguments}

    def complete(self, call: SkillCall, scene: Scene) -> dict[str, ArgumentValue]:
        """The call's arguments with defaults filled in, checked against the scene.

        Raises:
            ReinsError: an unknown, missing or unfitting argument; says which are valid.
        """
        known = {parameter.name for parameter in self.parameters}
        for name in call.arguments:
            if name not in known:
                raise UnknownName(f"parameter of {self.name}", name, known)
        values: dict[str, ArgumentValue] = {}
        for parameter in self.parameters:
            value = call.arguments.get(parameter.name, parameter.default)
            if value is None:
                raise ReinsError(f"{self.name} needs '{parameter.name}': {parameter.description}")
            parameter.check(value, scene)
            values[parameter.name] = value
        return values


class SkillRegistry(Mapping[str, SkillSpec]):
    """Skills by name."""

    def __init__(self, specs: Iterable[SkillSpec]) -> None:
        self._specs: dict[str, SkillSpec] = {}
        for spec in specs:
            if spec.name in self._specs:
                raise ReinsError(f"skill '{spec.name}' is declared twice")
            self._specs[spec.name] = spec

    def __getitem__(self, name: str) -> SkillSpec:
        return look_up("skill", name, self._specs)

    def __contains__(self, name: object) -> bool:
        return name in self._specs

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

    def __len__(self) -> int:
        return len(self._specs)
