"""The monitor of a legged robot in a closed loop: what holds for an arm holds here, and legs sit down."""

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pytest
from legged_loop import LeggedLoop, thing
from legged_walker import tilted

from reins.contracts.errors import ReinsError
from reins.contracts.event import Severity
from reins.contracts.plan import Constraint
from reins.hardware.legged import Posture, SafeBodyCommand
from reins.hardware.quadruped import QuadrupedProfile
from reins.safety.legged.limits import speed_use
from reins.safety.legged.settings import LeggedSettings
from reins.safety.legged.stance import LAIN
from reins.safety.modes import Mode
from reins.safety.settings import SafetySettings

AHEAD = (0.3, 0.0, 0.0)
STILL = (0.0, 0.0, 0.0)


@pytest.fixture
def loop(quadruped: QuadrupedProfile) -> LeggedLoop:
    """Ready and armed; the robot sits."""
    return LeggedLoop(quadruped).begin()


@pytest.fixture
def walking(loop: LeggedLoop) -> LeggedLoop:
    """Teleop walks it ahead."""
    loop.walk(AHEAD)
    assert loop.is_in(Mode.ACTIVE_TELEOP) and loop.sent[-1].velocity[0] == AHEAD[0]
    return loop


def check_continuous(loop: LeggedLoop, sent: list[SafeBodyCommand]) -> None:
    """No velocity changes beyond the acceleration limits."""
    for before, after in pairwise(sent):
        change = np.abs(after.velocity - before.velocity)
        assert (change <= loop.profile.acceleration * max(after.stamp - before.stamp, loop.period) + 1e-9).all()


def check_sits(loop: LeggedLoop) -> None:
    """It brakes, sits down, and stays there."""
    before = len(loop.sent)
    loop.rest()
    check_continuous(loop, loop.sent[before - 1 :])
    place = loop.robot.read().odometry.position
    loop.steps(50)
    np.testing.assert_allclose(loop.robot.read().odometry.position, place, atol=1e-3)
    assert all(command.posture is Posture.SIT for command in loop.sent[-50:])


class TestStarting:
    def test_nothing_is_sent_before_robot_and_nodes_are_there(self, quadruped: QuadrupedProfile) -> None:
        loop = LeggedLoop(quadruped)
        loop.alive = {"robot"}
        loop.drive("teleop", AHEAD, 5)
        assert loop.is_in(Mode.STARTING) and loop.sent == []
        assert "teleop" in loop.reason()

    def test_it_waits_for_the_robots_state(self, quadruped: QuadrupedProfile) -> None:
        loop = LeggedLoop(quadruped)
        loop.connected = False
        loop.steps(5)
        assert loop.is_in(Mode.STARTING) and "no robot state yet" in loop.reason()
        loop.step(loop.command("teleop", AHEAD))
        assert loop.sent == [] and "command_rejected" in loop.kinds()

    def test_it_waits_until_nothing_speaks_against_walking(self, quadruped: QuadrupedProfile) -> None:
        loop = LeggedLoop(quadruped)
        loop.robot.changes = {"battery": 0.05}
        loop.steps(5)
        assert loop.is_in(Mode.STARTING) and "battery" in loop.reason()
        loop.robot.changes = {}
        loop.begin().walk(AHEAD)
        assert loop.sent[-1].posture is Posture.STAND

    def test_ready_it_feeds_the_driver_and_changes_nothing(self, loop: LeggedLoop) -> None:
        loop.steps(100)
        assert loop.host.armed
        assert all(command.posture is Posture.SIT and not command.velocity.any() for command in loop.sent)

    def test_the_rule_for_people_has_to_make_sense(self, quadruped: QuadrupedProfile) -> None:
        with pytest.raises(ReinsError, match="human_slow_distance"):
            LeggedLoop(quadruped, SafetySettings(human_stop_distance=2.0, human_slow_distance=1.0))


class TestDriving:
    def test_it_stands_up_first_and_says_why_it_does_not_walk_yet(self, loop: LeggedLoop) -> None:
        sent = loop.drive("skill", AHEAD, 10)
        assert all(command.posture is Posture.STAND and not command.velocity.any() for command in sent)
        assert any("not standing yet" in event.reason for event in loop.events)

    def test_a_safe_command_passes_unchanged(self, walking: LeggedLoop) -> None:
        clipped, wanted = walking.monitor.status(walking.t).clipped, np.array([0.31, 0.01, -0.1])
        sent = walking.drive("teleop", wanted, 20)
        assert all((command.velocity == wanted).all() for command in sent)
        assert walking.monitor.status(walking.t).clipped == clipped

    def test_the_body_goes_where_the_velocity_leads(self, walking: LeggedLoop) -> None:
        before = walking.robot.read().odometry.position
        walking.drive("teleop", AHEAD, 100)
        went = walking.robot.read().odometry.position - before
        np.testing.assert_allclose(went, np.array(AHEAD) * 100 * walking.period, rtol=0.01)

    def test_what_is_too_fast_is_held_to_the_limits_and_told(self, walking: LeggedLoop) -> None:
        walking.drive("teleop", (9.0, 0.0, 0.0), 100)
        assert speed_use(walking.sent[-1].velocity, walking.profile.body.velocity) == pytest.approx(1.0)
        check_continuous(walking, walking.sent)
        assert any(event.kind == "limit_clipped" and "body speed" in event.reason for event in walking.events)

    @pytest.mark.parametrize("legged", [None, LeggedSettings(), LeggedSettings(slowest_share=0.9)])
    def test_its_own_parameters_are_those_that_are_given_or_the_defaults(
        self, quadruped: QuadrupedProfile, legged: LeggedSettings | None
    ) -> None:
        loop = LeggedLoop(quadruped, legged=legged).begin()
        loop.robot.changes = {"battery": quadruped.battery.sit + 1e-3}
        loop.walk((0.95 * quadruped.body.velocity.forward, 0.0, 0.0))
        share = speed_use(loop.sent[-1].velocity, quadruped.body.velocity)
        assert share == pytest.approx((legged or LeggedSettings()).slowest_share, abs=0.05)

    def test_speed_scale_and_constraints_slow_it_down(self, walking: LeggedLoop) -> None:
        walking.monitor.rules.set_speed_scale(0.5, "operator")
        walking.monitor.rules.add(Constraint(kind="speed", scale=0.1), "planner")
        walking.drive("teleop", (9.0, 0.0, 0.0), 100)
        assert speed_use(walking.sent[-1].velocity, walking.profile.body.velocity) == pytest.approx(0.1)

    def test_a_payload_that_no_legs_reckon_with_is_refused(self, walking: LeggedLoop) -> None:
        with pytest.raises(ReinsError, match="keeps no 'payload' constraint; it keeps avoid, keep_out, speed"):
            walking.monitor.rules.add(Constraint(kind="payload", mass=2.0), "anna")

    def test_the_distance_of_a_rule_is_kept(self, walking: LeggedLoop) -> None:
        kept = walking.monitor.rules.add(Constraint(kind="avoid", object="box", distance=0.5), "anna")
        assert (kept.distance, walking.monitor.rules.constraints.constraints) == (0.5, (kept,))

    def test_the_trace_goes_through(self, walking: LeggedLoop) -> None:
        assert walking.drive("teleop", AHEAD, 1, trace_ns=77)[0].trace_ns == 77
        before = len(walking.sent)
        walking.steps(10)
        assert [command.trace_ns for command in walking.sent[before:]] == [0] * 9, "of bridging, then of braking"

    def test_a_source_may_sit_it_down(self, walking: LeggedLoop) -> None:
        walking.drive("teleop", np.zeros(3), 100, posture=Posture.SIT)
        assert walking.sent[-1].posture is Posture.SIT and walking.is_in(Mode.ACTIVE_TELEOP)
        check_continuous(walking, walking.sent)

    def test_a_late_command_is_bridged(self, walking: LeggedLoop) -> None:
        begun, before = walking.robot.read().stamp, len(walking.sent)
        for step in range(60):
            walking.state = walking.robot.read()
            walking.step(*([walking.command("teleop", AHEAD, begun)] if step % 2 == 0 else []))
        assert all((command.velocity == AHEAD).all() for command in walking.sent[before:])

    def test_a_robot_that_applies_nothing_is_found(self, quadruped: QuadrupedProfile) -> None:
        loop = LeggedLoop(quadruped)
        loop.steps(30)
        loop.drive("teleop", AHEAD, 3)
        assert "not_following" in loop.kinds() and "is it armed?" in loop.reason()

    def test_one_that_goes_deaf_is_found_in_time(self, walking: LeggedLoop) -> None:
        walking.blocked = True
        walking.drive("teleop", AHEAD, round(0.3 / walking.period))
        assert not walking.is_in(Mode.ACTIVE_TELEOP)
        walking.blocked = False
        check_sits(walking)


class TestArbitration:
    def test_letting_go_holds_it_standing(self, walking: LeggedLoop) -> None:
        walking.steps(100)
        assert walking.is_in(Mode.HOLD)
        assert walking.sent[-1].posture is Posture.STAND and not walking.sent[-1].velocity.any()
        check_continuous(walking, walking.sent)

    def test_skills_wait_for_the_hand_back_and_for_a_new_goal(self, walking: LeggedLoop) -> None:
        walking.steps(20)
        old = walking.state.stamp
        assert not any(command.velocity.any() for command in walking.drive("skill", AHEAD, 30)[20:])
        walking.monitor.hand_back("anna", walking.t)
        walking.drive("skill", AHEAD, 30, activation=old)
        assert walking.is_in(Mode.READY)
        walking.drive("skill", AHEAD, 30)
        assert walking.is_in(Mode.ACTIVE_SKILL) and walking.sent[-1].velocity[0] == AHEAD[0]

    def test_taking_over_in_motion_makes_no_jump(self, walking: LeggedLoop) -> None:
        walking.steps(20)
        walking.monitor.hand_back("anna", walking.t)
        walking.drive("skill", (0.8, 0.2, 0.5), 60)
        walking.drive("teleop", (-0.5, -0.2, -1.0), 60)
        check_continuous(walking, walking.sent)
        assert walking.is_in(Mode.ACTIVE_TELEOP)

    def test_a_skill_that_falls_silent_is_braked_then_loses_control(self, loop: LeggedLoop) -> None:
        loop.drive("skill", AHEAD, 150)
        loop.steps(50)
        assert loop.is_in(Mode.READY) and "source_silent" in loop.kinds()
        assert loop.sent[-1].posture is Posture.STAND and not loop.sent[-1].velocity.any()


class TestHazards:
    CASES = (
        ({"orientation": tilted(0.9)}, "tilt"),
        ({"contact": np.zeros(4, dtype=bool)}, "foot_contact"),
        ({"battery": 0.05}, "battery"),
        ({"temperature": np.full(12, 95.0)}, "motor_temperature"),
        ({"position": np.full(12, 9.0)}, "leg_joint"),
        ({"height": 0.6}, "base_height"),
    )

    @pytest.mark.parametrize(("changes", "kind"), CASES, ids=[kind for _, kind in CASES])
    def test_each_brakes_it_sits_it_down_and_latches(
        self, walking: LeggedLoop, changes: dict[str, Any], kind: str
    ) -> None:
        walking.robot.changes = changes
        walking.drive("teleop", AHEAD, round(0.5 / walking.period))
        assert kind in walking.kinds()
        check_sits(walking)
        assert walking.is_in(Mode.STOPPED)
        with pytest.raises(ReinsError, match="mend this first"):
            self.still_so(walking, kind).monitor.reset("anna", walking.t)
        walking.robot.changes = {}
        walking.steps(10)
        walking.monitor.reset("anna", walking.t)
        walking.drive("teleop", AHEAD, 200, activation=0.0)
        assert walking.is_in(Mode.READY) and walking.sent[-1].posture is Posture.SIT, "an old goal never resumes"
        walking.drive("teleop", AHEAD, 200)
        assert walking.sent[-1].velocity[0] == AHEAD[0]

    def still_so(self, loop: LeggedLoop, kind: str) -> LeggedLoop:
        """Height and feet do not count once it sits, nor how it has come to lie; what does is a fault until
        it is over."""
        if kind in ("foot_contact", "base_height", "tilt"):
            loop.robot.changes = {"battery": 0.05}
            loop.steps(2)
        return loop

    def test_it_sits_for_good_even_when_the_hazard_is_over_at_once(self, walking: LeggedLoop) -> None:
        walking.robot.changes = {"orientation": tilted(0.9)}
        walking.drive("teleop", AHEAD, 1)
        walking.robot.changes = {}
        walking.drive("teleop", AHEAD, 100)
        check_sits(walking)
        assert walking.is_in(Mode.STOPPED) and "tilts" in walking.reason()


class TestFallen:
    """On its side: what latches, and what gets it up again."""

    ON_ITS_SIDE: ClassVar[dict[str, Any]] = {"orientation": tilted(1.6)}

    @pytest.fixture
    def fallen(self, walking: LeggedLoop) -> LeggedLoop:
        walking.robot.changes = self.ON_ITS_SIDE
        walking.drive("teleop", AHEAD, round(0.5 / walking.period))
        assert walking.is_in(Mode.STOPPED) and "tilts" in walking.reason()
        return walking

    def reset(self, loop: LeggedLoop) -> LeggedLoop:
        loop.steps(round(1.2 * LAIN / loop.period))
        loop.monitor.reset("anna", loop.t)
        assert loop.is_in(Mode.READY)
        return loop

    def test_no_reset_before_it_lies_still(self, fallen: LeggedLoop) -> None:
        with pytest.raises(ReinsError, match="mend this first: the body tilts"):
            fallen.monitor.reset("anna", fallen.t)
        self.reset(fallen)

    def test_without_a_reset_it_does_not_turn_over(self, fallen: LeggedLoop) -> None:
        fallen.steps(round(2.0 * LAIN / fallen.period))
        for source in ("teleop", "skill"):
            fallen.drive(source, STILL, 100, posture=Posture.RECOVER)
            assert fallen.is_in(Mode.STOPPED) and fallen.sent[-1].posture is Posture.SIT

    def test_after_one_it_may_turn_over_and_not_stand(self, fallen: LeggedLoop) -> None:
        self.reset(fallen).drive("teleop", STILL, 100, posture=Posture.STAND)
        assert not fallen.is_in(Mode.STOPPED)
        assert {command.posture for command in fallen.sent[-50:]} == {Posture.SIT}
        assert any("held to the limits: tilt" in event.reason for event in fallen.events)
        fallen.drive("teleop", STILL, 200, posture=Posture.RECOVER)
        assert fallen.is_in(Mode.ACTIVE_TELEOP) and fallen.sent[-1].posture is Posture.RECOVER

    def test_once_it_lies_on_its_belly_it_stands_up(self, fallen: LeggedLoop) -> None:
        self.reset(fallen).drive("teleop", STILL, 50, posture=Posture.RECOVER)
        fallen.robot.changes = {}
        fallen.drive("teleop", STILL, 20, posture=Posture.RECOVER)
        fallen.drive("teleop", AHEAD, 200)
        assert fallen.is_in(Mode.ACTIVE_TELEOP)
        assert fallen.sent[-1].posture is Posture.STAND and fallen.sent[-1].velocity[0] == AHEAD[0]

    def test_who_asks_no_more_leaves_it_limp_and_stopped(self, fallen: LeggedLoop) -> None:
        self.reset(fallen).drive("teleop", STILL, 50, posture=Posture.RECOVER)
        fallen.steps(50)
        assert fallen.sent[-1].posture is Posture.SIT
        assert fallen.is_in(Mode.STOPPED) and "tilts" in fallen.reason()

    def test_an_emergency_stop_ends_it_at_once(self, fallen: LeggedLoop) -> None:
        self.reset(fallen).drive("teleop", STILL, 50, posture=Posture.RECOVER)
        fallen.monitor.estop("anna", "a test", fallen.t)
        fallen.steps(2)
        assert fallen.is_in(Mode.ESTOP) and fallen.sent[-1].posture is Posture.SIT

    def test_another_hazard_ends_it(self, fallen: LeggedLoop) -> None:
        self.reset(fallen).drive("teleop", STILL, 50, posture=Posture.RECOVER)
        fallen.robot.changes = {**self.ON_ITS_SIDE, "temperature": np.full(12, 95.0)}
        fallen.drive("teleop", STILL, 20, posture=Posture.RECOVER)
        assert fallen.is_in(Mode.STOPPED) and "motor" in fallen.reason()
        assert fallen.sent[-1].posture is Posture.SIT

    def test_whoever_tips_a_sitting_robot_over_stops_it(self, walking: LeggedLoop) -> None:
        walking.drive("teleop", STILL, 100, posture=Posture.SIT)
        walking.robot.changes = self.ON_ITS_SIDE
        walking.drive("teleop", STILL, 5, posture=Posture.SIT)
        assert walking.is_in(Mode.STOPPED) and "tilts" in walking.reason()

    def test_a_walking_robot_brakes_before_it_lies_down_for_it(self, walking: LeggedLoop) -> None:
        before = len(walking.sent)
        walking.drive("teleop", AHEAD, 60)
        walking.drive("teleop", AHEAD, 100, posture=Posture.RECOVER)
        check_continuous(walking, walking.sent[before:])
        assert all(not each.velocity.any() for each in walking.sent if each.posture is Posture.RECOVER)
        assert walking.sent[-1].posture is Posture.RECOVER


class TestStops:
    def test_the_emergency_stop_brakes_sits_and_falls_silent(self, walking: LeggedLoop) -> None:
        walking.monitor.estop("anna", "a test", walking.t)
        walking.drive("teleop", AHEAD, 100)
        sent = len(walking.sent)
        assert walking.sent[-1].posture is Posture.SIT and not walking.sent[-1].velocity.any()
        walking.steps(50)
        assert len(walking.sent) == sent and not walking.host.armed
        assert walking.is_in(Mode.ESTOP)
        check_continuous(walking, walking.sent)

    def test_after_its_reset_it_sits_until_a_new_goal(self, walking: LeggedLoop) -> None:
        walking.monitor.estop("anna", "a test", walking.t)
        walking.steps(100)
        walking.host.recover()
        walking.steps(1)
        walking.monitor.reset("anna", walking.t)
        walking.steps(3)
        walking.host.arm(publishers=1)
        walking.steps(50)
        assert walking.is_in(Mode.READY) and walking.sent[-1].posture is Posture.SIT
        walking.drive("skill", AHEAD, 200)
        assert walking.sent[-1].velocity[0] == AHEAD[0]

    @pytest.mark.parametrize("silence", ["robot", "teleop"])
    def test_a_silent_node_stops_it(self, walking: LeggedLoop, silence: str) -> None:
        walking.alive.discard(silence)
        walking.drive("teleop", AHEAD, 20)
        assert "heartbeat_lost" in walking.kinds()
        check_sits(walking)

    def test_a_dead_node_stops_it_at_once(self, walking: LeggedLoop) -> None:
        walking.alive.discard("teleop")
        walking.monitor.on_death("teleop", walking.t)
        walking.steps(1)
        assert not walking.is_in(Mode.ACTIVE_TELEOP)

    def test_a_silent_robot_is_braked(self, walking: LeggedLoop) -> None:
        walking.connected = False
        walking.steps(round(1.5 / walking.period))
        assert "robot_state_lost" in walking.kinds()
        assert not walking.sent[-1].velocity.any() and walking.sent[-1].posture is Posture.SIT

    @pytest.mark.parametrize("field", ["battery", "height", "stamp", "position", "orientation", "temperature"])
    def test_a_state_with_nan_is_not_used_and_its_silence_stops(self, walking: LeggedLoop, field: str) -> None:
        value = getattr(walking.robot.read(), field)
        walking.robot.changes = {field: value * math.nan}
        walking.drive("teleop", AHEAD, round(0.5 / walking.period), stamp=walking.state.stamp)
        assert "state_rejected" in walking.kinds() and "robot_state_lost" in walking.kinds()
        assert not np.isnan(walking.sent[-1].velocity).any()

    @pytest.mark.parametrize("jump", [-1.0, 2.0])
    def test_a_clock_that_jumps_stops_it(self, walking: LeggedLoop, jump: float) -> None:
        walking.robot.shift_clock(jump)
        before = len(walking.sent)
        walking.steps(1)
        assert "clock_jump" in walking.kinds()
        assert (np.abs(walking.sent[before].velocity) > 0.0).any(), "it brakes, it does not jump"
        check_sits(walking)

    def test_a_fault_of_the_robot_stops_it(self, walking: LeggedLoop) -> None:
        walking.robot.changes = {"fault": "a leg is blocked"}
        walking.steps(2)
        assert "robot_fault" in walking.kinds() and "a leg is blocked" in walking.reason()


class TestRefused:
    @pytest.mark.parametrize(
        ("change", "said"),
        [
            (lambda c: replace(c, velocity=np.array([math.nan, 0.0, 0.0])), "vx is nan"),
            (lambda c: replace(c, velocity=np.array([0.0, 0.0, math.inf])), "yaw rate is inf"),
            (lambda c: replace(c, velocity=np.zeros(6)), "shape"),
            (lambda c: replace(c, posture=7), "posture"),
            (lambda c: replace(c, source="anyone"), "source"),
            (lambda c: replace(c, stamp=c.stamp - 0.5), "ms old"),
            (lambda c: replace(c, stamp=c.stamp + 0.5), "ahead"),
            (lambda c: replace(c, sequence=0), "sequence"),
            (lambda c: replace(c, period=9.0), "period"),
        ],
    )
    def test_it_is_told_and_changes_nothing(self, walking: LeggedLoop, change: Callable[..., Any], said: str) -> None:
        begun = walking.state.stamp
        walking.drive("teleop", AHEAD, 5, activation=begun)
        walking.state = walking.robot.read()
        good = walking.command("teleop", AHEAD, begun)
        walking.step(change(good))
        assert walking.monitor.status(walking.t).rejected == 1
        told = [event for event in walking.events if event.kind == "command_rejected"]
        assert said in told[-1].reason and told[-1].severity is Severity.WARN
        assert (walking.sent[-1].velocity == AHEAD).all()


class TestSurroundings:
    def test_what_is_seen_ahead_is_not_walked_into(self, walking: LeggedLoop) -> None:
        at = walking.robot.read().odometry.position[0]
        walking.see(thing("box", "box", 2.0))
        walking.drive("teleop", (1.0, 0.0, 0.0), 300)
        walking.steps(50)
        nearest = at + 2.0 - 0.25 - walking.profile.body.footprint
        assert at + 0.5 < walking.robot.read().odometry.position[0] < nearest
        assert any("keep-out" in event.reason for event in walking.events)

    def test_a_keep_out_that_is_set_on_the_way_counts_at_once(self, walking: LeggedLoop) -> None:
        x = float(walking.robot.read().odometry.position[0]) + 2.0
        walking.monitor.rules.add(
            Constraint(kind="keep_out", centre=(x, 0.0, 0.0), size=(0.5, 3.0, 1.0), set_by="operator"), "anna"
        )
        walking.drive("teleop", (1.0, 0.0, 0.0), 300)
        assert walking.robot.read().odometry.position[0] < x - 0.25 - walking.profile.body.footprint

    def test_a_person_who_is_seen_slows_it_and_near_holds_it(self, walking: LeggedLoop) -> None:
        walking.see(thing("anna", "person", 1.8))
        walking.drive("teleop", AHEAD, 1)
        assert 0.0 < walking.monitor.status(walking.t).speed_scale < 1.0
        walking.see(thing("anna", "person", 0.5))
        walking.drive("teleop", AHEAD, 50)
        assert walking.monitor.status(walking.t).speed_scale == 0.0
        assert not walking.sent[-1].velocity.any() and walking.sent[-1].posture is Posture.STAND
        assert "human_near" in walking.kinds() and walking.is_in(Mode.ACTIVE_TELEOP)

    def test_a_person_who_left_unseen_holds_it_only_for_a_while(self, quadruped: QuadrupedProfile) -> None:
        loop = LeggedLoop(quadruped, legged=LeggedSettings(person_memory=1.0)).begin()
        loop.walk(AHEAD)
        loop.see(thing("anna", "person", 0.5))
        loop.drive("teleop", AHEAD, 20)
        for held in (True, False):
            loop.see()
            loop.drive("teleop", AHEAD, round(1.5 / loop.period))
            assert (loop.monitor.status(loop.t).speed_scale == 0.0) is held
        assert loop.sent[-1].velocity[0] == pytest.approx(AHEAD[0])
        assert "human_sensor_lost" not in loop.kinds()
        assert any("nobody is near: the robot may move again" in event.reason for event in loop.events)

    def test_a_person_of_whom_nothing_is_heard_any_more_is_one_of_the_scenes(self, walking: LeggedLoop) -> None:
        walking.see(thing("anna", "person", 5.0))
        walking.drive("teleop", AHEAD, 1)
        walking.connected = False
        walking.steps(round(1.5 * walking.settings.human_timeout / walking.period))
        (lost,) = (event for event in walking.events if event.kind == "human_sensor_lost")
        assert (lost.source, lost.severity) == ("scene", Severity.ERROR)

    def test_without_people_nothing_is_slowed(self, walking: LeggedLoop) -> None:
        walking.see(thing("box", "box", 1.0, 2.0))
        walking.drive("teleop", AHEAD, 2)
        assert walking.monitor.status(walking.t).speed_scale == 1.0

    def test_a_persons_distance_counts_for_a_body_that_walks(self, walking: LeggedLoop) -> None:
        """A tool stops from 1 m/s in 0.33 s; a body that reacts late needs more room for the same share."""
        walking.monitor.on_human_distance("lidar", 1.4, walking.t)
        walking.drive("teleop", AHEAD, 1)
        assert 0.0 < walking.monitor.status(walking.t).speed_scale < 0.5

    def test_what_makes_no_sense_is_told(self, walking: LeggedLoop) -> None:
        walking.see(replace(thing("box", "box", 1.0), size=(0.0, 1.0, 1.0)))
        walking.steps(1)
        assert "scene_rejected" in walking.kinds()
