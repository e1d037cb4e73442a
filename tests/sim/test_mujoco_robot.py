"""What only MuJoCo tells of the simulated arm: forces as its solver has them."""

import numpy as np
import pytest
from sim_mover import Mover

from reins.hardware.profile import RobotProfile, load_profile
from reins.sim.model import build_model
from reins.sim.mujoco_robot import MujocoRobot
from reins.sim.world import load_world


@pytest.mark.parametrize("force", [10.0, 40.0])
def test_fingers_push_with_the_force_asked_for(mover: Mover, robot: MujocoRobot, force: float) -> None:
    mover.pick("red_block", lift=0.1)
    mover.grip(0.0, force, 0.5)
    # The pads' normal force on the block: what both fingers' joints feel, by MuJoCo's own constraint forces.
    pushed = np.abs(robot.data.qfrc_actuator[7:9])
    np.testing.assert_allclose(pushed, force, rtol=0.02)


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


def test_joints_are_called_as_in_the_profile() -> None:
    """A Panda's description is that of its successor."""
    model = build_model(load_profile("panda"), load_world("tabletop"), pretty=False)
    names = [model.joint(number).name for number in range(7)]
    assert names == [f"panda_joint{number}" for number in range(1, 8)]
