"""The teleop node listens to cmd_vel of the type that its parameter says, Twist or TwistStamped."""

import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import rclpy
from geometry_msgs.msg import Twist, TwistStamped
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.utilities import try_shutdown
from reins_msgs import msg as ros

from reins.demo.session import free_domain
from reins.hardware.legged import LeggedState, Odometry, Posture
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.nodes.control_loop import Inbox
from reins.nodes.convert_legged import body_command_from_msg, legged_state_to_msg
from reins.nodes.qos import CONTROL
from reins.nodes.teleop import TeleopNode

pytestmark = pytest.mark.ros

SOON = 10.0


@pytest.fixture
def make() -> Iterator[Callable[[bool], TeleopNode]]:
    """Makes an active teleop node of a Go2."""
    nodes: list[TeleopNode] = []

    def node(stamped: bool) -> TeleopNode:
        given = {"robot": "go2", "pad": "'off'", "enable_stamped_cmd_vel": str(stamped).lower()}
        words = [word for name, value in given.items() for word in ("-p", f"{name}:={value}")]
        rclpy.init(args=["--ros-args", *words], domain_id=free_domain())
        nodes.append(TeleopNode())
        nodes[-1].trigger_configure()
        nodes[-1].trigger_activate()
        assert nodes[-1].state == "active"
        return nodes[-1]

    yield node
    for made in nodes:
        made.close()
        made.destroy_node()
    try_shutdown()


def state_of_a_standing_robot() -> ros.LeggedState:
    profile, upright = load_profile("go2", QuadrupedProfile), np.array([0.0, 0.0, 0.0, 1.0])
    zeros, odometry = np.zeros(12), Odometry(np.zeros(3), upright, np.zeros(3), np.zeros(3))
    feet = np.ones(4, dtype=bool)
    state = LeggedState(5.0, upright, profile.home, zeros, zeros, feet, 0.9, odometry, height=0.3)
    return legged_state_to_msg(state, True)


@pytest.mark.parametrize("reliability", [ReliabilityPolicy.RELIABLE, ReliabilityPolicy.BEST_EFFORT])
@pytest.mark.parametrize("stamped", [False, True])
def test_what_comes_there_is_passed_on(
    make: Callable[[bool], TeleopNode], stamped: bool, reliability: ReliabilityPolicy
) -> None:
    make(stamped)
    other = Node("other")
    robot = other.create_publisher(ros.LeggedState, "robot_state", CONTROL)
    qos = QoSProfile(depth=1, reliability=reliability)
    navigation = other.create_publisher(TwistStamped if stamped else Twist, "cmd_vel", qos)
    heard = Inbox(other, ros.BodyCommand, "command/teleop", CONTROL)
    message = TwistStamped() if stamped else Twist()
    twist = message.twist if stamped else message
    twist.linear.x, twist.linear.y, twist.angular.z = 0.3, -0.1, 0.2
    end = time.monotonic() + SOON
    while not (taken := heard.drain()):
        assert time.monotonic() < end, "no command"
        robot.publish(state_of_a_standing_robot())
        navigation.publish(message)
        time.sleep(0.02)
    command = body_command_from_msg(taken[-1])
    assert command.velocity.tolist() == [0.3, -0.1, 0.2]
    assert (command.source, command.posture) == ("teleop", Posture.STAND)
    other.destroy_node()
