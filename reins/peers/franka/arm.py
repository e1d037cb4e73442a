"""The arm and the hand behind the Franka peer: franky-sim's controllers of a robot, over our MuJoCo model of it."""

from typing import Any, Final

import numpy as np
from franky_sim.base_simulator import BaseRobot, InnerRobotState, RobotParameters
from franky_sim.franka_robot_state import FrankaRobotState

from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, GripperCommand
from reins.sim.gripper import SimulatedGripper
from reins.sim.mujoco_robot import MujocoPhysics
from reins.sim.world import WorldSpec

TICK: Final = 0.001
"""The robot's cycle [s]."""

STIFFNESS: Final = (4500.0, 4500.0, 3500.0, 3500.0, 400.0, 400.0, 100.0)
DAMPING: Final = (450.0, 450.0, 350.0, 350.0, 20.0, 20.0, 4.0)
"""Of the robot's own control of positions [N·m/rad, N·m·s/rad]; with the stock values joints 5 to 7 shake."""

WEIGHTLESS: Final = (0.0, 0.0, 0.0)
"""Gravity that the controllers have to make up for [m/s²]: none, for the model's joints do so by themselves."""


class TorquePhysics(MujocoPhysics):
    """The model at the robot's cycle, whose arm is moved by torques instead of by its joint controllers.

    Args:
        profile: the robot.
        world: the world around it.
    """

    timestep = TICK

    def __init__(self, profile: RobotProfile, world: WorldSpec) -> None:
        super().__init__(profile, world)
        self.model.opt.timestep = TICK
        self._arm = len(profile.joints)
        self.model.actuator_gainprm[: 2 * self._arm] = 0.0
        self.model.actuator_biasprm[: 2 * self._arm] = 0.0

    def push(self, torques: FloatArray) -> None:
        """Have these torques (7,) on top of what holds the arm up from now on [N·m]."""
        self.data.qfrc_applied[: self._arm] = torques

    def torques(self) -> FloatArray:
        """(7,) that the joints give, gravity's share included [N·m]."""
        given: FloatArray = self.data.qfrc_applied[: self._arm] + self.data.qfrc_actuator[: self._arm]
        return given


class PeerArm(BaseRobot):  # type: ignore[misc]
    """Implements franky-sim's robot. Its poses are copies, and its external torque is none.

    Args:
        physics: the engine.
        profile: the robot.
    """

    def __init__(self, physics: TorquePhysics, profile: RobotProfile) -> None:
        super().__init__(RobotParameters(gravity=WEIGHTLESS), STIFFNESS, DAMPING)
        self._physics = physics
        self._hand = SimulatedGripper(physics.gripper, profile.gripper)

    def kinematics(self, q: Any) -> Any:
        """Pose of the end effector; the stock method gives a view that the next call overwrites."""
        return super().kinematics(q).copy()

    @property
    def state(self) -> FrankaRobotState:
        """The stock state tells the whole torque as an external one."""
        return super().state.replace(tau_ext_hat_filtered=(0.0,) * 7)

    def step(self) -> None:
        """One cycle under the torques that were set last."""
        self._hand.drive(TICK)
        self._physics.advance(1)
        self._post_step()

    def set_hand_goal(self, width: float, max_velocity: float, max_force: float) -> None:
        """Move the fingers to a width [m] with at most a force [N]; their speed is the profile's."""
        self._hand.command(GripperCommand(float(width), float(max_force)))

    def _get_hand_width(self) -> float:
        return self._hand.width

    def _torque_control(self, torques: Any) -> None:
        self._physics.push(np.asarray(torques))

    def _get_state(self) -> InnerRobotState:
        joints = self._physics.joints
        return InnerRobotState(
            q=tuple(joints.position.tolist()),
            dq=tuple(joints.velocity.tolist()),
            tau_j=tuple(self._physics.torques().tolist()),
        )
