"""The whole demo over a vendor's protocol: the real driver in the graph, our world behind the peer."""

from importlib.util import find_spec

import pytest

pytest.importorskip("rclpy")
pytest.importorskip("reins_msgs")

from reins.bench.tabletop_ros import run_tabletop_ros
from reins.rig import RigSettings

pytestmark = [pytest.mark.ros, pytest.mark.slow]

BACKENDS = [("franka", "franka_peer", "franky"), ("ur5e", "ur_peer", "rtde_control")]


@pytest.mark.timeout(420)
@pytest.mark.parametrize("robot, backend, library", BACKENDS, ids=["libfranka", "rtde"])
def test_a_task_is_done_over_the_robots_own_protocol(robot: str, backend: str, library: str) -> None:
    if not find_spec(library):
        pytest.skip(f"{library} is not installed")
    report = run_tabletop_ros(RigSettings(robot=robot, backend=backend), 1, 1)
    (episode,) = report.episodes
    assert episode["success"], episode
    assert not any(episode["limit_violations"].values()), episode
