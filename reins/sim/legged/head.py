"""The camera in a simulated robot's head: colour and depth, rendered without a display."""

from typing import Any, Final

import mujoco

from reins.contracts.errors import ReinsError, UnknownName
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.quadruped_build import HEAD
from reins.hardware.robot import FloatArray
from reins.sim.camera import MAX_GEOMS, CameraImage, Canvas, headless_context, intrinsics
from reins.sim.legged.ground import GroundSpec
from reins.sim.legged.mjcf import build_walker


class HeadCamera:
    """Renders what the robot sees. Owns its model and its graphics context, as `reins.sim.camera.Renderer` does; the
    camera's pose in the base frame is always the same.

    Args:
        profile: the robot.
        ground: what it walks on.

    Raises:
        ReinsError: neither EGL nor OSMesa works; names the Debian packages.
    """

    names: Final = (HEAD,)
    """Cameras that it renders."""

    def __init__(self, profile: QuadrupedProfile, ground: GroundSpec) -> None:
        self._optics = profile.build.camera
        self._model = build_walker(profile, ground)
        self._data = mujoco.MjData(self._model)
        settings = self._model.vis.global_
        settings.offwidth, settings.offheight = self._optics.width, self._optics.height
        self._scene = mujoco.MjvScene(self._model, maxgeom=MAX_GEOMS)
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = False
        self._scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = False
        self._view = mujoco.MjvCamera()
        self._view.type = mujoco.mjtCamera.mjCAMERA_FIXED
        self._view.fixedcamid = self._model.camera(HEAD).id
        self._gl: Any = headless_context()(settings.offwidth, settings.offheight)
        self._canvas: Canvas | None = Canvas(self._model, self._gl)

    def render(self, name: str, qpos: FloatArray, stamp: float) -> CameraImage:
        """What it sees.

        Args:
            name: of the camera.
            qpos: generalised position of the robot, as in WorldState.
            stamp: robot time of that position [s].

        Raises:
            UnknownName: the robot has no such camera.
            ReinsError: qpos has the wrong length, or the camera is closed.
        """
        if name not in self.names:
            raise UnknownName("camera", name, self.names)
        model, data = self._model, self._data
        if len(qpos) != model.nq:
            raise ReinsError(f"qpos has {len(qpos)} numbers; this robot has {model.nq}")
        if self._canvas is None:
            raise ReinsError("the head's camera is closed")
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_camlight(model, data)
        every, option = mujoco.mjtCatBit.mjCAT_ALL, mujoco.MjvOption()
        mujoco.mjv_updateScene(model, data, option, None, self._view, every, self._scene)
        rgb, depth = self._canvas.draw(self._scene, self._optics)
        return CameraImage(HEAD, stamp, rgb, depth, intrinsics(self._optics), self._optics.pose)

    def warm_up(self) -> None:
        """Draw one picture: the first one compiles shaders."""
        self.render(HEAD, self._model.qpos0, 0.0)

    def close(self) -> None:
        """Free the graphics context. Safe to call twice."""
        if self._canvas is not None:
            self._canvas.close()
            self._gl.free()
            self._canvas = None
