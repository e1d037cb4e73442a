"""What holds for all tests."""

import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
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
