"""The launched graph of a Go2: it rises and walks where cmd_vel says, and sits when safety's process dies."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from go2_graph import SOON, START, Go2Graph
from patience import patient

from reins.demo.session import free_domain

pytestmark = [pytest.mark.ros, pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[Go2Graph]:
    running = Go2Graph(tmp_path / "log", "go2_sim", world="flat")
    yield running
    running.close()


@pytest.fixture
def real_graph(tmp_path: Path) -> Iterator[Go2Graph]:
    """The graph of a real robot, whose robot is a peer behind its DDS topics."""
    pytest.importorskip("cyclonedds", reason="the Go2's SDK is not installed: `./run setup go2`")
    pytest.importorskip("unitree_sdk2py", reason="the Go2's SDK is not installed: `./run setup go2`")
    from reins.peers.go2.process import ADDRESS, Go2Peer

    profile = yaml.safe_load(Path(patient("go2")["robot"]).read_text(encoding="utf-8"))
    profile["unitree"]["domain"] = free_domain()
    path = tmp_path / "go2.yaml"
    path.write_text(yaml.safe_dump(profile), encoding="utf-8")
    with Go2Peer(profile["unitree"]["domain"]):
        running = Go2Graph(tmp_path / "log", "go2", robot=str(path), robot_ip=ADDRESS)
        yield running
        running.close()


def test_it_walks_where_it_is_steered_and_sits_when_safety_dies(graph: Go2Graph) -> None:
    graph.until(lambda: bool(graph.states) and graph.armed and graph.modes[-1] == "ready", "an armed robot", START)
    walk_and_sit(graph)


def test_a_real_one_does_so_over_dds_once_a_person_has_armed_it(real_graph: Go2Graph) -> None:
    graph = real_graph
    graph.until(lambda: bool(graph.states) and graph.modes[-1] == "ready", "a robot that is ready", START)
    graph.until(lambda: graph.height < 0.12, "a robot that lies")
    assert not graph.armed
    reply = graph.client.arm("a test", True)
    assert reply.accepted, reply.message
    walk_and_sit(graph)


def walk_and_sit(graph: Go2Graph) -> None:
    begin = graph.states[-1].odometry.position
    assert graph.height < 0.12
    graph.until(lambda: graph.way_from(begin) > 0.5, "half a metre", 2 * SOON, forward=0.4)
    assert graph.height > 0.2
    graph.kill("safety")
    graph.until(lambda: bool(graph.states[-1].fault), "a fault", forward=0.4)
    graph.until(lambda: graph.height < 0.12, "a robot that lies", forward=0.4)
