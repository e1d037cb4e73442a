"""The teleop node: joystick, keyboard and cmd_vel to command/teleop, and the operator's requests to the safety node."""

import math
import time
from contextlib import suppress
from functools import partial
from typing import Any, Final, Literal

from geometry_msgs.msg import Twist, TwistStamped
from pydantic import Field
from rclpy.client import Client
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.task import Future
from reins_msgs import msg as ros
from reins_msgs.srv import EmergencyStop, HandBack, Reset
from sensor_msgs.msg import Joy
from std_msgs.msg import String

from reins.contracts.errors import ReinsError
from reins.contracts.event import SafetyEvent, Severity
from reins.hardware.profile import load_profile
from reins.hardware.profile_base import Profile
from reins.nodes.base import ManagedNode
from reins.nodes.control_loop import ControlLoop, Inbox
from reins.nodes.convert import event_to_msg
from reins.nodes.convert_legged import six_of
from reins.nodes.pad_thread import PadThread
from reins.nodes.parameters import Settings
from reins.nodes.qos import CONTROL, EVENTS
from reins.nodes.rivals import PublisherNames, Rivals
from reins.nodes.running import run
from reins.nodes.wires import wire_of
from reins.teleop.core import GAMEPAD, TeleopCore
from reins.teleop.gamepad import AXES, BUTTONS, Reading
from reins.teleop.intent import Action
from reins.teleop.mapping import load_joy_mapping, load_key_mapping
from reins.teleop.settings import TeleopSettings

KEYS_TOPIC: Final = "teleop/keys"
"""One std_msgs/String for each key press or repeat of a terminal."""

KEYS: Final = QoSProfile(depth=20, reliability=ReliabilityPolicy.RELIABLE)

STICKS: Final = QoSProfile(depth=20, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Hears publishers of either reliability: a stick's e-stop counts whatever its node chose."""

PAD_YIELDS: Final = 5.0
"""The gamepad of this machine is left to a node that has sent on joy within this time [s]; one that sends changes only
is often quiet for a while."""

TWISTS: Final = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Only the newest counts; hears publishers of either reliability."""

RIVALS: Final = "several nodes send on joy, and none of them counts; stop all but one"

RIVALS_PAUSE: Final = 1.0
"""How long one node alone must send on joy until it counts again [s]."""

WHO: Final = "teleop operator"
"""Who asks, in the name of the person at the stick."""


class TeleopNodeSettings(TeleopSettings, Settings):
    """Parameters of the teleop node: the core's own, the robot, and the mappings."""

    robot: str = Field("franka", description="robot profile: a name, or the path of a YAML file")
    joystick: str = Field("gamepad", description="mapping of the topic joy: a name, or the path of a YAML file")
    pad: Literal["auto", "off"] = Field(
        "auto", description="auto: read a gamepad of this machine directly while nobody sends joy; off: never"
    )
    pad_mapping: str = Field("gamepad", description="mapping of that gamepad: a name, or the path of a YAML file")
    enable_stamped_cmd_vel: bool = Field(
        False, description="cmd_vel is geometry_msgs/TwistStamped instead of Twist, as the same parameter says in Nav2"
    )
    keyboard: str = Field("keyboard", description="keyboard mapping: a name, or the path of a YAML file")


class TeleopNode(ManagedNode[TeleopNodeSettings]):
    """Wiring around one `TeleopCore`, which lives in the control thread."""

    def __init__(self) -> None:
        super().__init__("teleop", TeleopNodeSettings)
        self._loop: ControlLoop | None = None
        self._pad: PadThread | None = None
        self._robot_state: Any = None

    def configure(self) -> None:
        """Load the mappings; make topics and clients."""
        settings = self.settings
        pad_mapping = load_joy_mapping(settings.pad_mapping)
        if missing := pad_mapping.missing(AXES, BUTTONS):
            raise ReinsError(f"pad_mapping '{settings.pad_mapping}': {missing}")
        profile = self._profile = load_profile(settings.robot, Profile)
        self._wire = wire_of(profile)
        self._core = TeleopCore(
            profile,
            load_joy_mapping(settings.joystick),
            load_key_mapping(settings.keyboard),
            settings,
            pad_mapping,
        )
        self._commands = self.create_publisher(self._wire.command, "command/teleop", CONTROL)
        self._events = self.create_publisher(ros.SafetyEvent, "safety/events", EVENTS)
        self._states: Inbox[Any] = Inbox(self, self._wire.state, "robot_state", CONTROL)
        self._joy = Inbox(self, Joy, "joy", STICKS)
        self._joy_at = -math.inf
        self._rivals, self._rivalry = Rivals(RIVALS_PAUSE), False
        self._naming = PublisherNames(self, self._joy.topic, self._name_rivals)
        self._twists: Inbox[Any] = Inbox(
            self, TwistStamped if settings.enable_stamped_cmd_vel else Twist, "cmd_vel", TWISTS
        )
        self._keys = Inbox(self, String, KEYS_TOPIC, KEYS)
        self._asks: dict[Action, tuple[Client, Any]] = {
            Action.ESTOP: (
                self.create_client(EmergencyStop, "safety/estop"),
                EmergencyStop.Request(requested_by=WHO, reason="emergency stop pressed"),
            ),
            Action.RESET: (self.create_client(Reset, "safety/reset"), Reset.Request(requested_by=WHO)),
            Action.HAND_BACK: (self.create_client(HandBack, "safety/hand_back"), HandBack.Request(requested_by=WHO)),
        }
        self._summary = ""

    def activate(self) -> None:
        """Start the control thread."""
        ways: list[tuple[Inbox[Any], Any]] = [(self._joy, self._on_joy), (self._keys, self._on_key)]
        ways.append((self._twists, self._on_twist))
        self._loop = ControlLoop(self, 1.0 / self.settings.rate, self._tick, ways, self.fail, real_time=True)
        self._loop.start()
        if self.settings.pad == "auto":
            self._pad = PadThread(self._on_reading, self._others_send, self.log)
            self._pad.start()

    def deactivate(self) -> None:
        """Fall silent, which safety takes as a released dead-man."""
        if self._pad is not None:
            self._pad.stop()
            self._pad = None
        if self._loop is not None:
            self._loop.stop()
            self._loop = None

    def pulse(self) -> bool:
        """The control thread ticks, while there is one."""
        loop = self._loop
        return loop is None or loop.alive(10.0 / self.settings.rate)

    def _on_joy(self, message: Joy) -> None:
        """Of two sticks, each lets go of the dead-man that the other holds: neither drives."""
        now, before = time.monotonic(), self._rivalry
        self._joy_at = now
        self._rivalry = self._rivals.send(self._joy.publishers(), self._joy.number, now)
        if self._rivalry and not before:
            self._naming.ask()
        objection = RIVALS if self._rivalry else ""
        self._core.on_joy(list(message.axes), list(message.buttons), now, objection=objection)
        self._pass_requests_on()

    def _others_send(self) -> bool:
        """In the gamepad's thread. A node that only says it would publish joy takes no e-stop button away."""
        return time.monotonic() - self._joy_at < PAD_YIELDS

    def _name_rivals(self, names: str) -> None:
        """In the executor's thread."""
        stamp = self._robot_state.stamp if self._robot_state is not None else 0.0
        self._tell(SafetyEvent(stamp, Severity.ERROR, "publishers", "teleop", f"nodes that publish joy: {names}"))

    def _on_twist(self, message: Any) -> None:
        """By the time of its arrival: the stamp of a stamped one is of its publisher's clock."""
        twist = message.twist if self.settings.enable_stamped_cmd_vel else message
        self._core.on_cmd_vel(six_of(twist).tolist(), time.monotonic())

    def _on_reading(self, reading: Reading | None) -> None:
        """In the gamepad's thread: into the control thread."""
        loop = self._loop
        if loop is None:
            return

        def take() -> None:
            if reading is None:
                self._core.on_unplugged(GAMEPAD)
            else:
                self._core.on_joy(reading.axes, reading.buttons, time.monotonic(), GAMEPAD)
            self._pass_requests_on()

        with suppress(TimeoutError):  # the loop has ended, or hangs, which its heartbeat tells
            loop.call(take, even_late=True)  # it may be an emergency stop

    def _on_key(self, message: String) -> None:
        self._core.on_key(message.data, time.monotonic())
        self._pass_requests_on()

    def _pass_requests_on(self) -> None:
        """At once, not at the next tick: one of them is the emergency stop."""
        for action in self._core.take_requests():
            client, request = self._asks[action]
            client.call_async(request).add_done_callback(partial(self._answered, action))

    def _answered(self, action: Action, future: Future) -> None:
        """In the executor's thread."""
        answer = future.result()
        self.log(Severity.INFO if answer.accepted else Severity.WARN, f"{action.value}: {answer.message}")

    def _tick(self, _due: float) -> None:
        for message in self._states.drain():
            state = self._wire.state_from_msg(message)
            if not self._wire.objection(state, self._profile):  # of which the safety monitor tells
                self._robot_state = state
        if self._robot_state is None:
            return
        command = self._core.step(self._robot_state, time.monotonic())
        if command is not None:
            self._commands.publish(self._wire.command_to_msg(command))
        for event in self._core.take_events():
            self._tell(event)
        if self._core.summary != self._summary:
            self._summary = self._core.summary
            self.log(Severity.INFO, self._summary)

    def _tell(self, event: SafetyEvent) -> None:
        self._events.publish(event_to_msg(event))
        self.log(event.severity, event.reason)


def main() -> int:
    """Run the teleop node."""
    return run(TeleopNode)
