"""Grounds to walk on: flat, rough, a slope or steps, and what stands on them; read from YAML, validated on load."""

from functools import cached_property
from typing import Annotated, Final, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator
from typing_extensions import Self

from reins.contracts.documents import Shelf
from reins.contracts.errors import UnknownName
from reins.hardware.robot import FloatArray
from reins.sim.world import COLOURS

CELL: Final = 0.05
"""Distance between two heights of a ground [m]."""

FLAT_RADIUS: Final = 0.6
"""Around the origin every ground is level at height 0, where the robot begins [m]."""

BLEND: Final = 0.4
"""Over which the ground goes from there to what it is [m]."""

Finite = Annotated[float, Field(allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", ignored_types=(cached_property,))


class Thing(_Part):
    """Something that stands on the ground and does not move.

    Attributes:
        label: what it is; a person is a cylinder of their size.
        colour: a word of COLOURS.
        size: full extents of its bounding box [m].
        at: where its middle is on the ground: x, y [m].
        yaw: how it is turned [rad].
    """

    label: Literal["box", "door", "marker", "person"]
    colour: str
    size: tuple[Positive, Positive, Positive]
    at: tuple[Finite, Finite]
    yaw: Finite = 0.0

    @model_validator(mode="after")
    def _colour_exists(self) -> Self:
        if self.colour not in COLOURS:
            raise ValueError(str(UnknownName("colour", self.colour, COLOURS)))
        return self


class GroundSpec(_Part):
    """One ground.

    Attributes:
        name, title: of the file.
        extent: half its length and width [m].
        roughness: standard deviation of its height [m] …
        grain: … and the distance over which that height changes [m].
        slope: how steeply it rises along x [rad].
        step: height of a step [m]; 0 for none …
        tread: … and the length of each along x [m].
        friction: sliding friction with a foot.
        seed: of its heights.
        things: that stand on it.
    """

    name: str
    title: str
    extent: Positive = 10.0
    roughness: NotNegative = 0.0
    grain: Positive = 0.25
    slope: Annotated[float, Field(ge=-0.7, le=0.7)] = 0.0
    step: NotNegative = 0.0
    tread: Positive = 0.4
    friction: Positive = 0.8
    seed: int = Field(default=1, ge=0)
    things: tuple[Thing, ...] = ()

    @property
    def is_flat(self) -> bool:
        """Whether it is level everywhere."""
        return not (self.roughness or self.slope or self.step)

    @cached_property
    def heights(self) -> FloatArray:
        """(k, k) height [m] at every CELL, rows along y and columns along x, both from -extent to extent."""
        half = round(self.extent / CELL)
        line = CELL * np.arange(-half, half + 1)
        x, y = np.meshgrid(line, line)
        height = np.tan(self.slope) * np.maximum(np.abs(x) - FLAT_RADIUS, 0.0) * np.sign(x)
        if self.step:
            height = height + self.step * np.floor(np.maximum(np.abs(x) - FLAT_RADIUS, 0.0) / self.tread)
        if self.roughness:
            height = height + self._bumps(x.shape)
        distance = np.hypot(x, y)
        values: FloatArray = height * np.clip((distance - FLAT_RADIUS) / BLEND, 0.0, 1.0)
        values.setflags(write=False)
        return values

    def height_at(self, x: float, y: float) -> float:
        """Of the ground there [m], even between its cells; beyond its edge that of the edge."""
        if self.is_flat:
            return 0.0
        heights, last = self.heights, len(self.heights) - 1
        column, row = ((value + self.extent) / CELL for value in (x, y))
        column, row = (float(np.clip(value, 0.0, last - 1e-9)) for value in (column, row))
        i, j = int(row), int(column)
        v, u = row - i, column - j
        (a, b), (c, d) = heights[i : i + 2, j : j + 2]
        return float((1 - v) * ((1 - u) * a + u * b) + v * ((1 - u) * c + u * d))

    def _bumps(self, shape: tuple[int, ...]) -> FloatArray:
        """Random heights of the wanted deviation, smooth over the grain."""
        from scipy.ndimage import gaussian_filter

        random = np.random.default_rng(self.seed)
        smooth: FloatArray = gaussian_filter(random.standard_normal(shape), self.grain / CELL / 2.0)
        bumps: FloatArray = smooth * (self.roughness / smooth.std())
        return bumps


GROUNDS: Final = Shelf("ground", "reins.sim.legged", "grounds")
"""The grounds that ship with reins."""


def known_grounds() -> list[str]:
    """Names of the grounds that ship with reins."""
    return GROUNDS.names()


def load_ground(name_or_path: str) -> GroundSpec:
    """Load a ground by name, or by the path of a YAML file.

    Raises:
        UnknownName: no such ground; lists those that exist.
        ReinsError: the file is not a valid ground; names the field.
    """
    return GROUNDS.load(name_or_path, GroundSpec)
