"""The state machine is its table: all of it is looked at here."""

import re
from itertools import product
from pathlib import Path

import pytest

from reins.safety.modes import IN_CHARGE, TRANSITIONS, Mode, ModeMachine, Trigger, mermaid

MESSAGE = Path(__file__).parents[2] / "ros2_ws" / "src" / "reins_msgs" / "msg" / "SafetyState.msg"


def machine_in(mode: Mode) -> ModeMachine:
    """A machine that was led there along the table."""
    ways: dict[Mode, list[Trigger]] = {Mode.STARTING: []}
    queue = [Mode.STARTING]
    while mode not in ways:
        here = queue.pop(0)
        for (start, trigger), target in TRANSITIONS.items():
            if start is here and target not in ways:
                ways[target] = [*ways[here], trigger]
                queue.append(target)
    machine = ModeMachine()
    for trigger in ways[mode]:
        assert machine.fire(trigger, "on the way")
    assert machine.mode is mode
    return machine


def test_it_begins_by_starting() -> None:
    machine = ModeMachine()
    assert (machine.mode, machine.reason) == (Mode.STARTING, "starting")


@pytest.mark.parametrize("mode, trigger", list(product(Mode, Trigger)))
def test_what_is_not_in_the_table_cannot_happen(mode: Mode, trigger: Trigger) -> None:
    machine = machine_in(mode)
    machine.reason = "as before"
    target = TRANSITIONS.get((mode, trigger))
    assert machine.can(trigger) is (target is not None)
    assert machine.fire(trigger, "because") is (target is not None)
    assert machine.mode is (mode if target is None else target)
    assert machine.reason == ("as before" if target is None else "because")


@pytest.mark.parametrize("mode", [mode for mode in Mode if mode is not Mode.ESTOP])
def test_an_emergency_stop_works_from_every_mode(mode: Mode) -> None:
    assert TRANSITIONS[mode, Trigger.ESTOP] is Mode.ESTOP


@pytest.mark.parametrize("mode", [Mode.READY, Mode.ACTIVE_SKILL, Mode.ACTIVE_TELEOP, Mode.HOLD])
def test_a_fault_stops_every_mode_that_could_move(mode: Mode) -> None:
    assert TRANSITIONS[mode, Trigger.STOP] is Mode.STOPPING


@pytest.mark.parametrize("mode", [Mode.STOPPED, Mode.ESTOP])
def test_only_a_reset_leads_back_from_a_stop(mode: Mode) -> None:
    out = {trigger: target for (start, trigger), target in TRANSITIONS.items() if start is mode}
    out.pop(Trigger.ESTOP, None)
    assert out == {Trigger.RESET: Mode.READY}


def test_letting_go_of_the_dead_man_never_gives_control_to_a_skill() -> None:
    assert TRANSITIONS[Mode.ACTIVE_TELEOP, Trigger.TELEOP_RELEASED] is Mode.HOLD
    assert (Mode.HOLD, Trigger.SKILL_COMMAND) not in TRANSITIONS
    assert (Mode.ACTIVE_TELEOP, Trigger.SKILL_COMMAND) not in TRANSITIONS


def test_no_command_leads_out_of_a_stop_or_of_starting() -> None:
    for mode in (Mode.STARTING, Mode.STOPPING, Mode.STOPPED, Mode.ESTOP):
        for trigger in (Trigger.SKILL_COMMAND, Trigger.TELEOP_COMMAND):
            assert (mode, trigger) not in TRANSITIONS


def test_every_mode_can_be_reached_and_left() -> None:
    for mode in Mode:
        machine_in(mode)
        assert any(start is mode for start, _ in TRANSITIONS)


def test_sources_are_in_charge_only_where_their_command_leads() -> None:
    assert IN_CHARGE[TRANSITIONS[Mode.READY, Trigger.SKILL_COMMAND]] == "skill"
    assert IN_CHARGE[TRANSITIONS[Mode.READY, Trigger.TELEOP_COMMAND]] == "teleop"
    assert len(IN_CHARGE) == 2


def test_the_numbers_are_those_of_the_message() -> None:
    constants = re.findall(r"^uint8 (\w+)=(\d+)", MESSAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert {name: int(number) for name, number in constants} == {mode.name: mode.value for mode in Mode}


def test_the_diagram_shows_the_whole_table() -> None:
    arrows = re.findall(r"^ {4}(\w+) --> (\w+): (.+)$", mermaid(), re.MULTILINE)
    table = {(mode.name, target.name, trigger.value) for (mode, trigger), target in TRANSITIONS.items()}
    assert set(arrows) == table and len(arrows) == len(table)
    assert mermaid().startswith("stateDiagram-v2\n    [*] --> STARTING\n")
