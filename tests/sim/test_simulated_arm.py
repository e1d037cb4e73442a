"""Contact, the gripper and repeatability of the simulated arm, in every engine."""

from collections.abc import Iterator

import numpy as np
import pytest
from sim_mover import ENGINES, Mover

from reins.contracts.errors import UnknownName
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import GripperCommand, StopCategory
from reins.sim.placement import TablePose
from reins.sim.predicates import is_in, is_on
from reins.sim.simulators import SimulatedTable, make_simulator
from reins.sim.world import WorldSpec

OTHERS = ("green_block", "blue_block", "yellow_block", "white_plate")


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """Name of a simulator."""
    return str(request.param)


@pytest.fixture
def robot(engine: str, profile: RobotProfile, tabletop: WorldSpec) -> Iterator[SimulatedTable]:
    """A simulated arm that holds its home pose."""
    made = make_simulator(engine, profile, tabletop, seed=3)
    made.connect()
    yield made
    made.close()


def test_objects_rest_where_they_were_put(robot: SimulatedTable) -> None:
    before = robot.world_state()
    for _ in range(100):
        robot.step(0.01)
    after = robot.world_state()
    for name, item in after.objects.items():
        np.testing.assert_allclose(item.position, before.find(name).position, atol=5e-4)
        assert not item.touched
        assert is_on(after, name, "table")
    assert after.held is None


def test_somebody_else_can_put_an_object_elsewhere_while_time_goes_on(robot: SimulatedTable) -> None:
    robot.step(0.1)
    robot.put("red_block", TablePose(0.3, -0.35, 0.5))
    at_once = robot.world_state()
    robot.step(0.5)
    later = robot.world_state()
    assert at_once.find("red_block").position == pytest.approx((0.3, -0.35, 0.02), abs=1e-6)
    assert later.find("red_block").position == pytest.approx((0.3, -0.35, 0.02), abs=5e-4)
    assert later.find("red_block").orientation == pytest.approx((0.0, 0.0, np.sin(0.25), np.cos(0.25)), abs=1e-3)
    assert later.stamp == pytest.approx(0.6) and not later.find("red_block").touched
    with pytest.raises(UnknownName, match="no object 'red_blok'; did you mean 'red_block'"):
        robot.put("red_blok", TablePose(0.0, 0.0, 0.0))


def test_what_is_put_elsewhere_is_held_no_more(mover: Mover, robot: SimulatedTable) -> None:
    mover.pick("red_block")
    robot.put("red_block", TablePose(0.3, -0.35, 0.0))
    robot.step(0.3)
    state = robot.world_state()
    assert state.held is None and is_on(state, "red_block", "table") and not robot.read().gripper_holding


def test_grasp_lift_and_carry_into_the_bowl(mover: Mover, robot: SimulatedTable) -> None:
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


def test_stacking(mover: Mover, robot: SimulatedTable) -> None:
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


def test_what_the_hand_holds_touches_too(mover: Mover, robot: SimulatedTable) -> None:
    mover.pick("red_block")
    x, y, _ = robot.world_state().find("green_block").position
    mover.go([x, y, 0.18], 0.0, 1.0)
    assert not robot.world_state().find("green_block").touched
    mover.go([x, y, 0.055], 0.0, 1.0)
    assert robot.world_state().find("green_block").touched
    assert not robot.world_state().find("yellow_block").touched


@pytest.mark.parametrize("width", [0.0, 0.03])
def test_an_empty_hand_holds_nothing(mover: Mover, robot: SimulatedTable, width: float) -> None:
    mover.grip(width, 40.0, 1.2)
    assert robot.read().gripper_width == pytest.approx(width, abs=1e-3)
    assert not any(state.gripper_holding for state in mover.states)


def test_fingers_keep_their_speed_limit(mover: Mover, robot: SimulatedTable, profile: RobotProfile) -> None:
    mover.grip(0.0, 70.0, 1.2)
    mover.grip(0.08, 70.0, 1.2)
    widths = np.array([state.gripper_width for state in mover.states])
    assert np.abs(np.diff(widths)).max() <= profile.gripper.speed * 0.01 * 1.1


def test_opening_lets_go_at_once(mover: Mover, robot: SimulatedTable) -> None:
    mover.pick("red_block")
    mover.grip(0.08, 40.0, 0.1)
    assert robot.world_state().held is None


def test_a_stop_keeps_the_grasp(mover: Mover, robot: SimulatedTable) -> None:
    mover.pick("red_block")
    robot.stop(StopCategory.CUT, "because")
    for _ in range(100):
        robot.step(0.01)
    assert robot.world_state().held == "red_block"


def test_a_stop_stops_the_fingers(mover: Mover, robot: SimulatedTable) -> None:
    mover.grip(0.0, 40.0, 0.3)
    width = robot.read().gripper_width
    robot.stop(StopCategory.CONTROLLED, "because")
    for _ in range(50):
        robot.step(0.01)
    assert robot.read().gripper_width == pytest.approx(width, abs=0.003)


def test_same_seed_and_commands_give_the_same_states(engine: str, profile: RobotProfile, tabletop: WorldSpec) -> None:
    def run() -> np.ndarray:
        robot = make_simulator(engine, profile, tabletop, seed=11)
        robot.connect()
        Mover(robot, profile).pick("red_block")
        end = robot.world_state()
        assert end.held == "red_block"
        robot.close()
        return end.qpos

    np.testing.assert_array_equal(run(), run())


def test_a_reset_is_a_fresh_start(
    mover: Mover, robot: SimulatedTable, engine: str, profile: RobotProfile, tabletop: WorldSpec
) -> None:
    mover.gripper = GripperCommand(0.0, 40.0)
    mover.pick("red_block")
    robot.stop(StopCategory.CUT, "because")
    robot.reset(5)
    fresh = make_simulator(engine, profile, tabletop, seed=5)
    for one in (robot, fresh):
        one.connect()
        one.step(0.5)
    np.testing.assert_array_equal(robot.world_state().qpos, fresh.world_state().qpos)
    assert robot.world_state().seed == 5
    assert robot.read().fault == "" and robot.read().sequence == 0
    assert not any(item.touched for item in robot.world_state().objects.values())


def test_touching_is_noticed(mover: Mover, robot: SimulatedTable) -> None:
    x, y, _ = robot.world_state().find("green_block").position
    mover.grip(0.0, 40.0, 0.9)
    mover.go([x, y, 0.10], 0.0, 1.5)
    assert not robot.world_state().find("green_block").touched
    mover.go([x, y, 0.042], 0.0, 1.0)
    assert robot.world_state().find("green_block").touched
    assert not robot.world_state().find("red_block").touched
