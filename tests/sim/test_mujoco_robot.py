"""Contact, the gripper and repeatability of the simulated arm."""

import numpy as np
import pytest
from sim_mover import Mover

from reins.hardware.profile import RobotProfile
from reins.hardware.robot import GripperCommand, StopCategory
from reins.sim.mujoco_robot import MujocoRobot
from reins.sim.predicates import is_in, is_on
from reins.sim.world import WorldSpec

OTHERS = ("green_block", "blue_block", "yellow_block", "white_plate")


def test_objects_rest_where_they_were_put(robot: MujocoRobot) -> None:
    before = robot.world_state()
    for _ in range(100):
        robot.step(0.01)
    after = robot.world_state()
    for name, item in after.objects.items():
        np.testing.assert_allclose(item.position, before.find(name).position, atol=5e-4)
        assert not item.touched
        assert is_on(after, name, "table")
    assert after.held is None


def test_grasp_lift_and_carry_into_the_bowl(mover: Mover, robot: MujocoRobot) -> None:
    mover.pick("red_block")
    lifted = robot.world_state()
    assert lifted.held == "red_block"
    assert lifted.find("red_block").position[2] == pytest.approx(0.17, abs=0.005)
    assert robot.read().gripper_holding
    assert robot.read().gripper_width == pytest.approx(0.04, abs=0.002)
    in_hand = mover.kinematics.tool_pose(robot.read().position).position - lifted.find("red_block").position

    x, y, _ = lifted.find("blue_bowl").position
    mover.go([x, y, 0.18], 0.0, 0.8)
    carried = robot.world_state()
    still = mover.kinematics.tool_pose(robot.read().position).position - carried.find("red_block").position
    assert np.linalg.norm(still) == pytest.approx(np.linalg.norm(in_hand), abs=0.002)  # it did not slip
    assert not is_in(carried, "red_block", "blue_bowl")

    mover.go([x, y, 0.05], 0.0, 1.0)
    assert not is_in(robot.world_state(), "red_block", "blue_bowl")  # not before it is let go
    mover.grip(0.06, 20.0, 0.6)
    mover.go([x, y, 0.2], 0.0, 1.0)
    end = robot.world_state()
    assert is_in(end, "red_block", "blue_bowl")
    assert end.held is None and not robot.read().gripper_holding
    assert end.find("red_block").touched
    assert not any(end.find(name).touched for name in OTHERS)
    assert robot.read().fault == ""


def test_stacking(mover: Mover, robot: MujocoRobot) -> None:
    mover.pick("red_block")
    base = robot.world_state().find("green_block")
    yaw = 2 * np.arctan2(base.orientation[2], base.orientation[3]) % (np.pi / 2)
    x, y, _ = base.position
    mover.go([x, y, 0.18], yaw, 1.0)
    mover.go([x, y, 0.062], yaw, 1.0)
    mover.grip(0.06, 20.0, 0.6)
    mover.go([x, y, 0.2], yaw, 1.0)
    assert is_on(robot.world_state(), "red_block", "green_block")
    assert not is_on(robot.world_state(), "red_block", "table")


def test_what_the_hand_holds_touches_too(mover: Mover, robot: MujocoRobot) -> None:
    mover.pick("red_block")
    x, y, _ = robot.world_state().find("green_block").position
    mover.go([x, y, 0.18], 0.0, 1.0)
    assert not robot.world_state().find("green_block").touched
    mover.go([x, y, 0.055], 0.0, 1.0)
    assert robot.world_state().find("green_block").touched
    assert not robot.world_state().find("yellow_block").touched


@pytest.mark.parametrize("width", [0.0, 0.03])
def test_an_empty_hand_holds_nothing(mover: Mover, robot: MujocoRobot, width: float) -> None:
    mover.grip(width, 40.0, 1.2)
    assert robot.read().gripper_width == pytest.approx(width, abs=1e-3)
    assert not any(state.gripper_holding for state in mover.states)


def test_fingers_keep_their_speed_limit(mover: Mover, robot: MujocoRobot, profile: RobotProfile) -> None:
    mover.grip(0.0, 70.0, 1.2)
    mover.grip(0.08, 70.0, 1.2)
    widths = np.array([state.gripper_width for state in mover.states])
    assert np.abs(np.diff(widths)).max() <= profile.gripper.speed * 0.01 * 1.1


@pytest.mark.parametrize("force", [10.0, 40.0])
def test_fingers_push_with_the_force_asked_for(mover: Mover, robot: MujocoRobot, force: float) -> None:
    mover.pick("red_block", lift=0.1)
    mover.grip(0.0, force, 0.5)
    # The pads' normal force on the block: what both fingers' joints feel, by MuJoCo's own constraint forces.
    pushed = np.abs(robot.data.qfrc_actuator[7:9])
    np.testing.assert_allclose(pushed, force, rtol=0.02)


def test_opening_lets_go_at_once(mover: Mover, robot: MujocoRobot) -> None:
    mover.pick("red_block")
    mover.grip(0.08, 40.0, 0.1)
    assert robot.world_state().held is None


def test_a_stop_keeps_the_grasp(mover: Mover, robot: MujocoRobot) -> None:
    mover.pick("red_block")
    robot.stop(StopCategory.CUT, "because")
    for _ in range(100):
        robot.step(0.01)
    assert robot.world_state().held == "red_block"


def test_a_stop_stops_the_fingers(mover: Mover, robot: MujocoRobot) -> None:
    mover.grip(0.0, 40.0, 0.3)
    width = robot.read().gripper_width
    robot.stop(StopCategory.CONTROLLED, "because")
    for _ in range(50):
        robot.step(0.01)
    assert robot.read().gripper_width == pytest.approx(width, abs=0.003)


def test_effort_holds_the_arm_up_and_keeps_its_limits(mover: Mover, robot: MujocoRobot, profile: RobotProfile) -> None:
    """At rest it is gravity's torque; with the arm pressed into the table it stays within the limits."""
    mover.hold(0.3)
    at_rest = robot.read()
    np.testing.assert_allclose(at_rest.effort, robot.data.qfrc_bias[:7], atol=0.1)
    start = at_rest.reference.copy()
    down = np.array([0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0])
    for step in range(400):
        state = mover.send(start + down * (step * 0.01), down)
        assert (np.abs(state.effort) <= profile.effort + 1e-6).all()


def test_same_seed_and_commands_give_the_same_states(profile: RobotProfile, tabletop: WorldSpec) -> None:
    def run() -> np.ndarray:
        robot = MujocoRobot(profile, tabletop, seed=11)
        robot.connect()
        robot.step(0.2)
        return robot.world_state().qpos

    np.testing.assert_array_equal(run(), run())


def test_a_reset_is_a_fresh_start(mover: Mover, robot: MujocoRobot, profile: RobotProfile, tabletop: WorldSpec) -> None:
    mover.gripper = GripperCommand(0.0, 40.0)
    mover.pick("red_block")
    robot.stop(StopCategory.CUT, "because")
    robot.reset(5)
    fresh = MujocoRobot(profile, tabletop, seed=5)
    for one in (robot, fresh):
        one.connect()
        one.step(0.5)
    np.testing.assert_array_equal(robot.world_state().qpos, fresh.world_state().qpos)
    assert robot.world_state().seed == 5
    assert robot.read().fault == "" and robot.read().sequence == 0
    assert not any(item.touched for item in robot.world_state().objects.values())


def test_touching_is_noticed(mover: Mover, robot: MujocoRobot) -> None:
    x, y, _ = robot.world_state().find("green_block").position
    mover.grip(0.0, 40.0, 0.9)
    mover.go([x, y, 0.10], 0.0, 1.5)
    assert not robot.world_state().find("green_block").touched
    mover.go([x, y, 0.042], 0.0, 1.0)
    assert robot.world_state().find("green_block").touched
    assert not robot.world_state().find("red_block").touched
