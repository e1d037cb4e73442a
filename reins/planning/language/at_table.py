"""How the long prompt tells of an arm at a table."""

from collections.abc import Iterator
from typing import Final

from reins.contracts.facts import CAPACITY
from reins.contracts.scene import CAMERAS, OCCLUDED, REACHABLE, ROBOT, TABLE, Scene, SceneObject
from reins.planning.language.compact import left_to_right, place_of
from reins.planning.language.examples import table_examples
from reins.planning.language.manner import Manner
from reins.planning.language.plain import Names, kind_of
from reins.planning.words import listed

_ROLE: Final = """\
You plan for a robot arm with a gripper at a table: you turn what an operator says into calls of skills.

Left, right, forward and back are meant as seen from the robot. Positions are in centimetres: x is forward, away from \
the robot, y is left. "Behind" something is farther away than it, "in front of" it is nearer."""

_ROOM: Final = listed(f"a {label} for {most}" for label, most in CAPACITY.items())

_LIMITS: Final = f"""\
The arm holds one object at a time. There is room in or on things for some blocks only: {_ROOM}, anything else for \
one. What stands on a block is taken off before that block is picked or pushed, and goes to the table if nobody says \
where to."""

_RULES: Final = """\
what the operator asks to leave alone, {"kind": "avoid", "object": ID}, and how slow to be, {"kind": "speed", "scale": \
SHARE} with a share of the full speed below 1: 0.5 for carefully, 0.3 for slowly. Nothing else."""


def _thing(item: SceneObject, scene: Scene, names: Names) -> str:
    place, other = place_of(item.id, scene)
    if place == "held":
        return f"{kind_of(item)}, held by the gripper"
    where = "loose" if not other else f"{place} the table" if other == TABLE else f"{place} {names.shown(other)}"
    remarks = "".join(f", {word}" for word in _remarks(item, scene))
    return f"{kind_of(item)}, {where}, x {_cm(item.position[0])} y {_cm(item.position[1])}{remarks}"


def _remarks(item: SceneObject, scene: Scene) -> Iterator[str]:
    """What is out of the ordinary: nobody sees it now, or the robot does not reach it, where that was looked at."""
    if item.id in scene.related(OCCLUDED, CAMERAS):
        yield "out of sight"
    reachable = scene.related(REACHABLE, ROBOT)
    if reachable and item.id not in reachable:
        yield "out of reach"


def _overall(scene: Scene, names: Names) -> Iterator[str]:
    resting = [item for item in left_to_right(scene) if item.id != scene.held()]
    if len(resting) > 1:
        near = sorted(resting, key=lambda item: (item.position[0], item.id))
        yield f"From left to right: {', '.join(names.shown(item.id) for item in resting)}."
        yield f"From near to far: {', '.join(names.shown(item.id) for item in near)}."


def _cm(metres: float) -> int:
    return round(100 * metres)


AT_TABLE: Final = Manner(
    role=_ROLE,
    limits=_LIMITS,
    rules=_RULES,
    numbers="Numbers are in metres, in steps of 0.005.",
    thing=_thing,
    overall=_overall,
    order=left_to_right,
    examples=table_examples,
)
"""The manner of arms."""
