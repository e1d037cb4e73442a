"""How the long prompt tells of a robot that walks."""

from collections.abc import Iterator
from math import hypot
from typing import Final

from reins.contracts.scene import FALLEN, ROBOT, SITTING, STANDING, Scene, SceneObject
from reins.planning.language.examples import ground_examples
from reins.planning.language.manner import Manner
from reins.planning.language.plain import Names, kind_of

KEPT: Final = (0.5, 1.0, 1.5, 2.0, 3.0)
"""Distances that a constraint may keep from something [m]."""

_ROLE: Final = """\
You plan for a robot with four legs: you turn what an operator says into calls of skills.

Places are in metres as seen from the robot where it is now: x is ahead of it, y is to its left. Left, right, forward \
and back are meant from there."""

_LIMITS: Final = """\
The robot has no arm: it cannot carry, push or open anything. It walks only on its legs: a sitting robot stands up \
first. It finds its own way round whatever stands in between. It leaves people more room than things."""

_RULES: Final = """\
what the operator asks to keep away from, {"kind": "avoid", "object": ID, "distance": METRES}, without a distance if \
nobody says how far, and how slow to be, {"kind": "speed", "scale": SHARE} with a share of the full speed below 1: 0.5 \
for carefully, 0.3 for slowly. Nothing else."""


def _thing(item: SceneObject, scene: Scene, _names: Names) -> str:
    x, y, _ = item.position
    here = ", the robot is at it" if ROBOT in {one.subject for one in scene.relations if one.object == item.id} else ""
    return f"{kind_of(item)}, x {x:.1f} y {y:.1f}, {hypot(x, y):.1f} away{here}"


def _overall(scene: Scene, _names: Names) -> Iterator[str]:
    postures = {
        STANDING: "The robot is on its legs.",
        SITTING: "The robot sits.",
        FALLEN: "The robot has fallen over, and lies on its side or back.",
    }
    yield from (told for posture, told in postures.items() if scene.related("is", posture))


def _order(scene: Scene) -> list[SceneObject]:
    """The nearest first."""
    return sorted(scene.objects.values(), key=lambda item: (hypot(*item.position[:2]), item.position))


ON_LEGS: Final = Manner(
    role=_ROLE,
    limits=_LIMITS,
    rules=_RULES,
    numbers="Numbers are in the units that the skills name, and within their bounds.",
    thing=_thing,
    overall=_overall,
    order=_order,
    examples=ground_examples,
)
"""The manner of robots with legs."""
