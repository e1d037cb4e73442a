"""What the Go2's motors are told, and which of its states are believed."""

import ctypes
import math
from typing import Any

import numpy as np
import pytest

from reins.hardware.go2.intake import WRAP, Intake
from reins.hardware.go2.library import load_library
from reins.hardware.go2.messages import NO_POSITION, LowCommand, motor_numbers, read_state
from reins.hardware.legs import Targets
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile

pytest.importorskip("cyclonedds", reason="the Go2's SDK is not installed: `./run setup go2`")
pytest.importorskip("unitree_sdk2py", reason="the Go2's SDK is not installed: `./run setup go2`")

GO2 = load_profile("go2", QuadrupedProfile)
LIBRARY = load_library()
LATEST = 0.08


def state(tick: int, **more: Any) -> Any:
    """A whole LowState_ of a robot that stands on three feet."""
    message = LIBRARY.defaults.unitree_go_msg_dds__LowState_()
    message.tick = tick
    message.imu_state.quaternion = [0.5, 0.1, 0.7, 0.5]
    message.foot_force = [70, 80, 0, 90]
    message.bms_state.soc = 64
    for number, motor in enumerate(message.motor_state):
        motor.mode, motor.q, motor.dq, motor.tau_est = 1, 0.1 * number, -0.1 * number, float(number)
        motor.temperature = 30 + number
    for name, value in more.items():
        setattr(message, name, value)
    message.crc = LIBRARY.checksum(message)
    return message


def intake() -> Intake:
    return Intake(LIBRARY, GO2, 20.0, LATEST)


class MotorInMemory(ctypes.LittleEndianStructure):
    """A motor's command as the robot's own C++ has it, padding and all."""

    _fields_ = (
        ("mode", ctypes.c_uint8),
        *((name, ctypes.c_float) for name in ("q", "dq", "tau", "kp", "kd")),
        ("reserve", ctypes.c_uint32 * 3),
    )


class CommandInMemory(ctypes.LittleEndianStructure):
    """The whole command, in the same way."""

    _fields_ = (
        ("head", ctypes.c_uint8 * 2),
        ("level_flag", ctypes.c_uint8),
        ("frame_reserve", ctypes.c_uint8),
        ("sn", ctypes.c_uint32 * 2),
        ("version", ctypes.c_uint32 * 2),
        ("bandwidth", ctypes.c_uint16),
        ("motor_cmd", MotorInMemory * 20),
        ("bms_cmd", ctypes.c_uint8 * 4),
        ("wireless_remote", ctypes.c_uint8 * 40),
        ("led", ctypes.c_uint8 * 12),
        ("fan", ctypes.c_uint8 * 2),
        ("gpio", ctypes.c_uint8),
        ("reserve", ctypes.c_uint32),
        ("crc", ctypes.c_uint32),
    )


def as_in_memory(message: Any) -> CommandInMemory:
    """A LowCmd_ as the robot has it; what is zero in every command of ours stays so."""
    found = CommandInMemory(level_flag=message.level_flag, gpio=message.gpio, crc=message.crc)
    found.head[:] = message.head
    for motor, told in zip(found.motor_cmd, message.motor_cmd, strict=True):
        for name in ("mode", "q", "dq", "tau", "kp", "kd"):
            setattr(motor, name, getattr(told, name))
    return found


def crc_by_hand(words: list[int]) -> int:
    """CRC-32 with polynomial 0x04c11db7 over words, most significant bit first, neither reflected nor inverted."""
    crc = 0xFFFFFFFF
    for word in words:
        for bit in range(31, -1, -1):
            top = crc >> 31
            crc = (crc << 1) & 0xFFFFFFFF
            crc ^= 0x04C11DB7 * top
            crc ^= 0x04C11DB7 * (word >> bit & 1)
    return crc


class TestCommand:
    def test_each_joint_s_target_reaches_its_own_motor(self) -> None:
        targets = np.arange(12.0).reshape(1, 4, 3) / 10.0
        message = LowCommand(LIBRARY, GO2).fill(Targets(targets, 0.5))
        by_leg = {"FR": message.motor_cmd[0:3], "FL": message.motor_cmd[3:6]}
        by_leg |= {"RR": message.motor_cmd[6:9], "RL": message.motor_cmd[9:12]}
        for foot, wanted in zip(GO2.feet, targets[0], strict=True):
            assert [motor.q for motor in by_leg[foot]] == pytest.approx(wanted)
            assert [motor.kp for motor in by_leg[foot]] == [0.5 * motor.stiffness for motor in GO2.build.motors]
            assert [motor.kd for motor in by_leg[foot]] == [motor.damping for motor in GO2.build.motors]
        assert all(motor.q == NO_POSITION and motor.kp == 0.0 for motor in message.motor_cmd[12:])

    def test_motors_at_rest_only_damp(self) -> None:
        message = LowCommand(LIBRARY, GO2).fill(Targets(np.ones((1, 4, 3)), 0.0))
        assert all(motor.kp == 0.0 and motor.tau == 0.0 for motor in message.motor_cmd)
        assert all(motor.kd > 0.0 for motor in message.motor_cmd[:12])

    def test_it_is_a_low_level_command_whose_checksum_is_that_of_its_words(self) -> None:
        message = LowCommand(LIBRARY, GO2).fill(Targets(np.ones((1, 4, 3))))
        assert list(message.head) == [0xFE, 0xEF] and message.level_flag == 0xFF
        whole = bytes(as_in_memory(message))[:-4]  # without the checksum itself
        words = [int.from_bytes(whole[at : at + 4], "little") for at in range(0, len(whole), 4)]
        assert message.crc == crc_by_hand(words)

    def test_the_checksum_follows_what_is_told(self) -> None:
        command = LowCommand(LIBRARY, GO2)
        one = command.fill(Targets(np.ones((1, 4, 3)))).crc
        assert command.fill(Targets(np.ones((1, 4, 3)), 0.9)).crc != one


class TestReading:
    def test_everything_is_in_the_profiles_order_and_si(self) -> None:
        reading = read_state(state(1), GO2, 20.0)
        numbers = np.array(motor_numbers(GO2.feet))
        assert numbers[:3].tolist() == [3, 4, 5] and GO2.feet[0] == "FL"
        np.testing.assert_allclose(reading.joints, 0.1 * numbers, atol=1e-6)
        np.testing.assert_allclose(reading.speeds, -0.1 * numbers, atol=1e-6)
        np.testing.assert_allclose(reading.torques, numbers)
        np.testing.assert_allclose(reading.temperature, 30 + numbers)
        np.testing.assert_allclose(reading.orientation, [0.1, 0.7, 0.5, 0.5])
        assert reading.contact.tolist() == [True, True, True, False]  # FL, FR, RL, RR
        assert reading.battery == pytest.approx(0.64)

    @pytest.mark.parametrize("force, touches", [(20, False), (21, True), (-5, False)])
    def test_a_foot_touches_the_ground_above_the_profiles_force(self, force: int, touches: bool) -> None:
        assert read_state(state(1, foot_force=[0, force, 0, 0]), GO2, 20.0).contact[0] == touches


class TestIntake:
    def test_good_states_pass_and_the_robots_clock_is_the_time(self) -> None:
        judge = intake()
        assert all(judge.judge(state(tick), 100.0 + tick / 1e3) is not None for tick in (40, 60, 100))
        assert judge.time == pytest.approx(0.06) and judge.passed == pytest.approx(0.04)
        assert judge.tally.taken == 3 and judge.tally.told() == ""

    def test_a_wrong_checksum_is_dropped_and_counted(self) -> None:
        judge, message = intake(), state(10)
        message.motor_state[2].q += 0.01
        assert judge.judge(message, 1.0) is None
        assert judge.tally.wrong_crc == 1 and judge.tally.told() == "1 with a wrong CRC"

    @pytest.mark.parametrize("tick", [20, 19, 0])
    def test_a_tick_that_does_not_advance_is_dropped(self, tick: int) -> None:
        judge = intake()
        judge.judge(state(20), 1.0)
        assert judge.judge(state(tick), 1.02) is None
        assert judge.tally.no_new_tick == 1 and "tick did not advance" in judge.tally.told()
        assert judge.judge(state(21), 1.03) is not None

    def test_the_tick_starts_again_at_zero(self) -> None:
        judge = intake()
        judge.judge(state(WRAP - 10), 1.0)
        assert judge.judge(state(10), 1.02) is not None
        assert judge.time == pytest.approx(0.02)

    @pytest.mark.parametrize("held_up, good", [(0.07, True), (0.09, False)])
    def test_what_was_held_up_on_the_way_is_dropped(self, held_up: float, good: bool) -> None:
        judge = intake()
        for tick in range(0, 1000, 20):
            judge.judge(state(tick), 50.0 + tick / 1e3)
        assert (judge.judge(state(1000), 51.0 + held_up) is not None) == good
        assert judge.tally.late == int(not good)
        assert judge.judge(state(1200), 51.2) is not None  # and the next one in time is fine
        assert judge.time == pytest.approx(1.2)

    def test_a_clock_that_goes_wrong_slowly_is_no_delay(self) -> None:
        judge = intake()
        now = 10.0
        for tick in range(0, 400_000, 500):
            assert judge.judge(state(tick), now) is not None
            now += 0.5 * (1.0 + 5e-4)

    @pytest.mark.parametrize("bad", [math.nan, math.inf])
    def test_what_is_no_number_is_dropped(self, bad: float) -> None:
        judge, message = intake(), state(10)
        message.motor_state[7].dq = bad
        message.crc = LIBRARY.checksum(message)
        assert judge.judge(message, 1.0) is None and judge.tally.not_finite == 1

    def test_an_orientation_that_is_none_is_dropped(self) -> None:
        judge, message = intake(), state(10)
        message.imu_state.quaternion = [0.0, 0.0, 0.0, 0.0]
        message.crc = LIBRARY.checksum(message)
        assert judge.judge(message, 1.0) is None and judge.tally.not_finite == 1

    def test_a_robot_that_starts_again_is_believed_after_begin_and_time_goes_on(self) -> None:
        judge = intake()
        judge.judge(state(500_000), 10.0)
        judge.judge(state(500_020), 10.02)
        assert judge.judge(state(20), 15.02) is None
        judge.begin()
        assert judge.judge(state(40), 15.04) is not None
        assert judge.time == pytest.approx(0.02 + 5.02)
        assert judge.judge(state(20), 15.06) is None  # that was allowed once

    def test_a_robot_that_starts_again_is_known_by_its_age_where_its_tick_is_larger(self) -> None:
        judge = intake()
        judge.judge(state(1000), 10.0)
        judge.begin()
        assert judge.judge(state(3000), 60.0) is not None
        assert judge.time == pytest.approx(50.0)

    def test_a_recovery_does_not_make_states_prompt_that_are_held_up(self) -> None:
        judge = intake()
        for tick in range(0, 400, 20):
            judge.judge(state(tick), 10.0 + tick / 1e3)
        judge.begin()
        assert judge.judge(state(1000), 11.4) is None and judge.tally.late == 1
        assert judge.judge(state(1500), 11.5) is not None

    def test_of_several_states_the_last_good_one_counts(self) -> None:
        judge = intake()
        broken = state(60)
        broken.motor_state[0].q = 1.0
        reading = judge.newest([broken, state(40), state(20)], 1.0)
        assert reading is not None and reading.tick == 40
        assert judge.newest([state(40)], 1.02) is None and judge.newest([], 1.04) is None
