"""The launched graph of a Go2: it rises and walks where it is told, and sits when a process dies."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from go2_graph import SOON, START, Go2Graph
from patience import patient

from reins.demo.session import free_domain
from reins.nodes.outcomes import TaskProgress

pytestmark = [pytest.mark.ros, pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[Go2Graph]:
    running = Go2Graph(tmp_path / "log", "go2_sim", world="flat")
    yield running
    running.close()


@pytest.fixture
def yard(tmp_path: Path) -> Iterator[Go2Graph]:
    """The graph with things to walk to."""
    running = Go2Graph(tmp_path / "log", "go2_sim")
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


def test_it_sits_when_its_skills_die_on_the_way_and_the_task_says_so(yard: Go2Graph) -> None:
    yard.until(lambda: bool(yard.states) and yard.armed and yard.modes[-1] == "ready", "an armed robot", START)
    killed: list[str] = []

    def look(progress: TaskProgress) -> None:
        if not killed and progress.stage == "acting" and yard.states[-1].odometry.linear[0] > 0.2:
            killed.append(progress.step_text)
            yard.kill("skills")

    result = yard.client.execute_task("walk to the red door", 2 * SOON, look)
    assert killed == ["go_to(object=red_door)"]
    assert result.outcome == "failed" and "skills" in result.reason
    yard.until(lambda: yard.height < 0.12, "a robot that lies")


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
