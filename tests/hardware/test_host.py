"""The driver host: nothing moves unarmed, old commands do not count, and silence stops."""

import numpy as np
import pytest

from reins.contracts.errors import ReinsError
from reins.hardware.host import DriverHost
from reins.hardware.profile import load_profile
from reins.hardware.robot import RobotState, SafeCommand, StopCategory
from reins.sim.mujoco_robot import MujocoRobot
from reins.sim.world import load_world

Host = DriverHost[RobotState, SafeCommand]
PROFILE = load_profile("franka")
PERIOD = 1.0 / PROFILE.rates.command


@pytest.fixture(scope="module")
def robot() -> MujocoRobot:
    return MujocoRobot(PROFILE, load_world("blocks"), seed=1)


@pytest.fixture
def host(robot: MujocoRobot) -> Host:
    robot.reset(1)
    robot.connect()
    return DriverHost(robot, PROFILE)


def command(sequence: int, speed: float = 0.1) -> SafeCommand:
    velocity = np.zeros(7)
    velocity[0] = speed
    position = PROFILE.home + velocity * PERIOD * sequence
    return SafeCommand(sequence, 0.0, PERIOD, position, velocity)


def drive(host: Host, first: int, count: int) -> None:
    for sequence in range(first, first + count):
        assert host.apply(command(sequence))
        host.step(PERIOD)


def test_an_unarmed_robot_does_not_move(host: Host) -> None:
    for sequence in range(1, 20):
        assert not host.apply(command(sequence))
        host.step(PERIOD)
    np.testing.assert_allclose(host.read().position, PROFILE.home, atol=1e-3)


@pytest.mark.parametrize("publishers", [0, 2])
def test_it_arms_for_exactly_one_publisher(host: Host, publishers: int) -> None:
    with pytest.raises(ReinsError, match=f"command/safe has {publishers} publishers"):
        host.arm(publishers)
    assert not host.armed
    host.arm(1)
    assert host.armed


def test_a_robot_with_a_fault_does_not_arm(host: Host) -> None:
    host.stop(StopCategory.CONTROLLED, "someone stopped it")
    with pytest.raises(ReinsError, match="not armed: someone stopped it; recover the robot first"):
        host.arm(1)
    host.recover()
    host.arm(1)


def test_repeated_and_older_commands_are_not_applied(host: Host) -> None:
    host.arm(1)
    assert host.apply(command(5))
    assert not host.apply(command(5))
    assert not host.apply(command(4))
    assert host.apply(command(6))


def test_silence_of_the_safety_monitor_disarms_and_stops(host: Host) -> None:
    host.arm(1)
    drive(host, 1, 30)
    steps = 0
    while host.armed:
        host.step(PERIOD)
        steps += 1
        assert steps * PERIOD <= PROFILE.rates.stale_after + 2 * PERIOD
    for _ in range(20):
        host.step(PERIOD)
    assert "no command" in host.read().fault
    assert np.abs(host.read().velocity).max() < 0.01


def test_after_a_stop_a_fresh_command_alone_moves_nothing(host: Host) -> None:
    host.arm(1)
    drive(host, 1, 10)
    host.disarm("the operator said so")
    for _ in range(30):
        host.step(PERIOD)
    before = host.read().position
    for sequence in range(11, 30):
        assert not host.apply(command(sequence))
        host.step(PERIOD)
    np.testing.assert_allclose(host.read().position, before, atol=2e-4)
    assert host.read().fault == "the operator said so"


def test_recovering_leaves_it_unarmed(host: Host) -> None:
    host.arm(1)
    host.disarm("stop")
    host.recover()
    assert not host.armed
    assert not host.apply(command(1))
