"""A graph whose arm is kept moving, and a record of what it does, by the times at which it was said."""

import os
import re
import signal
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, TypeVar

import numpy as np
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.publisher import Publisher
from reins_msgs import msg as ros
from reins_msgs.srv import EmergencyStop
from sensor_msgs.msg import Joy
from std_msgs.msg import Bool

from reins.contracts.errors import ReinsError
from reins.demo.session import Session
from reins.hardware.profile import RobotProfile
from reins.nodes.client import ANSWER
from reins.nodes.control_loop import ControlLoop, Inbox
from reins.nodes.qos import CONTROL, EVENTS, EVERY_CHANGE

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

PATIENCE: Final = 60.0
"""How long the graph may take to be ready to move again [s]."""

KEPT: Final = 3000
"""States and commands that are remembered: half a minute."""

QUIET: Final = 1.2
"""Events that repeat are summed up once a second: what was last told longer ago is not told again unasked [s]."""

GAP: Final = 0.003
"""Between two messages that are both to be heard: of those that wait, the newest alone is kept [s]."""

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
        self.lines: deque[Said[str]] = deque(maxlen=KEPT)
        """Events, each as "kind (source): reason"."""
        self.on_mode: Callable[[str], None] = lambda _mode: None
        """Called with each mode as it comes, in the thread that takes the messages."""
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
        self.undo: list[Callable[[], object]] = []
        """What takes back the faults that do not pass by themselves, the last one last."""
        ways: list[tuple[Inbox[Any], Callable[[Any], None]]] = [
            (_Timed(node, ros.RobotState, "robot_state", CONTROL), self._on_state),
            (_Timed(node, ros.SafeCommand, "command/safe", CONTROL), self.commands.append),
            (_Timed(node, ros.SafetyState, "safety/state", EVERY_CHANGE), self._on_mode),
            (_Timed(node, ros.SafetyEvent, "safety/events", EVENTS), self._on_event),
        ]
        self._loop = ControlLoop(node, 0.02, self._tick, ways, self._faults.append, real_time=True)
        self._loop.start()
        self.until(self.estop_service.service_is_ready, "service safety/estop", PATIENCE)

    def close(self) -> None:
        """Mend what a trial that failed has left, and ask for nothing any more."""
        self.mend()
        self._loop.stop()

    def now(self) -> float:
        """In the time of all that is remembered: wall clock [s]."""
        return time.time()

    def pid(self, node: str) -> int:
        """Process of a node, as the launcher told."""
        found = re.findall(rf"/{node} started, pid (\d+)", self.printed())
        if not found:
            raise ReinsError(f"the graph has no node '{node}'")
        return int(found[-1])

    def signal(self, node: str, number: int) -> None:
        """Send a node a signal. Raises ReinsError where it has ended."""
        try:
            os.kill(self.pid(node), number)
        except ProcessLookupError:
            raise ReinsError(f"the node '{node}' has ended") from None

    def freeze(self, node: str) -> None:
        """Stop a node's process, until `mend`; it may have been ended meanwhile."""

        def thaw() -> None:
            with suppress(ReinsError):
                self.signal(node, signal.SIGCONT)

        self.signal(node, signal.SIGSTOP)
        self.undo.append(thaw)

    def mend(self) -> None:
        """Take back what there is to take back."""
        while self.undo:
            self.undo.pop()()

    def change_state(self, node: str, transition: int, patience: float = ANSWER) -> None:
        """Lead a node into another state of its life cycle.

        Raises:
            ReinsError: it refuses, or does not answer within `patience` [s].
        """
        request = {"transition": Transition(id=transition)}
        if not self.session.client.call(ChangeState, f"{node}/change_state", node, request, patience).success:
            raise ReinsError(f"{node} refuses transition {transition}")

    def add_rogue(self, kind: type, topic: str) -> Publisher:
        """A publisher that has no business in the graph, until `mend`."""
        rogue = self.node.create_publisher(kind, topic, CONTROL)
        self.undo.append(lambda: self.node.destroy_publisher(rogue))
        return rogue

    def ready(self) -> None:
        """Clear what there is to clear, and wait until a new goal would move the arm."""
        self.rest()
        self.tamper, self.on_mode = as_it_is, lambda _mode: None
        self.stick, self.estop_pressed = None, False
        end = time.monotonic() + PATIENCE
        while not (self.mode == "ready" and self.states and self.states[-1][1].armed):
            if time.monotonic() > end:
                raise ReinsError(f"the graph is not ready to move: mode {self.mode}; see {self.session.log}")
            if self.mode == "hold":
                self.session.client.hand_back("benchmark")
            elif self.mode in ("stopped", "estop"):
                self.session.client.reset("benchmark")
            self.session.client.spin(0.05)

    def wait_for_quiet(self, patterns: Sequence[str]) -> None:
        """Wait until nothing that fits is told any more, so that what comes then is of a new fault."""
        self.until(lambda: not self.told(patterns, self.now() - QUIET), "end of the events of before", PATIENCE)

    def ask(self) -> None:
        """Begin a new goal, and ask for its motion from now on."""
        turn = float(self.states[-1][1].position[0])
        self._velocity = -SPEED if turn > 0.0 else SPEED
        self._activation = self.states[-1][1].header.stamp

    def rest(self) -> None:
        """Ask for nothing any more."""
        self._activation = None

    def drive(self) -> None:
        """Begin a new goal, and wait until the arm moves."""
        self.ask()
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

    @property
    def mode(self) -> str:
        """Of the safety monitor now."""
        return self.modes[-1][1].mode_name if self.modes else "unknown"

    def said(self, since: float) -> list[str]:
        """The events since then, wall clock [s]."""
        return [line for at, line in list(self.lines) if at > since]

    def told(self, patterns: Sequence[str], since: float) -> list[str]:
        """Those of some patterns that an event since then fits, wall clock [s]."""
        lines = self.said(since)
        return [pattern for pattern in patterns if any(re.search(pattern, line) for line in lines)]

    def note(self, line: str) -> None:
        """Remember something that was told elsewhere than among the events."""
        self.lines.append((self.now(), line))

    def printed(self) -> str:
        """What the nodes and the launcher have printed."""
        return self.session.log.read_text(encoding="utf-8", errors="replace")

    def send(self, command: ros.JointCommand) -> None:
        """Send a command as the skill, whatever it is."""
        self._skill.publish(command)

    def _on_mode(self, said: Said[ros.SafetyState]) -> None:
        self.modes.append(said)
        self.on_mode(said[1].mode_name)

    def _on_event(self, said: Said[ros.SafetyEvent]) -> None:
        at, event = said
        self.lines.append((at, f"{event.kind} ({event.source}): {event.reason}"))

    def _on_state(self, said: Said[ros.RobotState]) -> None:
        self.states.append(said)
        activation = self._activation  # which another thread may set to None meanwhile
        if activation is None:
            return
        self._sequence += 1
        message = ros.JointCommand(source=SKILL, joint_names=list(self._profile.joint_names), sequence=self._sequence)
        message.header.stamp, message.activation = said[1].header.stamp, activation
        message.velocity = [self._velocity] + [0.0] * (len(self._profile.joints) - 1)
        message.period = 1.0 / self._profile.rates.command
        if self.tamper is as_it_is:
            self.heard = message
        for number, command in enumerate(self.tamper(message)):
            if number:
                time.sleep(GAP)
            self.send(command)

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
