"""A gripper behind ros2_control, in a thread of its own."""

import time
from collections.abc import Callable
from importlib import import_module
from threading import Condition, Thread
from typing import Any, Final, Protocol

from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from reins.contracts.errors import ReinsError
from reins.hardware.profile import Gripper
from reins.hardware.robot import GripperCommand
from reins.hardware.ros2_control import GripperController, GripperControls
from reins.hardware.streaming.session import Fingers
from reins.nodes.control_loop import Inbox
from reins.nodes.qos import CONTROL
from reins.nodes.ros2_control.joint_states import JointReader, Misread
from reins.nodes.ros2_control.link import Link, absolute
from reins.nodes.ros2_control.setpoints import SETPOINTS

POLL: Final = 0.02
"""Time between two looks at the fingers [s]."""

APPEAR: Final = 4.0
"""How long joint states and the controller may take to be discovered [s]."""

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
        _await(lambda: link.node.count_subscribers(topic) > 0, f"nobody listens on {topic}: is it configured?")

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
        _await(self._client.server_is_ready, f"no gripper action {self._name} answers; activate its controller")
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


def _await(ready: Any, otherwise: str) -> None:
    end = time.monotonic() + APPEAR
    while not ready():
        if time.monotonic() > end:
            raise ReinsError(otherwise)
        time.sleep(0.01)


KINDS: Final[dict[GripperControls, Callable[[Link, str], _Controller]]] = {
    GripperControls.ACTION: _Action,
    GripperControls.POSITION: _Forwarded,
}


class Ros2ControlHand:
    """Implements `reins.hardware.streaming.session.Hand`. The newest command wins.

    Args:
        gripper: which controller, and what its joint's positions mean.
        limits: of the profile.
        prefix, joint_states: as in `Ros2ControlDrive`.

    Raises:
        ReinsError: it does not answer; says what to do.
    """

    def __init__(self, gripper: GripperController, limits: Gripper, prefix: str, joint_states: str) -> None:
        self._gripper, self._limits = gripper, limits
        self._topic = absolute(joint_states)
        self._reader = JointReader([prefix + gripper.joint], self._topic)
        self._changed = Condition()
        self._wanted: GripperCommand | None = None
        self._frozen = self._recovering = self._closing = False
        self._link, self._inbox, self._controller, self._fingers = self._connect()
        self._heard_at = self._moved_at = time.monotonic()
        self._rested_at = self._fingers.width
        self._thread = Thread(target=self._run, name="ros2-control-hand", daemon=True)
        self._thread.start()

    def _connect(self) -> tuple[Link, "Inbox[JointState]", _Controller, Fingers]:
        link = Link("gripper")
        try:
            inbox = Inbox(link.node, JointState, self._topic, CONTROL)
            found: list[float] = []

            def heard() -> bool:
                found.extend(width for width in [self._look(inbox)] if width is not None)
                return bool(found)

            _await(heard, f"{self._topic} has no joint '{self._gripper.joint}' of the gripper; is it in the profile?")
            return link, inbox, KINDS[self._gripper.controls](link, self._gripper.controller), Fingers(found[-1], False)
        except ReinsError:
            link.close()
            raise

    def fingers(self) -> Fingers:
        """The newest state; never blocks."""
        with self._changed:
            return self._fingers

    def command(self, command: GripperCommand) -> None:
        """Do this from now on; never blocks. The same command again changes nothing."""
        with self._changed:
            if command != self._wanted:
                self._wanted = command
                self._changed.notify()

    def freeze(self) -> None:
        """Stop the fingers where they are; what they hold they keep holding."""
        with self._changed:
            if self._wanted is not None:
                self._wanted, self._frozen = None, True
                self._changed.notify()

    def recover(self) -> None:
        """Clear the trouble; no earlier command resumes."""
        with self._changed:
            self._recovering = True
            self._changed.notify()

    def close(self) -> None:
        """End the thread; the fingers keep what they hold."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(timeout=2.0)
        self._link.close()

    # What follows runs in the hand's own thread.

    def _run(self) -> None:
        doing: GripperCommand | None = None
        while True:
            with self._changed:
                self._changed.wait(POLL)
                wanted, frozen, recovering, closing = self._wanted, self._frozen, self._recovering, self._closing
                self._frozen = self._recovering = False
                fingers = self._fingers
            if closing:
                return
            if recovering:
                fingers, doing, self._heard_at = Fingers(fingers.width, False), None, time.monotonic()
            if not fingers.trouble:
                doing = self._drive(doing, wanted, frozen, fingers)
                fingers = self._watch(fingers, doing)
            with self._changed:
                self._fingers = fingers
                if recovering:
                    self._wanted = None

    def _drive(
        self, doing: GripperCommand | None, wanted: GripperCommand | None, frozen: bool, fingers: Fingers
    ) -> GripperCommand | None:
        """Send what is new; what is being done now."""
        if frozen and not fingers.holding:
            self._controller.send(self._position(fingers.width), self._limits.grasp_force)
        if wanted is None or wanted == doing:
            return doing if wanted is not None or fingers.holding else None
        width = min(max(wanted.width, 0.0), self._limits.max_width)
        self._controller.send(self._position(width), min(wanted.force, self._limits.max_force))
        self._moved_at = time.monotonic()
        return wanted

    def _watch(self, before: Fingers, doing: GripperCommand | None) -> Fingers:
        now, width = time.monotonic(), self._look(self._inbox)
        if width is not None:
            self._heard_at = now
            if abs(width - self._rested_at) > MOVING:
                self._moved_at, self._rested_at = now, width
        elif now - self._heard_at > SILENCE:
            return Fingers(before.width, False, f"{self._topic} no longer tells the gripper's '{self._gripper.joint}'")
        width = before.width if width is None else width
        holding = doing is not None and now - self._moved_at > RESTING and width > doing.width + STALLED
        return Fingers(width, holding, self._controller.refused())

    def _look(self, inbox: "Inbox[JointState]") -> float | None:
        """The newest width [m], if there is one."""
        width = None
        for message in inbox.drain():
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
