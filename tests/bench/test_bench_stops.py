"""Faults in the launched graph: the arm stands soon, and stays so."""

import pytest

from reins.bench.stops.faults import ESTOPS, FAULTS, NODES, SEQUENCE, Fault, random_sequences
from reins.bench.stops.run import Trial, chosen, run_stops, table
from reins.contracts.errors import ReinsError

GENEROUS = 1000.0
"""On a machine that others use, an arm stands within this after a fault that is noticed at once [ms]."""

PATIENT = 4000.0
"""After one that is noticed by a deadline of a second [ms]."""


def named(name: str) -> Fault:
    return next(fault for fault in FAULTS if fault.name == name)


def test_words_choose_faults() -> None:
    assert [fault.name for fault in chosen(FAULTS, ["kill"])] == [f"kill {node}" for node in NODES]
    assert chosen(FAULTS, []) == list(FAULTS)
    with pytest.raises(ReinsError, match=r"no fault has 'sabotage' in its name \(known: estop service, "):
        chosen(FAULTS, ["kill", "sabotage"])


def test_sequences_are_of_faults_that_leave_the_graph_alive_and_follow_from_the_seed() -> None:
    alive = [fault for fault in FAULTS if not fault.ends_graph]
    made = random_sequences(alive, 5, seed=3)
    assert [fault.name for fault in made] == [SEQUENCE] * 5
    assert not any(fault.ends_graph for fault in made)
    again = random_sequences(alive, 5, seed=3)
    assert [fault.inject.args[0] for fault in made] == [fault.inject.args[0] for fault in again]  # type: ignore[attr-defined]
    assert random_sequences(alive[:1], 5, seed=3) == []
    assert len(random_sequences(alive[:2], 50, seed=3)) == 50


@pytest.mark.ros
@pytest.mark.timeout(240)
def test_the_arm_stands_after_each_fault_and_does_not_move_again() -> None:
    faults = [ESTOPS[0], named("commands with NaN"), named("clock back"), named("second publisher of command/safe")]
    seen: list[Trial] = []
    report = run_stops("franka", faults, trials=1, estops=2, sequences=2, on_trial=seen.append)
    assert [trial.fault for trial in seen] == ["estop service"] * 2 + [f.name for f in faults[1:]] + [SEQUENCE] * 2
    for trial in seen:
        assert trial.stop_ms is not None and trial.stop_ms < GENEROUS, trial
        assert trial.unasked_rad < 0.01, trial
    summary = report.summary
    assert (summary["episodes"], summary["success_rate"], summary["limit_violations"]) == (7, 1.0, 0)
    assert summary["estop service"]["trials"] == 2
    assert summary["estop service"]["stop_ms"]["min"] <= summary["estop service"]["stop_ms"]["max"]
    assert table(report).row_count == 5


@pytest.mark.ros
@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_every_fault_once() -> None:
    report = run_stops("franka", FAULTS, trials=1, estops=3, sequences=30)
    late = {
        trial["fault"]: trial
        for trial in report.episodes
        if trial["stop_ms"] is None or trial["stop_ms"] > PATIENT or trial["unasked_rad"] > 0.01
    }
    assert not late
