"""The black box in a launched graph: a stop leaves a file that says why, and the recorder's own end stops nothing."""

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest
from rosbags.highlevel import AnyReader
from running_graph import SOON, START, RunningGraph

from reins.blackbox.analysis import Analysis, analyse
from reins.blackbox.folder import files_in
from reins.blackbox.reading import Recording, read
from reins.blackbox.words import explain
from reins.demo.session import free_domain
from reins.nodes.blackbox_client import save_blackbox

pytestmark = [pytest.mark.ros, pytest.mark.timeout(240)]

LEAN = {"cameras": "false", "heartbeat_timeout": "2.0"}
"""Without rendering, so that a graph starts quickly; patient, because the machine may be busy with other tests."""

ESTOP = "emergency stop by ann@cell: hand in the cell"

BUSY = 5.0
"""How long the share of a core is measured [s]."""

RELEASED = 1.0
"""A key that was not pressed for this long is released [s]; a reset wants a fresh press."""


def told(path: Path) -> tuple[Recording, Analysis, dict[str, str]]:
    recording = read(path)
    analysis = analyse(recording)
    return recording, analysis, dict(explain(recording, analysis))


def files_about(folder: Path, reason: str) -> list[Path]:
    """Files whose stop has this reason: a machine that is busy with other tests may have stopped for others, too."""
    return [path for path in files_in(folder) if read(path).case.reason == reason]


def wait_for_file(folder: Path, reason: str) -> Path:
    end = time.monotonic() + SOON
    while not (found := files_about(folder, reason)):
        assert time.monotonic() < end, f"no file about '{reason}' in {folder}: {files_in(folder)}"
        time.sleep(0.1)
    (path,) = found
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("blackbox")


@pytest.fixture(scope="module")
def graph(folder: Path) -> Iterator[RunningGraph]:
    with RunningGraph(free_domain(), blackbox_folder=str(folder), **LEAN) as running:
        yield running.up()


def test_an_emergency_stop_while_driving_leaves_one_file_with_the_reason(graph: RunningGraph, folder: Path) -> None:
    graph.drive()
    graph.press("w", 1.0)
    assert graph.client.estop("ann@cell", "hand in the cell").accepted
    graph.press("w", 0.5)
    path = wait_for_file(folder, ESTOP)
    graph.client.spin(2.0)
    assert files_in(folder)[-1:] == files_about(folder, ESTOP) == [path], "one stop, one file"
    recording, analysis, words = told(path)

    assert words["stop"] == ESTOP
    assert words["in charge"].startswith("the operator, by hand (teleop)")
    assert any(event.source == "ann@cell" for event in recording.events)
    assert analysis.standstill.known and analysis.standstill.moving
    assert 0.0 < analysis.standstill.after < 1.0 and "ms after the stop" in words["standstill"]
    assert recording.begin < -1.0 and 0.5 < recording.end < 5.0

    times = np.array(recording.velocity.times)
    assert np.sum(times < 0.0) > 50 and np.sum(times > 0.0) > 20, "robot states before and after the stop"
    assert len(recording.asked["teleop"].times) > 20 and len(recording.safe.times) > 50
    assert analysis.fastest is not None and analysis.fastest.speed > 0.03 and 0.0 < analysis.fastest.share < 1.0
    assert recording.case.robot == "franka" and recording.case.joint_names[0] == "fr3_joint1"


def test_rosbag2_reads_what_was_recorded(graph: RunningGraph, folder: Path) -> None:
    with AnyReader([wait_for_file(folder, ESTOP)]) as bag:
        counts = {connection.topic: connection.msgcount for connection in bag.connections}
        for connection, _stamp, raw in bag.messages():
            bag.deserialize(raw, connection.msgtype)
    assert {"/robot_state", "/command/safe", "/heartbeat", "/safety/events", "/plan"} <= set(counts)
    assert counts["/heartbeat"] > 100


def test_it_costs_little(graph: RunningGraph) -> None:
    process = psutil.Process(graph.pid("blackbox"))
    before = process.cpu_times()
    graph.client.spin(BUSY)
    after = process.cpu_times()
    share = (after.user + after.system - before.user - before.system) / BUSY
    assert share < 0.10, f"{share:.1%} of a core"  # about 3 % on an idle machine


def test_it_is_written_on_request(graph: RunningGraph, folder: Path) -> None:
    recording, _analysis, words = told(save_blackbox(graph.client))
    assert recording.path.parent == folder
    assert words["saved"] == "asked for; nothing stopped"
    assert recording.modes[-1].mode == "estop"


def drive_again(graph: RunningGraph) -> None:
    reply = graph.client.reset("test")
    assert reply.accepted, reply.message
    graph.until(lambda: graph.states[-1].armed and not graph.states[-1].fault, "armed again after the reset")
    graph.client.spin(RELEASED)
    graph.drive()


def test_disarming_a_robot_that_moves_is_a_stop_with_a_file_of_its_own(graph: RunningGraph, folder: Path) -> None:
    drive_again(graph)
    assert graph.client.arm("ann@cell", False).accepted
    graph.press("w", 0.3)
    _recording, analysis, words = told(wait_for_file(folder, "disarmed by ann@cell"))
    assert words["in charge"].startswith("the operator, by hand (teleop)")
    assert analysis.standstill.moving and analysis.standstill.after < 1.0
    graph.mode("stopped")


def test_the_recorder_s_end_is_told_and_stops_nothing(graph: RunningGraph) -> None:
    drive_again(graph)
    graph.kill("blackbox")
    graph.press("w", 2.5)
    assert graph.modes[-1] == "active_teleop" and graph.states[-1].armed
    graph.printed(r"its process ended: node 'blackbox' is dead")
    graph.printed(r"the graph goes on without 'blackbox'")
    graph.client.spin(RELEASED)
    assert graph.process.poll() is None
    graph.mode("hold")


def test_the_death_of_safety_leaves_a_file_even_where_its_folder_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The supervisor ends the graph soon after; what is not written yet is written then."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with RunningGraph(free_domain(), blackbox_folder="/proc/blackbox", **LEAN) as graph:
        graph.printed(r"no file can be written to /proc/blackbox \(.*\): they go to .* instead", START)
        graph.up().drive()
        graph.press("w", 0.5)
        graph.kill("safety")
        graph.press("w", 0.3)
        assert graph.ended(2 * SOON) == 1
    (written,) = tmp_path.glob("reins-blackbox-*")
    path = wait_for_file(written, "node 'safety' has ended")
    recording, analysis, words = told(path)
    assert words["stop"] == recording.case.reason
    assert recording.case.kind == "robot_stopped" and recording.case.mode == "active_teleop"
    assert analysis.standstill.moving and analysis.standstill.after < 2.0
    assert recording.end > 0.2, "the braking is on record"
