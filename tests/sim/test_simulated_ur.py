"""The simulated UR arms: what their URDF lacks is there, and they do what a Franka in the same world does."""

import mujoco
import numpy as np
import pytest

from reins.contracts.errors import ReinsError
from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.robot import GripperCommand, SafeCommand
from reins.sim.model import HAND, build_model, robot_spec
from reins.sim.mujoco_robot import MujocoRobot
from reins.sim.simulators import make_simulator
from reins.sim.world import load_world

WORLD = load_world("tabletop")
PERIOD = 0.01


@pytest.fixture(scope="module", params=["ur5e", "ur10e"])
def profile(request: pytest.FixtureRequest) -> RobotProfile:
    return load_profile(request.param)


@pytest.fixture
def robot(profile: RobotProfile) -> MujocoRobot:
    return MujocoRobot(profile, WORLD, 1)


class Driver:
    """Moves one robot by commands of one period each."""

    def __init__(self, robot: MujocoRobot) -> None:
        self.robot = robot
        self.sequence = 0
        robot.connect()

    def go(self, velocity: np.ndarray, seconds: float, gripper: GripperCommand | None = None) -> None:
        """Move the reference with this velocity."""
        for _ in range(round(seconds / PERIOD)):
            self.sequence += 1
            state = self.robot.read()
            self.robot.write(SafeCommand(self.sequence, state.stamp, PERIOD, state.reference, velocity, gripper))
            self.robot.step(PERIOD)


def test_the_tool_is_where_the_description_has_it(profile: RobotProfile) -> None:
    model = robot_spec(profile).compile()
    data = mujoco.MjData(model)
    offset = np.array(profile.tool.xyz)
    for seed in range(5):
        position = np.random.default_rng(seed).uniform(-1.5, 1.5, len(profile.joints))
        data.qpos[: len(position)] = position
        mujoco.mj_kinematics(model, data)
        hand = data.body(HAND)
        pose = Kinematics(profile).tool_pose(position)
        np.testing.assert_allclose(hand.xpos + hand.xmat.reshape(3, 3) @ offset, pose.position, atol=1e-6)
        np.testing.assert_allclose(hand.xmat.reshape(3, 3), pose.rotation, atol=1e-6)


def test_it_stands_at_home_and_touches_nothing(robot: MujocoRobot, profile: RobotProfile) -> None:
    Driver(robot).go(np.zeros(6), 1.0)
    state = robot.read()
    np.testing.assert_allclose(state.position, profile.home, atol=1e-3)
    assert np.abs(state.velocity).max() < 1e-3
    kinds = robot._physics.contacts()
    assert not (kinds < 0).any(), "neither the arm's parts nor table and objects"


def test_it_follows_a_reference_within_its_limits(robot: MujocoRobot, profile: RobotProfile) -> None:
    driver = Driver(robot)
    velocity = np.array([0.3, 0.2, -0.3, 0.3, 0.3, 0.5])
    driver.go(velocity, 0.5)
    moving = robot.read()
    np.testing.assert_allclose(moving.velocity, velocity, atol=0.03)
    np.testing.assert_allclose(moving.position, moving.reference, atol=0.02)
    assert np.all(np.abs(moving.effort) <= profile.effort)


def test_the_gripper_closes_on_nothing_and_opens_again(robot: MujocoRobot, profile: RobotProfile) -> None:
    driver, still = Driver(robot), np.zeros(6)
    assert robot.read().gripper_width == pytest.approx(profile.gripper.max_width, abs=1e-3)
    driver.go(still, 1.5, GripperCommand(0.0, 40.0))
    assert robot.read().gripper_width == pytest.approx(0.0, abs=1e-3)
    assert not robot.read().gripper_holding
    driver.go(still, 1.5, GripperCommand(0.05, 40.0))
    assert robot.read().gripper_width == pytest.approx(0.05, abs=1e-3)


def test_it_holds_a_block_between_its_fingers(robot: MujocoRobot, profile: RobotProfile) -> None:
    driver, physics = Driver(robot), robot._physics
    pose = Kinematics(profile).tool_pose(robot.read().position)
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(pose.rotation).ravel())
    still, block = np.zeros(6), np.concatenate([pose.position, quaternion])
    for _ in range(60):  # somebody holds it there
        physics.put("red_block", block)
        driver.go(still, PERIOD, GripperCommand(0.0, 40.0))
    driver.go(still, 0.5, GripperCommand(0.0, 40.0))
    state = robot.read()
    assert state.gripper_holding and state.gripper_width == pytest.approx(0.04, abs=2e-3)
    assert robot.world_state().held == "red_block"
    driver.go(np.array([0.3, 0.0, 0.0, 0.0, 0.0, 0.0]), 0.5, GripperCommand(0.0, 40.0))
    assert robot.world_state().held == "red_block", "also while it is carried"


def test_cameras_have_something_to_look_at(profile: RobotProfile) -> None:
    bare, pretty = build_model(profile, WORLD, pretty=False), build_model(profile, WORLD, pretty=True)
    shown = {
        pretty.body(body).name for body, group in zip(pretty.geom_bodyid, pretty.geom_group, strict=True) if group == 2
    }
    assert {"forearm_link", HAND, "left_finger"} <= shown
    assert bare.nq == pretty.nq


def test_pybullet_says_that_it_does_not_have_it(profile: RobotProfile) -> None:
    pytest.importorskip("pybullet")
    with pytest.raises(ReinsError, match=f"'pybullet' has Franka's arms only; simulate '{profile.name}' with 'mujoco'"):
        make_simulator("pybullet", profile, WORLD, 0)
