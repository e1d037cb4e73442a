"""The end of a node stops a legged robot, which sits down; nothing of it moves afterwards."""

import os
from pathlib import Path

import pytest
from legged_graph import LeggedGraph

from reins.hardware.legged import Posture

pytestmark = [pytest.mark.ros, pytest.mark.timeout(180)]

AHEAD = (0.4, 0.0, 0.0)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    os.environ["ROS_LOG_DIR"] = str(tmp_path / "ros-log")
    return tmp_path / "graph.log"


def walk(graph: LeggedGraph) -> None:
    graph.be_ready()
    graph.new_goal()
    graph.walk(AHEAD, graph.walks, "a robot that walks")


def test_a_watched_node_that_is_killed(log: Path) -> None:
    with LeggedGraph(log) as graph:
        walk(graph)
        graph.kill("teleop")
        graph.walk(AHEAD, lambda: bool(graph.told("heartbeat_lost")), "an event")
        graph.walk(AHEAD, graph.sits, "a robot that sits, though the skill goes on")
        refused = graph.client.reset("a test")
        assert not refused.accepted and "teleop" in refused.message


def test_safety_itself(log: Path) -> None:
    with LeggedGraph(log) as graph:
        walk(graph)
        graph.kill("safety")
        graph.walk(AHEAD, lambda: not graph.states_armed, "a robot that is disarmed")
        assert "safety" in graph.states[-1].fault
        told = len(graph.sent)
        graph.walk(AHEAD, lambda: graph.speed() < 0.01, "a robot that stands")
        graph.until(lambda: (graph.states[-1].height or 0.0) < graph.profile.height.lowest, "a robot that sits")
        assert len(graph.sent) == told, "nobody else speaks for safety"
        assert not graph.states_armed and graph.sent[-1].posture == Posture.STAND
