"""Pictures by PyBullet's software renderer: the same bodies, in the same places, drawn by other code."""

import tempfile
import weakref
from pathlib import Path
from typing import Any, Final

import cv2
import mujoco
import numpy as np
import pybullet as bullet
from numpy.typing import NDArray

from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile
from reins.sim.camera import CameraImage, intrinsics
from reins.sim.model import TABLE_TOP
from reins.sim.objects import VISUAL_GROUP
from reins.sim.world import CameraSpec
from reins.training.renders.mujoco_painter import PictureModels, camera_pose, owners_of_geoms
from reins.training.renders.picture import NOTHING, Picture, Shot
from reins.training.renders.visible import visible_shares

NEAR: Final = 0.01
FAR: Final = 6.0
"""Clipping planes, as in MuJoCo [m]."""

FLOOR: Final = 4.0
"""Half the side of the square that stands for the floor's plane [m]."""

LAMP_DISTANCE: Final = 4.0
"""Of the lamp from the table [m]; it is taken for a distant one."""


class BulletPainter:
    """Paints pictures with PyBullet's TinyRenderer, in a world of its own (DIRECT).

    Args:
        profile: the robot.

    Raises:
        ReinsError: PyBullet gives no more worlds in this process.
    """

    def __init__(self, profile: RobotProfile) -> None:
        self._models = PictureModels(profile)
        self._client = bullet.connect(bullet.DIRECT)
        if self._client < 0:
            raise ReinsError(
                "PyBullet gives no more worlds in this process; close painters that are not needed any more"
            )
        self._disconnect = weakref.finalize(self, bullet.disconnect, self._client)

    def paint(self, picture: Picture, stamp: float) -> list[Shot]:
        """What every camera of the picture's world sees."""
        model, data = self._models.compile(picture)
        bullet.resetSimulation(physicsClientId=self._client)
        owner_of = owners_of_geoms(model, picture)
        owners: dict[int, int] = {}
        with tempfile.TemporaryDirectory(prefix="reins-bullet-") as folder:
            texture = self._load_texture(picture, Path(folder))
            for geom in range(model.ngeom):
                if model.geom_group[geom] <= VISUAL_GROUP:
                    owners[self._add(model, data, geom, texture)] = int(owner_of[geom])
        return [self._shoot(model, data, camera, picture, stamp, owners) for camera in picture.world.cameras]

    def close(self) -> None:
        """Give Bullet's world back. Safe to call twice."""
        self._disconnect()

    def _load_texture(self, picture: Picture, folder: Path) -> int:
        path = folder / "table.png"
        cv2.imwrite(str(path), cv2.cvtColor(picture.look.table, cv2.COLOR_RGB2BGR))
        return int(bullet.loadTexture(str(path), physicsClientId=self._client))

    def _add(self, model: mujoco.MjModel, data: mujoco.MjData, geom: int, texture: int) -> int:
        """One geometry as a body of its own; its number."""
        quaternion = np.empty(4)
        mujoco.mju_mat2Quat(quaternion, data.geom_xmat[geom])
        textured = model.geom(geom).name == TABLE_TOP
        visual = bullet.createVisualShape(
            **_shape(model, geom),
            rgbaColor=[1.0, 1.0, 1.0, 1.0] if textured else _colour(model, geom),
            specularColor=[0.05, 0.05, 0.05],
            physicsClientId=self._client,
        )
        body = int(
            bullet.createMultiBody(
                baseMass=0.0,
                baseVisualShapeIndex=visual,
                basePosition=data.geom_xpos[geom].tolist(),
                baseOrientation=quaternion[[1, 2, 3, 0]].tolist(),
                physicsClientId=self._client,
            )
        )
        if textured:
            bullet.changeVisualShape(body, -1, textureUniqueId=texture, physicsClientId=self._client)
        return body

    def _shoot(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        camera: CameraSpec,
        picture: Picture,
        stamp: float,
        owners: dict[int, int],
    ) -> Shot:
        pose, look = camera_pose(model, data, camera.name), picture.look
        at, forward, up = pose[:3, 3], pose[:3, 2], -pose[:3, 1]
        everywhere = look.ambient + look.head
        light = look.lamp + everywhere
        _, _, rgba, buffer, bodies = bullet.getCameraImage(
            camera.width,
            camera.height,
            viewMatrix=bullet.computeViewMatrix(at.tolist(), (at + forward).tolist(), up.tolist()),
            projectionMatrix=bullet.computeProjectionMatrixFOV(camera.fovy, camera.width / camera.height, NEAR, FAR),
            lightDirection=(-LAMP_DISTANCE * look.lamp_direction).tolist(),
            lightColor=(light / light.max()).tolist(),
            lightAmbientCoeff=float(everywhere.max()),
            lightDiffuseCoeff=float(look.lamp.max()),
            lightSpecularCoeff=0.05,
            shadow=int(look.shadows),
            renderer=bullet.ER_TINY_RENDERER,
            physicsClientId=self._client,
        )
        size = (camera.height, camera.width)
        rgb = np.ascontiguousarray(np.reshape(rgba, (*size, 4))[..., :3], dtype=np.uint8)
        measured = np.reshape(buffer, size).astype(np.float64)
        depth = np.ascontiguousarray(FAR * NEAR / (FAR - (FAR - NEAR) * measured), dtype=np.float32)
        owner = _owners(np.reshape(bodies, size), owners)
        image = CameraImage(camera.name, stamp, rgb, depth, intrinsics(camera), pose)
        return Shot(image, owner, visible_shares(picture.world, picture.arrangement, image, owner))


def _owners(bodies: NDArray[Any], owners: dict[int, int]) -> NDArray[np.int16]:
    """(h, w) thing that each pixel shows, from (h, w) numbers of bodies, negative for none."""
    table = np.full(max(owners) + 2, NOTHING, dtype=np.int16)
    for body, thing in owners.items():
        table[body] = thing
    return table[np.where(bodies < 0, len(table) - 1, bodies)]


def _colour(model: mujoco.MjModel, geom: int) -> list[float]:
    material = int(model.geom_matid[geom])
    rgba = model.geom_rgba[geom] if material < 0 else model.mat_rgba[material]
    return [float(value) for value in rgba]


def _shape(model: mujoco.MjModel, geom: int) -> dict[str, Any]:
    """What `createVisualShape` wants of a geometry."""
    kind, size = int(model.geom_type[geom]), model.geom_size[geom].tolist()
    types = mujoco.mjtGeom
    if kind == int(types.mjGEOM_BOX):
        return {"shapeType": bullet.GEOM_BOX, "halfExtents": size}
    if kind == int(types.mjGEOM_SPHERE):
        return {"shapeType": bullet.GEOM_SPHERE, "radius": size[0]}
    if kind == int(types.mjGEOM_CYLINDER):
        return {"shapeType": bullet.GEOM_CYLINDER, "radius": size[0], "length": 2 * size[1]}
    if kind == int(types.mjGEOM_CAPSULE):
        return {"shapeType": bullet.GEOM_CAPSULE, "radius": size[0], "length": 2 * size[1]}
    if kind == int(types.mjGEOM_PLANE):
        return {"shapeType": bullet.GEOM_BOX, "halfExtents": [FLOOR, FLOOR, 1e-4]}
    if kind == int(types.mjGEOM_ELLIPSOID):
        return _mesh(*_ellipsoid(size))
    mesh = int(model.geom_dataid[geom])
    first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
    face, faces = model.mesh_faceadr[mesh], model.mesh_facenum[mesh]
    return _mesh(model.mesh_vert[first : first + count], model.mesh_face[face : face + faces])


def _mesh(vertices: NDArray[Any], faces: NDArray[Any]) -> dict[str, Any]:
    """Flat faces, each with corners of its own: Bullet blends the normals of shared ones."""
    corners = vertices[faces]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    return {
        "shapeType": bullet.GEOM_MESH,
        "vertices": corners.reshape(-1, 3).tolist(),
        "normals": np.repeat(normal, 3, axis=0).tolist(),
        "uvs": np.zeros((3 * len(faces), 2)).tolist(),
        "indices": list(range(3 * len(faces))),
    }


def _ellipsoid(size: list[float], rings: int = 12, steps: int = 24) -> tuple[NDArray[Any], NDArray[Any]]:
    """Vertices (v, 3) [m] and faces (f, 3) of an ellipsoid of half axes `size`."""
    polar = np.linspace(0.0, np.pi, rings + 1)
    around = np.arange(steps) * (2 * np.pi / steps)
    grid = np.stack(
        [
            np.outer(np.sin(polar), np.cos(around)),
            np.outer(np.sin(polar), np.sin(around)),
            np.outer(np.cos(polar), np.ones(steps)),
        ],
        axis=-1,
    )
    row, column = np.meshgrid(np.arange(rings), np.arange(steps), indexing="ij")
    here, after = row * steps + column, row * steps + (column + 1) % steps
    faces = np.concatenate(
        [
            np.stack([here, here + steps, after + steps], axis=-1).reshape(-1, 3),
            np.stack([here, after + steps, after], axis=-1).reshape(-1, 3),
        ]
    )
    return grid.reshape(-1, 3) * np.array(size), faces
