"""Cameras of a simulated world: colour and depth images with the optical frame's pose, rendered without a display."""

import os
from collections.abc import Callable
from ctypes.util import find_library
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, Protocol

import mujoco
import numpy as np
from numpy.typing import NDArray

from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.sim.model import build_model
from reins.sim.world import CameraSpec, WorldSpec

PACKAGES: Final = {
    "egl": "libegl1 libegl-mesa0 libgl1-mesa-dri libopengl0",
    "osmesa": "libosmesa6",
}
"""Debian packages that each way of rendering without a display needs."""

LIBRARIES: Final = {"egl": "EGL", "osmesa": "OSMesa"}
"""The library that each of them loads first."""

MAX_GEOMS: Final = 500
"""Most geometries in one image."""

OPENGL_TO_OPTICAL: Final = np.diag([1.0, -1.0, -1.0])
"""Turns MuJoCo's camera axes (y up, z backwards) into optical axes (y down, z forwards)."""


class Optics(Protocol):
    """What a picture depends on, whoever carries the camera: size [pixels] and vertical field of view [degrees]."""

    @property
    def width(self) -> int: ...

    @property
    def height(self) -> int: ...

    @property
    def fovy(self) -> float: ...


@dataclass(frozen=True, slots=True, eq=False)
class CameraImage:
    """One image.

    Attributes:
        name: of the camera.
        stamp: robot time of the state that it shows [s].
        rgb: (height, width, 3) uint8.
        depth: (height, width) float32, distance along the optical axis [m].
        intrinsics: (3, 3); the centre of the upper left pixel is (0, 0).
        pose: (4, 4) from the optical frame (x right, y down, z forwards) to the robot's base frame.
    """

    name: str
    stamp: float
    rgb: NDArray[np.uint8]
    depth: NDArray[np.float32]
    intrinsics: FloatArray
    pose: FloatArray


class Renderer:
    """Renders the cameras of one world. Owns its model and its graphics context: it may live in a thread or process of
    its own; the thread that renders first is the one that renders and closes.

    Args:
        profile, world: what the simulation was made from.

    Raises:
        ReinsError: neither EGL nor OSMesa works; names the Debian packages.
    """

    def __init__(self, profile: RobotProfile, world: WorldSpec) -> None:
        self._make_context = headless_context()
        self._model = build_model(profile, world, pretty=True)
        self._data = mujoco.MjData(self._model)
        self._world = world
        self._model.vis.global_.offwidth = max(camera.width for camera in world.cameras)
        self._model.vis.global_.offheight = max(camera.height for camera in world.cameras)
        self._scene = mujoco.MjvScene(self._model, maxgeom=MAX_GEOMS)
        self._option = mujoco.MjvOption()
        self._camera = mujoco.MjvCamera()
        self._canvas: Canvas | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Cameras of the world."""
        return tuple(camera.name for camera in self._world.cameras)

    def render(self, name: str, qpos: FloatArray, stamp: float) -> CameraImage:
        """What camera `name` sees.

        Args:
            name: of a camera of the world.
            qpos: (nq,) generalised position, as in WorldState.
            stamp: robot time of that position [s].

        Raises:
            UnknownName: no such camera.
            ReinsError: qpos has the wrong length.
        """
        camera = self._world.camera(name)
        self._pose(qpos)
        if self._canvas is None:
            settings = self._model.vis.global_
            self._gl = self._make_context(settings.offwidth, settings.offheight)
            self._canvas = Canvas(self._model, self._gl)
        rgb, depth = self._canvas.draw(self._scene_of(camera), camera)
        index = self._model.camera(name).id
        pose = np.eye(4)
        pose[:3, :3] = self._data.cam_xmat[index].reshape(3, 3) @ OPENGL_TO_OPTICAL
        pose[:3, 3] = self._data.cam_xpos[index]
        return CameraImage(name, stamp, rgb, depth, intrinsics(camera), pose)

    def warm_up(self) -> None:
        """Draw every fast camera once: the first picture compiles shaders, which takes a third of a second."""
        for camera in self._world.cameras:
            if camera.quality == "fast":
                self.render(camera.name, self._model.qpos0, 0.0)

    def close(self) -> None:
        """Free the graphics context. Safe to call twice."""
        if self._canvas is not None:
            self._canvas.close()
            self._canvas = None
            self._gl.free()

    def _pose(self, qpos: FloatArray) -> None:
        if len(qpos) != self._model.nq:
            raise ReinsError(f"qpos has {len(qpos)} numbers; world '{self._world.name}' has {self._model.nq}")
        self._data.qpos[:] = qpos
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_camlight(self._model, self._data)

    def _scene_of(self, camera: CameraSpec) -> mujoco.MjvScene:
        self._camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        self._camera.fixedcamid = self._model.camera(camera.name).id
        every = mujoco.mjtCatBit.mjCAT_ALL
        mujoco.mjv_updateScene(self._model, self._data, self._option, None, self._camera, every, self._scene)
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = camera.quality == "fine"
        self._scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = False
        return self._scene


class Canvas:
    """One model's meshes and textures in a graphics context.

    Args:
        model: the model.
        gl: the context; who made it frees it, after the canvas is closed.
    """

    def __init__(self, model: mujoco.MjModel, gl: Any) -> None:
        self._gl = gl
        gl.make_current()
        self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        self._near = model.vis.map.znear * model.stat.extent
        self._far = model.vis.map.zfar * model.stat.extent

    def draw(self, scene: mujoco.MjvScene, camera: Optics) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """Colour and depth in one pass."""
        self._gl.make_current()
        area = mujoco.MjrRect(0, 0, camera.width, camera.height)
        rgb = np.empty((camera.height, camera.width, 3), dtype=np.uint8)
        buffer = np.empty((camera.height, camera.width), dtype=np.float32)
        mujoco.mjr_render(area, scene, self._context)
        mujoco.mjr_readPixels(rgb, buffer, area, self._context)
        # The buffer is 1 at the near plane and 0 at the far one, linear in 1/depth.
        depth = 1.0 / (buffer * (1.0 / self._near - 1.0 / self._far) + 1.0 / self._far)
        return np.ascontiguousarray(rgb[::-1]), np.ascontiguousarray(depth[::-1], dtype=np.float32)

    def segment(self, scene: mujoco.MjvScene, camera: Optics) -> NDArray[np.int32]:
        """(height, width) index in `scene.geoms` of the geometry that each pixel shows; -1 for none."""
        self._gl.make_current()
        area = mujoco.MjrRect(0, 0, camera.width, camera.height)
        code = np.empty((camera.height, camera.width, 3), dtype=np.uint8)
        for flag in (mujoco.mjtRndFlag.mjRND_SEGMENT, mujoco.mjtRndFlag.mjRND_IDCOLOR):
            scene.flags[flag] = True
        mujoco.mjr_render(area, scene, self._context)
        mujoco.mjr_readPixels(code, None, area, self._context)
        for flag in (mujoco.mjtRndFlag.mjRND_SEGMENT, mujoco.mjtRndFlag.mjRND_IDCOLOR):
            scene.flags[flag] = False
        numbers = code.astype(np.int32) @ np.array([1, 1 << 8, 1 << 16], dtype=np.int32)
        return np.ascontiguousarray(numbers[::-1]) - 1

    def close(self) -> None:
        """Take the meshes out of the graphics context."""
        self._gl.make_current()
        self._context.free()


def intrinsics(camera: Optics) -> FloatArray:
    """(3, 3) intrinsic matrix; square pixels, principal point in the middle, pixel centres at whole numbers."""
    focal = camera.height / (2.0 * np.tan(np.radians(camera.fovy) / 2.0))
    centre = ((camera.width - 1) / 2.0, (camera.height - 1) / 2.0)
    return np.array([[focal, 0.0, centre[0]], [0.0, focal, centre[1]], [0.0, 0.0, 1.0]])


def headless_context() -> Callable[[int, int], Any]:
    """The first way of rendering without a display that works: MUJOCO_GL if it names one, else EGL, then OSMesa."""
    asked = os.environ.get("MUJOCO_GL", "").lower()
    reasons = []
    for name in (asked,) if asked in PACKAGES else tuple(PACKAGES):
        if find_library(LIBRARIES[name]) is None:  # importing it in vain would spoil the next one's import
            reasons.append(f"{name}: no library lib{LIBRARIES[name]}")
            continue
        try:
            make = _import_context(name)
            probe = make(16, 16)
            probe.make_current()
            probe.free()
        except (ImportError, AttributeError, OSError, RuntimeError) as error:
            reasons.append(f"{name}: {error}")
        else:
            return make
    raise ReinsError(
        f"cameras cannot be rendered without a display ({'; '.join(reasons)}); "
        f"install the Debian packages {PACKAGES['egl']}, or {PACKAGES['osmesa']}"
    )


def _import_context(name: str) -> Callable[[int, int], Any]:
    """The context class of one way of rendering; PyOpenGL decides at its first import which library it binds."""
    module = import_module(f"mujoco.{name}")
    make: Callable[[int, int], Any] = module.GLContext
    return make
