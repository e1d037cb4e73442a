"""What can touch what: the arm's links, what stands around it, what it holds; and the pairs that must stay apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import product
from typing import Final

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
        corners: FloatArray = (_CORNERS * self.size) @ self.rotation.T + self.centre
        return corners


_CORNERS: Final = np.array(list(product((-0.5, 0.5), repeat=3)))
"""(8, 3) of a box of size 1."""


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
        corners: (m, 3) whose hull is the body [m]: in the joint's frame, or for what stands in the shape's own; of the
            table one, on its surface.
        reach: (n,) how far it can be from each joint's axis at most [m]; 0 for joints that do not move it.
    """

    name: str
    kind: Kind
    joint: int
    shape: coal.CollisionGeometry
    placement: pin.SE3
    corners: FloatArray
    reach: FloatArray

    @property
    def middle(self) -> FloatArray:
        """(3,) middle of the box around the corners [m]."""
        middle: FloatArray = (self.corners.min(axis=0) + self.corners.max(axis=0)) / 2.0
        return middle

    @property
    def radius(self) -> float:
        """How far it reaches from its middle [m]."""
        return float(np.linalg.norm(self.corners - self.middle, axis=1).max())


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


def body_of_link(link: LinkShape, model: pin.Model) -> Body:
    """A link of the arm."""
    reach = reach_of(link.corners, link.joint, model)
    return Body(link.name, Kind.LINK, link.joint, link.to_coal(), pin.SE3.Identity(), link.corners, reach)


def body_of_box(box: Box, kind: Kind) -> Body:
    """A box that stands."""
    shape, placement = coal.Box(*map(float, box.size)), pin.SE3(box.rotation, box.centre)
    return _standing(box.id, kind, shape, placement, _CORNERS * box.size)


def body_of_held(box: Box, tool: pin.SE3, model: pin.Model) -> Body:
    """A box in the hand; `tool` is the tool's frame in that of the last joint."""
    placement = tool * pin.SE3(box.rotation, box.centre)
    corners = box.corners @ tool.rotation.T + tool.translation
    reach = reach_of(corners, model.nv, model)
    return Body(box.id, Kind.HELD, model.nv, coal.Box(*map(float, box.size)), placement, corners, reach)


def bodies_around(profile: RobotProfile) -> list[Body]:
    """The table and the fixtures of a profile."""
    bodies = []
    if profile.table is not None:
        half_space = coal.Halfspace(np.array([0.0, 0.0, 1.0]), profile.table)
        surface = np.array([[0.0, 0.0, profile.table]])
        bodies.append(_standing("table", Kind.TABLE, half_space, pin.SE3.Identity(), surface))
    for fixture in profile.fixtures:
        rotation = pin.rpy.rpyToMatrix(*fixture.rpy)
        box = Box(fixture.name, np.array(fixture.centre), rotation, np.array(fixture.size))
        bodies.append(body_of_box(box, Kind.FIXTURE))
    return bodies


def _standing(name: str, kind: Kind, shape: coal.CollisionGeometry, placement: pin.SE3, corners: FloatArray) -> Body:
    return Body(name, kind, 0, shape, placement, corners, np.zeros(0))


def reach_of(corners: FloatArray, joint: int, model: pin.Model) -> FloatArray:
    """(n,) how far (m, 3) corners in the frame of a joint can be from each joint's axis at most [m]; 0 for joints after
    it. All joints turn."""
    reach = np.zeros(model.nv)
    if joint == 0:
        return reach
    jacobian = pin.computeJointJacobian(model, model.createData(), pin.neutral(model), joint)
    axis = np.asarray(jacobian)[3:, joint - 1]
    reach[joint - 1] = np.linalg.norm(np.cross(corners, axis), axis=1).max()
    length = float(np.linalg.norm(corners, axis=1).max())
    for before in range(joint - 1, 0, -1):
        length += float(np.linalg.norm(model.jointPlacements[before + 1].translation))
        reach[before - 1] = length
    return reach


def pairs_of(bodies: Sequence[Body], margins: Margins) -> list[Pair]:
    """The pairs that are watched.

    Not links that one joint connects, nor what the hand holds with the hand and its neighbour: these touch by design.
    """
    pairs = []
    for first, a in enumerate(bodies):
        for second, b in enumerate(bodies):
            if a.joint >= b.joint or (margin := _margin(a, b, margins)) is None:
                continue
            pairs.append(Pair(first, second, margin))
    return pairs


def _margin(a: Body, b: Body, margins: Margins) -> float | None:
    """Smallest distance of two bodies, `b` being moved by a later joint [m]; None if they may touch."""
    if a.kind is Kind.LINK:
        return None if b.joint - a.joint <= 1 else margins.links
    if a.kind is Kind.KEEP_OUT:
        return margins.keep_out
    return margins.held if b.kind is Kind.HELD else margins.table
