"""Things that lie about on a table and are none of the kinds that perception knows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Any, Final

import mujoco
import numpy as np

from reins.contracts.errors import look_up
from reins.sim.objects import VISUAL_GROUP
from reins.sim.world import COLOURS, Placement
from reins.training.renders.arrangement import TRIES, Arrangement, Corners, circle, is_free
from reins.training.renders.randomisation import RenderRandomisation

DRAB: Final = ((0.55, 0.55, 0.56), (0.42, 0.30, 0.20), (0.12, 0.12, 0.13), (0.75, 0.68, 0.55))
"""Colours of metal, wood, rubber and cardboard (red, green, blue), 0 … 1."""

CABLE_PIECES: Final = 6
"""Straight pieces of a cable."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One primitive of a distractor.

    Attributes:
        kind: MuJoCo's word: sphere, cylinder, capsule, ellipsoid or box.
        size: as MuJoCo has it [m].
        position: of its centre [m].
        lies: its axis is level, at `yaw` [rad], instead of upright.
        yaw: about +z [rad].
    """

    kind: str
    size: tuple[float, ...]
    position: tuple[float, float, float]
    lies: bool = False
    yaw: float = 0.0


@dataclass(frozen=True, slots=True)
class Distractor:
    """One of them.

    Attributes:
        word: what it is.
        colour: (red, green, blue), 0 … 1.
        pieces: what it is made of.
    """

    word: str
    colour: tuple[float, float, float]
    pieces: tuple[Piece, ...]


def scatter(
    arrangement: Arrangement, rules: Placement, ranges: RenderRandomisation, random: np.random.Generator
) -> list[Distractor]:
    """Distractors where nothing else stands."""
    taken = list(arrangement.footprints)
    made = []
    for _ in range(ranges.distractors.count(random)):
        word = ranges.distractor.draw(random)
        for _ in range(TRIES):
            x, y = random.uniform(np.subtract(rules.lower, 0.06), np.add(rules.upper, 0.06)).tolist()
            pieces, radius = look_up("distractor", word, KINDS)(x, y, random)
            corners: Corners = circle(x, y, radius)
            if is_free(corners, taken, 0.002):
                taken.append(corners)
                made.append(Distractor(word, _colour(random), pieces))
                break
    return made


def add_distractor(spec: mujoco.MjSpec, item: Distractor, name: str) -> None:
    """Add it to the table; every piece is a geometry whose name begins with `name`."""
    for number, piece in enumerate(item.pieces):
        spec.worldbody.add_geom(
            name=f"{name}_{number}",
            type=getattr(mujoco.mjtGeom, f"mjGEOM_{piece.kind.upper()}"),
            size=[*piece.size, *[0.0] * (3 - len(piece.size))],
            pos=piece.position,
            quat=_orientation(piece),
            rgba=[*item.colour, 1.0],
            group=VISUAL_GROUP,
            contype=0,
            conaffinity=0,
        )


def _orientation(piece: Piece) -> list[float]:
    """w x y z."""
    about_z = np.array([cos(piece.yaw / 2), 0.0, 0.0, sin(piece.yaw / 2)])
    turned = np.empty(4)
    fallen = np.array([cos(pi / 4), 0.0, sin(pi / 4), 0.0]) if piece.lies else np.array([1.0, 0.0, 0.0, 0.0])
    mujoco.mju_mulQuat(turned, about_z, fallen)
    return [float(value) for value in turned]


def _colour(random: np.random.Generator) -> tuple[float, float, float]:
    every: list[Any] = [*COLOURS.values(), *DRAB]
    red, green, blue = every[int(random.integers(len(every)))]
    return red, green, blue


Made = tuple[tuple[Piece, ...], float]
"""The pieces of a distractor at (x, y), and the radius that it takes up [m]."""


def _ball(x: float, y: float, random: np.random.Generator) -> Made:
    radius = float(random.uniform(0.015, 0.035))
    return (Piece("sphere", (radius,), (x, y, radius)),), radius


def _can(x: float, y: float, random: np.random.Generator) -> Made:
    radius, half = float(random.uniform(0.020, 0.035)), float(random.uniform(0.035, 0.060))
    return (Piece("cylinder", (radius, half), (x, y, half)),), radius


def _pen(x: float, y: float, random: np.random.Generator) -> Made:
    radius, half = float(random.uniform(0.004, 0.008)), float(random.uniform(0.05, 0.075))
    yaw = float(random.uniform(-pi, pi))
    return (Piece("capsule", (radius, half), (x, y, radius), True, yaw),), half + radius


def _card(x: float, y: float, random: np.random.Generator) -> Made:
    long, wide = float(random.uniform(0.035, 0.06)), float(random.uniform(0.02, 0.04))
    return (Piece("box", (long, wide, 0.0005), (x, y, 0.0005), yaw=float(random.uniform(-pi, pi))),), np.hypot(
        long, wide
    )


def _cable(x: float, y: float, random: np.random.Generator) -> Made:
    radius, half, heading = float(random.uniform(0.002, 0.004)), 0.012, float(random.uniform(-pi, pi))
    pieces, at = [], np.array([x, y])
    for _ in range(CABLE_PIECES):
        heading += float(random.uniform(-0.8, 0.8))
        along = half * np.array([cos(heading), sin(heading)])
        middle = at + along
        pieces.append(Piece("capsule", (radius, half), (float(middle[0]), float(middle[1]), radius), True, heading))
        at = at + 2 * along
    return tuple(pieces), 2 * half * CABLE_PIECES + radius


def _egg(x: float, y: float, random: np.random.Generator) -> Made:
    long, wide = float(random.uniform(0.024, 0.032)), float(random.uniform(0.018, 0.023))
    return (Piece("ellipsoid", (wide, wide, long), (x, y, wide), True, float(random.uniform(-pi, pi))),), long


def _disc(x: float, y: float, random: np.random.Generator) -> Made:
    radius, half = float(random.uniform(0.02, 0.045)), float(random.uniform(0.004, 0.010))
    return (Piece("cylinder", (radius, half), (x, y, half)),), radius


KINDS: Final[Mapping[str, Callable[[float, float, np.random.Generator], Made]]] = {
    "ball": _ball,
    "can": _can,
    "pen": _pen,
    "card": _card,
    "cable": _cable,
    "egg": _egg,
    "disc": _disc,
}
"""Every kind of distractor, by the word that randomisations use."""
