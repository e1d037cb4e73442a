"""The whole demo over a vendor's protocol: the real driver in the graph, our world behind the peer."""

from importlib.util import find_spec

import pytest

pytest.importorskip("rclpy")
pytest.importorskip("reins_msgs")

from reins.bench.tabletop_ros import run_tabletop_ros
from reins.rig import RigSettings

pytestmark = [pytest.mark.ros, pytest.mark.slow]

BACKENDS = [
    pytest.param(
        "franka",
        "franka_peer",
        marks=pytest.mark.skipif(not find_spec("franky"), reason="franky-control is not installed"),
    )
]


@pytest.mark.timeout(420)
@pytest.mark.parametrize("robot, backend", BACKENDS)
def test_a_task_is_done_over_the_robots_own_protocol(robot: str, backend: str) -> None:
    report = run_tabletop_ros(RigSettings(robot=robot, backend=backend), 1, 1)
    (episode,) = report.episodes
    assert episode["success"], episode
    assert not any(episode["limit_violations"].values()), episode
