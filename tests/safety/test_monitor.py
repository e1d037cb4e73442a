"""The monitor in a closed loop: arbitration, stops, resets, deadlines."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from safety_loop import NODES, PERIOD, Loop

from reins.contracts.errors import ReinsError
from reins.contracts.event import Severity
from reins.contracts.plan import Constraint
from reins.hardware.robot import GripperCommand, SafeCommand, StopCategory
from reins.safety.modes import Mode
from reins.safety.settings import SafetySettings

MakeLoop = Callable[..., Loop]
SPEED = 0.2
"""A joint velocity that every arm can have in its home pose [rad/s]."""


def check_continuous(loop: Loop, sent: list[SafeCommand]) -> None:
    """No step in the reference, and no velocity change beyond the acceleration limit."""
    for before, after in pairwise(sent):
        elapsed = after.stamp - before.stamp
        expected = before.position + before.velocity * elapsed
        np.testing.assert_allclose(after.position, expected, atol=1e-9)
        change = np.abs(after.velocity - before.velocity)
        assert (change <= loop.profile.acceleration * max(elapsed, PERIOD) + 1e-9).all()


class TestStarting:
    def test_nothing_is_sent_before_robot_and_nodes_are_there(self, make_loop: MakeLoop) -> None:
        loop = make_loop()
        loop.alive = {"robot"}
        loop.drive("skill", SPEED, 5)
        assert loop.is_in(Mode.STARTING)
        assert loop.sent == []
        reason = loop.monitor.status(loop.t).reason
        assert all(node in reason for node in NODES if node != "robot")

    def test_it_waits_for_the_robots_state(self, make_loop: MakeLoop) -> None:
        loop = make_loop()
        loop.connected = False
        loop.steps(5)
        assert loop.is_in(Mode.STARTING)
        assert "no robot state yet" in loop.monitor.status(loop.t).reason
        assert loop.monitor.on_command(loop.command("skill", SPEED), loop.t) is None
        loop.connected = True
        loop.steps(2)
        assert loop.is_in(Mode.READY)

    def test_it_waits_for_a_robot_without_a_fault(self, make_loop: MakeLoop) -> None:
        loop = make_loop()
        loop.robot.stop(StopCategory.CONTROLLED, "brakes are closed")
        loop.steps(3)
        assert loop.is_in(Mode.STARTING)
        assert "brakes are closed" in loop.monitor.status(loop.t).reason

    def test_ready_it_holds_the_measured_position_and_feeds_the_driver(self, loop: Loop) -> None:
        loop.steps(100)
        assert loop.host.armed
        assert loop.moved_since(100) == 0.0
        np.testing.assert_array_equal(loop.sent[-1].position, loop.profile.home)


class TestDriving:
    def test_a_safe_command_passes_unchanged(self, loop: Loop) -> None:
        wanted = np.full(len(loop.profile.joints), 0.01)
        sent = loop.drive("skill", wanted, 20)
        assert all((command.velocity == wanted).all() for command in sent)
        assert loop.monitor.status(loop.t).clipped == 0
        assert "limit_clipped" not in loop.kinds()

    def test_the_arm_goes_where_the_velocity_leads(self, loop: Loop) -> None:
        loop.drive("skill", 0.05, 100)
        loop.steps(40)
        went = loop.robot.read().position - loop.profile.home
        np.testing.assert_allclose(went, 0.05, rtol=0.1)

    def test_what_is_changed_is_told_with_the_reason(self, loop: Loop) -> None:
        loop.drive("skill", 3.0, 5)
        told = [event for event in loop.events if event.kind == "limit_clipped"]
        assert len(told) == 1 and "joint acceleration" in told[0].reason
        assert loop.monitor.status(loop.t).clipped == 5

    def test_the_gripper_target_goes_through_though_a_message_is_lost(self, loop: Loop) -> None:
        loop.state = loop.robot.read()
        begun = loop.state.stamp
        loop.step(loop.command("skill", 0.0, begun, gripper=GripperCommand(0.02, 10.0)))
        loop.lose_pending()
        loop.drive("skill", 0.0, 5, begun)
        assert set(loop.robot.gripper_commands) == {0.02}

    def test_the_gripper_target_ends_with_its_source(self, loop: Loop) -> None:
        loop.step(loop.command("skill", 0.0, gripper=GripperCommand(0.02, 10.0)))
        loop.steps(12)
        told = len(loop.robot.gripper_commands)
        loop.steps(20)
        assert 0 < told == len(loop.robot.gripper_commands)

    def test_no_fingers_are_told_to_move_while_a_person_holds_the_robot(self, loop: Loop) -> None:
        loop.monitor.on_human_distance("lidar", 0.0, loop.t)
        begun = loop.robot.read().stamp
        for _ in range(10):
            loop.state = loop.robot.read()
            loop.step(loop.command("skill", SPEED, begun, gripper=GripperCommand(0.0, 40.0)))
        assert loop.is_in(Mode.ACTIVE_SKILL) and loop.monitor.status(loop.t).speed_scale == 0.0
        assert loop.robot.gripper_commands == []

    def test_a_stop_halts_fingers_that_close(self, loop: Loop) -> None:
        begun = loop.robot.read().stamp
        loop.drive("skill", SPEED, 20, begun)
        loop.alive.discard("planner")
        while not loop.is_in(Mode.STOPPING):
            loop.robot.gripper_width -= 0.002
            loop.drive("skill", SPEED, 1, begun)
        assert loop.robot.gripper_commands == []
        closing = loop.robot.gripper_width
        loop.steps(3)
        (halt,) = set(loop.robot.gripper_commands)
        assert halt == pytest.approx(closing, abs=0.0021)

    def test_the_trace_goes_through(self, loop: Loop) -> None:
        (sent,) = loop.step(loop.command("skill", 0.01, trace_ns=77))
        assert sent.trace_ns == 77

    def test_a_new_goal_starts_from_the_measured_position(self, loop: Loop) -> None:
        loop.drive("skill", SPEED, 20)
        loop.drive("skill", 0.0, 30)
        sagged = loop.robot.read().position - 1e-3
        loop.robot.put(sagged)
        sent = loop.drive("skill", 0.01, 1)
        np.testing.assert_allclose(sent[0].position, sagged)

    @pytest.mark.parametrize("is_new", [True, False])
    def test_of_a_skill_in_charge_only_a_new_goal_starts_from_where_the_arm_sagged_to(
        self, loop: Loop, is_new: bool
    ) -> None:
        begun = loop.robot.read().stamp
        loop.drive("skill", 0.0, 3, begun)
        held = loop.sent[-1].position
        loop.state = replace(loop.robot.read(), position=held - 0.004)
        loop.monitor.on_state(loop.state, loop.t)
        sent = loop.monitor.on_command(loop.command("skill", 0.0, None if is_new else begun), loop.t)
        assert sent is not None
        np.testing.assert_array_equal(sent.position, held - 0.004 if is_new else held)

    @pytest.mark.parametrize(("soon", "waits"), [(0.0024, True), (0.0025, False), (0.0026, False)])
    def test_a_command_waits_within_a_quarter_of_a_period_after_the_last(
        self, make_loop: MakeLoop, soon: float, waits: bool
    ) -> None:
        """The last is sent at robot time 0, so that nothing is rounded at the edge."""
        loop = make_loop()
        loop.robot.shift_clock(-4 * PERIOD)
        loop.begin()
        loop.drive("skill", SPEED, 1, 0.0)
        assert loop.sent[-1].stamp == 0.0
        loop.state = replace(loop.state, stamp=soon)
        loop.monitor.on_state(loop.state, loop.t)
        sent = loop.monitor.on_command(loop.command("skill", SPEED, 0.0), loop.t)
        assert (sent is None) is waits

    @pytest.mark.parametrize(("late", "bridged"), [(0.0149, False), (0.015, True), (0.0151, True)])
    def test_a_source_is_late_from_one_and_a_half_periods_on(
        self, make_loop: MakeLoop, late: float, bridged: bool
    ) -> None:
        """As above."""
        loop = make_loop()
        loop.robot.shift_clock(-4 * PERIOD)
        loop.begin()
        loop.drive("skill", SPEED, 1, 0.0)
        loop.monitor.on_state(replace(loop.state, stamp=late), loop.t)
        sent = loop.monitor.tick(loop.t)
        assert (sent is not None) is bridged
        assert sent is None or (sent.stamp == late and sent.velocity.any())

    def test_a_flood_of_commands_gains_nothing(self, make_loop: MakeLoop) -> None:
        calm, flooded = make_loop().begin(), make_loop().begin()
        calm.drive("skill", SPEED, 50)
        begun = flooded.robot.read().stamp
        for _ in range(50):
            flooded.state = flooded.robot.read()
            flooded.step(*(flooded.command("skill", SPEED, begun) for _ in range(8)))
        assert len(flooded.sent) == len(calm.sent)
        np.testing.assert_allclose(flooded.robot.read().position, calm.robot.read().position)

    def test_speed_scale_and_constraints_slow_it_down(self, loop: Loop) -> None:
        loop.monitor.rules.set_speed_scale(0.5, "operator")
        loop.monitor.rules.add(Constraint(kind="speed", scale=0.1), "planner")
        loop.monitor.rules.add(Constraint(kind="avoid", object="yellow_block"), "planner")
        assert loop.monitor.status(loop.t).speed_scale == 0.1
        sent = loop.drive("skill", 3.0, 60)
        assert (np.abs(sent[-1].velocity) <= 0.1 * loop.profile.velocity + 1e-9).all()
        assert loop.monitor.rules.clear("planner", "planner") == 2
        assert loop.monitor.status(loop.t).speed_scale == 0.5
        assert loop.monitor.rules.constraints.constraints == ()
        loop.step()
        assert loop.kinds().count("constraint_added") == 2
        assert loop.kinds().count("constraint_removed") == 2 and "speed_scale" in loop.kinds()

    def test_an_arm_promises_no_distance_that_it_does_not_keep(self, loop: Loop) -> None:
        with pytest.raises(ReinsError, match="keeps its own distance"):
            loop.monitor.rules.add(Constraint(kind="avoid", object="yellow_block", distance=0.8), "operator")


class TestLateAndSilentSources:
    def test_a_late_command_is_bridged(self, loop: Loop) -> None:
        begun = loop.robot.read().stamp
        for step in range(60):
            loop.state = loop.robot.read()
            loop.step(*([loop.command("skill", SPEED, begun)] if step % 3 == 0 else []))
        check_continuous(loop, loop.sent)
        assert loop.sent[-1].velocity == pytest.approx(SPEED)
        assert "source_silent" not in loop.kinds()

    def test_a_skill_that_falls_silent_in_motion_is_braked_then_loses_control(self, loop: Loop) -> None:
        loop.drive("skill", SPEED, 30)
        loop.steps(12)
        assert loop.is_in(Mode.ACTIVE_SKILL)
        assert not loop.sent[-1].velocity.any()
        assert "source_silent" in loop.kinds()
        loop.steps(30)
        assert loop.is_in(Mode.READY)
        check_continuous(loop, loop.sent)

    def test_a_skill_that_ends_at_rest_is_no_event_of_concern(self, loop: Loop) -> None:
        loop.drive("skill", SPEED, 20)
        loop.drive("skill", 0.0, 20)
        loop.steps(50)
        assert loop.is_in(Mode.READY)
        assert all(event.severity is Severity.INFO for event in loop.events)

    def test_a_skill_that_hiccups_goes_on(self, loop: Loop) -> None:
        begun = loop.robot.read().stamp
        loop.drive("skill", SPEED, 30, begun)
        loop.steps(12)
        loop.drive("skill", SPEED, 30, begun)
        assert loop.is_in(Mode.ACTIVE_SKILL)
        assert loop.sent[-1].velocity == pytest.approx(SPEED)
        check_continuous(loop, loop.sent)


class TestTakeover:
    def test_teleop_takes_over_within_two_periods_and_without_a_step(self, loop: Loop) -> None:
        begun = loop.robot.read().stamp
        loop.drive("skill", SPEED, 40, begun)
        pressed, count = loop.robot.read().stamp, len(loop.sent)
        for _ in range(40):
            loop.state = loop.robot.read()
            loop.step(loop.command("skill", SPEED, begun), loop.command("teleop", -SPEED, pressed))
        assert loop.is_in(Mode.ACTIVE_TELEOP)
        assert (loop.sent[count + 1].velocity < SPEED).all()
        assert loop.sent[-1].velocity == pytest.approx(-SPEED)
        check_continuous(loop, loop.sent)

    def test_the_reference_is_drawn_to_an_arm_that_is_held_back_without_a_step(self, loop: Loop) -> None:
        loop.drive("skill", SPEED, 30)
        before = loop.sent[-1].position
        loop.robot.put(loop.robot.read().position - 0.2)
        loop.robot.blocked = True
        measured = loop.robot.read().position
        sent = loop.drive("teleop", 0.0, 100)
        steps = np.diff([before, *(command.position for command in sent)], axis=0)
        assert (np.abs(steps) <= (SPEED + loop.profile.acceleration * PERIOD) * PERIOD + 1e-9).all()
        away = [float(np.abs(command.position - measured).max()) for command in sent]
        assert away[0] == pytest.approx(0.2, abs=0.01) and away[-1] < 0.15
        assert loop.is_in(Mode.ACTIVE_TELEOP)

    def test_a_skill_cannot_interrupt_the_operator(self, loop: Loop) -> None:
        loop.drive("teleop", 0.0, 5)
        sent = loop.drive("skill", SPEED, 3)
        assert loop.is_in(Mode.ACTIVE_TELEOP)
        assert not any(command.velocity.any() for command in sent)
        assert "command_rejected" in loop.kinds()

    def test_letting_go_holds(self, loop: Loop) -> None:
        loop.drive("teleop", SPEED, 30)
        loop.steps(30)
        assert loop.is_in(Mode.HOLD)
        assert not loop.sent[-1].velocity.any()

    def test_the_operator_can_take_hold_again(self, loop: Loop) -> None:
        loop.drive("teleop", SPEED, 10)
        loop.steps(30)
        loop.drive("teleop", -SPEED, 20)
        assert loop.is_in(Mode.ACTIVE_TELEOP)
        assert loop.sent[-1].velocity == pytest.approx(-SPEED)

    def test_after_the_hand_back_only_a_new_goal_moves(self, loop: Loop) -> None:
        old = loop.robot.read().stamp
        loop.drive("skill", SPEED, 10, old)
        loop.drive("teleop", 0.0, 10)
        loop.steps(30)
        loop.drive("skill", SPEED, 3, old)
        loop.monitor.hand_back("anna", loop.t)
        assert loop.is_in(Mode.READY)
        loop.drive("skill", SPEED, 20, old)
        assert loop.moved_since(20) == 0.0
        loop.drive("skill", SPEED, 20)
        assert loop.moved_since(20) > 0.0

    def test_there_is_nothing_to_hand_back_elsewhere(self, loop: Loop) -> None:
        with pytest.raises(ReinsError, match="READY, not in HOLD"):
            loop.monitor.hand_back("anna", loop.t)

    @pytest.mark.parametrize("nobody", ["", "  "])
    def test_nobody_cannot_hand_back_reset_or_set_the_speed(self, loop: Loop, nobody: str) -> None:
        loop.drive("teleop", SPEED, 10)
        loop.steps(30)
        for act in (
            lambda: loop.monitor.hand_back(nobody, loop.t),
            lambda: loop.monitor.reset(nobody, loop.t),
            lambda: loop.monitor.rules.set_speed_scale(0.5, nobody),
        ):
            with pytest.raises(ReinsError, match="name of the operator"):
                act()
        assert loop.is_in(Mode.HOLD)

    @pytest.mark.parametrize("program", ["planner", "supervisor", " planner "])
    def test_a_program_cannot_hand_back_or_reset(self, loop: Loop, program: str) -> None:
        """In simulation the supervisor arms the robot after a reset; it never asks for one."""
        loop.drive("teleop", SPEED, 10)
        loop.steps(30)
        with pytest.raises(ReinsError, match=f"hand_back is an operator's own act, and '{program.strip()}' is"):
            loop.monitor.hand_back(program, loop.t)
        assert loop.is_in(Mode.HOLD)
        loop.monitor.estop("anna", "", loop.t)
        loop.steps(3)
        with pytest.raises(ReinsError, match="reset is an operator's own act"):
            loop.monitor.reset(program, loop.t)
        assert loop.is_in(Mode.ESTOP)


def bring_to(loop: Loop, mode: Mode) -> None:
    """Lead a loop that is READY into `mode`, in motion where the mode moves."""
    if mode is Mode.ACTIVE_SKILL:
        loop.drive("skill", SPEED, 20)
    elif mode in (Mode.ACTIVE_TELEOP, Mode.HOLD):
        loop.drive("teleop", SPEED, 20)
        if mode is Mode.HOLD:
            loop.steps(20)
    elif mode in (Mode.STOPPING, Mode.STOPPED):
        begun = loop.robot.read().stamp
        loop.drive("skill", SPEED, 20, begun)
        loop.alive.discard("planner")
        for _ in range(40):
            if loop.is_in(mode):
                break
            loop.drive("skill", SPEED, 1, begun)
        loop.alive.add("planner")
    elif mode is Mode.ESTOP:
        loop.monitor.estop("anna", "looked wrong", loop.t)
    elif mode is Mode.STARTING:
        loop.restart()
        loop.alive.discard("planner")
        loop.steps(3)
    assert loop.is_in(mode)


class TestEmergencyStop:
    @pytest.mark.parametrize("mode", list(Mode))
    def test_it_works_in_every_mode_and_ends_at_rest(self, loop: Loop, mode: Mode) -> None:
        bring_to(loop, mode)
        loop.monitor.estop("anna", "looked wrong", loop.t)
        assert loop.is_in(Mode.ESTOP)
        loop.steps(30)
        assert loop.moved_since(5) == 0.0
        assert "looked wrong" in loop.monitor.status(loop.t).reason
        assert any(event.kind == "estop" and event.severity is Severity.ERROR for event in loop.events)
        check_continuous(loop, loop.sent)

    @pytest.mark.parametrize("mode", [mode for mode in Mode if mode is not Mode.STARTING])
    def test_after_the_reset_nothing_moves_unasked(self, loop: Loop, mode: Mode) -> None:
        bring_to(loop, mode)
        loop.monitor.estop("anna", "", loop.t)
        loop.steps(40)
        loop.host.recover()
        loop.steps(2)
        loop.monitor.reset("anna", loop.t)
        loop.host.arm(1)
        loop.steps(50)
        assert loop.is_in(Mode.READY)
        assert loop.moved_since(50) == 0.0
        loop.drive("skill", SPEED, 10)
        assert loop.is_in(Mode.ACTIVE_SKILL)

    def test_braking_begins_at_once(self, loop: Loop) -> None:
        loop.drive("skill", SPEED, 30)
        loop.state = loop.robot.read()
        loop.monitor.on_state(loop.state, loop.t)
        command = loop.monitor.estop("anna", "", loop.t)
        assert command is not None
        assert (command.velocity < SPEED).all()

    def test_an_unnamed_one_counts_too(self, loop: Loop) -> None:
        loop.monitor.estop("", "", loop.t)
        assert loop.is_in(Mode.ESTOP)
        assert "someone unnamed" in loop.monitor.status(loop.t).reason

    def test_pressed_twice_it_is_told_twice(self, loop: Loop) -> None:
        loop.monitor.estop("anna", "", loop.t)
        loop.monitor.estop("ben", "", loop.t)
        loop.step()
        assert loop.kinds().count("estop") == 2

    def test_the_driver_host_trips_as_well(self, loop: Loop) -> None:
        loop.drive("skill", SPEED, 20)
        loop.monitor.estop("anna", "", loop.t)
        loop.steps(20)
        assert not loop.host.armed
        with pytest.raises(ReinsError, match="mend this first: the robot says"):
            loop.monitor.reset("anna", loop.t)

    def test_a_reset_while_still_braking_is_refused(self, loop: Loop) -> None:
        loop.drive("skill", SPEED, 30)
        loop.monitor.estop("anna", "", loop.t)
        with pytest.raises(ReinsError, match="still braking"):
            loop.monitor.reset("anna", loop.t)

    def test_a_reset_does_not_clear_a_stop_that_came_after_it_was_asked_for(self, loop: Loop) -> None:
        """For the robot recovers first, which takes a while."""
        loop.monitor.estop("anna", "", loop.t)
        loop.steps(5)
        asked = loop.monitor.stops
        loop.monitor.estop("ben", "", loop.t)
        loop.steps(5)
        with pytest.raises(ReinsError, match=r"stopped again meanwhile \(.*; ask again"):
            loop.monitor.reset("anna", loop.t, asked)
        assert loop.is_in(Mode.ESTOP)
        loop.monitor.reset("anna", loop.t, loop.monitor.stops)
        assert loop.is_in(Mode.READY)

    def test_a_fault_is_a_stop_that_a_reset_did_not_know_of_either(self, loop: Loop) -> None:
        loop.monitor.estop("anna", "", loop.t)
        asked = loop.monitor.stops
        loop.alive.discard("planner")
        loop.steps(20)
        loop.alive.add("planner")
        loop.host.recover()
        loop.steps(2)
        with pytest.raises(ReinsError, match="meanwhile"):
            loop.monitor.reset("anna", loop.t, asked)

    def test_a_goal_that_began_during_the_stop_does_not_move_after_the_reset(self, loop: Loop) -> None:
        loop.monitor.estop("anna", "", loop.t)
        during = loop.robot.read().stamp
        loop.steps(5)
        loop.monitor.reset("anna", loop.t)
        loop.drive("skill", SPEED, 20, during)
        assert loop.moved_since(20) == 0.0

    def test_there_is_nothing_to_reset_elsewhere(self, loop: Loop) -> None:
        with pytest.raises(ReinsError, match="nothing to reset"):
            loop.monitor.reset("anna", loop.t)


class TestFaults:
    @pytest.mark.parametrize("node", NODES)
    @pytest.mark.parametrize("source", ["skill", "teleop"])
    def test_the_death_of_any_node_begins_a_stop_within_100_ms(self, loop: Loop, node: str, source: str) -> None:
        begun = loop.robot.read().stamp
        loop.drive(source, SPEED, 20, begun)
        loop.alive.discard(node)
        died, count = loop.t, len(loop.sent)
        while loop.is_in(Mode.ACTIVE_SKILL) or loop.is_in(Mode.ACTIVE_TELEOP):
            loop.drive(source, SPEED, 1, begun)
        assert loop.is_in(Mode.STOPPING)
        assert loop.t - died <= 0.1 + 1e-9
        assert any(node in event.reason for event in loop.events if event.kind == "heartbeat_lost")
        loop.drive(source, SPEED, 30, begun)
        assert loop.is_in(Mode.STOPPED)
        assert loop.moved_since(5) == 0.0
        check_continuous(loop, loop.sent[count:])

    def test_a_process_that_ended_stops_at_once(self, loop: Loop) -> None:
        loop.drive("skill", SPEED, 30)
        loop.state = loop.robot.read()
        loop.monitor.on_state(loop.state, loop.t)
        loop.alive.discard("skills")
        command = loop.monitor.on_death("skills", loop.t)
        assert loop.is_in(Mode.STOPPING)
        assert command is not None and (command.velocity < SPEED).all()
        assert loop.monitor.on_death("stranger", loop.t) is None

    def test_stopped_it_goes_on_holding(self, loop: Loop) -> None:
        bring_to(loop, Mode.STOPPED)
        loop.steps(100)
        assert loop.host.armed

    def test_a_reset_is_refused_until_the_node_is_back(self, loop: Loop) -> None:
        bring_to(loop, Mode.STOPPED)
        loop.alive.discard("planner")
        loop.steps(20)
        with pytest.raises(ReinsError, match="the heartbeat of planner is"):
            loop.monitor.reset("anna", loop.t)
        loop.alive.add("planner")
        loop.step()
        loop.monitor.reset("anna", loop.t)
        assert loop.is_in(Mode.READY)

    def test_a_silent_robot_is_braked_by_the_clock(self, loop: Loop) -> None:
        loop.drive("skill", SPEED, 30)
        loop.connected = False
        loop.steps(40)
        assert loop.is_in(Mode.STOPPED)
        assert not loop.sent[-1].velocity.any()
        assert "robot_state_lost" in loop.kinds()

    def test_a_robot_node_that_ended_is_braked_by_the_clock_at_once(self, loop: Loop) -> None:
        loop.drive("skill", SPEED, 30)
        loop.connected = False
        loop.alive.discard("robot")
        late = loop.robot.read()
        count = len(loop.sent)
        loop.t += 0.005
        loop.monitor.on_death("robot", loop.t)
        loop.t += 0.005
        loop.monitor.on_state(late, loop.t)  # it was on its way
        loop.steps(2)
        slower = loop.sent[count:]
        assert slower and (slower[-1].velocity < loop.sent[count - 1].velocity).all()
        loop.steps(7)
        assert not loop.sent[-1].velocity.any()

    def test_a_robot_node_that_is_back_sets_the_time_again(self, loop: Loop) -> None:
        loop.monitor.on_death("robot", loop.t)
        loop.alive.add("robot")
        loop.drive("skill", SPEED, 5)
        loop.steps(60)
        loop.monitor.reset("anna", loop.t)
        loop.drive("skill", SPEED, 30)
        loop.connected = False
        count = len(loop.sent)
        loop.steps(3)
        assert len(loop.sent) == count  # states may be late

    def test_a_frozen_stamp_is_silence(self, loop: Loop) -> None:
        loop.drive("skill", SPEED, 30)
        frozen = loop.robot.read()
        for _ in range(40):
            for node in loop.alive:
                loop.monitor.on_heartbeat(node, loop.t)
            loop.monitor.on_state(frozen, loop.t)
            sent = loop.monitor.tick(loop.t)
            loop.finish([sent] if sent else [])
        assert loop.is_in(Mode.STOPPED)

    def test_a_fault_of_the_robot_stops(self, loop: Loop) -> None:
        loop.drive("skill", SPEED, 30)
        loop.robot.stop(StopCategory.CONTROLLED, "reflex")
        loop.steps(30)
        assert loop.is_in(Mode.STOPPED)
        assert "reflex" in loop.monitor.status(loop.t).reason
        np.testing.assert_array_equal(loop.sent[-1].position, loop.robot.read().position)

    @pytest.mark.parametrize("jump", [-0.02, -5.0, 0.6])
    def test_a_clock_that_jumps_stops(self, loop: Loop, jump: float) -> None:
        loop.drive("skill", SPEED, 30)
        loop.robot.shift_clock(jump)
        loop.steps(30)
        assert "clock_jump" in loop.kinds()
        assert loop.is_in(Mode.STOPPED)
        loop.monitor.reset("anna", loop.t)
        loop.drive("skill", SPEED, 30)
        assert loop.is_in(Mode.ACTIVE_SKILL)
        assert loop.sent[-1].velocity == pytest.approx(SPEED)

    @pytest.mark.parametrize("jump", [-5.0, -0.02, 0.6, 5.0])
    def test_a_clock_that_jumps_leaves_no_step_in_the_reference(self, loop: Loop, jump: float) -> None:
        loop.drive("skill", SPEED, 30)
        before = len(loop.sent) - 1
        loop.robot.shift_clock(jump)
        loop.steps(30)
        sent = loop.sent[before:]
        for one, other in pairwise(sent):
            change = np.abs(other.velocity - one.velocity)
            assert (change <= loop.profile.acceleration * PERIOD * (1.0 + 1e-6)).all()
            assert (np.abs(other.position - one.position) <= SPEED * PERIOD + 1e-9).all()

    @pytest.mark.parametrize(("step", "stops"), [(0.0, False), (0.25, False), (0.25 + 1e-9, True), (-1e-9, True)])
    def test_time_goes_on_by_the_largest_step_at_most(self, make_loop: MakeLoop, step: float, stops: bool) -> None:
        loop = make_loop(settings=SafetySettings(clock_jump=0.25))
        loop.robot.shift_clock(-4 * PERIOD)
        loop.begin().step()
        assert loop.state.stamp == 0.0
        loop.monitor.on_state(replace(loop.state, stamp=step), loop.t)
        assert loop.is_in(Mode.STOPPING if stops else Mode.READY)

    def test_a_robot_that_does_not_follow_stops(self, loop: Loop) -> None:
        loop.robot.blocked = True
        loop.drive("skill", SPEED, 200)
        assert loop.is_in(Mode.STOPPED)
        assert "armed, or blocked" in loop.monitor.status(loop.t).reason

    def test_a_state_that_is_no_state_is_not_used(self, loop: Loop) -> None:
        broken = replace(loop.robot.read(), position=np.full(len(loop.profile.joints), np.nan))
        for _ in range(20):
            for node in loop.alive:
                loop.monitor.on_heartbeat(node, loop.t)
            loop.monitor.on_state(broken, loop.t)
            sent = loop.monitor.tick(loop.t)
            loop.finish([sent] if sent else [])
        assert loop.is_in(Mode.STOPPED)
        assert loop.kinds().count("state_rejected") == 1
        assert all(np.isfinite(command.position).all() for command in loop.sent)

    def test_a_second_fault_is_told_too(self, loop: Loop) -> None:
        bring_to(loop, Mode.STOPPED)
        loop.alive.discard("skills")
        loop.steps(20)
        assert any("skills" in event.reason for event in loop.events if event.kind == "heartbeat_lost")


class TestAbsence:
    """Of whoever calls the monitor: a node that is deactivated and activated."""

    def test_it_stops_what_drove_and_only_a_reset_and_a_new_goal_move_the_robot(self, loop: Loop) -> None:
        goal = loop.robot.read().stamp
        loop.drive("skill", SPEED, 30, activation=goal)
        loop.monitor.was_absent()
        assert loop.is_in(Mode.STOPPING)
        loop.drive("skill", SPEED, 100, activation=goal)
        assert loop.is_in(Mode.STOPPED)
        loop.monitor.reset("me", loop.t)
        loop.drive("skill", SPEED, 20, activation=goal)
        assert loop.is_in(Mode.READY) and loop.moved_since(20) == pytest.approx(0.0, abs=1e-9)
        loop.drive("skill", SPEED, 20)
        assert loop.is_in(Mode.ACTIVE_SKILL)
        said = [event for event in loop.events if event.kind == "was_absent"]
        assert [(event.severity, event.source) for event in said] == [(Severity.ERROR, "safety")]
        assert said[0].reason == "ACTIVE_SKILL to STOPPING: the safety node was not active for a while"

    def test_before_the_start_it_is_none(self, make_loop: MakeLoop) -> None:
        loop = make_loop()
        loop.monitor.was_absent()
        assert loop.is_in(Mode.STARTING)
        loop.steps(3)
        assert loop.is_in(Mode.READY) and "was_absent" not in loop.kinds()

    def test_an_emergency_stop_stays(self, loop: Loop) -> None:
        loop.monitor.estop("me", "a test", loop.t)
        loop.monitor.was_absent()
        assert loop.is_in(Mode.ESTOP)


class TestIdle:
    def test_an_arm_moved_by_hand_while_unarmed_does_not_jump_when_armed(self, make_loop: MakeLoop) -> None:
        loop = make_loop()
        loop.steps(5)
        moved = loop.profile.home + 0.3
        loop.robot.put(moved)
        loop.steps(30)
        loop.host.arm(1)
        loop.steps(5)
        np.testing.assert_allclose(loop.robot.read().position, moved)

    def test_a_tracked_hold_is_kept_though_the_arm_sags(self, loop: Loop) -> None:
        held = loop.sent[-1].position
        for _ in range(60):
            loop.state = replace(loop.robot.read(), position=held - 0.004)
            for node in loop.alive:
                loop.monitor.on_heartbeat(node, loop.t)
            loop.monitor.on_state(loop.state, loop.t)
            sent = loop.monitor.tick(loop.t)
            loop.finish([sent] if sent else [])
        np.testing.assert_array_equal(loop.sent[-1].position, held)
