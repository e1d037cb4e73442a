"""Graphs that do not come up, or lose a node: what is wrong is named, the robot stands, nothing is left behind."""

import time

import numpy as np
import psutil
import pytest
from running_graph import SOON, START, RunningGraph

from reins.demo.session import free_domain

pytestmark = [pytest.mark.ros, pytest.mark.timeout(240)]

LEAN = {"cameras": "false", "heartbeat_timeout": "2.0"}
"""Without rendering, so that a graph starts quickly; patient, because the machine may be busy with other tests."""

STOP_WITHIN = 3.0
"""After the death is noticed the arm stands within this; generous, because the machine may be busy [s]."""

SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "node",
    [
        "safety",
        "skills",
        *(pytest.param(name, marks=SLOW) for name in ("robot", "perception", "planner", "teleop")),
    ],
)
def test_killing_a_node_stops_the_arm_and_ends_the_launch(node: str) -> None:
    with RunningGraph(free_domain(), **LEAN) as graph:
        graph.up().drive()
        processes = graph.processes()
        graph.kill(node)
        begin = time.monotonic()
        while node != "robot" and graph.speed() > 0.01:
            graph.press("w", 0.05)
            assert time.monotonic() - begin < STOP_WITHIN + float(LEAN["heartbeat_timeout"]), "the arm still moves"
        stood = graph.position()
        graph.press("w", 0.3)
        assert np.abs(graph.position() - stood).max() < 0.01, "it moved again by itself"
        assert graph.ended(2 * SOON) == 1
        assert f"/{node} died: killed by SIGKILL" in graph.text
        assert f"node '{node}' is dead" in graph.text
    _gone, alive = psutil.wait_procs(processes, timeout=SOON)
    assert not alive, f"left behind: {alive}"


@pytest.mark.slow
def test_the_end_of_the_supervisor_ends_the_launch() -> None:
    with RunningGraph(free_domain(), **LEAN) as graph:
        processes = graph.up().processes()
        graph.kill("supervisor")
        assert graph.ended(2 * SOON) == 1
        assert "/supervisor died: killed by SIGKILL" in graph.text
    _gone, alive = psutil.wait_procs(processes, timeout=SOON)
    assert not alive, f"left behind: {alive}"


def test_two_namespaces_do_not_hear_each_other() -> None:
    domain = free_domain()
    with (
        RunningGraph(domain, namespace="left", **LEAN) as left,
        RunningGraph(domain, namespace="right", **LEAN) as right,
    ):
        left.up()
        right.up()
        right.until(lambda: bool(right.states), "states of the right robot")
        stood = right.position()
        left.drive()
        left.press("w", 0.5)
        right.client.spin(0.5)
        assert np.abs(right.position() - stood).max() < 0.005
        assert "active_teleop" in left.modes
        assert "active_teleop" not in right.modes
        topics = {name for name, _types in left.client.node.get_topic_names_and_types()}
        assert {"/left/command/safe", "/right/command/safe", "/left/clock", "/right/clock"} <= topics
        assert "/command/safe" not in topics


def test_a_second_graph_is_refused_and_the_first_goes_on() -> None:
    domain = free_domain()
    with RunningGraph(domain, **LEAN) as first:
        first.up()
        with RunningGraph(domain, **LEAN) as second:
            second.printed(
                r"topic /(command/safe is already published by node /safety|joint_states is .* /robot)", START
            )
            second.printed("namespace:=NAME")
            assert second.ended(2 * SOON) == 1
        assert first.process.poll() is None
        first.until(lambda: bool(first.states) and first.states[-1].armed, "the first robot, still armed")
        first.mode("ready")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"world": "nowhere"}, r"\[robot\]: cannot configure: no world 'nowhere' \(known: .*tabletop"),
        pytest.param({"robot": "frnka"}, r"cannot configure: no robot 'frnka'; did you mean 'franka'", marks=SLOW),
        pytest.param({"backend": "bullet"}, r"cannot configure: no backend 'bullet'.* \(known: .*mujoco,", marks=SLOW),
        pytest.param({"real_time_factor": "-1"}, r"parameter 'real_time_factor': .* \(got -1.0\)", marks=SLOW),
    ],
    ids=["world", "robot", "backend", "real-time factor"],
)
def test_what_does_not_exist_is_named_and_nothing_stays(arguments: dict[str, str], said: str) -> None:
    with RunningGraph(free_domain(), **(LEAN | arguments)) as graph:
        graph.printed(said, START)
        graph.printed("node '.*' refused to configure", START)
        assert graph.ended(2 * SOON) == 1


def test_an_unknown_argument_starts_nothing() -> None:
    with RunningGraph(free_domain(), wrld="tabletop") as graph:
        assert graph.ended(SOON) != 0
        assert "no argument of sim.launch.xml 'wrld'; did you mean 'world'?" in " ".join(graph.text.split())
        assert "started, pid" not in graph.text
