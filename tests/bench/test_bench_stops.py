"""Faults in the launched graph: the arm stands soon and stays so, and the graph says what happened."""

import pytest

from reins.bench.report import Report
from reins.bench.stops.estops import ESTOPS
from reins.bench.stops.faults import all_faults
from reins.bench.stops.run import chosen, run_stops
from reins.bench.stops.sequences import SEQUENCE
from reins.hardware.profile import load_profile

pytestmark = pytest.mark.ros

SLACK = 1.0
"""What a machine that is busy with other tests may add to each bound [s]; the benchmark itself adds nothing."""

FAULTS = all_faults(load_profile("franka"))

SEEDS, EACH = (1, 2, 3, 4), 250
"""1,000 random sequences, in parts that can be chosen by their seed and take a quarter of an hour each."""


def trouble(report: Report) -> list[str]:
    """What was wrong, with all that the graph told of it."""
    return [
        f"{', '.join(episode['parts']) or episode['fault']}: {'; '.join(episode['wrong'])}: {episode['events']}"
        for episode in report.episodes
        if episode["wrong"]
    ]


@pytest.mark.timeout(240)
def test_the_arm_stands_after_each_fault_does_not_move_again_and_the_graph_says_why() -> None:
    words = ["estop service", "commands with NaN for fr3_joint4", "one command dropped", "clock back", "second"]
    faults = [fault for fault in chosen(FAULTS, words) if fault.name != "estop service, teleop"]
    report = run_stops("franka", faults, trials=1, estops=2, sequences=2, slack=SLACK)
    assert not trouble(report)
    names = [episode["fault"] for episode in report.episodes]
    assert sorted(names) == sorted([ESTOPS[0].name, *(fault.name for fault in faults), *[SEQUENCE] * 2])
    summary = report.summary
    assert (summary["episodes"], summary["success_rate"], summary["limit_violations"]) == (8, 1.0, 0)
    stop = summary["estop service"]["stop_ms"]
    assert 0.0 < stop["min"] <= stop["p50"] <= stop["max"]
    assert summary["one command dropped"]["stop_ms"]["max"] is None
    told = {episode["fault"]: " ".join(episode["events"]) for episode in report.episodes}
    assert "ACTIVE_SKILL to ESTOP: emergency stop by benchmark: a trial" in told["estop service"]
    assert "velocity of fr3_joint4 is nan" in told["commands with NaN for fr3_joint4"]


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_every_fault_once() -> None:
    report = run_stops("franka", FAULTS, trials=1, estops=3, slack=SLACK)
    assert not trouble(report)
    assert {episode["fault"] for episode in report.episodes} == {fault.name for fault in FAULTS}


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", SEEDS)
def test_random_sequences_of_all_faults(seed: int) -> None:
    report = run_stops("franka", FAULTS, trials=0, estops=0, sequences=EACH, seed=seed, slack=SLACK)
    assert not trouble(report)
    assert report.summary[SEQUENCE]["trials"] == EACH
