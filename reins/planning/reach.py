"""Whether the numbers of a plan stay within the robot's workspace: where hand and objects get to, step by step."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from reins.contracts.errors import ReinsError
from reins.contracts.facts import AXES
from reins.contracts.plan import SkillCall
from reins.contracts.scene import Scene, Vector3
from reins.planning.simulation import Arguments, expected_facts
from reins.planning.words import call_text
from reins.skills.registry import SkillSpec

NAMES: Final = "xyz"


@dataclass(frozen=True, slots=True)
class Reach:
    """The box that the tool may be in: base frame [m]."""

    lower: Vector3
    upper: Vector3

    def outside(self, position: Sequence[float]) -> str:
        """How a point is outside: "x 0.85 m, where the workspace ends at 0.75 m"; empty if it is not.

        Args:
            position: x and y, or x, y and z [m].
        """
        for name, value, low, high in zip(NAMES, position, self.lower, self.upper, strict=False):
            if not low <= value <= high:
                return f"{name} {value:.2f} m, where the workspace ends at {low if value < low else high:.2f} m"
        return ""


def out_of_reach(
    steps: Sequence[SkillCall], scene: Scene, registry: Mapping[str, SkillSpec], reach: Reach, start: int = 0
) -> list[str]:
    """What of a plan leads out of the workspace, a sentence each; empty if nothing does.

    Steps that are not valid are left to the verifier. Where a skill chooses the place itself, nothing is known of it.

    Args:
        steps: of the plan.
        scene: that the step `start` begins in.
        registry: the skills' declarations.
        reach: the workspace.
        start: index of the first step to check.
    """
    places = _Places(scene)
    problems: list[str] = []
    for number, call in enumerate(steps[start:], start + 1):
        try:
            spec = registry[call.skill]
            arguments = spec.complete(call, scene)
        except ReinsError:
            continue
        problems += (f"step {number}, {call_text(call)}: {text}" for text in places.beyond(spec, arguments, reach))
        places.move(spec, arguments)
    return problems


class _Places:
    """Where the objects of a scene are, as far as that is known, while steps are done in thought."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._held = scene.held()
        self._at = {name: item.position for name, item in scene.objects.items() if name != self._held}

    def beyond(self, spec: SkillSpec, arguments: Arguments, reach: Reach) -> Iterator[str]:
        """What of a step is out of reach."""
        for parameter in spec.parameters:
            value = arguments[parameter.name]
            outside = reach.outside(self._at[str(value)][:2]) if value in self._at else ""
            if outside and parameter.kind == "object":
                yield f"{value} is at {outside}"
        for point in self._hovered(spec, arguments):
            if outside := reach.outside(point):
                yield f"it leads the hand to {outside}"
        for name, where in self._pushed(spec, arguments):
            if outside := reach.outside(where[:2]):
                yield f"it leads {name} to {outside}"

    def move(self, spec: SkillSpec, arguments: Arguments) -> None:
        """A step is done."""
        pushed = dict(self._pushed(spec, arguments))
        for fact in expected_facts(spec, arguments, self._held):
            match fact:
                case ("holding", name):
                    self._at.pop(name, None)
                    self._held = name
                case ("in" | "on", name, other) if name not in pushed:
                    self._held = None
                    self._at.pop(name, None)
                    if other in self._at:
                        self._at[name] = self._at[other]
        self._at.update(pushed)

    def _hovered(self, spec: SkillSpec, arguments: Arguments) -> Iterator[Vector3]:
        """The points over objects that a step leads the hand to."""
        for parameter in spec.parameters:
            if parameter.above and (name := str(arguments[parameter.above])) in self._at:
                x, y, z = self._at[name]
                yield x, y, z + self._scene.objects[name].size[2] / 2 + float(arguments[parameter.name])

    def _pushed(self, spec: SkillSpec, arguments: Arguments) -> Iterator[tuple[str, Vector3]]:
        """What a step displaces, and where to."""
        for parameter in spec.parameters:
            if parameter.along is None or (name := str(arguments[parameter.along[0]])) not in self._at:
                continue
            axis, sign = AXES[str(arguments[parameter.along[1]])]
            x, y, z = (
                value + sign * float(arguments[parameter.name]) * (index == axis)
                for index, value in enumerate(self._at[name])
            )
            yield name, (x, y, z)
