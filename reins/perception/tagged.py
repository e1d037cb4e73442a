"""Which tag is on which object: a YAML file that says what each AprilTag marks."""

from collections import Counter
from typing import Final

import numpy as np
import pinocchio as pin
from pydantic import Field, model_validator
from typing_extensions import Self

from reins.contracts.documents import Shelf
from reins.contracts.errors import UnknownName
from reins.hardware.camera.tags import FAMILIES
from reins.hardware.profile_base import Part, Positive, Triple
from reins.hardware.robot import FloatArray

SHELF: Final = Shelf("tagged objects", "reins.perception", "tag_files")
"""An example of such a file; those in use are given by path, for nobody else has the same tags."""


class Tag(Part):
    """A tag on an object.

    Attributes:
        id: its number in the family.
        size: side of its black border [m].
        xyz, rpy: pose of its middle in the object's frame, whose origin is the object's centre [m, rad]: x to the tag's
            right, y up along it, z out of it, as OpenCV draws it (the AprilTag project's pictures are turned by half a
            turn). Without them it is in the middle of the top.
    """

    id: int = Field(ge=0, le=65535)
    size: Positive
    xyz: Triple | None = None
    rpy: Triple = (0.0, 0.0, 0.0)


class TaggedObject(Part):
    """An object that carries tags.

    Attributes:
        name: its id in the scene.
        label, colour: what it is; skills know blocks, bowls and plates.
        size: full extents along its own axes [m].
        tags: those on it, one or more.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    label: str
    colour: str
    size: tuple[Positive, Positive, Positive]
    tags: tuple[Tag, ...] = Field(min_length=1)

    def pose_of(self, tag: Tag) -> FloatArray:
        """(4, 4) pose of one of its tags in its frame."""
        xyz = (0.0, 0.0, self.size[2] / 2) if tag.xyz is None else tag.xyz
        return np.asarray(pin.SE3(pin.rpy.rpyToMatrix(*tag.rpy), np.array(xyz)).homogeneous)


class TaggedObjects(Part):
    """All of them.

    Attributes:
        family: of their tags, as OpenCV names it.
        objects: by tag.
    """

    family: str = "DICT_APRILTAG_36H11"
    objects: tuple[TaggedObject, ...]

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.family not in FAMILIES:
            raise ValueError(str(UnknownName("family of tags", self.family, FAMILIES)))
        names = Counter(f"object {item.name}" for item in self.objects)
        ids = Counter(f"tag {tag.id}" for item in self.objects for tag in item.tags)
        for what, count in (names + ids).items():
            if count > 1:
                raise ValueError(f"{what} stands there twice")
        return self

    def by_tag(self) -> dict[int, tuple[TaggedObject, Tag]]:
        """Object and tag by the tag's id."""
        return {tag.id: (item, tag) for item in self.objects for tag in item.tags}


NO_TAGS: Final = TaggedObjects(objects=())
"""Nothing is tagged."""


def load_tagged(name_or_path: str) -> TaggedObjects:
    """Read a file of tagged objects, by its path, or one that ships by its name.

    Raises:
        UnknownName: no file of that name; lists those that ship.
        ReinsError: no such file, or it is not valid; names the field.
    """
    return SHELF.load(name_or_path, TaggedObjects)
