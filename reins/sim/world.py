"""Worlds: what stands on the table and where, and the cameras that see it; read from YAML, validated on load."""

from functools import cached_property
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from typing_extensions import Self

from reins.contracts.documents import Shelf
from reins.contracts.errors import UnknownName

Finite = Annotated[float, Field(allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
Pair = tuple[Finite, Finite]
Triple = tuple[Finite, Finite, Finite]
Size = tuple[Positive, Positive, Positive]
Goal = tuple[str, ...]

COLOURS: Final[dict[str, tuple[float, float, float]]] = {
    "red": (0.80, 0.07, 0.06),
    "green": (0.08, 0.55, 0.14),
    "blue": (0.06, 0.22, 0.75),
    "yellow": (0.93, 0.76, 0.05),
    "orange": (0.93, 0.38, 0.03),
    "purple": (0.42, 0.10, 0.60),
    "white": (0.92, 0.92, 0.90),
}
"""Colour words and their reflectance (red, green, blue), 0 … 1."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", ignored_types=(cached_property,))


class ObjectSpec(_Part):
    """One kind of object in the world.

    Attributes:
        label: what it is.
        colour: a word of COLOURS.
        size: full extents of its bounding box [m]; bowls and plates are round, so width equals depth.
        count: how many of them; the second red block is "red_block_2".
    """

    label: Literal["block", "bowl", "plate"]
    colour: str
    size: Size
    count: int = Field(default=1, ge=1, le=8)

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        if self.colour not in COLOURS:
            raise ValueError(str(UnknownName("colour", self.colour, COLOURS)))
        if self.label != "block" and self.size[0] != self.size[1]:
            raise ValueError(f"a {self.label} is round: its width {self.size[0]} must equal its depth {self.size[1]}")
        return self


class Placement(_Part):
    """Where objects may stand at a reset.

    Attributes:
        lower, upper: corners of the rectangle for their centres (x, y) [m].
        clearance: free distance from a block's centre to the edge of everything else [m], room for the open fingers.
        gap: free distance between the edges of any two objects [m].
    """

    lower: Pair
    upper: Pair
    clearance: Positive
    gap: Positive

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not all(low < high for low, high in zip(self.lower, self.upper, strict=True)):
            raise ValueError(f"lower {self.lower} is not below upper {self.upper} in both axes")
        return self


class CameraSpec(_Part):
    """One camera.

    Attributes:
        name: topic-safe name.
        mount: "table": fixed, in the base frame; "hand": carried by the hand, in the frame of its body (z along the
            fingers, y along their opening).
        position, look_at: where it is, and the point in the middle of its image [m], in the frame of the mount.
        up: direction that is up in the image, in the frame of the mount.
        fovy: vertical field of view [degrees].
        width, height: of the image [pixels].
        quality: "fast" without shadows, "fine" with them, for videos.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    mount: Literal["table", "hand"]
    position: Triple
    look_at: Triple
    up: Triple
    fovy: float = Field(gt=1.0, lt=170.0)
    width: int = Field(ge=16, le=1920)
    height: int = Field(ge=16, le=1080)
    quality: Literal["fast", "fine"] = "fast"


class WorldSpec(_Part):
    """One world. `goal` is the list of facts that hold once its default `instruction` is done."""

    name: str
    title: str
    instruction: str
    goal: tuple[Goal, ...]
    objects: tuple[ObjectSpec, ...] = Field(min_length=1)
    placement: Placement
    cameras: tuple[CameraSpec, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        names = [camera.name for camera in self.cameras]
        kinds = [(item.label, item.colour) for item in self.objects]
        if len(set(names)) < len(names):
            raise ValueError(f"two cameras have the same name: {names}")
        if len(set(kinds)) < len(kinds):
            raise ValueError("the same label and colour stands twice; use count")
        for _, *arguments in self.goal:
            for name in arguments:
                if name not in self.by_id and name != "table":
                    raise ValueError(str(UnknownName("object", name, self.by_id)))
        return self

    @cached_property
    def by_id(self) -> dict[str, ObjectSpec]:
        """Every object of the world by its id, in the order of the file."""
        return {
            f"{item.colour}_{item.label}" + (f"_{number}" if number > 1 else ""): item
            for item in self.objects
            for number in range(1, item.count + 1)
        }

    def camera(self, name: str) -> CameraSpec:
        """The camera of that name.

        Raises:
            UnknownName: no such camera; lists those that exist.
        """
        for camera in self.cameras:
            if camera.name == name:
                return camera
        raise UnknownName("camera", name, [camera.name for camera in self.cameras])


WORLDS: Final = Shelf("world", "reins.sim", "worlds")
"""The worlds that ship with reins."""


def known_worlds() -> list[str]:
    """Names of the worlds that ship with reins."""
    return WORLDS.names()


def load_world(name_or_path: str) -> WorldSpec:
    """Load a world by name, or by the path of a YAML file.

    Raises:
        UnknownName: no such world; lists those that exist.
        ReinsError: the file is not a valid world; names the field.
    """
    return WORLDS.load(name_or_path, WorldSpec)
