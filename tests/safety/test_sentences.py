"""What the monitor says when it refuses or stops: a person acts on these sentences, so each is looked at in full."""

import math
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from reins.contracts.errors import ReinsError, UnknownName
from reins.contracts.event import Severity
from reins.contracts.plan import Constraint
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import GripperCommand, JointCommand, RobotState
from reins.safety.clock import RobotClock
from reins.safety.constraints import MOST, ConstraintSet
from reins.safety.faults import FaultFinder
from reins.safety.gate import Gate
from reins.safety.rules import Rules, require_person
from reins.safety.separation import HumanDistance, Separation
from reins.safety.settings import SafetySettings, parse_deadline
from reins.safety.validate import Rejection, check_shape, check_state, check_timing
from reins.safety.watchdog import Watchdog

SETTINGS = SafetySettings()
NOW = 10.0
SPEED = Constraint(kind="speed", scale=0.5)
OPERATORS = Constraint(kind="speed", scale=0.5, set_by="operator")


def command(profile: RobotProfile, **changes: Any) -> JointCommand:
    made = JointCommand("skill", 1, NOW, 0.01, profile.joint_names, np.zeros(len(profile.joints)), NOW - 1.0)
    return replace(made, **changes)


def state(profile: RobotProfile, **changes: Any) -> RobotState:
    n = len(profile.joints)
    made = RobotState(NOW, profile.home.copy(), np.zeros(n), np.zeros(n), profile.home.copy(), 0.04, False, 0)
    return replace(made, **changes)


class TestCommands:
    @pytest.mark.parametrize(
        "changes, code, reason",
        [
            ({"source": "cron"}, "wrong_source", "source 'cron' is not one of skill, teleop"),
            ({"velocity": np.zeros(2)}, "wrong_length", "velocity has shape (2,) instead of ({n},)"),
            ({"stamp": math.nan}, "not_finite", "stamp is nan and activation 9.0"),
            ({"activation": math.inf}, "not_finite", "stamp is 10.0 and activation inf"),
            (
                {"gripper": GripperCommand(-0.01, 1.0)},
                "gripper_range",
                "gripper width -0.01 m is not in 0 … {grip.max_width} m",
            ),
            (
                {"gripper": GripperCommand(0.01, -2.0)},
                "gripper_range",
                "gripper force -2.0 N is not in 0 … {grip.max_force} N",
            ),
        ],
    )
    def test_of_the_wrong_form(self, profile: RobotProfile, changes: dict[str, Any], code: str, reason: str) -> None:
        said = reason.format(n=len(profile.joints), grip=profile.gripper)
        assert check_shape(command(profile, **changes), profile) == Rejection(code, said)

    def test_whose_velocity_is_no_number_name_the_first_such_joint(self, profile: RobotProfile) -> None:
        velocity = np.zeros(len(profile.joints))
        velocity[2:] = math.nan
        said = f"velocity of {profile.joint_names[2]} is nan"
        assert check_shape(command(profile, velocity=velocity), profile) == Rejection("not_finite", said)

    def test_of_other_joints(self, profile: RobotProfile) -> None:
        names, count = profile.joint_names, len(profile.joints)
        for given, said in [
            (names[1:], f"{count - 1} joint names instead of {count}"),
            (names[::-1], f"joint names in another order than the profile's: {', '.join(names[::-1])}"),
            (("wrist", "elbow", *names[2:]), "unknown joint names elbow, wrist"),
            ((names[1], *names[1:]), f"unknown joint names {', '.join((names[1], *names[1:]))}"),
        ]:
            assert check_shape(command(profile, joint_names=given), profile) == Rejection("wrong_joints", said)

    @pytest.mark.parametrize(
        "changes, code, reason",
        [
            ({"period": 0.0}, "period_range", "period 0.0 s is not in 0 … 0.1 s"),
            ({"stamp": NOW - 2.5}, "stale", "computed from a robot state 2500 ms old"),
            ({"stamp": NOW + 2.5}, "from_the_future", "stamped 2500 ms ahead of the robot"),
            (
                {"activation": NOW + 2.5},
                "from_the_future",
                "its goal begins 2500 ms after the state it was computed from",
            ),
        ],
    )
    def test_of_the_wrong_time(self, profile: RobotProfile, changes: dict[str, Any], code: str, reason: str) -> None:
        assert check_timing(command(profile, **changes), state(profile), SETTINGS) == Rejection(code, reason)

    def test_at_the_very_edge_of_their_time_are_no_fault(self, profile: RobotProfile) -> None:
        whole = SafetySettings(command_max_age=0.125, command_max_lead=0.25)  # binary fractions, so that no sum rounds
        for stamp in (NOW - 0.125, NOW + 0.25):
            assert check_timing(command(profile, stamp=stamp), state(profile), whole) is None

    def test_out_of_order(self, profile: RobotProfile) -> None:
        gate = Gate(profile, SETTINGS)
        assert gate.check(command(profile, sequence=5), state(profile)) is None
        again = gate.check(command(profile, sequence=5), state(profile))
        assert again == Rejection("out_of_sequence", "sequence 5 after 5")
        older = gate.check(command(profile, sequence=6, activation=NOW - 2.0), state(profile))
        assert older == Rejection("superseded", "belongs to an older goal than the command before it")


class TestStates:
    @pytest.mark.parametrize("field", ["position", "velocity", "effort", "reference"])
    def test_of_the_wrong_form(self, profile: RobotProfile, field: str) -> None:
        n = len(profile.joints)
        short = check_state(state(profile, **{field: np.zeros(2)}), profile)
        assert short == Rejection("wrong_length", f"{field} has shape (2,) instead of ({n},)")
        values = np.full(n, math.inf)
        endless = check_state(state(profile, **{field: values}), profile)
        assert endless == Rejection("not_finite", f"{field} is not finite: {values}")

    def test_without_a_time(self, profile: RobotProfile) -> None:
        assert check_state(state(profile, stamp=math.inf), profile) == Rejection("not_finite", "stamp is inf")


class TestConstraints:
    def full(self) -> ConstraintSet:
        constraints = ConstraintSet(0.5)
        for _ in range(MOST):
            constraints.add(OPERATORS, "anna")
        return constraints

    @pytest.mark.parametrize(
        "act, error",
        [
            (
                lambda c: c.set_speed_scale(1.0, "planner"),
                "a planner cannot set the operator's speed scale; it may set a 'speed' constraint",
            ),
            (lambda c: c.set_speed_scale(1.5, "anna"), "speed scale is 1.5; it must be greater than 0 and at most 1"),
            (
                lambda c: c.add(OPERATORS, "planner"),
                "a planner sets constraints in its own name only, set_by='planner'",
            ),
            (lambda c: c.add(SPEED, "planner"), "64 constraints are in force, and no more fit; remove some first"),
            (
                lambda c: c.remove("operator-1", "planner"),
                "a planner cannot drop the operator's constraints; it may only tighten",
            ),
            (lambda c: c.clear("nobody", "anna"), "no owner of constraints 'nobody' (known: operator, planner)"),
        ],
    )
    def test_refused(self, act: Callable[[ConstraintSet], object], error: str) -> None:
        constraints = self.full()
        before = (constraints.constraints, constraints.speed_scale, constraints.changes)
        with pytest.raises(ReinsError) as raised:
            act(constraints)
        assert str(raised.value) == error
        assert (constraints.constraints, constraints.speed_scale, constraints.changes) == before

    def test_unknown(self) -> None:
        constraints = ConstraintSet(1.0)
        named = constraints.add(SPEED, "planner")
        with pytest.raises(UnknownName) as raised:
            constraints.remove("planner-7", "anna")
        assert (raised.value.kind, raised.value.name, raised.value.known) == ("constraint", "planner-7", [named.id])


class TestRules:
    def test_every_change_is_an_event(self) -> None:
        told: list[tuple[object, ...]] = []
        rules = Rules(ConstraintSet(1.0), lambda *event: told.append(event), tuple)
        rules.set_speed_scale(0.4, "anna")
        rules.add(SPEED, "planner")
        rules.remove("planner-1", "ben")
        rules.add(OPERATORS, "anna")
        rules.clear("operator", "cleo")
        info = Severity.INFO
        assert told == [
            (info, "speed_scale", "anna", "anna set the speed scale to 0.4"),
            (info, "constraint_added", "planner", "planner asks: speed at most 0.5 (planner-1)"),
            (info, "constraint_removed", "ben", "ben dropped: speed at most 0.5 (planner-1)"),
            (info, "constraint_added", "anna", "anna asks: speed at most 0.5 (operator-2)"),
            (info, "constraint_removed", "cleo", "cleo dropped: speed at most 0.5 (operator-2)"),
        ]

    @pytest.mark.parametrize(
        "seen, others",
        [
            ((), "nothing is seen"),
            (("b", "a"), "what is seen: a, b"),
            ("edcba", "what is seen: a, b, c (and 2 others)"),
            (("n" * 99,), f"what is seen: {'n' * 40}"),
        ],
    )
    def test_what_is_avoided_and_not_seen(self, seen: Collection[str], others: str) -> None:
        told: list[tuple[object, ...]] = []
        rules = Rules(ConstraintSet(1.0), lambda *event: told.append(event), lambda: seen)
        rules.add(Constraint(kind="avoid", object="cup"), "planner")
        said = f"no object of that name is seen now, and it counts from when one is ({others})"
        assert told == [(Severity.WARN, "constraint_added", "planner", f"planner asks: avoid cup (planner-1): {said}")]

    def test_what_is_kept(self) -> None:
        told: list[tuple[object, ...]] = []
        earlier = ConstraintSet(1.0)
        earlier.add(OPERATORS, "anna")
        Rules(ConstraintSet(1.0), lambda *event: told.append(event), tuple).keep(earlier)
        text = "still in force: speed at most 0.5 (operator-1)"
        assert told == [(Severity.INFO, "constraint_kept", "operator", text)]

    @pytest.mark.parametrize(
        "what, act",
        [
            ("set_speed_scale", lambda rules: rules.set_speed_scale(0.5, "")),
            ("add", lambda rules: rules.add(SPEED, "")),
            ("remove", lambda rules: rules.remove("planner-1", "")),
            ("clear", lambda rules: rules.clear("planner", "")),
        ],
    )
    def test_nobody_is_told_what_needs_a_name(self, what: str, act: Callable[[Rules], object]) -> None:
        told: list[tuple[object, ...]] = []
        with pytest.raises(ReinsError) as raised:
            act(Rules(ConstraintSet(1.0), lambda *event: told.append(event), tuple))
        said = f"{what} needs the name of the operator who asks for it"
        assert str(raised.value) == said
        assert told == [(Severity.WARN, "rule_refused", "nobody", said)]

    @pytest.mark.parametrize(
        "who, said",
        [
            (" ", "reset needs the name of the operator who asks for it"),
            ("planner ", "reset is an operator's own act, and 'planner' is a program: ask in a person's name"),
            ("supervisor", "reset is an operator's own act, and 'supervisor' is a program: ask in a person's name"),
        ],
    )
    def test_what_only_a_person_may_do(self, who: str, said: str) -> None:
        with pytest.raises(ReinsError) as raised:
            require_person(who, "reset")
        assert str(raised.value) == said
        require_person("anna", "reset")


class TestFaults:
    def test_each_has_a_key_and_a_sentence(self, profile: RobotProfile) -> None:
        watchdog, clock = Watchdog({"skills": 0.5, "planner": 0.5, "teleop": 0.5}), RobotClock(0.1)
        finder = FaultFinder(watchdog, clock, state_timeout=0.25)
        watchdog.beat("skills", 1.0)
        watchdog.beat("teleop", 1.5)
        clock.set(7.0, 0.5)
        assert finder.find(state(profile, fault="reflex"), 2.0) == {
            ("heartbeat_lost", "skills"): "the heartbeat of skills is 1000 ms old",
            ("heartbeat_lost", "planner"): "the heartbeat of planner never came or its process ended",
            ("robot_state_lost", "robot"): "no robot state for 1500 ms",
            ("robot_fault", "robot"): "the robot says: reflex",
        }

    def test_a_robot_that_never_spoke(self) -> None:
        finder = FaultFinder(Watchdog({}), RobotClock(0.1), state_timeout=0.25)
        assert finder.find(None, 2.0) == {("robot_state_lost", "robot"): "no robot state yet"}

    def test_none(self, profile: RobotProfile) -> None:
        clock = RobotClock(0.1)
        clock.set(7.0, 1.75)
        assert FaultFinder(Watchdog({}), clock, state_timeout=0.25).find(state(profile), 2.0) == {}


class TestPeople:
    RULE = Separation(stop_distance=0.3, slow_distance=1.5, reaction=0.1, human_speed=1.6, deceleration=3.0)

    def test_everything_a_sensor_does_is_an_event(self) -> None:
        told: list[tuple[object, ...]] = []
        human = HumanDistance(self.RULE, 1.0, 0.3, lambda *event: told.append(event))
        human.on_distance("lidar", 5.0, 0.0)
        human.on_distance("lidar", 0.123, 0.1)
        human.on_distance("lidar", 5.0, 0.41)
        human.watch(1.0)
        human.on_distance("lidar", 5.0, 1.1)
        human.on_distance("lidar", -math.inf, 1.2)
        human.on_distance("lidar", math.inf, 1.3)
        human.watch(1.51)
        assert told == [
            (Severity.WARN, "human_near", "safety", "a person is 0.12 m away: the robot holds"),
            (Severity.INFO, "human_near", "safety", "a person is 5.00 m away: the robot may move again"),
            (
                Severity.ERROR,
                "human_sensor_lost",
                "lidar",
                "the human-distance sensor lidar is silent for 0.3 s: the robot holds",
            ),
            (Severity.INFO, "human_sensor_back", "lidar", "the human-distance sensor lidar speaks again"),
            (Severity.INFO, "human_near", "safety", "a person is 5.00 m away: the robot may move again"),
            (Severity.WARN, "human_near", "safety", "a person is 0.00 m away: the robot holds"),
            (Severity.INFO, "human_near", "safety", "nobody is near: the robot may move again"),
        ]

    def test_distances_in_the_wrong_order(self) -> None:
        with pytest.raises(ReinsError) as raised:
            Separation.of(SafetySettings(human_stop_distance=0.5, human_slow_distance=0.25))
        assert str(raised.value) == (
            "human_slow_distance is 0.25 m; it must be greater than human_stop_distance, 0.5 m"
        )


class TestDeadlines:
    @pytest.mark.parametrize("entry", ["planner", "a=b=0.5", "=1", "planner=soon"])
    def test_that_are_none(self, entry: str) -> None:
        said = f"'{entry}' is not a deadline; write NODE=SECONDS, e.g. planner=0.5"
        with pytest.raises(ReinsError) as raised:
            parse_deadline(entry)
        assert str(raised.value) == said
        with pytest.raises(ValidationError) as invalid:
            SafetySettings(heartbeat_deadlines=[entry])
        assert [error["msg"] for error in invalid.value.errors()] == [f"Value error, {said}"]
