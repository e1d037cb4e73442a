"""Blocks, bowls and plates as MuJoCo bodies: primitives to collide with, a surface of revolution to look at.

Every body's frame is the centre of the object's bounding box, axes along its extents.
"""

from math import atan2, cos, hypot, pi, sin, tan
from typing import Final

import mujoco
import numpy as np

from reins.hardware.robot import FloatArray
from reins.sim.world import COLOURS, ObjectSpec

WALL: Final = 0.005
"""Thickness of a bowl's wall and width of a plate's rim [m]."""

FLOOR: Final = 0.006
"""Thickness of the floor of a bowl or a plate [m]."""

BOWL_BASE: Final = 0.6
"""Radius of a bowl's base as a share of its radius at the rim."""

SEGMENTS: Final = 12
"""Boxes that make up a round wall."""

BLOCK_DENSITY: Final = 600.0
"""Wood [kg/m³]."""

DISH_DENSITY: Final = 1200.0
"""Plastic, heavy enough to stand firm when a block is dropped in [kg/m³]."""

FRICTION: Final = (0.8, 0.005, 0.0001)
"""Sliding, torsional [m] and rolling [m] friction on the table."""

VISUAL_GROUP: Final = 2
COLLISION_GROUP: Final = 3
"""MuJoCo's usual groups: 0 to 2 are drawn, 3 is not."""


def add_object(
    spec: mujoco.MjSpec,
    name: str,
    item: ObjectSpec,
    pretty: bool,
    paint: tuple[float, float, float] | None = None,
) -> None:
    """Add one free object to `spec`, at its origin.

    Args:
        spec: the model under construction.
        name: id of the object and name of its body.
        item: what it is.
        pretty: also add the meshes that are only looked at.
        paint: reflectance (red, green, blue), 0 … 1; that of its colour's word by default.
    """
    body = spec.worldbody.add_body(name=name)
    body.add_freejoint(name=name)
    rgba = [*(paint or COLOURS[item.colour]), 1.0]
    if item.label == "block":
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[extent / 2 for extent in item.size],
            rgba=rgba,
            density=BLOCK_DENSITY,
            friction=FRICTION,
        )
        return
    radius, height = item.size[0] / 2, item.size[2]
    base = BOWL_BASE * radius if item.label == "bowl" else radius - WALL
    _add_dish(body, radius, base, height)
    if pretty:
        mesh = spec.add_mesh(name=f"{name}_surface", inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL)
        vertices, faces = revolve(_outline(item.label, radius, height))
        mesh.uservert, mesh.userface = vertices.ravel(), faces.ravel()
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_MESH,
            meshname=mesh.name,
            rgba=rgba,
            group=VISUAL_GROUP,
            contype=0,
            conaffinity=0,
            mass=0.0,
        )


def _add_dish(body: mujoco.MjsBody, radius: float, base: float, height: float) -> None:
    """A floor of radius `base` and a wall of boxes that rises from it to `radius` at `height` [m]."""
    common = {"group": COLLISION_GROUP, "density": DISH_DENSITY, "friction": FRICTION, "rgba": [0.5, 0.5, 0.5, 1.0]}
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_CYLINDER, size=[base, FLOOR / 2, 0], pos=[0, 0, (FLOOR - height) / 2], **common
    )
    rise, run = height - FLOOR, radius - base - WALL
    if run < WALL:
        run = 0.0  # a plate's rim stands upright
    middle = radius - (WALL + run) / 2
    for index in range(SEGMENTS):
        turn = 2 * pi * index / SEGMENTS
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[WALL / 2, radius * tan(pi / SEGMENTS), hypot(rise, run) / 2],
            pos=[middle * cos(turn), middle * sin(turn), FLOOR / 2],
            quat=_turned(turn, atan2(run, rise)),
            **common,
        )


def _turned(about_z: float, about_y: float) -> FloatArray:
    """(4,) quaternion w x y z: first turned about y, then about z [rad]."""
    quaternion = np.empty(4)
    z = np.array([cos(about_z / 2), 0.0, 0.0, sin(about_z / 2)])
    y = np.array([cos(about_y / 2), 0.0, sin(about_y / 2), 0.0])
    mujoco.mju_mulQuat(quaternion, z, y)
    return quaternion


def _outline(label: str, radius: float, height: float) -> FloatArray:
    """(m, 2) radius and height of its outline, from the middle of the underside around the rim to that of the floor."""
    low, rim = -height / 2, height / 2
    floor = low + FLOOR
    if label == "bowl":
        base = BOWL_BASE * radius
        points = [(0, low), (base, low), (radius, rim), (radius - WALL, rim), (base - WALL / 2, floor), (0, floor)]
    else:
        face = radius - 2 * WALL
        points = [
            (0, low),
            (face, low),
            (radius, rim - 0.002),
            (radius, rim),
            (radius - WALL, rim),
            (face, floor),
            (0, floor),
        ]
    return np.array(points, dtype=np.float64)


def revolve(outline: FloatArray, steps: int = 48) -> tuple[FloatArray, np.ndarray]:
    """Surface of revolution about z, with sharp edges between the rings of its outline.

    Args:
        outline: (m, 2) radius and height [m], outside to the right when followed; the first and last radius are 0.
        steps: faces around.

    Returns:
        (v, 3) vertices [m] and (f, 3) vertex indices of triangles that face outwards.
    """
    turn = np.arange(steps) * (2 * pi / steps)
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    rings = np.repeat(outline, 2, axis=0)[1:-1]  # every edge has vertices of its own, so that its normals do not blend
    around = rings[:, None, :1] * circle[None]
    up = np.broadcast_to(rings[:, None, 1:], (len(rings), steps, 1))
    vertices = np.concatenate([around, up], axis=2).reshape(-1, 3)
    here = np.arange(steps)
    after = (here + 1) % steps
    faces = []
    for edge in range(len(outline) - 1):
        lower, upper = 2 * edge * steps, (2 * edge + 1) * steps
        if outline[edge, 0] > 0:
            faces.append(np.stack([lower + here, lower + after, upper + after], axis=1))
        if outline[edge + 1, 0] > 0 or outline[edge, 0] > 0:
            faces.append(np.stack([lower + here, upper + after, upper + here], axis=1))
    triangles = np.concatenate(faces)
    corners = vertices[triangles]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return vertices, triangles[area > 1e-12].astype(np.int32)


def rest_height(item: ObjectSpec) -> float:
    """Height of its centre when it stands on the table [m]."""
    return item.size[2] / 2
