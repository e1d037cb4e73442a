"""A stage: the simulated world and its cameras, with the arm and every object put where a test wants them."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from reins.contracts.scene import Scene
from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.robot import FloatArray, RobotState
from reins.perception.geometric import GeometricPerception
from reins.perception.seeing import Seeing
from reins.sim.camera import CameraImage, Renderer
from reins.sim.mujoco_robot import MujocoRobot
from reins.sim.world import WorldSpec, load_world
from reins.sim.world_state import TruthObject

PERIOD = 0.1
"""Robot time between two looks [s]."""

HAND_DOWN = np.diag([1.0, -1.0, -1.0])
"""Orientation of the tool that points down, fingers opening along y."""


class Stage:
    """A world in which nothing moves but what a test moves. No physics: time passes by PERIOD with every look."""

    def __init__(self, profile: RobotProfile, world: WorldSpec) -> None:
        self.profile = profile
        self.robot = MujocoRobot(profile, world, 0)
        self.renderer = Renderer(profile, self.robot.world)
        self.kinematics = Kinematics(profile)
        self.holding = False
        self.stamp = 0.0

    def reset(self, seed: int) -> None:
        """Arm at home, objects where `seed` puts them."""
        self.robot.reset(seed)
        self.holding, self.stamp = False, 0.0

    def put(self, name: str, x: float, y: float, z: float, yaw: float = 0.0) -> None:
        """Put the centre of an object there."""
        self.robot.data.joint(name).qpos[:] = [x, y, z, np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)]

    def tilt(self, name: str, x: float, y: float, z: float, angle: float) -> None:
        """Put the centre of an object there, leaning by `angle` about y [rad]."""
        self.robot.data.joint(name).qpos[:] = [x, y, z, np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0]

    def away(self, *names: str) -> None:
        """Take objects out of the world."""
        for index, name in enumerate(names):
            self.put(name, 30.0 + index, 0.0, 0.0)

    def arm(self, x: float, y: float, z: float, yaw: float = 0.0, width: float | None = None) -> None:
        """Put the tool there, pointing down and turned by `yaw` about +z; the fingers to `width`."""
        cos, sin = np.cos(yaw), np.sin(yaw)
        target = np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]]) @ HAND_DOWN
        position = np.array(self.profile.home)
        for _ in range(200):
            pose, jacobian = self.kinematics.tool_jacobian(position)
            error = np.concatenate([np.array([x, y, z]) - pose.position, pin.log3(target @ pose.rotation.T)])
            if np.abs(error).max() < 1e-5:
                break
            step = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + 1e-4 * np.eye(6), error)
            position = np.clip(position + np.clip(step, -0.2, 0.2), self.profile.lower, self.profile.upper)
        assert np.abs(error).max() < 1e-3, "the stage cannot reach that"
        self.robot.data.qpos[: len(position)] = position
        if width is not None:
            self.robot.data.qpos[len(position) : len(position) + 2] = width / 2

    def home(self) -> None:
        """Put the arm back to its home pose."""
        self.robot.data.qpos[: len(self.profile.joints)] = self.profile.home

    def tool(self) -> FloatArray:
        """(3,) position of the tool [m]."""
        return self.kinematics.tool_pose(self.robot.read().position).position

    def state(self) -> RobotState:
        """The robot state of the next look."""
        return replace(self.robot.read(), stamp=self.stamp, gripper_holding=self.holding)

    def images(self, *cameras: str) -> list[CameraImage]:
        """What the cameras see now; both by default."""
        qpos = self.robot.data.qpos.copy()
        return [self.renderer.render(name, qpos, self.stamp) for name in cameras or ("overhead", "wrist")]

    def carry(self, name: str, x: float, y: float, z: float) -> None:
        """Put the tool there with the fingers closed on an object and the object between them."""
        self.arm(x, y, z, width=self.truth(name).size[1])
        self.put(name, *self.tool())
        self.holding = True

    def look(self, perception: Seeing, *cameras: str, times: int = 1) -> Scene:
        """Let perception look `times` times; the last scene."""
        for _ in range(times):
            scene = perception.update(self.images(*cameras), self.state())
            self.stamp += PERIOD
        return scene

    def truth(self, name: str) -> TruthObject:
        """Where an object really is."""
        return self.robot.world_state().find(name)

    def error(self, scene: Scene, name: str) -> float:
        """Distance between where an object is and where the scene has it [m]."""
        return float(np.linalg.norm(np.subtract(scene.find(name).position, self.truth(name).position)))


@pytest.fixture(scope="session")
def profile() -> RobotProfile:
    return load_profile("franka")


@pytest.fixture(scope="session")
def tabletop_stage(profile: RobotProfile) -> Iterator[Stage]:
    stage = Stage(profile, load_world("tabletop"))
    yield stage
    stage.renderer.close()


@pytest.fixture(scope="session")
def tableware_stage(profile: RobotProfile) -> Iterator[Stage]:
    stage = Stage(profile, load_world("tableware"))
    yield stage
    stage.renderer.close()


@pytest.fixture
def stage(tabletop_stage: Stage) -> Stage:
    tabletop_stage.reset(0)
    return tabletop_stage


@pytest.fixture
def perception(profile: RobotProfile) -> GeometricPerception:
    return GeometricPerception(profile)
