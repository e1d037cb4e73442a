"""The black box node by itself, fed by hand: a late thread, an early end, a folder that goes away."""

import shutil
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
import rclpy
from rclpy.node import Node
from rclpy.utilities import try_shutdown
from reins_msgs import msg as ros

from reins.blackbox.folder import files_in
from reins.blackbox.reading import Recording, read
from reins.demo.session import free_domain
from reins.nodes.blackbox import BlackboxNode
from reins.nodes.qos import EVENTS, LATCHED

pytestmark = pytest.mark.ros

SOON = 10.0


class Graph:
    """A black box, and publishers that stand where the rest of the graph does."""

    def __init__(self, folder: Path, **parameters: str) -> None:
        self.folder = folder
        given = {"folder": str(folder), "after": "0.2", **parameters}
        words = [word for name, value in given.items() for word in ("-p", f"{name}:={value}")]
        rclpy.init(args=["--ros-args", *words], domain_id=free_domain())
        self.node = BlackboxNode()
        self.other = Node("other", use_global_arguments=False)
        self.states = self.other.create_publisher(ros.SafetyState, "safety/state", LATCHED)
        self.events = self.other.create_publisher(ros.SafetyEvent, "safety/events", EVENTS)
        self.node.trigger_configure()
        self.node.trigger_activate()
        assert self.node.state == "active"
        self.until(lambda: self.states.get_subscription_count() == self.events.get_subscription_count() == 1)

    def close(self) -> None:
        self.node.close()
        self.node.destroy_node()
        self.other.destroy_node()
        try_shutdown()

    def mode(self, name: str, reason: str) -> None:
        self.states.publish(ros.SafetyState(mode_name=name, reason=reason))

    def robot_stopped(self, reason: str) -> None:
        self.events.publish(ros.SafetyEvent(kind="robot_stopped", source="robot", reason=reason))

    def until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + SOON
        while not condition():
            assert time.monotonic() < end, "not in time"
            time.sleep(0.01)

    def file(self, count: int = 1) -> Recording:
        """The newest file, once there are so many."""
        self.until(lambda: len(files_in(self.folder)) >= count)
        return read(files_in(self.folder)[-1])


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., Graph]]:
    made: list[Graph] = []

    def start(**parameters: str) -> Graph:
        made.append(Graph(tmp_path / "files", **parameters))
        return made[-1]

    yield start
    for graph in made:
        graph.close()


def test_a_stop_is_not_overtaken_by_the_standstill_that_follows_it(make: Callable[..., Graph]) -> None:
    """The thread yields to all others: on a busy machine both are there when it comes round."""
    graph = make()
    loop = graph.node._loop
    assert loop is not None

    def late() -> None:
        graph.mode("active_skill", "skill is in charge")
        graph.mode("stopping", "the heartbeat of planner is 2005 ms old")
        time.sleep(0.05)
        graph.mode("stopped", "stopped: the heartbeat of planner is 2005 ms old")
        time.sleep(0.3)

    loop.call(late, SOON)
    recording = graph.file()
    assert recording.case.kind == "stopping" and recording.case.mode == "active_skill"
    assert recording.case.reason == "the heartbeat of planner is 2005 ms old"
    assert [mode.mode for mode in recording.modes] == ["active_skill", "stopping", "stopped"]
    assert recording.modes[1].time == 0.0 and 0.03 < recording.modes[2].time < 0.3, (
        "counted from receipt, not from here"
    )


def test_an_end_before_the_file_is_due_writes_it(make: Callable[..., Graph]) -> None:
    graph = make(after="10.0")
    graph.robot_stopped("disarmed by ann")
    time.sleep(0.5)
    assert files_in(graph.folder) == []
    graph.node.trigger_deactivate()
    assert graph.file().case.reason == "disarmed by ann"


@pytest.mark.parametrize("spare", ["spare", "file/spare"], ids=["another folder", "no other folder"])
def test_a_folder_that_goes_away_costs_one_file_at_most_and_not_the_recorder(
    make: Callable[..., Graph], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spare: str
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr("reins.nodes.blackbox.fallback_folder", lambda: tmp_path / spare)
    graph = make()
    shutil.rmtree(graph.folder)
    graph.robot_stopped("first")
    time.sleep(1.0)
    assert [read(path).case.reason for path in files_in(tmp_path / spare)] == ["first"] * (spare == "spare")
    graph.folder.mkdir()
    graph.mode("ready", "reset")
    time.sleep(0.2)
    graph.robot_stopped("second")
    recording = graph.file()
    assert recording.case.reason == "second"
    assert [event.reason for event in recording.events] == ["first", "second"]
    assert graph.node.state == "active" and not graph.node.faults


def test_so_many_files_stay_as_it_is_told(make: Callable[..., Graph]) -> None:
    graph = make(keep="2")
    told = ["first", "second", "third"]
    for count, reason in enumerate(told, start=1):
        graph.mode("ready", "reset")
        time.sleep(0.2)
        graph.robot_stopped(reason)
        graph.until(partial(kept_are, graph, told[max(0, count - 2) : count]))


def kept_are(graph: Graph, reasons: list[str]) -> bool:
    return [read(path).case.reason for path in files_in(graph.folder)] == reasons


def test_what_happens_without_a_stop_leaves_no_file(make: Callable[..., Graph]) -> None:
    graph = make(after="0.0")
    for name in ("starting", "ready", "active_skill", "active_teleop", "hold", "ready"):
        graph.mode(name, "why")
    graph.events.publish(ros.SafetyEvent(kind="limit_clipped", source="skill", reason="held to the limits"))
    time.sleep(0.5)
    graph.node.trigger_deactivate()
    assert files_in(graph.folder) == []
