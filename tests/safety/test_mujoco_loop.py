"""The monitor around the simulated arm, with its real dynamics."""

from collections.abc import Iterator

import numpy as np
import pytest
from safety_loop import Loop

from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.safety.modes import Mode
from reins.sim.mujoco_robot import MujocoRobot
from reins.sim.world import load_world

TRACKING = 0.003
"""How far the simulated arm's tool may be from its reference in the hardest motions [m]."""


@pytest.fixture
def arm(profile: RobotProfile) -> Iterator[Loop]:
    """The simulated arm, ready and armed, in a workspace high enough that no tilted hand meets the table."""
    lower = profile.workspace.lower
    workspace = profile.workspace.model_copy(update={"lower": (lower[0] + 0.1, lower[1], 0.25)})
    high = profile.model_copy(update={"workspace": workspace})
    robot = MujocoRobot(high, load_world("blocks"), seed=1)
    robot.connect()
    yield Loop(high, robot=robot).begin()
    robot.close()


def tool_of(profile: RobotProfile, positions: list[FloatArray]) -> FloatArray:
    """(m, 3) where the tool was."""
    kinematics = Kinematics(profile)
    return np.array([kinematics.tool_pose(position).position for position in positions])


def check_measured(arm: Loop) -> None:
    """The measured motion keeps the limits, too."""
    profile = arm.profile
    positions = [state.position for state in arm.states]
    assert (np.array(positions) >= profile.lower).all()
    assert (np.array(positions) <= profile.upper).all()
    speeds = np.abs(np.array([state.velocity for state in arm.states]))
    assert (speeds <= profile.velocity * 1.05).all()
    tool = tool_of(profile, positions)
    assert (tool >= np.array(profile.workspace.lower) - TRACKING).all()
    assert (tool <= np.array(profile.workspace.upper) + TRACKING).all()


def test_wild_commands_keep_the_measured_arm_within_its_limits_and_free_of_faults(arm: Loop) -> None:
    generator = np.random.default_rng(3)
    n = len(arm.profile.joints)
    begun = arm.robot.read().stamp
    for _ in range(40):
        wanted = generator.normal(size=n) * generator.choice([0.3, 2.0, 10.0])
        arm.drive("skill", wanted, int(generator.integers(3, 40)), begun)
    assert arm.is_in(Mode.ACTIVE_SKILL)
    assert arm.host.armed
    check_measured(arm)


def test_a_takeover_in_fast_motion_does_not_shake_the_arm(arm: Loop) -> None:
    n = len(arm.profile.joints)
    swing = np.zeros(n)
    swing[0] = 0.7
    arm.drive("skill", swing, 60)
    before = len(arm.states)
    arm.drive("teleop", -swing, 60)
    assert arm.is_in(Mode.ACTIVE_TELEOP)
    velocity = np.array([state.velocity for state in arm.states[before - 1 :]])
    change = np.abs(np.diff(velocity, axis=0))
    assert (change <= arm.profile.acceleration * 0.01 * 1.5).all()
    assert arm.host.armed


def test_an_emergency_stop_brings_it_to_rest_where_it_is(arm: Loop) -> None:
    swing = np.zeros(len(arm.profile.joints))
    swing[0] = 0.7
    arm.drive("skill", swing, 60)
    pressed = arm.robot.read().position
    arm.monitor.estop("anna", "test", arm.t)
    arm.steps(60)
    assert arm.moved_since(20) < 2e-3
    braking = 0.7 * 0.03 + 0.7**2 / (2 * arm.profile.acceleration[0])
    assert abs(arm.robot.read().position[0] - pressed[0]) <= braking * 1.5
    arm.host.recover()
    arm.steps(2)
    arm.monitor.reset("anna", arm.t)
    arm.host.arm(1)
    arm.steps(60)
    assert arm.moved_since(60) < 2e-3


def test_pressed_against_a_wall_it_stays_there(arm: Loop) -> None:
    kinematics = Kinematics(arm.profile)
    begun = arm.robot.read().stamp
    for _ in range(300):
        _, jacobian = kinematics.tool_jacobian(arm.robot.read().position)
        up = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + 1e-4 * np.eye(6), [0.0, 0.0, 0.4, 0.0, 0.0, 0.0])
        arm.drive("skill", up, 1, begun)
    tool = tool_of(arm.profile, [state.position for state in arm.states])
    assert tool[-1][2] > arm.profile.workspace.upper[2] - 0.01
    check_measured(arm)
