"""Moving the simulated arm from tests: damped least squares to a tool pose, straight joint-space setpoints."""

from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np

from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, GripperCommand, RobotState, SafeCommand
from reins.sim.simulators import SIMULATORS, SimulatedRobot

ENGINES = [name for name in SIMULATORS if find_spec(name) is not None]
"""The simulators that are installed: PyBullet has no wheel for every Python that reins supports."""

PERIOD = 0.01
DOWN = np.diag([1.0, -1.0, -1.0])


def tool_down(yaw: float) -> FloatArray:
    """(3, 3) tool rotation: pointing down, fingers opening along the y axis turned by `yaw` [rad]."""
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ DOWN


class Mover:
    """Sends setpoints as the safety monitor would."""

    def __init__(self, robot: SimulatedRobot, profile: RobotProfile) -> None:
        self.robot = robot
        self.kinematics = Kinematics(profile)
        self.sequence = 0
        self.gripper: GripperCommand | None = None
        self.states: list[RobotState] = []

    def send(self, position: FloatArray, velocity: FloatArray) -> RobotState:
        """One control period."""
        self.sequence += 1
        stamp = self.robot.read().stamp
        self.robot.write(SafeCommand(self.sequence, stamp, PERIOD, position, velocity, self.gripper))
        self.robot.step(PERIOD)
        self.states.append(self.robot.read())
        return self.states[-1]

    def solve(self, position: FloatArray, rotation: FloatArray) -> FloatArray:
        """(n,) joint position that puts the tool there."""
        joints = self.robot.read().reference.copy()
        for _ in range(200):
            pose, jacobian = self.kinematics.tool_jacobian(joints)
            turn = rotation @ pose.rotation.T
            turn_error = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
            error = np.concatenate([position - pose.position, turn_error])
            if np.linalg.norm(error) < 1e-6:
                return joints
            joints = joints + jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + 1e-6 * np.eye(6), 0.5 * error)
        raise AssertionError(f"no joint position for {position}")

    def go(self, position: Sequence[float], yaw: float, duration: float) -> None:
        """Move there along a straight line in joint space, at constant speed."""
        start = self.robot.read().reference.copy()
        target = self.solve(np.asarray(position), tool_down(yaw))
        steps = round(duration / PERIOD)
        velocity = (target - start) / duration
        for step in range(steps):
            self.send(start + velocity * (step * PERIOD), velocity)
        self.hold(0.1)

    def hold(self, duration: float) -> None:
        """Stand still."""
        reference = self.robot.read().reference.copy()
        for _ in range(round(duration / PERIOD)):
            self.send(reference, np.zeros_like(reference))

    def grip(self, width: float, force: float, duration: float) -> None:
        """Move the fingers."""
        self.gripper = GripperCommand(width, force)
        self.hold(duration)

    def pick(self, name: str, lift: float = 0.15) -> None:
        """Grasp an object and lift it."""
        block = self.robot.world_state().find(name)
        x, y, _ = block.position
        yaw = grasp_yaw(block.orientation)
        self.go([x, y, 0.15], yaw, 1.5)
        self.go([x, y, 0.02], yaw, 1.0)
        self.grip(0.0, 40.0, 0.8)
        self.go([x, y, 0.02 + lift], yaw, 1.0)


def grasp_yaw(orientation: tuple[float, float, float, float]) -> float:
    """Yaw of the block's faces, in ±45° around the tool's own orientation at home [rad]."""
    yaw = 2.0 * np.arctan2(orientation[2], orientation[3])
    return float((yaw + np.pi / 4) % (np.pi / 2) - np.pi / 4)
