"""Nodes that send on joy: one drives whatever its quality of service; of two neither does, and both are named."""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack

import numpy as np
import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from rclpy.utilities import try_shutdown
from reins_msgs import msg as ros
from sensor_msgs.msg import Joy

from reins.demo.session import free_domain
from reins.hardware.profile import load_profile
from reins.hardware.robot import RobotState
from reins.nodes.control_loop import Inbox
from reins.nodes.convert import robot_state_to_msg
from reins.nodes.qos import CONTROL, EVENTS
from reins.nodes.rivals import Rivals
from reins.nodes.teleop import KEYS, RIVALS_PAUSE, TeleopNode
from reins.teleop.mapping import load_joy_mapping

PAUSE = 1.0
SOON = 10.0


class TestRivals:
    def told(self, *messages: tuple[int, int | None, float]) -> list[bool]:
        rivals = Rivals(PAUSE)
        return [rivals.send(*message) for message in messages]

    def test_one_publisher_has_no_rival_whatever_is_lost(self) -> None:
        assert not any(self.told((1, 7, 0.0), (1, 8, 0.1), (1, 20, 0.2), (1, 1, 0.3), (1, None, 0.4)))

    def test_one_that_is_only_there_is_none(self) -> None:
        assert not any(self.told((2, 7, 0.0), (2, 8, 0.1), (2, 9, 0.2)))

    @pytest.mark.parametrize("first", [1, 2, 500])
    def test_two_that_send_are_found_with_the_second_message_at_the_latest(self, first: int) -> None:
        """Also where both began at the same time, and half of the numbers follow."""
        messages = [(2, first + step // 2, 0.01 * step) for step in range(40)]
        assert self.told(*messages) == [False] + [True] * 39

    def test_alone_it_counts_again_after_a_pause(self) -> None:
        found = self.told((2, 1, 0.0), (2, 9, 0.0), (1, 10, 0.5), (1, 11, PAUSE - 1e-6), (1, 12, PAUSE))
        assert found == [False, True, True, True, False]

    def test_without_numbers_any_second_publisher_is_one(self) -> None:
        assert self.told((1, None, 0.0), (2, None, 0.1)) == [False, True]


class Desk:
    """An active teleop node that hears a robot's states, and sticks by the names of their nodes."""

    def __init__(self, node: TeleopNode, stack: ExitStack) -> None:
        self.node, self._stack = node, stack
        other = Node("listener")
        stack.callback(other.destroy_node)
        profile = load_profile("franka")
        still = np.zeros(len(profile.joints))
        state = RobotState(5.0, profile.home, still, still, profile.home, 0.04, False, 0)
        self._state = robot_state_to_msg(state, True)
        self._robot = other.create_publisher(ros.RobotState, "robot_state", CONTROL)
        self._commands = Inbox(other, ros.JointCommand, "command/teleop", CONTROL)
        self._events = Inbox(other, ros.SafetyEvent, "safety/events", EVENTS)
        self.deadman = load_joy_mapping("gamepad").deadman.button
        self.sticks: dict[Node, bool] = {}
        self._publishers: dict[Node, Publisher] = {}
        self.told: list[str] = []

    def plug_in(self, name: str, held: bool = False, quality: QoSProfile = KEYS) -> Node:
        """A stick, and whether its dead-man is held."""
        stick = Node(name)
        self._stack.callback(stick.destroy_node)
        self._publishers[stick] = stick.create_publisher(Joy, "joy", quality)
        self.sticks[stick] = held
        return stick

    def pull_out(self, stick: Node) -> None:
        """It leaves."""
        del self.sticks[stick]
        stick.destroy_publisher(self._publishers.pop(stick))

    def step(self) -> bool:
        """A fiftieth of a second; whether a command came in it."""
        self._robot.publish(self._state)
        for stick, held in self.sticks.items():
            buttons = [0] * 21
            buttons[self.deadman or 0] = int(held)
            self._publishers[stick].publish(Joy(axes=[0.0] * 6, buttons=buttons))
        time.sleep(0.02)
        self.told += [f"{event.kind}: {event.reason}" for event in self._events.drain()]
        return bool(self._commands.drain())

    def until(self, drives: bool, what: str) -> None:
        """Until commands come, or none has come for half a second."""
        end, quiet = time.monotonic() + SOON, 0
        while quiet < 25:
            assert time.monotonic() < end, what
            came = self.step()
            if drives and came:
                return
            quiet = 0 if came or drives else quiet + 1


@pytest.fixture
def desk() -> Iterator[Desk]:
    rclpy.init(args=["--ros-args", "-p", "pad:='off'"], domain_id=free_domain())
    node, executor = TeleopNode(), SingleThreadedExecutor()
    executor.add_node(node)
    spinning = threading.Thread(target=executor.spin)
    with ExitStack() as stack:
        stack.callback(try_shutdown)
        stack.callback(node.destroy_node)
        stack.callback(node.close)
        stack.callback(spinning.join, SOON)
        stack.callback(executor.shutdown)
        node.trigger_configure()
        node.trigger_activate()
        assert node.state == "active"
        spinning.start()
        yield Desk(node, stack)


@pytest.mark.ros
@pytest.mark.parametrize("quality", [KEYS, CONTROL], ids=["reliable", "best effort"])
def test_a_stick_is_heard_and_the_pad_left_to_it_whatever_its_quality(desk: Desk, quality: QoSProfile) -> None:
    assert not desk.node._others_send()
    stick = desk.plug_in("hand", quality=quality)
    end = time.monotonic() + SOON
    while desk.node._joy.publishers() == 0:
        assert time.monotonic() < end
        time.sleep(0.01)
    assert not desk.node._others_send(), "it is there, and sends nothing: the pad's e-stop must go on counting"
    desk.until(drives=False, what="it never falls silent")
    assert desk.node._others_send()
    desk.sticks[stick] = True
    desk.until(drives=True, what="the stick does not drive")


@pytest.mark.ros
def test_two_sticks_drive_nothing_and_are_named(desk: Desk) -> None:
    first = desk.plug_in("left_hand")
    desk.until(drives=False, what="it never falls silent")
    desk.sticks[first] = True
    desk.until(drives=True, what="one stick does not drive")
    second = desk.plug_in("right_hand")
    desk.until(drives=False, what="two sticks drive")
    assert any("joystick_unusable" in line and "several nodes send on joy" in line for line in desk.told), desk.told
    end = time.monotonic() + SOON
    while not any("nodes that publish joy: /left_hand, /right_hand" in line for line in desk.told):
        assert time.monotonic() < end, desk.told
        desk.step()
    desk.pull_out(second)
    for _ in range(round((RIVALS_PAUSE + 1.0) / 0.02)):
        assert not desk.step(), "held all the while, it must be let go of first"
    desk.sticks[first] = False
    desk.until(drives=False, what="it never falls silent")
    desk.sticks[first] = True
    desk.until(drives=True, what="the stick that is left does not drive")
