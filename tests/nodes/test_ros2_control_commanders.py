"""Who else commands a controller of ros2_control, seen in the graph without the messages of its action."""

import time
from collections.abc import Callable, Iterator

import pytest

pytest.importorskip("rclpy")

from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from reins.demo.session import free_domain
from reins.hardware.ros2_control import Controls, Ros2ControlDrive
from reins.nodes.ros2_control.commanders import Commanders
from reins.nodes.ros2_control.link import Link

pytestmark = pytest.mark.ros

TOPIC = "/joint_trajectory_controller/joint_trajectory"
GOALS = "/joint_trajectory_controller/follow_joint_trajectory/_action/send_goal"


@pytest.fixture
def links(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Link, Link]]:
    """The driver's, which publishes setpoints, and somebody else's."""
    monkeypatch.setenv("ROS_DOMAIN_ID", str(free_domain()))
    ours, other = Link("arm"), Link("intruder")
    ours.node.create_publisher(JointTrajectory, TOPIC, 1)
    yield ours, other
    ours.close()
    other.close()


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 10.0
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_client_of_the_controllers_action_is_another_commander(links: tuple[Link, Link]) -> None:
    """As MoveIt is one; a service of that name stands in the graph as the action's own does."""
    ours, moveit = links
    commanders = Commanders(ours, Ros2ControlDrive())
    forwarded = Commanders(ours, Ros2ControlDrive(controls=Controls.POSITION))
    assert not commanders.there() and commanders.told() == ""
    client = moveit.node.create_client(Trigger, GOALS)
    until(lambda: commanders.there() and moveit.node.get_name() in commanders.told())
    assert commanders.told().startswith("the action /joint_trajectory_controller/follow_joint_trajectory has a client:")
    assert not forwarded.there(), "a controller that forwards arrays has no action"
    moveit.node.destroy_client(client)
    until(lambda: not commanders.there() and commanders.told() == "")


def test_another_publisher_is_another_commander_and_ones_own_is_not(links: tuple[Link, Link]) -> None:
    ours, other = links
    commanders = Commanders(ours, Ros2ControlDrive())
    until(lambda: ours.node.count_publishers(TOPIC) == 1)
    assert not commanders.there() and commanders.told() == ""
    other.node.create_publisher(JointTrajectory, TOPIC, 1)
    until(lambda: commanders.there() and other.node.get_name() in commanders.told())
    assert ours.node.get_name() not in commanders.told()
