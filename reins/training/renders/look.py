"""What a picture looks like: paints, the surface of the table, the light."""

from collections.abc import Callable, Mapping
from colorsys import hsv_to_rgb, rgb_to_hsv
from dataclasses import dataclass
from math import cos, pi, radians, sin
from typing import Final

import cv2
import mujoco
import numpy as np
from numpy.typing import NDArray

from reins.contracts.errors import look_up
from reins.sim.model import LAMP, TABLE_TOP
from reins.sim.world import COLOURS, WorldSpec
from reins.training.renders.randomisation import RenderRandomisation

TEXTURE: Final = 128
"""Width and height of the table's texture [pixels]."""

WOOD_HUE: Final = 30.0
"""Hue of whatever tint a table top has [degrees]."""

LOWEST_SINE: Final = 0.5
"""A lamp lower than this (sine of its height) does not get brighter to make up for it: what faces it would be white."""

Colour = tuple[float, float, float]
Texture = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """What was drawn for one picture.

    Attributes:
        paints: colour (red, green, blue; 0 … 1) of every thing, by id.
        table: (TEXTURE, TEXTURE, 3) surface of the table top.
        ambient, head, lamp: light from everywhere, from the camera and from the lamp, by channel (3,).
        lamp_direction: (3,) unit vector in which the lamp shines, base frame.
        shadows: whether the lamp casts them.
    """

    paints: Mapping[str, Colour]
    table: Texture
    ambient: NDArray[np.float64]
    head: NDArray[np.float64]
    lamp: NDArray[np.float64]
    lamp_direction: NDArray[np.float64]
    shadows: bool


def draw_look(world: WorldSpec, ranges: RenderRandomisation, random: np.random.Generator) -> Look:
    """Paints, table and light of one picture; things of one colour and kind have one paint."""
    paint = {item: _paint(item.colour, ranges, random) for item in world.objects}
    brightness, share = ranges.brightness.draw(random), ranges.lamp_share.draw(random)
    warmth = ranges.warmth.either_way(random)
    tint = np.array([1.0 + warmth, 1.0, 1.0 - warmth])
    height, side = radians(ranges.lamp_height.draw(random)), radians(ranges.lamp_side.draw(random))
    return Look(
        paints={name: paint[item] for name, item in world.by_id.items()},
        table=_surface(ranges, random),
        ambient=tint * brightness * (1.0 - share) * 0.65,
        head=tint * brightness * (1.0 - share) * 0.35,
        lamp=tint * brightness * share / max(sin(height), LOWEST_SINE),
        lamp_direction=-np.array([cos(height) * cos(side), cos(height) * sin(side), sin(height)]),
        shadows=ranges.shadows.draw(random),
    )


def apply_look(spec: mujoco.MjSpec, look: Look) -> None:
    """Give a model with a table its look; paints are applied where things are added."""
    texture = spec.add_texture(
        name=TABLE_TOP, type=mujoco.mjtTexture.mjTEXTURE_2D, width=TEXTURE, height=TEXTURE, nchannel=3
    )
    texture.data = look.table.tobytes()
    material = spec.add_material(name=TABLE_TOP)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = TABLE_TOP
    top = spec.geom(TABLE_TOP)
    top.material, top.rgba = TABLE_TOP, [1.0, 1.0, 1.0, 1.0]
    spec.visual.headlight.ambient, spec.visual.headlight.diffuse = look.ambient, look.head
    lamp = spec.light(LAMP)
    lamp.diffuse, lamp.dir, lamp.castshadow = look.lamp, look.lamp_direction, look.shadows
    lamp.pos = np.array([0.5, 0.0, 0.0]) - 2.0 * look.lamp_direction


def _paint(word: str, ranges: RenderRandomisation, random: np.random.Generator) -> Colour:
    hue, saturation, value = rgb_to_hsv(*COLOURS[word])
    hue = (hue + ranges.paint_hue.either_way(random) / 360.0) % 1.0
    return hsv_to_rgb(hue, saturation, min(value * ranges.paint_value.draw(random), 1.0))


def _surface(ranges: RenderRandomisation, random: np.random.Generator) -> Texture:
    value, tint = ranges.table_value.draw(random), ranges.table_tint.draw(random)
    shade = look_up("table pattern", ranges.table_pattern.draw(random), PATTERNS)(random)
    colour = np.array(hsv_to_rgb(WOOD_HUE / 360.0, tint, 1.0))
    return np.asarray(np.clip(255.0 * value * shade[..., None] * colour, 0, 255), np.uint8)


Shade = NDArray[np.float64]
"""(TEXTURE, TEXTURE) brightness as a factor, about 1."""


def _grid() -> tuple[Shade, Shade]:
    column, row = np.meshgrid(np.arange(TEXTURE) / TEXTURE, np.arange(TEXTURE) / TEXTURE)
    return column, row


def _plain(_random: np.random.Generator) -> Shade:
    return np.ones((TEXTURE, TEXTURE))


def _checker(random: np.random.Generator) -> Shade:
    column, row = _grid()
    squares = int(random.integers(4, 17))
    odd = (np.floor(column * squares) + np.floor(row * squares)) % 2
    return np.asarray(1.0 - float(random.uniform(0.1, 0.5)) * odd)


def _gradient(random: np.random.Generator) -> Shade:
    column, row = _grid()
    angle = float(random.uniform(-pi, pi))
    return np.asarray(1.0 + 0.35 * ((column - 0.5) * cos(angle) + (row - 0.5) * sin(angle)))


def _speckle(random: np.random.Generator) -> Shade:
    return np.asarray(1.0 + 0.25 * random.standard_normal((TEXTURE, TEXTURE)))


def _wood(random: np.random.Generator) -> Shade:
    """Rings around a pith outside the table, drawn out along the grain."""
    column, row = _grid()
    bent = row + 0.03 * np.sin(2 * pi * column * float(random.uniform(0.5, 2.0)))
    rings = np.sin(2 * pi * bent * float(random.uniform(6, 18)))
    fine = cv2.GaussianBlur(random.standard_normal((TEXTURE, TEXTURE)), (31, 1), 8.0)
    return np.asarray(0.9 + 0.12 * rings + 0.5 * fine)


def _stripes(random: np.random.Generator) -> Shade:
    column, row = _grid()
    angle, number = float(random.uniform(-pi, pi)), float(random.uniform(4, 14))
    odd = np.floor((column * cos(angle) + row * sin(angle)) * number) % 2
    return np.asarray(1.0 - float(random.uniform(0.1, 0.5)) * odd)


PATTERNS: Final[Mapping[str, Callable[[np.random.Generator], Shade]]] = {
    "plain": _plain,
    "checker": _checker,
    "gradient": _gradient,
    "speckle": _speckle,
    "wood": _wood,
    "stripes": _stripes,
}
"""Every surface, by the word that randomisations use."""
