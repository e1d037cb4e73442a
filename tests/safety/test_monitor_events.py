"""The monitor's events, each in full: what happened, how bad it is, who caused it, and one sentence that says so."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from safety_loop import PERIOD, Loop

from reins.contracts.errors import ReinsError
from reins.contracts.event import Severity
from reins.contracts.scene import Scene, SceneObject, by_id
from reins.hardware.robot import JointCommand, StopCategory
from reins.safety.modes import Mode
from reins.safety.settings import SafetySettings

MakeLoop = Callable[..., Loop]
Told = tuple[Severity, str, str, str]
SPEED = 0.2
INFO, WARN, ERROR = Severity.INFO, Severity.WARN, Severity.ERROR
IN_CHARGE = (INFO, "in_charge", "skill", "READY to ACTIVE_SKILL: skill is in charge")


def told(loop: Loop, *but: str) -> list[Told]:
    """Everything since the last call, except of these kinds."""
    events = loop.events + loop.monitor.take_events()
    loop.events = []
    return [(e.severity, e.kind, e.source, e.reason) for e in events if e.kind not in but]


@pytest.fixture
def ready(make_loop: MakeLoop) -> Loop:
    """Its first events have been read."""
    loop = make_loop(settings=SafetySettings(heartbeat_timeout=0.085)).begin()
    told(loop)
    return loop


@pytest.fixture
def driven(ready: Loop) -> Loop:
    """A skill drives it, at the speed that it asks for."""
    for _ in range(2):
        ready.drive("skill", np.full(len(ready.profile.joints), SPEED), 15, activation=0.03)
    told(ready)
    return ready


class TestStarting:
    def test_it_says_what_it_waits_for_and_then_that_it_is_ready(self, make_loop: MakeLoop) -> None:
        loop = make_loop(watched=("skills",))
        assert loop.monitor.status(0.0).reason == (
            "waiting: the heartbeat of skills never came or its process ended; no robot state yet"
        )
        loop.steps(1)
        assert told(loop) == [
            (INFO, "ready", "safety", "STARTING to READY: robot and watched nodes are there; waiting for a goal")
        ]
        assert loop.monitor.status(loop.t).reason == "robot and watched nodes are there; waiting for a goal"

    def test_a_command_before_the_first_state(self, make_loop: MakeLoop) -> None:
        loop = make_loop()
        assert loop.monitor.on_command(loop.command("skill", SPEED), 0.0) is None
        said = "command of skill refused: there is no robot state yet to check it against"
        assert told(loop) == [(WARN, "command_rejected", "skill", said)]
        assert loop.monitor.status(0.0).rejected == 1


class TestDriving:
    def test_who_is_in_charge(self, ready: Loop) -> None:
        ready.drive("skill", 0.01, 2)
        ready.drive("teleop", 0.01, 2)
        assert told(ready) == [
            IN_CHARGE,
            (INFO, "in_charge", "teleop", "ACTIVE_SKILL to ACTIVE_TELEOP: teleop is in charge"),
        ]

    def test_what_was_changed(self, ready: Loop) -> None:
        ready.drive("skill", 0.5, 1)
        clipped = (INFO, "limit_clipped", "skill", "skill was held to the limits: joint acceleration")
        assert told(ready) == [IN_CHARGE, clipped]
        assert ready.monitor.status(ready.t).clipped == 1

    def test_other_limits_are_another_event(self, ready: Loop) -> None:
        begun = ready.robot.read().stamp
        ready.drive("skill", 0.5, 1, begun)
        ready.drive("skill", 10.0, 1, begun)
        kinds = [(kind, reason) for _, kind, _, reason in told(ready)]
        assert kinds[1:] == [
            ("limit_clipped", "skill was held to the limits: joint acceleration"),
            ("limit_clipped", "skill was held to the limits: joint speed, tool speed, joint acceleration"),
        ]

    def test_an_events_time_is_the_robots(self, ready: Loop) -> None:
        ready.drive("skill", 0.01, 1)
        (event,) = ready.events
        assert event.stamp == ready.state.stamp


class TestRefusals:
    def refused(self, loop: Loop, command: JointCommand) -> list[Told]:
        before = loop.monitor.status(loop.t).rejected
        loop.step(command)
        assert loop.monitor.status(loop.t).rejected == before + 1
        return told(loop)

    def test_of_a_source_that_does_not_exist(self, ready: Loop) -> None:
        said = "command of unknown refused: source 'cron' is not one of skill, teleop"
        wrong = ready.command("cron", 0.0)
        assert self.refused(ready, wrong) == [(WARN, "command_rejected", "unknown", said)]

    def test_where_the_mode_does_not_allow_it(self, ready: Loop) -> None:
        ready.drive("teleop", 0.0, 2)
        told(ready)
        said = "command of skill refused: the monitor is in ACTIVE_TELEOP (teleop is in charge)"
        assert self.refused(ready, ready.command("skill", 0.0)) == [(WARN, "command_rejected", "skill", said)]

    def test_the_same_in_another_mode_is_told_again(self, ready: Loop) -> None:
        ready.drive("teleop", 0.0, 2)
        ready.step(ready.command("skill", 0.0))
        ready.steps(20)
        told(ready)
        said = "command of skill refused: the monitor is in HOLD (the operator let go; hand back to go on)"
        assert self.refused(ready, ready.command("skill", 0.0)) == [(WARN, "command_rejected", "skill", said)]

    def test_of_an_old_goal(self, ready: Loop) -> None:
        said = "command of skill refused: its goal began before the last reset or hand-back"
        old = ready.command("skill", 0.0, activation=-1.0)
        assert self.refused(ready, old) == [(WARN, "command_rejected", "skill", said)]

    def test_each_reason_is_told_once_in_a_while(self, ready: Loop) -> None:
        for changes in ({"period": -1.0}, {"period": -1.0}, {"velocity": np.zeros(1)}):
            ready.step(replace(ready.command("skill", 0.0), **changes))
        assert len(told(ready)) == 2


class TestSilence:
    def test_of_a_skill_in_motion(self, driven: Loop) -> None:
        clipped = driven.monitor.status(driven.t).clipped
        driven.steps(60)
        assert driven.monitor.status(driven.t).clipped == clipped, "braking changes nothing that a source wants"
        assert told(driven) == [
            (WARN, "source_silent", "skill", "skill in charge is silent for 70 ms while moving; braking"),
            (INFO, "skill_released", "skill", "ACTIVE_SKILL to READY: no skill runs; waiting for a goal"),
        ]

    def test_once_noticed_every_period_brakes(self, driven: Loop) -> None:
        """Not every other one, as while it may yet come."""
        driven.steps(round(0.07 / PERIOD))
        assert [len(driven.step()) for _ in range(10)] == [1] * 10
        assert driven.is_in(Mode.ACTIVE_SKILL)

    def test_of_a_skill_that_has_leave_to_be_late(self, make_loop: MakeLoop) -> None:
        loop = make_loop(settings=SafetySettings(source_silence=0.695, source_release=0.9)).begin()
        loop.drive("skill", 0.05, 20)
        told(loop)
        loop.steps(80)
        said = "skill in charge is silent for 700 ms while moving; braking"
        assert told(loop) == [(WARN, "source_silent", "skill", said)]

    def test_of_a_skill_that_is_just_about_to_lose_control(self, make_loop: MakeLoop) -> None:
        loop = make_loop(settings=SafetySettings(source_release=0.25)).begin()
        loop.steps(46)
        assert loop.t == 0.5
        loop.drive("skill", 0.0, 1)
        loop.steps(25)
        assert loop.t == 0.76 and loop.is_in(Mode.ACTIVE_SKILL)
        loop.steps(1)
        assert loop.is_in(Mode.READY)

    def test_of_a_skill_at_rest(self, ready: Loop) -> None:
        ready.drive("skill", 0.0, 5)
        ready.steps(60)
        released = (INFO, "skill_released", "skill", "ACTIVE_SKILL to READY: no skill runs; waiting for a goal")
        assert told(ready) == [IN_CHARGE, released]

    def test_of_the_operator(self, ready: Loop) -> None:
        ready.drive("teleop", 0.0, 5)
        ready.steps(60)
        assert told(ready)[1:] == [
            (
                INFO,
                "teleop_released",
                "teleop",
                "ACTIVE_TELEOP to HOLD: the operator let go; hand back to go on",
            )
        ]


class TestStops:
    STOPPED = "STOPPING to STOPPED: stopped: "

    def test_a_node_that_hangs(self, driven: Loop) -> None:
        driven.alive.discard("planner")
        driven.steps(40)
        said = "the heartbeat of planner is 90 ms old"
        assert told(driven, "source_silent") == [
            (ERROR, "heartbeat_lost", "planner", f"ACTIVE_SKILL to STOPPING: {said}"),
            (INFO, "stopped", "safety", f"{self.STOPPED}{said}"),
        ]
        assert driven.monitor.status(driven.t).reason == f"stopped: {said}"

    def test_a_node_with_a_deadline_of_its_own(self, make_loop: MakeLoop) -> None:
        settings = SafetySettings(heartbeat_timeout=5.0, heartbeat_deadlines=["planner=0.085"])
        loop = make_loop(settings=settings).begin()
        loop.alive = set()
        told(loop)
        loop.steps(40)
        said = "READY to STOPPING: the heartbeat of planner is 90 ms old"
        assert told(loop, "stopped") == [(ERROR, "heartbeat_lost", "planner", said)]

    def test_a_second_node_that_hangs(self, ready: Loop) -> None:
        ready.alive.discard("planner")
        ready.steps(40)
        told(ready)
        ready.alive.discard("skills")
        ready.steps(40)
        assert told(ready) == [(ERROR, "heartbeat_lost", "skills", "the heartbeat of skills is 90 ms old")]

    def test_what_stops_it_again_is_told_once_while_it_brakes_and_once_when_it_stands(self, driven: Loop) -> None:
        said = "the safety node was not active for a while"
        for _ in range(3):
            driven.monitor.was_absent()
        assert told(driven) == [
            (ERROR, "was_absent", "safety", f"ACTIVE_SKILL to STOPPING: {said}"),
            (ERROR, "was_absent", "safety", said),
        ]
        driven.steps(40)
        told(driven)
        for _ in range(2):
            driven.monitor.was_absent()
        assert told(driven) == [(ERROR, "was_absent", "safety", said)]

    def test_a_fault_of_the_robot(self, driven: Loop) -> None:
        driven.robot.stop(StopCategory.CONTROLLED, "reflex")
        driven.steps(40)
        assert told(driven)[0] == (ERROR, "robot_fault", "robot", "ACTIVE_SKILL to STOPPING: the robot says: reflex")

    @pytest.mark.parametrize("jump, said", [(3.0, "+3.010"), (-3.0, "-2.990")])
    def test_a_clock_that_jumps(self, driven: Loop, jump: float, said: str) -> None:
        driven.robot.shift_clock(jump)
        assert len(driven.step()) == 1, "it brakes at once"
        assert told(driven)[0] == (
            ERROR,
            "clock_jump",
            "robot",
            f"ACTIVE_SKILL to STOPPING: robot time jumped by {said} s",
        )

    def test_a_robot_that_does_not_follow(self, driven: Loop) -> None:
        position = driven.robot.read().position
        position[1] -= 0.4
        driven.robot.put(position)
        driven.robot.blocked = True
        driven.steps(1)
        (first, *_) = told(driven)
        assert first[:3] == (ERROR, "not_following", "robot")
        assert first[3].startswith(f"ACTIVE_SKILL to STOPPING: {driven.profile.joint_names[1]} is 0.4")

    def test_a_state_that_is_none(self, ready: Loop) -> None:
        broken = replace(ready.robot.read(), stamp=float("nan"))
        ready.monitor.on_state(broken, ready.t)
        assert told(ready) == [(ERROR, "state_rejected", "robot", "stamp is nan")]

    def test_each_reason_against_a_state_is_told_once(self, ready: Loop) -> None:
        good = ready.robot.read()
        for broken in (replace(good, stamp=float("nan")), replace(good, position=np.zeros(1))):
            for _ in range(2):
                ready.monitor.on_state(broken, ready.t)
        assert [kind for _, kind, _, _ in told(ready)] == ["state_rejected"] * 2

    def test_a_scene_that_makes_no_sense(self, ready: Loop) -> None:
        nowhere = (float("nan"), 0.0, 0.0)
        item = SceneObject("red_block", "block", "red", nowhere, (0.0, 0.0, 0.0, 1.0), (0.04, 0.04, 0.04), 1.0, 0.0)
        ready.monitor.on_scene(Scene(0.0, "state", by_id([item]), frozenset()))
        said = "the scene's red_block has no finite pose or no size; what was known of it stays"
        assert told(ready) == [(WARN, "scene_rejected", "perception", said)]

    def test_scenes_that_are_not_looked_at_are_told_once(self, ready: Loop) -> None:
        for _ in range(5):
            ready.monitor.on_scene_refused("too large")
        assert told(ready) == [(WARN, "scene_rejected", "perception", "too large")]


class TestOperators:
    def test_an_emergency_stop(self, ready: Loop) -> None:
        ready.monitor.estop("anna", "looked wrong", ready.t)
        ready.monitor.estop("ben", "mine too", ready.t)
        assert told(ready) == [
            (ERROR, "estop", "anna", "READY to ESTOP: emergency stop by anna: looked wrong"),
            (ERROR, "estop", "ben", "emergency stop by ben: mine too"),
        ]

    def test_each_stop_counts_those_of_a_robot_that_was_stopped_too(self, ready: Loop) -> None:
        counts = [ready.monitor.stops]
        for stop in (lambda: ready.monitor.estop("anna", "", ready.t), ready.monitor.was_absent) * 2:
            stop()
            counts.append(ready.monitor.stops)
        assert counts == [0, 1, 2, 3, 4]

    def test_one_of_nobody_for_nothing(self, ready: Loop) -> None:
        ready.monitor.estop("", "", ready.t)
        said = "READY to ESTOP: emergency stop by someone unnamed: no reason given"
        assert told(ready) == [(ERROR, "estop", "", said)]

    def test_a_reset(self, ready: Loop) -> None:
        ready.monitor.estop("anna", "", ready.t)
        ready.steps(1)
        told(ready)
        ready.monitor.reset("ben", ready.t)
        assert told(ready) == [(INFO, "reset", "ben", "ESTOP to READY: reset by ben; waiting for a new goal")]

    def test_a_hand_back(self, ready: Loop) -> None:
        ready.drive("teleop", 0.0, 2)
        ready.steps(20)
        told(ready)
        ready.monitor.hand_back("anna", ready.t)
        said = "HOLD to READY: handed back by anna; waiting for a new goal"
        assert told(ready) == [(INFO, "handed_back", "anna", said)]

    def test_what_cannot_be_done(self, ready: Loop) -> None:
        refused: list[str] = []

        def ask(act: Callable[[], None]) -> None:
            with pytest.raises(ReinsError) as raised:
                act()
            refused.append(str(raised.value))

        ask(lambda: ready.monitor.reset("anna", ready.t))
        ask(lambda: ready.monitor.hand_back("anna", ready.t))
        ask(lambda: ready.monitor.reset(" ", ready.t))
        ask(lambda: ready.monitor.hand_back(" ", ready.t))
        ready.drive("skill", 0.05, 1)
        ready.monitor.estop("anna", "", ready.t)
        ask(lambda: ready.monitor.reset("anna", ready.t))
        ready.steps(5)
        for node in ("planner", "skills"):
            ready.alive.discard(node)
        ready.steps(15)
        ready.host.recover()
        ready.steps(1)
        ask(lambda: ready.monitor.reset("anna", ready.t))
        assert refused == [
            "nothing to reset: the monitor is in READY (robot and watched nodes are there; waiting for a goal)",
            "nothing to hand back: the monitor is in READY, not in HOLD",
            "reset needs the name of the operator who asks for it",
            "hand_back needs the name of the operator who asks for it",
            "not reset: the robot is still braking; ask again in a second",
            "not reset, mend this first: the heartbeat of skills is 170 ms old; the heartbeat of planner is 170 ms old",
        ]


def test_the_status_says_it_all(ready: Loop) -> None:
    ready.monitor.rules.set_speed_scale(0.5, "anna")
    ready.drive("skill", 5.0, 2)
    ready.step(ready.command("cron", 0.0))
    status = ready.monitor.status(ready.t)
    assert (status.mode, status.reason) == (Mode.ACTIVE_SKILL, "skill is in charge")
    assert (status.speed_scale, status.clipped, status.rejected) == (0.5, 2, 1)
