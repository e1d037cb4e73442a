"""What the UR peer tells over RTDE of its arm and its program."""

from collections.abc import Callable
from typing import Any

import numpy as np

from reins.peers.ur.arm import Arm, RobotMode, SafetyMode
from reins.peers.ur.body import Body
from reins.peers.ur.program import Program
from reins.peers.ur.rtde_server import Outputs, Value


def outputs_of(arm: Arm, body: Body, program: Program) -> Outputs:
    """What RTDE tells of this robot; the rest of what clients ask for is zero."""

    def zeros(count: int) -> Callable[[], Value]:
        return lambda: (0,) * count

    def of(values: Callable[[], np.ndarray[Any, np.dtype[np.float64]]]) -> Callable[[], Value]:
        return lambda: tuple(values().tolist())

    def status_bits() -> Value:
        return ((arm.mode is not RobotMode.POWER_OFF) | program.running << 1,)

    def safety_bits() -> Value:
        protective, guarded = arm.safety is SafetyMode.PROTECTIVE_STOP, arm.safety is SafetyMode.SAFEGUARD_STOP
        emergency = arm.safety is SafetyMode.ROBOT_EMERGENCY_STOP
        normal = arm.safety is SafetyMode.NORMAL
        return (normal | protective << 2 | guarded << 4 | emergency << 6 | emergency << 7 | (not normal) << 10,)

    outputs: Outputs = {
        "timestamp": ("DOUBLE", lambda: (arm.time,)),
        "robot_mode": ("INT32", lambda: (arm.mode.value,)),
        "safety_mode": ("INT32", lambda: (arm.safety.value,)),
        "robot_status_bits": ("UINT32", status_bits),
        "safety_status_bits": ("UINT32", safety_bits),
        "runtime_state": ("UINT32", lambda: (2 if program.running else 1,)),
        "actual_q": ("VECTOR6D", of(lambda: body.position)),
        "target_q": ("VECTOR6D", of(lambda: arm.position)),
        "actual_qd": ("VECTOR6D", of(lambda: body.velocity)),
        "target_qd": ("VECTOR6D", of(lambda: arm.velocity)),
        "target_moment": ("VECTOR6D", of(lambda: body.effort)),
        "output_int_register_0": ("INT32", lambda: (program.state,)),
        "joint_mode": ("VECTOR6INT32", zeros(6)),
        "actual_tool_accelerometer": ("VECTOR3D", zeros(3)),
        "payload_cog": ("VECTOR3D", zeros(3)),
    }
    for name in ("actual_digital_input_bits", "actual_digital_output_bits"):
        outputs[name] = ("UINT64", zeros(1))
    for name in ("output_bit_registers0_to_31", "output_bit_registers32_to_63"):
        outputs[name] = ("UINT32", zeros(1))
    for name in (
        *("target_qdd", "target_current", "actual_current", "joint_control_output", "joint_temperatures"),
        *("actual_TCP_pose", "actual_TCP_speed", "actual_TCP_force", "target_TCP_pose", "target_TCP_speed"),
        *("actual_joint_voltage", "ft_raw_wrench", "payload_inertia"),
    ):
        outputs[name] = ("VECTOR6D", zeros(6))
    for name in (
        *("actual_execution_time", "speed_scaling", "target_speed_fraction", "actual_momentum", "payload"),
        *("actual_main_voltage", "actual_robot_voltage", "actual_robot_current"),
        *("standard_analog_input0", "standard_analog_input1", "standard_analog_output0", "standard_analog_output1"),
    ):
        outputs[name] = ("DOUBLE", zeros(1))
    for number in range(48):
        outputs.setdefault(f"output_int_register_{number}", ("INT32", zeros(1)))
        outputs[f"output_double_register_{number}"] = ("DOUBLE", zeros(1))
    return outputs
