"""A graph of one's own, in a ROS domain that nobody uses."""

import socket
from pathlib import Path

import pytest

from reins.contracts.errors import ReinsError

pytestmark = pytest.mark.ros
pytest.importorskip("rclpy", reason="needs ROS 2")

from reins.demo.session import DOMAINS, FIRST_PORT, PORTS_PER_DOMAIN, free_domain, graph  # noqa: E402


def test_a_domain_in_use_is_left_alone() -> None:
    first = free_domain()
    assert first in DOMAINS
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", FIRST_PORT + PORTS_PER_DOMAIN * first + 10))
        assert free_domain() != first


def test_a_graph_that_ends_by_itself_is_told_with_its_last_words(tmp_path: Path) -> None:
    launch = tmp_path / "broken.launch.xml"
    launch.write_text('<launch><node pkg="reins" exec="no_such_node" name="x"/></launch>')
    told = pytest.raises(ReinsError, match=r"ended while it started[\s\S]*no_such_node")
    with told, graph(str(launch), {}, tmp_path / "graph.log", lambda missing: None):
        pytest.fail("it cannot be up")
