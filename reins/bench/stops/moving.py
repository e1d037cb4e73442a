"""A graph whose arm is kept moving, and a record of what it does, by the times at which it was said."""

import os
import re
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final, TypeVar

import numpy as np
from rclpy.publisher import Publisher
from reins_msgs import msg as ros
from reins_msgs.srv import EmergencyStop
from sensor_msgs.msg import Joy
from std_msgs.msg import Bool

from reins.contracts.errors import ReinsError
from reins.demo.session import Session
from reins.hardware.profile import RobotProfile
from reins.nodes.control_loop import ControlLoop, Inbox
from reins.nodes.qos import CONTROL, LATCHED

SPEED: Final = 0.5
"""How fast the first joint is driven [rad/s]."""

MOVING: Final = 0.6 * SPEED
"""The arm moves when its fastest joint is at least this fast [rad/s]."""

STICK: Final = 0.6
"""How far the stick is pushed."""

STICK_MOVES: Final = 0.1
"""The arm follows the stick when its fastest joint is at least this fast [rad/s]."""

RELEASED: Final = 0.2
"""A dead-man counts when it was seen released before; so long it is [s]."""

AXES, BUTTONS, LEFT, DEADMAN, ESTOP = 6, 21, 0, 9, 1
"""Of the gamepad that is pretended, and what the mapping `gamepad` uses of it."""

STANDING: Final = 0.02
"""The arm stands when no joint is faster [rad/s]; a held arm trembles less."""

PATIENCE: Final = 30.0
"""How long the graph may take to be ready to move again [s]."""

KEPT: Final = 3000
"""States and commands that are remembered: half a minute."""

SKILL, TELEOP = "skill", "teleop"

Tamper = Callable[[ros.JointCommand], list[ros.JointCommand]]
MessageT = TypeVar("MessageT")
Said = tuple[float, MessageT]
"""A message and when its publisher sent it, wall clock [s]."""


def as_it_is(command: ros.JointCommand) -> list[ros.JointCommand]:
    """No tampering."""
    return [command]


class MovingGraph:
    """Stands where the skills node stands and drives the first joint to and fro, whatever comes.

    It goes on asking after a fault, with the goal that it had: only `ready` begins a new one. So whatever moves after a
    stop moves unasked.

    Args:
        session: a running graph.
        profile: its robot.
    """

    def __init__(self, session: Session, profile: RobotProfile) -> None:
        self.session, self._profile = session, profile
        self.states: deque[Said[ros.RobotState]] = deque(maxlen=KEPT)
        self.commands: deque[Said[ros.SafeCommand]] = deque(maxlen=KEPT)
        self.modes: deque[Said[ros.SafetyState]] = deque(maxlen=KEPT)
        self.tamper: Tamper = as_it_is
        """What becomes of each command before it is sent."""
        self.heard = ros.JointCommand()
        """The last command that was sent as it is."""
        self.stick: float | None = None
        """How far the operator's stick is pushed, dead-man held; at 0 nothing is held, and None is an unplugged one."""
        self.estop_pressed = False
        """The stick's button for an emergency stop; see `press_estop`."""
        self._sequence, self._velocity = 0, 0.0
        self._activation: Any = None
        self._faults: list[Exception] = []
        node = session.client.node
        self.node = node
        self._skill = node.create_publisher(ros.JointCommand, "command/skill", CONTROL)
        self._joy = node.create_publisher(Joy, "joy", 10)
        self.estop_topic = node.create_publisher(Bool, "safety/estop", 10)
        self.estop_service = node.create_client(EmergencyStop, "safety/estop")
        self.injected = 0.0
        """When the fault was injected, wall clock [s]."""
        self.rogues: list[Publisher] = []
        """Publishers that have no business in the graph."""
        ways: list[tuple[Inbox[Any], Callable[[Any], None]]] = [
            (_Timed(node, ros.RobotState, "robot_state", CONTROL), self._on_state),
            (_Timed(node, ros.SafeCommand, "command/safe", CONTROL), self.commands.append),
            (_Timed(node, ros.SafetyState, "safety/state", LATCHED), self.modes.append),
        ]
        self._loop = ControlLoop(node, 0.02, self._tick, ways, self._faults.append, real_time=True)
        self._loop.start()
        self.until(self.estop_service.service_is_ready, "service safety/estop", PATIENCE)

    def close(self) -> None:
        """Ask for nothing any more."""
        self._loop.stop()

    def pid(self, node: str) -> int:
        """Process of a node, as the launcher told."""
        text = self.session.log.read_text(encoding="utf-8", errors="replace")
        found = re.findall(rf"/{node} started, pid (\d+)", text)
        if not found:
            raise ReinsError(f"the graph has no node '{node}'")
        return int(found[-1])

    def signal(self, node: str, number: int) -> None:
        """Send a node a signal."""
        os.kill(self.pid(node), number)

    def ready(self) -> None:
        """Clear what there is to clear, and wait until a new goal would move the arm."""
        self._velocity, self._activation, self.tamper = 0.0, None, as_it_is
        self.stick, self.estop_pressed = None, False
        end = time.monotonic() + PATIENCE
        while not (self._mode() == "ready" and self.states and self.states[-1][1].armed):
            if time.monotonic() > end:
                raise ReinsError(f"the graph is not ready to move: mode {self._mode()}; see {self.session.log}")
            if self._mode() == "hold":
                self.session.client.hand_back("benchmark")
            elif self._mode() in ("stopped", "estop"):
                self.session.client.reset("benchmark")
            self.session.client.spin(0.05)

    def drive(self) -> None:
        """Begin a new goal, and wait until the arm moves."""
        turn = float(self.states[-1][1].position[0])
        self._activation = self.states[-1][1].header.stamp
        self._velocity = -SPEED if turn > 0.0 else SPEED
        self.until(lambda: self.speed() > MOVING, "arm that moves", PATIENCE)

    def drive_by_stick(self) -> None:
        """Push the operator's stick until the arm moves; left or right, so that it stays in the middle."""
        turn = float(self.states[-1][1].position[0])
        self.stick = 0.0
        time.sleep(RELEASED)
        self.stick = -STICK if turn > 0.0 else STICK
        self.until(lambda: self.speed() > STICK_MOVES, "arm that follows the stick", PATIENCE)

    def press_estop(self) -> None:
        """Press the stick's button for an emergency stop; it stays pressed."""
        self.stick, self.estop_pressed = self.stick or 0.0, True
        self._tick(0.0)

    def until(self, condition: Callable[[], bool], what: str, seconds: float) -> None:
        """Wait. Raises ReinsError when it takes longer."""
        end = time.monotonic() + seconds
        while not condition():
            if self._faults:
                raise ReinsError(f"the benchmark's own loop failed: {self._faults[0]}")
            if time.monotonic() > end:
                raise ReinsError(f"no {what} within {seconds:g} s; see {self.session.log}")
            time.sleep(0.005)

    def speed(self) -> float:
        """Of the fastest joint in the newest state [rad/s]."""
        return speed(self.states[-1][1]) if self.states else 0.0

    def position(self) -> np.ndarray:
        """(n,) of the newest state [rad]."""
        return np.array(self.states[-1][1].position)

    def _mode(self) -> str:
        return self.modes[-1][1].mode_name if self.modes else "unknown"

    def _on_state(self, said: Said[ros.RobotState]) -> None:
        self.states.append(said)
        if self._activation is None:
            return
        self._sequence += 1
        message = ros.JointCommand(source=SKILL, joint_names=list(self._profile.joint_names), sequence=self._sequence)
        message.header.stamp, message.activation = said[1].header.stamp, self._activation
        message.velocity = [self._velocity] + [0.0] * (len(self._profile.joints) - 1)
        message.period = 1.0 / self._profile.rates.command
        if self.tamper is as_it_is:
            self.heard = message
        for command in self.tamper(message):
            self._skill.publish(command)

    def _tick(self, _due: float) -> None:
        if self.stick is not None:
            self._joy.publish(_stick(self.stick, self.estop_pressed))


class _Timed(Inbox[Said[MessageT]]):
    """Gives each message with the time at which it was published."""

    def take(self) -> Said[MessageT] | None:
        handle = self._subscription.handle
        with handle:
            taken = handle.take_message(self._type, False)
        return None if taken is None else (taken[1]["source_timestamp"] * 1e-9, taken[0])


def speed(state: ros.RobotState) -> float:
    """Of the fastest joint [rad/s]."""
    return float(np.abs(state.velocity).max())


def _stick(push: float, estop: bool) -> Joy:
    """The default mapping's left stick pushed left and its dead-man held, unless `push` is 0; its estop button."""
    axes, buttons = [0.0] * AXES, [0] * BUTTONS
    axes[LEFT], buttons[DEADMAN], buttons[ESTOP] = push, int(push != 0.0), int(estop)
    return Joy(axes=axes, buttons=buttons)
