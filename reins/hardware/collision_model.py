"""The shape of an arm for distances: a convex hull for each link, from the collision meshes of its URDF.

A hull contains its link, so that a distance to it is never more than the true one. The fingers are one shape that
contains them at every opening.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final

import coal
import numpy as np
import pinocchio as pin
from scipy.spatial import ConvexHull

from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray

FINGERS: Final = "fingers"
"""Name of the shape of all links behind joints that are not the arm's own."""

_CIRCLE: Final = 16
"""Corners of the polygon around a round shape."""


@dataclass(frozen=True, slots=True, eq=False)
class LinkShape:
    """The convex hull of one link.

    Attributes:
        name: of the link in the URDF.
        joint: number of the joint that moves it, 1 … n; 0 for the base.
        corners: (m, 3) of the hull in that joint's frame [m].
        triangles: (k, 3) indices of corners.
    """

    name: str
    joint: int
    corners: FloatArray
    triangles: np.ndarray[tuple[int, int], np.dtype[np.int64]]

    def to_coal(self) -> coal.Convex:
        """The same for coal."""
        points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        for corner in self.corners:
            points.append(corner)
        for triangle in self.triangles:
            triangles.append(coal.Triangle(*map(int, triangle)))
        return coal.Convex(points, triangles)


def link_shapes(profile: RobotProfile) -> Sequence[LinkShape]:
    """The shapes of a profile's arm, base first; made once per process.

    Raises:
        ReinsError: the URDF has no collision geometry, or has meshes that are not there.
    """
    names = tuple(joint.model_name for joint in profile.joints)
    return _load(str(profile.model.path(profile.model.urdf)), names, profile.name)


@lru_cache(maxsize=8)
def _load(urdf: str, names: tuple[str, ...], profile: str) -> tuple[LinkShape, ...]:
    full = pin.buildModelFromUrdf(urdf)
    folders = [urdf.rsplit("/", 1)[0]]
    try:
        geometry = pin.buildGeomFromUrdf(full, urdf, pin.GeometryType.COLLISION, package_dirs=folders)
    except (ValueError, RuntimeError) as error:
        raise ReinsError(f"the collision geometry of '{profile}' cannot be read: {error}") from error
    if not geometry.geometryObjects:
        raise ReinsError(f"the URDF of '{profile}' has no collision geometry: {urdf}")
    locked = [full.getJointId(name) for name in full.names[1:] if name not in names]
    clouds: dict[tuple[int, str], list[FloatArray]] = {}
    for position in _extremes(full, locked):
        _, placed = pin.buildReducedModel(full, geometry, locked, position)
        for before, after in zip(geometry.geometryObjects, placed.geometryObjects, strict=True):
            link = FINGERS if before.parentJoint in locked else full.frames[before.parentFrame].name
            corners = _corners(before, profile) @ after.placement.rotation.T + after.placement.translation
            clouds.setdefault((after.parentJoint, link), []).append(corners)
    return tuple(_hull(link, joint, np.concatenate(points)) for (joint, link), points in sorted(clouds.items()))


def _extremes(model: pin.Model, locked: Sequence[int]) -> list[FloatArray]:
    """Positions of the whole model with its locked joints at both ends of their way."""
    positions = []
    for limits in (model.lowerPositionLimit, model.upperPositionLimit):
        position = pin.neutral(model)
        for joint in locked:
            index = model.joints[joint].idx_q
            position[index] = limits[index]
        positions.append(position)
    return positions


def _corners(item: pin.GeometryObject, profile: str) -> FloatArray:
    """(m, 3) points whose hull contains the geometry, in its own frame [m]."""
    shape = item.geometry
    if isinstance(shape, coal.BVHModelBase):
        return np.asarray(shape.vertices())
    if isinstance(shape, coal.ConvexBase):
        return np.asarray(shape.points())
    if isinstance(shape, coal.Box):
        return np.array(list(product(*((-half, half) for half in shape.halfSide))))
    if isinstance(shape, coal.Cylinder):
        return _prism(shape.radius, shape.halfLength)
    if isinstance(shape, coal.Capsule):
        return _prism(shape.radius, shape.halfLength + shape.radius)
    if isinstance(shape, coal.Sphere):
        return _prism(shape.radius, shape.radius)
    raise ReinsError(f"'{profile}': collision geometry '{item.name}' is a {type(shape).__name__}, which is not known")


def _prism(radius: float, half_length: float) -> FloatArray:
    """Corners around a cylinder along z."""
    turns = np.arange(_CIRCLE) * (2.0 * np.pi / _CIRCLE)
    outer = radius / np.cos(np.pi / _CIRCLE)
    ring = np.column_stack([outer * np.cos(turns), outer * np.sin(turns)])
    ends = [np.column_stack([ring, np.full(_CIRCLE, height)]) for height in (-half_length, half_length)]
    return np.concatenate(ends)


def _hull(link: str, joint: int, points: FloatArray) -> LinkShape:
    hull = ConvexHull(points)
    number = np.zeros(len(points), dtype=np.int64)
    number[hull.vertices] = np.arange(len(hull.vertices))
    return LinkShape(link, joint, points[hull.vertices].copy(), number[hull.simplices])
