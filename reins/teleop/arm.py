"""An operator's wishes to commands of an arm: tool motion in base or tool frame, joint by joint, gripper."""

import numpy as np

from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, GripperCommand, JointCommand, RobotState
from reins.teleop.intent import Action, Intent
from reins.teleop.settings import TeleopSettings


class ArmTeleop:
    """What the methods do is said in `TeleopMotion`.

    Args:
        profile: the robot.
        settings: speeds and rate.
    """

    def __init__(self, profile: RobotProfile, settings: TeleopSettings) -> None:
        self._profile, self._settings = profile, settings
        self._kinematics = Kinematics(profile)
        self._joint, self._jogging = 0, False
        self._in_tool_frame = settings.frame == "tool"
        self._gripper: GripperCommand | None = None
        self.objection_to_velocity = f"{profile.name} is an arm, and cmd_vel drives robots that walk"

    @property
    def summary(self) -> str:
        """A joint, or the tool in a frame."""
        frame = "tool" if self._in_tool_frame else "base"
        return self._profile.joint_names[self._joint] if self._jogging else f"tool point, {frame} frame"

    def act(self, action: Action) -> None:
        """Gripper, frame, joints."""
        grip = self._profile.gripper
        if action is Action.OPEN_GRIPPER:
            self._gripper = GripperCommand(grip.max_width, grip.grasp_force)
        elif action is Action.CLOSE_GRIPPER:
            self._gripper = GripperCommand(0.0, grip.grasp_force)
        elif action is Action.TOGGLE_FRAME:
            self._in_tool_frame = not self._in_tool_frame
        elif action is Action.TOGGLE_JOINTS:
            self._jogging = not self._jogging
        elif action in (Action.NEXT_JOINT, Action.PREVIOUS_JOINT):
            self._joint = (self._joint + (1 if action is Action.NEXT_JOINT else -1)) % len(self._profile.joints)

    def begin(self, state: RobotState) -> None:
        """Nothing to do: an arm starts from where it is."""

    def let_go(self) -> None:
        """The gripper stays as it is."""
        self._gripper = None

    def command(
        self, state: RobotState, intent: Intent, shares: FloatArray, trim: float, sequence: int, activation: float
    ) -> JointCommand:
        """Joint velocity, and the newest gripper target each time: one message may be lost."""
        return JointCommand(
            source="teleop",
            sequence=sequence,
            stamp=state.stamp,
            period=1.0 / self._settings.rate,
            joint_names=self._profile.joint_names,
            velocity=self._velocity(state, shares, trim),
            activation=activation,
            gripper=self._gripper,
        )

    def _velocity(self, state: RobotState, shares: FloatArray, trim: float) -> FloatArray:
        """(n,) joint velocity [rad/s] for (7,) twist and joint shares."""
        settings = self._settings
        if self._jogging:
            velocity = np.zeros(len(self._profile.joints))
            velocity[self._joint] = shares[6] * settings.joint_speed * trim
            return velocity
        twist = np.append(shares[:3] * settings.linear_speed, shares[3:6] * settings.angular_speed) * trim
        pose, jacobian = self._kinematics.tool_jacobian(state.position)
        if self._in_tool_frame:
            twist = np.append(pose.rotation @ twist[:3], pose.rotation @ twist[3:])
        return damped_inverse(jacobian, twist, settings.damping)


def damped_inverse(jacobian: FloatArray, twist: FloatArray, damping: float) -> FloatArray:
    """Joint velocity (n,) [rad/s] whose tool motion is close to `twist`, and that stays small near singular poses.

    Args:
        jacobian: (6, n) of the tool, linear rows first.
        twist: (6,) tool velocity, linear [m/s] then angular [rad/s].
        damping: > 0, in the units of a singular value.

    Source: damped least squares, v = Jᵀ (J Jᵀ + λ² I)⁻¹ x.
    """
    gram = jacobian @ jacobian.T
    gram[np.diag_indices(6)] += damping * damping
    return jacobian.T @ np.linalg.solve(gram, twist)
