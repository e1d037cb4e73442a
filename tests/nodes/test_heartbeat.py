"""Whose heartbeat counts when two processes beat under one name."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from reins_msgs.msg import Heartbeat

from reins.nodes.heartbeat import ABANDONED, NodeWatch
from reins.safety.processes import this_machine


@pytest.fixture
def watch() -> Iterator[NodeWatch]:
    watch = NodeWatch(["robot", "safety"])
    yield watch
    watch.close()


def beat(pid: int, node: str = "robot") -> Heartbeat:
    return Heartbeat(node=node, machine=this_machine(), pid=pid)


def sleeper() -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-S", "-E", "-c", "import time; time.sleep(60)"])


def kill(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()


def ended(watch: NodeWatch) -> list[str]:
    end = time.monotonic() + 2.0
    while time.monotonic() < end:
        if names := watch.ended():
            return names
    return []


def test_a_stranger_neither_counts_nor_dies_for_the_owner(watch: NodeWatch) -> None:
    stranger = sleeper()
    assert watch.counts(beat(os.getpid()), 0.0)
    assert not watch.counts(beat(stranger.pid), 0.1)
    assert watch.counts(beat(stranger.pid, "safety"), 0.1)
    kill(stranger)
    assert ended(watch) == ["safety"]


def test_two_of_a_name_are_told_once_with_both_processes(watch: NodeWatch) -> None:
    watch.counts(beat(7), 0.0)
    assert watch.twice() == []
    for pid in (8, 9, 8):
        watch.counts(beat(pid), 0.1)
    (told,) = watch.twice()
    assert "two nodes are called 'robot'" in told
    assert f"process 7 of machine {this_machine()[:8]}, which is watched, and process 8 of" in told
    watch.counts(beat(8), 0.2)
    assert watch.twice() == []


def test_another_owner_may_have_a_second_as_well(watch: NodeWatch) -> None:
    first = sleeper()
    watch.counts(beat(first.pid), 0.0)
    watch.counts(beat(7), 0.1)
    kill(first)
    assert ended(watch) == ["robot"] and len(watch.twice()) == 1
    watch.counts(beat(8), 0.2)
    watch.counts(beat(9), 0.2)
    assert len(watch.twice()) == 1


@pytest.mark.parametrize(("later", "counts"), [(ABANDONED - 1e-6, False), (ABANDONED, True)])
def test_a_silent_owner_is_succeeded(watch: NodeWatch, later: float, counts: bool) -> None:
    stranger = sleeper()
    try:
        assert watch.counts(beat(os.getpid()), 0.0)
        assert watch.counts(beat(stranger.pid), later) is counts
    finally:
        kill(stranger)


def test_a_restarted_node_counts_at_once(watch: NodeWatch) -> None:
    first = sleeper()
    assert watch.counts(beat(first.pid), 0.0)
    kill(first)
    assert ended(watch) == ["robot"]
    assert watch.counts(beat(os.getpid()), 0.1)


def test_names_that_do_not_matter_cost_nothing(watch: NodeWatch) -> None:
    before = len(os.listdir("/proc/self/fd"))
    assert not any(watch.counts(beat(os.getpid(), f"node_{number}"), 0.0) for number in range(100))
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("pid", [0, 2**31 - 1, 2**31, 2**32 - 1])
def test_a_process_that_there_cannot_be_counts_by_its_beats_alone(watch: NodeWatch, pid: int) -> None:
    assert watch.counts(beat(pid), 0.0)
    assert watch.ended() == []
