"""The simple shapes that bodies of a compiled MuJoCo model collide with, for engines that have no MJCF of their own."""

from dataclasses import dataclass
from typing import Final

import mujoco

from reins.hardware.robot import FloatArray

KINDS: Final = {
    int(mujoco.mjtGeom.mjGEOM_BOX): "box",
    int(mujoco.mjtGeom.mjGEOM_CYLINDER): "cylinder",
    int(mujoco.mjtGeom.mjGEOM_CAPSULE): "capsule",
}
"""Every kind of shape that worlds and arms are made of; the table's plane is no body's."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """One convex piece of a body.

    Attributes:
        kind: "box", "cylinder" or "capsule", the last two along z.
        size: (3,) half extents of a box; radius and half length (between a capsule's centres) of the others [m].
        position: (3,) of its centre in the body's frame [m].
        quaternion: (4,) x y z w, of its own axes.
        friction: sliding friction coefficient.
    """

    kind: str
    size: FloatArray
    position: FloatArray
    quaternion: FloatArray
    friction: float


def shapes_of(model: mujoco.MjModel, body: str) -> list[Shape]:
    """What the body of that name collides with."""
    index = model.body(body).id
    geoms = [geom for geom in range(model.ngeom) if model.geom_bodyid[geom] == index and model.geom_contype[geom]]
    return [
        Shape(
            KINDS[int(model.geom_type[geom])],
            model.geom_size[geom].copy(),
            model.geom_pos[geom].copy(),
            model.geom_quat[geom][[1, 2, 3, 0]],
            float(model.geom_friction[geom, 0]),
        )
        for geom in geoms
    ]
