"""What holds for all tests."""

import gc
import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from unittest.mock import patch

import pytest
from hypothesis import settings

# CUDA builds of PyTorch bring triton, and with it an LLVM of its own. The software renderer brings another one, and a
# process that has both crashes. What trains here runs on the processor and needs no triton.
sys.modules["triton"] = None  # type: ignore[assignment]

settings.register_profile(
    "reins",
    deadline=None,  # what is slow on a busy machine is a benchmark's to say
    derandomize=True,  # a test that fails fails again
    max_examples=50,
)
settings.load_profile("reins")


OPEN_FILES: Final = Path("/proc/self/fd")
MANY: Final = 60
"""Open files of a process with some ten participants of DDS, each of which has five sockets."""


@pytest.fixture(scope="session", autouse=True)
def _logs_are_temporary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Graphs leave neither logs nor black box files at home, where those of real stops are."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("ROS_LOG_DIR", str(tmp_path_factory.mktemp("ros_logs")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _graphs_stay_on_this_machine() -> Iterator[None]:
    """Nodes of this process hear the local host alone. Fast DDS reads how once in a process, so it stands for all tests
    from the start; a process that a test starts with another range has its own."""
    with patch.dict(os.environ, {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}):
        if find_spec("rclpy"):
            from reins.nodes.middleware import avoid_shared_memory

            avoid_shared_memory()
        yield


@pytest.fixture(scope="module", autouse=True)
def _the_environment_stays() -> Iterator[None]:
    """What a node sets for its own process must not reach the graphs of later tests."""
    with patch.dict(os.environ):
        yield


@pytest.fixture(autouse=True)
def _nodes_do_not_add_up(request: pytest.FixtureRequest) -> Iterator[None]:
    """A node is a cycle of references, which lives until the collector comes by; one that ran here has frozen what was
    alive then, which lives for good. Beyond the 32nd participant of a process, none finds another one of it."""
    yield
    if request.node.get_closest_marker("ros") and OPEN_FILES.exists() and len(list(OPEN_FILES.iterdir())) > MANY:
        gc.unfreeze()
        gc.collect()


def pytest_addoption(parser: pytest.Parser) -> None:
    """An option for machines that others use at the same time."""
    parser.addoption(
        "--rerun-graphs",
        type=int,
        default=0,
        metavar="N",
        help="run a failed test of ROS nodes again up to N times: on a shared machine it may miss a real-time deadline",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Only nodes have real-time deadlines; whatever else fails has failed."""
    if reruns := config.getoption("--rerun-graphs"):
        for item in items:
            if item.get_closest_marker("ros"):
                item.add_marker(pytest.mark.flaky(reruns=reruns, reruns_delay=2))
