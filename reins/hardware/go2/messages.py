"""What the Go2's motors are told in rt/lowcmd, and what rt/lowstate tells, in the profile's order and SI units."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from reins.hardware.go2.library import Library
from reins.hardware.legs import Flags, Targets
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray

LEGS: Final = ("FR", "FL", "RR", "RL")
"""Order of the legs in both messages; each has hip, thigh, calf. Source: Unitree's SDK2, go2 low level example."""

MOTORS: Final = 20
"""That both messages have room for; a Go2 has twelve."""

HEAD: Final = (0xFE, 0xEF)
LOW_LEVEL: Final = 0xFF
"""Of a command to the motors. Source: Unitree's SDK2, go2 low level example."""

SERVO: Final = 0x01
"""Mode of a motor that does what it is told; in 0x00 it rests. Source: Unitree's SDK2, unitree_go/MotorCmd."""

NO_POSITION: Final = 2.146e9
NO_SPEED: Final = 16000.0
"""Of a motor that is told neither. Source: Unitree's SDK2, PosStopF and VelStopF."""


def motor_numbers(feet: Sequence[str]) -> list[int]:
    """(12,) of each joint in the profile's order, the number of its motor in both messages."""
    return [3 * LEGS.index(foot) + joint for foot in feet for joint in range(3)]


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """One rt/lowstate.

    Attributes:
        tick: the robot's clock [ms]; it starts again at 0 after 2**32.
        orientation: (4,) by the inertial sensor, x y z w.
        rates: (3,) turn rates in the body frame [rad/s].
        joints, speeds, torques: (12,) [rad, rad/s, N·m].
        temperature: (12,) of the motors [°C].
        resting: (12,) whether each motor does not do what it is told.
        contact: (4,) whether each foot touches the ground.
        battery: charge, 0 … 1.
    """

    tick: int
    orientation: FloatArray
    rates: FloatArray
    joints: FloatArray
    speeds: FloatArray
    torques: FloatArray
    temperature: FloatArray
    resting: Flags
    contact: Flags
    battery: float


def read_state(message: Any, profile: QuadrupedProfile, least_force: float) -> Reading:
    """What a LowState_ tells.

    Args:
        message: of the SDK.
        profile: the robot.
        least_force: of a foot that touches the ground, in the counts of its sensor.
    """
    motors = [message.motor_state[number] for number in motor_numbers(profile.feet)]
    rows = np.array([(m.q, m.dq, m.tau_est, m.temperature, m.mode) for m in motors], dtype=np.float64)
    w, x, y, z = message.imu_state.quaternion
    forces = np.array([message.foot_force[LEGS.index(foot)] for foot in profile.feet])
    return Reading(
        tick=int(message.tick),
        orientation=np.array([x, y, z, w], dtype=np.float64),
        rates=np.array(message.imu_state.gyroscope, dtype=np.float64),
        joints=rows[:, 0],
        speeds=rows[:, 1],
        torques=rows[:, 2],
        temperature=rows[:, 3],
        resting=rows[:, 4] != SERVO,
        contact=forces > least_force,
        battery=message.bms_state.soc / 100.0,
    )


class LowCommand:
    """The one rt/lowcmd that is sent again and again; checksum and all.

    Args:
        library: of the SDK.
        profile: the robot.

    Attributes:
        message: a LowCmd_, in which every motor rests until `fill`.
    """

    def __init__(self, library: Library, profile: QuadrupedProfile) -> None:
        self._checksum = library.checksum
        self._numbers = motor_numbers(profile.feet)
        motors = profile.build.motors * 4
        self._stiffness = [motor.stiffness for motor in motors]
        self._damping = [motor.damping for motor in motors]
        self.message: Any = library.defaults.unitree_go_msg_dds__LowCmd_()
        self.message.head = list(HEAD)
        self.message.level_flag = LOW_LEVEL
        for motor in self.message.motor_cmd:
            motor.mode, motor.q, motor.dq = SERVO, NO_POSITION, NO_SPEED
        self.message.crc = self._checksum(self.message)

    def fill(self, targets: Targets) -> Any:
        """The message that has the joints do this: pull to targets with a share of their stiffness, and damp."""
        joints = targets.joints.ravel().tolist()
        for number, joint, stiffness, damping in zip(
            self._numbers, joints, self._stiffness, self._damping, strict=True
        ):
            motor = self.message.motor_cmd[number]
            motor.q, motor.dq, motor.tau = joint, 0.0, 0.0
            motor.kp, motor.kd = targets.grip * stiffness, damping
        self.message.crc = self._checksum(self.message)
        return self.message
