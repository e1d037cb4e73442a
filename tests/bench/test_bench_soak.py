"""Many tasks in one graph: what is counted, and a short one for real."""

import os
from pathlib import Path

import pytest

from reins.bench.planner_figures import PlannerFigures
from reins.bench.soak import WARM, processes_of, summarise
from reins.bench.tabletop_episode import Episode
from reins.contracts.errors import ReinsError

NOTHING = PlannerFigures(1, 1, 0, 0, 0, 0, 0, 0, 0, (), 0)


def episode(seed: int, outcome: str = "succeeded") -> Episode:
    return Episode(
        seed=seed,
        instruction="go home",
        wanted="steps",
        answered="steps",
        success=outcome == "succeeded",
        goal_met=True,
        outcome=outcome,
        reason="",
        unmet=(),
        forbidden_touches=(),
        limit_violations={},
        disturbance="",
        struck="",
        replans=0,
        duration=1.0,
        steps=("home()",),
        least=1,
        planner=NOTHING,
    )


def test_growth_is_counted_once_a_node_has_all_that_it_keeps() -> None:
    episodes = [episode(seed) for seed in range(20)]
    leaky = [{"planner": 100.0 + 20.0 * min(task, WARM) + task, "robot": 50.0} for task in range(21)]
    summary = summarise(episodes, leaky, "")
    planner = summary["memory_mb"]["planner"]
    assert (planner["before"], planner["warm"], planner["after"]) == (100.0, 310.0, 320.0)
    assert planner["growth"] == pytest.approx(10.0 / 310.0) == summary["growth"]
    assert summary["memory_mb"]["robot"]["growth"] == 0.0
    assert summary["stuck"] == 0 and summary["died"] == [] and summary["success_rate"] == 1.0


def test_what_gets_stuck_or_dies_is_named() -> None:
    episodes = [episode(1), episode(2, "cancelled")]
    memory = [{"planner": 1.0, "robot": 1.0}, {"planner": 1.0, "robot": 1.0}, {"planner": 1.0}]
    summary = summarise(episodes, memory, "task 3, “go home”: no answer")
    assert summary["stuck"] == 2 and "task 3" in summary["stuck_at"]
    assert summary["died"] == ["robot"]


def test_a_graph_that_does_nothing_at_all() -> None:
    summary = summarise([], [{"planner": 1.0}], "task 1: no answer")
    assert summary["episodes"] == 0 and summary["stuck"] == 1 and summary["growth"] == 0.0


def test_nodes_are_found_by_what_the_runner_wrote(tmp_path: Path) -> None:
    log = tmp_path / "graph.log"
    log.write_text(f"[runner] /robot started, pid {os.getpid()}\n/planner started, pid 4194304\n", encoding="utf-8")
    assert {name: process.pid for name, process in processes_of(log).items()} == {"robot": os.getpid()}
    log.write_text("nothing yet\n", encoding="utf-8")
    with pytest.raises(ReinsError, match="names no node that lives"):
        processes_of(log)


@pytest.mark.ros
@pytest.mark.slow
@pytest.mark.timeout(400)
def test_three_tasks_in_a_row() -> None:
    from reins.bench.soak import run_soak
    from reins.bench.tabletop_tasks import TaskStyle
    from reins.rig import RigSettings

    report = run_soak(RigSettings(perception="state"), 3, 1, TaskStyle())
    assert report.summary["episodes"] == 3 and report.summary["stuck"] == 0 and report.summary["died"] == []
    assert {"robot", "safety", "skills", "planner"} <= set(report.summary["memory_mb"])
    assert all(record["memory_mb"]["planner"] > 10.0 for record in report.episodes)
    assert all(record["planner"]["plans"] >= 1 for record in report.episodes)
