"""Samples: pictures as the camera gives them, which thing each pixel shows, and what is true of the things."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from reins.contracts.relations import relations_between
from reins.contracts.scene import TABLE, Relation
from reins.hardware.profile import load_profile
from reins.perception.vision_language.description import (
    EMPTY,
    GRID,
    HELD,
    MOST_RELATIONS,
    PERCHED,
    TABLE_NUMBER,
    Description,
)
from reins.perception.vision_language.prompt import view_of
from reins.perception.vision_language.tiny.reading import Pixels
from reins.perception.vision_language.tiny.words import FULL, MOST_BESIDE, PARTLY_HIDDEN
from reins.training.perception.settings import PicturesSettings
from reins.training.renders.generate import Pictures, make_painter
from reins.training.renders.picture import Painter, Picture, Shot
from reins.training.renders.randomisation import load_render_randomisation

SEEN: Final = 0.25
"""What is less visible than this is not said."""

HALF_SEEN: Final = 0.6
"""What is less visible than this is partly hidden."""

LEAST_PIXELS: Final = 6
"""What shows fewer pixels is not said."""

DISHES: Final = ("bowl", "plate")
"""What is empty or full."""

NO_OWNER: Final = 255
"""In maps of owners: no thing."""

Owners = NDArray[np.uint8]
"""(h, w) index of the thing that each pixel shows, or NO_OWNER."""


class Thing(BaseModel):
    """What is true of a thing in a picture.

    Attributes:
        kind, colour: words.
        visible: share of its outline that the picture shows.
        stands: "table", "held", or how it is carried by another one.
        carrier: index of that one; -1 for none.
        loaded: something is in or on it.
        beside: indices of things next to it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    colour: str
    visible: float
    stands: Literal["table", "held", "in", "on"]
    carrier: int
    loaded: bool
    beside: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One picture with its truth.

    Attributes:
        picture: JPEG, as the model is sent it.
        owners: PNG of the map of owners.
        things: of the picture, by their index in the map.
    """

    picture: bytes
    owners: bytes
    things: tuple[Thing, ...]


class Sampler:
    """Makes samples; the same for the same seed. One thread uses it.

    Args:
        settings: of the pictures.
        randomisation: what changes from picture to picture, by name.

    Raises:
        UnknownName: no such robot, renderer or randomisation.
        ReinsError: nothing renders without a display.
    """

    def __init__(self, settings: PicturesSettings, randomisation: str) -> None:
        profile = load_profile(settings.robot)
        self._wrist = settings.wrist
        self._pictures = Pictures(profile, load_render_randomisation(randomisation))
        self._painter: Painter = make_painter(settings.sim, profile)

    def sample(self, seed: int) -> Sample:
        """The sample of a seed: one camera's look at the seed's picture."""
        picture = self._pictures.draw(seed)
        wanted = "hand" if np.random.default_rng([seed, 1]).random() < self._wrist else "table"
        cameras = [camera for camera in picture.world.cameras if camera.mount == wanted]
        seen = replace(picture, world=picture.world.model_copy(update={"cameras": cameras[:1]}))
        return sample_of(seen, self._painter.paint(seen, 0.0)[0])

    def close(self) -> None:
        """Free what it holds. Safe to call twice."""
        self._painter.close()


def sample_of(picture: Picture, shot: Shot) -> Sample:
    """The sample of one camera's image of a picture."""
    owners = np.where(shot.owner >= 0, shot.owner, NO_OWNER).astype(np.uint8)
    done, data = cv2.imencode(".png", owners)
    assert done, "eight-bit images can be encoded"
    view = view_of(shot.image.name, shot.image.stamp, shot.image.rgb)
    return Sample(view.picture.data, data.tobytes(), things_of(picture, shot))


def things_of(picture: Picture, shot: Shot) -> tuple[Thing, ...]:
    """What is true of every thing of a picture, in the order of the world; what found no place is invisible."""
    truth = picture.truth(0.0)
    names = list(picture.world.by_id)
    relations = relations_between(truth.objects.values(), truth.held)
    return tuple(_thing(picture, name, names, relations, shot.visible[name]) for name in names)


def _thing(picture: Picture, name: str, names: Sequence[str], relations: frozenset[Relation], visible: float) -> Thing:
    item = picture.world.by_id[name]
    carried = sorted(
        (one.predicate, one.object)
        for one in relations
        if one.subject == name and one.predicate in ("in", "on") and one.object != TABLE
    )
    stands, carrier = carried[0] if carried else ("table", "")
    if name == picture.arrangement.held:
        stands = "held"
    return Thing.model_validate(
        {
            "kind": item.label,
            "colour": item.colour,
            "visible": visible,
            "stands": stands,
            "carrier": names.index(carrier) if carrier else -1,
            "loaded": any(one.object == name and one.predicate in ("in", "on") for one in relations),
            "beside": sorted(
                names.index(one.object) for one in relations if one.subject == name and one.predicate == "beside"
            ),
        }
    )


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """A sample, opened.

    Attributes:
        rgb: (h, w, 3), or a smaller picture of the same.
        owners: (h, w).
        things: of the picture.
    """

    rgb: Pixels
    owners: Owners
    things: tuple[Thing, ...]


def opened(sample: Sample) -> Truth:
    """A sample's picture and map."""
    bgr = cv2.imdecode(np.frombuffer(sample.picture, np.uint8), cv2.IMREAD_COLOR)
    owners = cv2.imdecode(np.frombuffer(sample.owners, np.uint8), cv2.IMREAD_GRAYSCALE)
    assert bgr is not None and owners is not None, "shards hold whole pictures"
    rgb = cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB)
    return Truth(np.asarray(rgb, np.uint8), np.asarray(owners, np.uint8), sample.things)


def boxes_of(truth: Truth) -> dict[int, tuple[int, int, int, int]]:
    """Left, top, right and bottom [pixels] of what the picture shows of each thing that is to be said, by its index."""
    found = {}
    for index, thing in enumerate(truth.things):
        if thing.visible < SEEN:
            continue
        shown = truth.owners == index
        if np.count_nonzero(shown) < LEAST_PIXELS:
            continue
        columns, rows = np.flatnonzero(shown.any(axis=0)), np.flatnonzero(shown.any(axis=1))
        found[index] = int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1
    return found


def description_of_truth(truth: Truth) -> Description:
    """What is to be said of a picture. What stands on others comes after these, and left before right."""
    boxes = boxes_of(truth)
    height, width = truth.owners.shape
    order = sorted(boxes, key=lambda index: (_level(truth.things, index), boxes[index]))
    number = {index: place for place, index in enumerate(order, start=1)}
    objects = []
    stands: list[dict[str, object]] = []
    beside: list[dict[str, object]] = []
    for index in order:
        thing = truth.things[index]
        scale = (GRID / width, GRID / height) * 2
        sides = zip(("left", "top", "right", "bottom"), boxes[index], scale, strict=True)
        objects.append(
            {
                "name": f"{thing.colour} {thing.kind}",
                "kind": thing.kind,
                "colour": thing.colour,
                "attributes": _attributes(thing, thing.carrier in number),
                "box": {side: round(pixels * step) for side, pixels, step in sides},
            }
        )
        if thing.stands == "table":
            stands.append({"subject": number[index], "relation": "on", "object": TABLE_NUMBER})
        elif thing.carrier in number:
            stands.append({"subject": number[index], "relation": thing.stands, "object": number[thing.carrier]})
        near = sorted(number[other] for other in thing.beside if number.get(other, len(number)) < number[index])
        beside += [{"subject": number[index], "relation": "beside", "object": other} for other in near[:MOST_BESIDE]]
    return Description.model_validate({"objects": objects, "relations": [*stands, *beside][:MOST_RELATIONS]})


def _level(things: Sequence[Thing], index: int) -> int:
    """How many things are under one."""
    carrier = things[index].carrier
    return 0 if carrier < 0 else 1 + _level(things, carrier)


def _attributes(thing: Thing, carried: bool) -> tuple[str, ...]:
    """What is to be said of a thing besides; `carried` if what it is in or on is said, too."""
    words = []
    if thing.stands in ("in", "on") and not carried:
        words.append(PERCHED)
    if thing.kind in DISHES:
        words.append(FULL if thing.loaded else EMPTY)
    if thing.visible < HALF_SEEN and not (thing.kind in DISHES and thing.loaded):
        words.append(PARTLY_HIDDEN)
    if thing.stands == "held":
        words.append(HELD)
    return tuple(words)
