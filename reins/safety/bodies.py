"""What can touch what: the arm's links, what stands around it, what it holds; and the pairs that must stay apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import coal
import numpy as np
import pinocchio as pin

from reins.hardware.collision_model import LinkShape
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """A box that the arm keeps away from, or that it holds.

    Attributes:
        id: what it is called.
        centre: (3,) [m].
        rotation: (3, 3) of its axes.
        size: (3,) full extents [m].

    Centre and rotation are in the base frame, those of a held one in the frame of the tool.
    """

    id: str
    centre: FloatArray
    rotation: FloatArray
    size: FloatArray

    @property
    def corners(self) -> FloatArray:
        """(8, 3) of the box, in the frame that it is given in [m]."""
        signs = np.array(np.meshgrid([-0.5, 0.5], [-0.5, 0.5], [-0.5, 0.5])).reshape(3, -1).T
        return (signs * self.size) @ self.rotation.T + self.centre


class Kind(Enum):
    """What a body is."""

    LINK = "link"
    TABLE = "table"
    FIXTURE = "fixture"
    KEEP_OUT = "keep-out"
    HELD = "held object"


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """One convex body.

    Attributes:
        name: of the link, fixture or object.
        kind: what it is.
        joint: number of the joint that moves it, 1 … n; 0 for what stands.
        shape: for coal.
        placement: of the shape in the joint's frame.
        corners: (m, 3) whose hull is the body, in the joint's frame [m]; none of what stands.
    """

    name: str
    kind: Kind
    joint: int
    shape: coal.CollisionGeometry
    placement: pin.SE3
    corners: FloatArray


@dataclass(frozen=True, slots=True)
class Margins:
    """Smallest distance of each kind of pair [m]."""

    links: float
    table: float
    keep_out: float
    held: float


@dataclass(frozen=True, slots=True)
class Pair:
    """Two bodies that must stay apart: the second is moved by the later joint.

    Attributes:
        first, second: their numbers.
        margin: smallest distance [m].
    """

    first: int
    second: int
    margin: float


def body_of_link(link: LinkShape) -> Body:
    """A link."""
    return Body(link.name, Kind.LINK, link.joint, link.to_coal(), pin.SE3.Identity(), link.corners)


def body_of_box(box: Box, kind: Kind) -> Body:
    """A box that stands."""
    return Body(box.id, kind, 0, coal.Box(*map(float, box.size)), pin.SE3(box.rotation, box.centre), np.zeros((0, 3)))


def body_of_held(box: Box, joint: int, tool: pin.SE3) -> Body:
    """A box in the hand; `tool` is the tool's frame in that of `joint`, the last one."""
    placement = tool * pin.SE3(box.rotation, box.centre)
    corners = box.corners @ tool.rotation.T + tool.translation
    return Body(box.id, Kind.HELD, joint, coal.Box(*map(float, box.size)), placement, corners)


def bodies_around(profile: RobotProfile) -> list[Body]:
    """The table and the fixtures of a profile."""
    bodies = []
    if profile.table is not None:
        half_space = coal.Halfspace(np.array([0.0, 0.0, 1.0]), profile.table)
        bodies.append(Body("table", Kind.TABLE, 0, half_space, pin.SE3.Identity(), np.zeros((0, 3))))
    for fixture in profile.fixtures:
        rotation = pin.rpy.rpyToMatrix(*fixture.rpy)
        box = Box(fixture.name, np.array(fixture.centre), rotation, np.array(fixture.size))
        bodies.append(body_of_box(box, Kind.FIXTURE))
    return bodies


def pairs_of(bodies: Sequence[Body], margins: Margins) -> list[Pair]:
    """The pairs that are watched.

    Not links that one joint connects, nor what the hand holds with the hand and its neighbour: these touch by design.
    """
    last = max(body.joint for body in bodies)
    pairs = []
    for first, a in enumerate(bodies):
        for second, b in enumerate(bodies):
            if a.joint >= b.joint or (margin := _margin(a, b, last, margins)) is None:
                continue
            pairs.append(Pair(first, second, margin))
    return pairs


def _margin(a: Body, b: Body, last: int, margins: Margins) -> float | None:
    """Smallest distance of two bodies, `b` being moved by a later joint [m]; None if they may touch."""
    if a.kind is Kind.LINK:
        near = b.joint - a.joint <= 1 or (b.kind is Kind.HELD and a.joint >= last - 1)
        return None if near else margins.links
    if a.kind is Kind.KEEP_OUT:
        return margins.keep_out
    return margins.held if b.kind is Kind.HELD else margins.table
