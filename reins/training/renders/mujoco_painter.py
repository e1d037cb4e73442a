"""Pictures by MuJoCo's renderer. Every picture has a model of its own; only the arm is read from its files once."""

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from reins.hardware.profile import RobotProfile
from reins.sim.camera import MAX_GEOMS, OPENGL_TO_OPTICAL, CameraImage, Canvas, headless_context, intrinsics
from reins.sim.model import add_camera, add_table, robot_spec
from reins.sim.objects import add_object
from reins.sim.simplify import simplify_meshes
from reins.sim.world import CameraSpec
from reins.training.renders.distractors import add_distractor
from reins.training.renders.look import apply_look
from reins.training.renders.picture import NOTHING, Picture, Shot
from reins.training.renders.visible import visible_shares


class PictureModels:
    """Compiles the model of a picture, in a tenth of the time that it takes with the arm's meshes as they come.

    Args:
        profile: the robot.
    """

    def __init__(self, profile: RobotProfile) -> None:
        self._robot = robot_spec(profile)
        simplify_meshes(self._robot)

    def compile(self, picture: Picture) -> tuple[mujoco.MjModel, mujoco.MjData]:
        """The model of a picture, and its data with everything in its place."""
        spec = self._robot.copy()
        add_table(spec, pretty=True)
        apply_look(spec, picture.look)
        for name, item in picture.world.by_id.items():
            add_object(spec, name, item, pretty=True, paint=picture.look.paints[name])
        for number, distractor in enumerate(picture.distractors):
            add_distractor(spec, distractor, f"distractor_{number}")
        for camera in picture.world.cameras:
            add_camera(spec, camera)
        model = spec.compile()
        data = mujoco.MjData(model)
        data.qpos[:] = picture.qpos()
        mujoco.mj_kinematics(model, data)
        mujoco.mj_camlight(model, data)
        return model, data


def owners_of_geoms(model: mujoco.MjModel, picture: Picture) -> NDArray[np.int16]:
    """(ngeom,) index of the thing, in the world's order, that each geometry is part of; NOTHING for none."""
    owner = np.full(model.ngeom, NOTHING, dtype=np.int16)
    for index, name in enumerate(picture.world.by_id):
        owner[model.geom_bodyid == model.body(name).id] = index
    return owner


def camera_pose(model: mujoco.MjModel, data: mujoco.MjData, name: str) -> NDArray[np.float64]:
    """(4, 4) pose of a camera's optical frame in the base frame."""
    index = model.camera(name).id
    pose = np.eye(4)
    pose[:3, :3] = data.cam_xmat[index].reshape(3, 3) @ OPENGL_TO_OPTICAL
    pose[:3, 3] = data.cam_xpos[index]
    return pose


class MujocoPainter:
    """Paints pictures with MuJoCo. One thread uses it: the one that painted first.

    Args:
        profile: the robot.

    Raises:
        ReinsError: nothing renders without a display here; names the Debian packages.
    """

    def __init__(self, profile: RobotProfile) -> None:
        self._make_context = headless_context()
        self._gl: Any = None  # made once: a new one costs more than a picture
        self._models = PictureModels(profile)
        self._option = mujoco.MjvOption()

    def paint(self, picture: Picture, stamp: float) -> list[Shot]:
        """What every camera of the picture's world sees."""
        model, data = self._models.compile(picture)
        cameras = picture.world.cameras
        model.vis.global_.offwidth = max(camera.width for camera in cameras)
        model.vis.global_.offheight = max(camera.height for camera in cameras)
        scene = mujoco.MjvScene(model, maxgeom=MAX_GEOMS)
        owner_of = owners_of_geoms(model, picture)
        if self._gl is None:
            self._gl = self._make_context(16, 16)
        canvas = Canvas(model, self._gl)
        try:
            return [self._shoot(model, data, scene, canvas, camera, picture, stamp, owner_of) for camera in cameras]
        finally:
            canvas.close()

    def close(self) -> None:
        """Free the graphics context. Safe to call twice."""
        if self._gl is not None:
            self._gl.free()
            self._gl = None

    def _shoot(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        scene: mujoco.MjvScene,
        canvas: Canvas,
        camera: CameraSpec,
        picture: Picture,
        stamp: float,
        owner_of: NDArray[np.int16],
    ) -> Shot:
        view = mujoco.MjvCamera()
        view.type = mujoco.mjtCamera.mjCAMERA_FIXED
        view.fixedcamid = model.camera(camera.name).id
        mujoco.mjv_updateScene(model, data, self._option, None, view, mujoco.mjtCatBit.mjCAT_ALL, scene)
        scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = picture.look.shadows
        scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = False
        rgb, depth = canvas.draw(scene, camera)
        drawn = canvas.segment(scene, camera)
        geoms = np.array([geom.objid for geom in scene.geoms[: scene.ngeom]], dtype=np.int64)
        owner = np.where(drawn >= 0, owner_of[geoms[drawn]], NOTHING).astype(np.int16)
        image = CameraImage(camera.name, stamp, rgb, depth, intrinsics(camera), camera_pose(model, data, camera.name))
        return Shot(image, owner, visible_shares(picture.world, picture.arrangement, image, owner))
