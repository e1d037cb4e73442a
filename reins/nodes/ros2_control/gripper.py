"""A gripper behind ros2_control."""

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final, Protocol

from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from reins.contracts.errors import ReinsError
from reins.hardware.profile import Gripper
from reins.hardware.robot import GripperCommand
from reins.hardware.ros2_control import GripperController, GripperControls
from reins.hardware.streaming.hand import PolledHand
from reins.hardware.streaming.session import Fingers
from reins.nodes.control_loop import Inbox
from reins.nodes.qos import CONTROL
from reins.nodes.ros2_control.joint_states import JointReader, Misread
from reins.nodes.ros2_control.link import Link, absolute, wait_for
from reins.nodes.ros2_control.setpoints import SETPOINTS

SILENCE: Final = 1.0
"""Fingers that nothing was heard of for longer do not work [s]."""

STALLED: Final = 0.003
"""Fingers that rest farther than this above the width that they close to hold something [m]."""

RESTING: Final = 0.15
"""Fingers that did not move for this long rest [s]."""

MOVING: Final = 0.0005
"""Less than this is no motion [m]."""


class _Controller(Protocol):
    """Sends targets to the gripper's controller."""

    def send(self, position: float, force: float) -> None:
        """Have the joint go to `position`, pushing with at most `force` [N]."""

    def refused(self) -> str:
        """Why the last target was not taken; empty if it was."""
        ...


class _Forwarded:
    """A controller that forwards a position; the force is the hardware's own."""

    def __init__(self, link: Link, controller: str) -> None:
        topic = f"{absolute(controller)}/commands"
        self._publisher = link.node.create_publisher(Float64MultiArray, topic, SETPOINTS)
        if wait_for(lambda: link.node.count_subscribers(topic) or None) is None:
            raise ReinsError(f"nobody listens on {topic}: is it configured?")

    def send(self, position: float, force: float) -> None:
        self._publisher.publish(Float64MultiArray(data=[position]))

    def refused(self) -> str:
        return ""


class _Action:
    """A gripper action controller; a new goal replaces the one before it."""

    def __init__(self, link: Link, controller: str) -> None:
        try:
            self._kind = import_module("control_msgs.action").GripperCommand
        except ImportError:
            raise ReinsError(
                "a gripper action needs the package control_msgs, which comes with ros2_control; "
                "or drive the gripper by positions (ros2_control.gripper.controls: position)"
            ) from None
        self._link, self._name = link, f"{absolute(controller)}/gripper_cmd"
        self._client = link.action_client(self._kind, self._name)
        if wait_for(lambda: self._client.server_is_ready() or None) is None:
            raise ReinsError(f"no gripper action {self._name} answers; activate its controller")
        self._asked: Any = None

    def send(self, position: float, force: float) -> None:
        goal = self._kind.Goal()
        goal.command.position, goal.command.max_effort = position, force
        self._asked = self._client.send_goal_async(goal)

    def refused(self) -> str:
        self._link.look()
        if self._asked is None or not self._asked.done():
            return ""
        accepted = self._asked.result().accepted
        self._asked = None
        return "" if accepted else f"{self._name} takes no goal; is its controller active?"


KINDS: Final[dict[GripperControls, Callable[[Link, str], _Controller]]] = {
    GripperControls.ACTION: _Action,
    GripperControls.POSITION: _Forwarded,
}


def ros2_control_hand(gripper: GripperController, limits: Gripper, prefix: str, joint_states: str) -> PolledHand:
    """The gripper.

    Args:
        gripper: which controller, and what its joint's positions mean.
        limits: of the profile.
        prefix, joint_states: as in `Ros2ControlDrive`.

    Raises:
        ReinsError: it does not answer; says what to do.
    """
    return PolledHand("ros2-control-hand", lambda: Ros2ControlGrip(gripper, limits, prefix, joint_states))


class Ros2ControlGrip:
    """One way to the gripper, and what it is doing; implements `reins.hardware.streaming.hand.Grip`.

    Args:
        gripper, limits, prefix, joint_states: as for `ros2_control_hand`.

    Raises:
        ReinsError: it does not answer; says what to do.
    """

    def __init__(self, gripper: GripperController, limits: Gripper, prefix: str, joint_states: str) -> None:
        self._gripper, self._limits = gripper, limits
        self._topic = absolute(joint_states)
        self._reader = JointReader([prefix + gripper.joint], self._topic)
        self._doing: GripperCommand | None = None
        self._link = Link("gripper")
        try:
            self._inbox: Inbox[JointState] = Inbox(self._link.node, JointState, self._topic, CONTROL)
            width = wait_for(self._look)
            if width is None:
                raise ReinsError(
                    f"{self._topic} has no joint '{prefix}{gripper.joint}' of the gripper; is it in the profile?"
                )
            self._controller = KINDS[gripper.controls](self._link, gripper.controller)
        except ReinsError:
            self._link.close()
            raise
        self._fingers, self._rested_at = Fingers(width, False), width
        self._heard_at = self._moved_at = time.monotonic()

    def turn(self, wanted: GripperCommand | None, frozen: bool) -> Fingers:
        """Send what is wanted if it is new, and look at the fingers; never waits. What they hold they keep holding.

        Raises:
            ReinsError: nothing is heard of the fingers, or the controller takes no commands.
        """
        if frozen and not self._fingers.holding:
            self._controller.send(self._position(self._fingers.width), self._limits.grasp_force)
            self._doing = None
        if wanted is not None and wanted != self._doing:
            width = min(max(wanted.width, 0.0), self._limits.max_width)
            self._controller.send(self._position(width), min(wanted.force, self._limits.max_force))
            self._doing, self._moved_at = wanted, time.monotonic()
        self._fingers = self._watch(self._fingers.width)
        if refused := self._controller.refused():
            raise ReinsError(refused)
        return self._fingers

    def close(self) -> None:
        """Leave the graph."""
        self._link.close()

    def _watch(self, before: float) -> Fingers:
        """The fingers now, which were at the width `before` [m]."""
        now, width = time.monotonic(), self._look()
        if width is None:
            if now - self._heard_at > SILENCE:
                raise ReinsError(f"{self._topic} no longer tells the gripper's '{self._gripper.joint}'")
            width = before
        else:
            self._heard_at = now
        if abs(width - self._rested_at) > MOVING:
            self._moved_at, self._rested_at = now, width
        doing = self._doing
        holding = doing is not None and now - self._moved_at > RESTING and width > doing.width + STALLED
        return Fingers(width, holding)

    def _look(self) -> float | None:
        """The newest width [m], if there is one."""
        width = None
        for message in self._inbox.drain():
            try:
                sample = self._reader.read(message)
            except Misread:  # silence says so in the end
                continue
            if sample is not None:
                width = self._width(float(sample.position[0]))
        return width

    def _width(self, position: float) -> float:
        gripper = self._gripper
        return (position - gripper.closed) / (gripper.open - gripper.closed) * self._limits.max_width

    def _position(self, width: float) -> float:
        gripper = self._gripper
        return gripper.closed + width / self._limits.max_width * (gripper.open - gripper.closed)
