"""The faults of `reins bench stops`: that they are what they are called, and which of them sequences are made of."""

import re
import time
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from reins_msgs import msg as ros

from reins.bench.stops.cameras import PICTURES_FROZEN
from reins.bench.stops.estops import ESTOPS
from reins.bench.stops.fault import AT_ONCE, DEATH, HANGS, SILENT, STALE, STICK_LOST, Fault
from reins.bench.stops.faults import NODES, all_faults
from reins.bench.stops.moving import SKILL, SPEED, TELEOP, as_it_is
from reins.bench.stops.run import chosen
from reins.bench.stops.sequences import ENDING, SEQUENCE, as_one, random_sequences
from reins.contracts.errors import ReinsError
from reins.hardware.profile import load_profile
from reins.hardware.robot import RobotState
from reins.nodes.convert import fill_time, joint_command_from_msg
from reins.safety.gate import Gate
from reins.safety.modes import Mode
from reins.safety.settings import SafetySettings
from reins.safety.validate import Rejection

FRANKA = load_profile("franka")
FAULTS = all_faults(FRANKA)
OF_COMMANDS = [fault for fault in FAULTS if fault.name.startswith("commands ")]
GOAL, NOW = 100.0, 100.5
"""When the goal began, and robot time [s]."""


class Source:
    """A skill whose commands a fault is on, and the gate that they come to."""

    def __init__(self) -> None:
        self.tamper: Any = as_it_is
        self.injected = 0.0
        self.heard = self._command(7)
        self._sequence = 7
        self._gate = Gate(FRANKA, SafetySettings())
        assert self._judge(self.heard) is None

    def _command(self, sequence: int) -> ros.JointCommand:
        n = len(FRANKA.joints)
        command = ros.JointCommand(source=SKILL, joint_names=list(FRANKA.joint_names), sequence=sequence, period=0.01)
        command.velocity = [SPEED] + [0.0] * (n - 1)
        fill_time(command.header.stamp, NOW)
        fill_time(command.activation, GOAL)
        return command

    def now(self) -> float:
        return time.time()

    def _judge(self, command: ros.JointCommand) -> Rejection | None:
        """As the safety node does, which tells the source's topic where that is not its own."""
        zero = np.zeros(len(FRANKA.joints))
        state = RobotState(NOW, zero, zero, zero, zero, 0.0, False, 0, "")
        if command.source != SKILL:
            command.source = f"{command.source} on command/skill"
        return self._gate.check(joint_command_from_msg(command), state)

    def ask(self, times: int) -> list[Rejection | None]:
        """What the gate says of what becomes of so many commands."""
        said: list[Rejection | None] = []
        for _ in range(times):
            self._sequence += 1
            made = self.tamper(self._command(self._sequence))
            said += [self._judge(command) for command in made]
        return said


def sequences(count: int = 1000, seed: int = 3) -> list[Fault]:
    return random_sequences(FAULTS, count, seed)


def named(name: str) -> Fault:
    return next(fault for fault in FAULTS if fault.name == name)


def inject(names: Sequence[str]) -> Source:
    source = Source()
    for name in names:
        named(name).inject(source)  # type: ignore[arg-type]
    return source


def test_words_choose_faults() -> None:
    assert {fault.name for fault in chosen(FAULTS, ["kill"])} == {f"kill {node}" for node in NODES}
    assert chosen(FAULTS, []) == list(FAULTS)
    with pytest.raises(ReinsError, match=r"no fault has 'sabotage' in its name \(known: estop service, "):
        chosen(FAULTS, ["kill", "sabotage"])


def test_every_field_of_a_command_that_is_a_float_is_once_no_number() -> None:
    fields = [name for name, kind in ros.JointCommand.get_fields_and_field_types().items() if kind == "double"]
    assert fields == ["period", "gripper_width", "gripper_force"]
    names = {fault.name for fault in FAULTS}
    for value in ("NaN", "infinity", "minus infinity"):
        assert {f"commands with {value} as {field}" for field in fields} <= names
        assert {f"commands with {value} for {joint}" for joint in FRANKA.joint_names} <= names


@pytest.mark.parametrize("fault", [f for f in OF_COMMANDS if f.name not in ("commands dropped", "commands delayed")])
def test_every_corrupt_command_is_refused_for_the_reason_by_which_it_is_known(fault: Fault) -> None:
    said = inject([fault.name]).ask(3)
    assert len(said) == 3
    (pattern,) = fault.told
    source = "unknown" if r"\(unknown\)" in pattern else "skill"
    for rejection in said:
        assert rejection is not None
        assert re.search(pattern, f"command_rejected ({source}): command of {source} refused: {rejection.reason}")


def test_commands_that_are_dropped_or_delayed_do_not_come() -> None:
    assert inject(["commands dropped"]).ask(3) == []
    assert inject(["commands delayed"]).ask(3) == []


def test_no_two_faults_of_the_commands_mend_each_other() -> None:
    for pair in combinations([fault.name for fault in OF_COMMANDS], 2):
        for names in (pair, pair[::-1]):
            assert all(rejection is not None for rejection in inject(names).ask(1)), names


@pytest.mark.parametrize("bridged", ["each command sent twice", "each command a little late"])
def test_what_is_bridged_mends_no_fault_of_the_commands(bridged: str) -> None:
    for fault in OF_COMMANDS:
        for names in ((bridged, fault.name), (fault.name, bridged)):
            source = inject(names)
            said = source.ask(1)
            time.sleep(0.04 if bridged.endswith("late") else 0.0)
            said += source.ask(1)
            assert all(rejection is not None for rejection in said), names


@pytest.mark.parametrize(
    ("name", "passes"),
    [
        ("one command dropped", [True] * 4),
        ("one command late", [True, False, True, True]),
        ("one command with NaN", [False, True, True, True, True]),
        ("each command sent twice", [True, False] * 5),
    ],
)
def test_what_is_bridged_leaves_the_other_commands_as_they_are(name: str, passes: list[bool]) -> None:
    said = inject([name]).ask(5)
    assert [rejection is None for rejection in said] == passes
    refused = [rejection for rejection in said if rejection is not None]
    for pattern in named(name).told:
        assert all(re.search(pattern, f"command_rejected (skill): {rejection.reason}") for rejection in refused)
    assert bool(refused) == bool(named(name).told), "one that is lost is all that nobody is told of"
    assert not named(name).stops


def test_one_bad_command_does_not_mend_those_after_it() -> None:
    assert inject(["commands too short", "one command dropped", "each command a little late"]).ask(1) == []
    said = inject(["commands too short", "one command with NaN"]).ask(4)
    assert len(said) == 4 and None not in said


def test_commands_that_are_a_little_late_come_and_pass() -> None:
    source = inject(["each command a little late"])
    assert source.ask(1) == []
    time.sleep(0.04)
    assert source.ask(1) == [None]


def test_each_mode_has_its_emergency_stop() -> None:
    told = " ".join(pattern for fault in FAULTS for pattern in fault.told)
    assert [mode.name for mode in Mode if f"{mode.name} to ESTOP" not in told] == [Mode.ESTOP.name]
    assert re.search(named("estop in ESTOP").told[0], "estop (x): emergency stop by the topic safety/estop: y")
    first = "estop (x): ACTIVE_SKILL to ESTOP: emergency stop by the topic safety/estop: y"
    assert not re.search(named("estop in ESTOP").told[0], first), "the first is not the second"


def test_each_node_is_killed_and_frozen_and_what_must_be_told_names_it() -> None:
    for node in NODES:
        for what in ("kill", "freeze"):
            fault = named(f"{what} {node}")
            assert fault.ends_graph and fault.stops
            assert node in fault.told[0] or (what == "freeze" and node == "safety"), "its silence is told, not its name"


@pytest.mark.parametrize(
    ("deadline", "seconds"),
    [(AT_ONCE, 0.02), (DEATH, 0.1), (SILENT, 0.08), (STICK_LOST, 0.24), (STALE, 0.11), (HANGS, 1.1)],
)
def test_the_bound_is_the_deadline_and_a_tenth_of_a_second_of_braking(deadline: Any, seconds: float) -> None:
    assert deadline.stands(FRANKA) == pytest.approx(seconds + 0.1)


def test_sequences_follow_from_the_seed() -> None:
    parts = [fault.parts for fault in sequences(50)]
    assert parts == [fault.parts for fault in sequences(50)]
    assert parts != [fault.parts for fault in sequences(50, seed=4)]
    assert {fault.name for fault in sequences(50)} == {SEQUENCE}


def test_sequences_are_of_all_faults_that_have_sources_and_of_frozen_cameras() -> None:
    of_all = {part for fault in sequences(3000) for part in fault.parts}
    assert of_all == {fault.name for fault in FAULTS if fault.sources} | {PICTURES_FROZEN.name}
    assert {"stick unplugged", "kill safety", "freeze robot", "kill sim_cameras"} <= of_all


def test_a_sequence_is_two_to_four_different_faults_of_which_one_stops_the_arm() -> None:
    for fault in sequences():
        parts = fault.parts
        assert 2 <= len(parts) == len(set(parts)) <= 4
        assert any(named(part).stops for part in parts if part != PICTURES_FROZEN.name)


def test_a_tenth_of_the_sequences_costs_a_graph_and_only_their_last_fault_ends_it() -> None:
    made = sequences()
    ending = {fault.name for fault in FAULTS if fault.ends_graph}
    assert not any(part in ending for fault in made for part in fault.parts[:-1])
    assert all(fault.ends_graph == (fault.parts[-1] in ending) for fault in made)
    assert sum(fault.ends_graph for fault in made) == pytest.approx(1000 * ENDING, rel=0.3)
    assert all(fault.parts[0] == PICTURES_FROZEN.name for fault in made if fault.cameras)
    assert all(fault.ends_graph for fault in made if fault.cameras), "the other graphs do not render"


def test_who_drives_a_sequence_is_who_can_be_struck_by_its_faults() -> None:
    for fault in sequences():
        sources = [set(named(part).sources) for part in fault.parts if part != PICTURES_FROZEN.name]
        assert set.intersection(*sources) & {SKILL, TELEOP}


def test_too_few_faults_make_no_sequence() -> None:
    of_skill = [fault for fault in ESTOPS if SKILL in fault.sources]
    assert random_sequences(of_skill[:1], 5, seed=3) == []
    assert len(random_sequences(of_skill[:2], 50, seed=3)) == 50


def test_a_sequence_must_stop_by_the_first_of_its_faults_that_stops() -> None:
    nan, dropped, estop = named("commands with NaN as period"), named("one command dropped"), named("estop topic")
    pauses = np.zeros(3)
    assert as_one([dropped, nan, estop], pauses, SKILL).deadline is nan.deadline
    assert as_one([dropped, estop, nan], pauses, SKILL).deadline is estop.deadline


@pytest.mark.parametrize(("ending", "who"), [("freeze safety", 1), ("kill safety", 1), ("freeze planner", 0)])
def test_what_safety_notices_no_more_because_it_ended_the_driver_host_stops(ending: str, who: int) -> None:
    parts = [named("commands with NaN as period"), named(ending)]
    assert as_one(parts, np.zeros(2), SKILL).deadline is parts[who].deadline


def test_of_a_sequence_is_told_what_nothing_hides_and_in_any_case_one() -> None:
    nan, estop, kill = named("commands with NaN as period"), named("estop topic"), named("kill safety")
    pauses = np.zeros(2)
    assert as_one([nan, named("commands dropped")], pauses, SKILL).told == ()
    assert set(nan.told) < set(as_one([nan, named("commands dropped")], pauses, SKILL).one_of)
    assert as_one([nan, estop], pauses, SKILL).told == (estop.always,)
    assert as_one([estop, kill], pauses, SKILL).told == (kill.always,), "what ended may have hidden what came before"


@pytest.mark.parametrize(("ends_safety", "counts"), [(False, "first"), (True, "last")])
def test_the_time_of_a_sequence_counts_from_the_fault_that_says_how_soon(ends_safety: bool, counts: str) -> None:
    at: dict[str, float] = {}

    def noting(name: str, stops: bool, ends_safety: bool = False) -> Fault:
        def act(graph: Any) -> None:
            at[name] = graph.injected

        return Fault(name, act, AT_ONCE, (), stops=stops, ends_safety=ends_safety)

    source: Any = Source()
    parts = [noting("harmless", False), noting("first", True), noting("last", True, ends_safety)]
    as_one(parts, np.full(3, 0.01), SKILL).inject(source)
    assert source.injected == at[counts]
    assert at["harmless"] < at["first"] < at["last"]
