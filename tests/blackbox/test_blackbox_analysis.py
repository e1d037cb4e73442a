"""What a file tells, against files whose story is known."""

import math
from pathlib import Path

import pytest
from blackbox_files import (
    LEGGED_KINDS,
    Row,
    asked,
    body,
    case,
    driven_and_stopped,
    event,
    make_file,
    mode,
    state,
    twist,
    walker,
)
from pydantic import ValidationError

from reins.blackbox.analysis import STILL, Analysis, analyse
from reins.blackbox.case import SAVED
from reins.blackbox.reading import read
from reins.blackbox.words import explain


def told(folder: Path, rows: list[Row], **changes: object) -> tuple[Analysis, dict[str, str]]:
    recording = read(make_file(folder, rows, case(**changes)))
    analysis = analyse(recording)
    return analysis, dict(explain(recording, analysis))


def test_the_whole_story(tmp_path: Path) -> None:
    analysis, words = told(tmp_path, driven_and_stopped())
    assert words["stop"] == "emergency stop by ann: hand in the cell"
    assert words["standstill"] == "30 ms after the stop; nothing moved further than 0.0100 rad meanwhile (shoulder)"
    assert words["in charge"] == "the operator, by hand (teleop), for 1.0 s before the stop"
    assert words["asked"].startswith("the operator, by hand (teleop): 100 commands, the last one 10 ms before the stop")
    assert "1.000 rad/s in shoulder, 50% of its limit" in words["asked"]
    assert words["filter"] == (
        "100 of 100 commands changed, by 0.500 rad/s at most (shoulder); 1 refused; 32 refused after the stop: "
        "teleop was held to the limits: tool speed"
    )
    assert words["motion"].startswith("fastest 0.500 rad/s in shoulder, 25% of its limit, ")
    assert "from 3.0 s before to 0.5 s after" in words["record"]
    assert [charge.source for charge in analysis.charges] == ["", "teleop", ""]
    assert [(event.kind, event.source) for event in analysis.events][-1] == ("estop", "ann")


@pytest.mark.parametrize(("speed", "after"), [(STILL, 0.01), (1.001 * STILL, 0.02)])
def test_standstill_is_when_no_joint_is_faster_than_the_threshold(tmp_path: Path, speed: float, after: float) -> None:
    rows = [("robot_state", -0.01, state([0.5, 0.0])), ("robot_state", 0.01, state([0.0, -speed]))]
    rows += [("robot_state", 0.02, state([0.0, 0.0]))]
    assert told(tmp_path, rows)[0].standstill.after == pytest.approx(after)


def test_an_arm_that_moves_again_does_not_stand(tmp_path: Path) -> None:
    speeds = {-0.01: 0.5, 0.01: 0.0, 0.02: 0.3, 0.03: 0.0}
    rows = [("robot_state", time, state([speed, 0.0])) for time, speed in speeds.items()]
    assert told(tmp_path, rows)[0].standstill.after == pytest.approx(0.03)


def test_an_arm_that_stood_or_still_moves_or_is_not_heard(tmp_path: Path) -> None:
    stood = [("robot_state", time, state([0.0, 0.0])) for time in (-0.01, 0.01)]
    assert told(tmp_path, stood)[1]["standstill"] == "the robot stood already"
    moves = [("robot_state", time, state([0.5, 0.0])) for time in (-0.01, 0.01)]
    analysis, words = told(tmp_path, moves)
    assert math.isnan(analysis.standstill.after) and "still moved at the end" in words["standstill"]
    analysis, words = told(tmp_path, moves[:1])
    assert not analysis.standstill.known and words["standstill"].startswith("not known")


def test_nobody_in_charge_and_who_was_before(tmp_path: Path) -> None:
    rows = [("safety/state", -5.0, mode("active_skill")), ("safety/state", -2.0, mode("ready"))]
    rows += [("safety/state", 0.0, mode("stopping"))]
    words = told(tmp_path, rows)[1]
    assert words["in charge"] == (
        "nobody: the safety monitor was in READY (because of ready); before that a skill, until 2.0 s before the stop"
    )
    assert words["filter"] == "no source drove, so there was nothing to change"


def test_a_command_counts_only_while_its_source_drives(tmp_path: Path) -> None:
    """The skill goes on talking while the operator drives: what the monitor lets through answers the operator alone."""
    rows: list[Row] = [("safety/state", -1.0, mode("active_teleop"))]
    for step in range(-50, 0):
        rows.append(("command/skill", 0.01 * step, asked([2.0, 2.0], "skill")))
        rows.append(("command/teleop", 0.01 * step + 0.001, asked([0.3, 0.0])))
        rows.append(("command/safe", 0.01 * step + 0.002, {"velocity": [0.3, 0.0]}))
    filtered = told(tmp_path, rows)[0].filtered
    assert (filtered.compared, filtered.changed, filtered.largest) == (50, 0, 0.0)


@pytest.mark.parametrize(("change", "changed"), [(9e-7, 0), (1.1e-6, 1)])
def test_a_change_is_what_can_be_measured(tmp_path: Path, change: float, changed: int) -> None:
    rows: list[Row] = [
        ("safety/state", -1.0, mode("active_skill")),
        ("command/skill", -0.5, asked([0.3, 0.1], "skill")),
    ]
    rows += [("command/safe", -0.499, {"velocity": [0.3, 0.1 + change]})]
    assert told(tmp_path, rows)[0].filtered.changed == changed


def test_the_plan_and_a_sum_of_refusals(tmp_path: Path) -> None:
    step = {"skill": "pick", "arguments": [{"name": "object", "text": "red_block"}]}
    push = {"skill": "push", "arguments": [{"name": "distance", "number": 0.1, "is_number": True}]}
    rules = [{"kind": "avoid", "object": "yellow_block"}, {"kind": "speed", "scale": 0.5}, {"kind": "keep_out"}]
    rows: list[Row] = [
        ("safety/state", -2.0, mode("active_skill")),
        ("plan", -1.9, {"steps": [step, push], "constraints": rules}),
    ]
    rows += [("safety/events", -1.0, event("command_rejected", "skill", "command of skill refused: too old", 1))]
    rows += [
        (
            "safety/events",
            -0.5,
            event("command_rejected", "skill", "command of skill refused: too old (and 7 more like it)"),
        )
    ]
    rows += [("safety/state", -0.4, mode("active_skill", 8, 0.5)), ("plan", 0.5, {"refusal": "after the stop"})]
    analysis, words = told(tmp_path, rows)
    assert words["plan"] == "pick(red_block) → push(0.1), with avoid yellow_block, speed 50%, keep_out"
    assert analysis.filtered.reasons == ["command of skill refused: too old"]
    assert "8 refused; 50% of the speed limits in force: command of skill" in words["filter"]


def test_a_plan_that_waited_for_an_answer_is_told_until_it_was_answered(tmp_path: Path) -> None:
    step = {"skill": "pick", "arguments": [{"name": "object", "text": "red_block"}]}
    asked_for = {"number": 1, "instruction": "take it", "plan": {"steps": [step]}, "risks": ["without a grip"]}
    waits: Row = ("planner/question", -30.0, asked_for)
    assert told(tmp_path, [waits])[1]["waited"] == (
        "for an operator's answer about “take it”: pick(red_block) (without a grip)"
    )
    assert "waited" not in told(tmp_path, [waits, ("planner/question", -1.0, {"number": 0})])[1]


def test_several_causes_and_a_file_that_was_asked_for(tmp_path: Path) -> None:
    causes = [{"stamp": case().stop + at, "kind": "x", "source": "y", "reason": f"{at}"} for at in (0, 104_000_000)]
    recording = read(make_file(tmp_path, [], case(causes=causes)))
    assert ("", "then, 104 ms after the stop: 104000000") in list(explain(recording, analyse(recording)))
    _analysis, words = told(tmp_path, driven_and_stopped(), kind=SAVED, reason="asked for; nothing stopped")
    assert words["saved"] == "asked for; nothing stopped"
    assert "the stop" not in words["asked"] + words["motion"]


def test_an_empty_file_says_what_is_not_known(tmp_path: Path) -> None:
    words = told(tmp_path, [])[1]
    assert words["in charge"].startswith("not known") and words["motion"].startswith("not known")


def test_rows_of_another_length_do_no_harm(tmp_path: Path) -> None:
    """A command with the wrong number of joints is just what led to a stop."""
    rows: list[Row] = [("safety/state", -1.0, mode("active_skill"))]
    rows += [("command/skill", -0.5, asked([0.3, 0.1], "skill")), ("command/safe", -0.49, {"velocity": [0.3, 0.1]})]
    rows += [("command/skill", -0.4, asked([9.0], "skill")), ("command/safe", -0.39, {"velocity": [0.3, 0.1]})]
    rows += [("command/skill", -0.3, asked([], "skill"))]
    rows += [("robot_state", -0.2, state([float("nan"), 0.2])), ("robot_state", 0.1, state([0.0, 0.0]))]
    analysis, words = told(tmp_path, rows)
    assert analysis.filtered.compared == 1
    assert "3 commands, the last one 500 ms before the stop: 0.300 rad/s in shoulder" in words["asked"]
    assert words["standstill"].startswith("100 ms after the stop"), "what is not a number does not stand"


def walked_and_stopped() -> list[Row]:
    """A robot walks for a second at 0.5 m/s, where 0.8 m/s were asked for, turns over π, and stands 40 ms after it."""
    rows: list[Row] = [("safety/state", -1.0, mode("active_teleop"))]
    for step in range(-50, 0):
        time = 0.02 * step
        rows.append(("command/teleop", time, {"source": "teleop", "velocity": twist(0.8, 0.0, 0.1)}))
        rows.append(("command/safe", time + 0.002, {"velocity": twist(0.5, 0.0, 0.1)}))
        rows.append(("robot_state", time + 0.004, body(0.01 * step, math.pi + 0.002 * step, twist(0.5, 0.0, 0.1))))
    rows += [
        ("safety/state", 0.0, mode("estop")),
        ("robot_state", 0.02, body(0.02, math.pi + 0.05, twist(0.2, 0.0, 0.0))),
        ("robot_state", 0.04, body(0.03, math.pi + 0.05, twist(0.0))),
    ]
    return sorted(rows, key=lambda row: row[1])


def test_a_robot_that_walks_is_told_by_its_body(tmp_path: Path) -> None:
    recording = read(make_file(tmp_path, walked_and_stopped(), walker(), LEGGED_KINDS))
    words = dict(explain(recording, analyse(recording)))
    assert words["standstill"] == "40 ms after the stop; nothing moved further than 0.0520 rad meanwhile (yaw)"
    assert "0.800 m/s in x, 53% of its limit" in words["asked"]
    assert words["filter"].startswith("50 of 50 commands changed, by 0.300 m/s at most (x); 0 refused")
    assert words["motion"].startswith("fastest 0.500 m/s in x, 33% of its limit, ")


def test_it_has_a_unit_for_each_velocity_or_none() -> None:
    assert [walker().unit(index) for index in range(3)] == ["m/s", "m/s", "rad/s"]
    assert case().unit(0) == "rad/s"
    with pytest.raises(ValidationError, match="3 joints have 1 units"):
        case(joint_names=("x", "y", "yaw"), velocity_limits=(1.0, 1.0, 1.0), units=("m/s",))
