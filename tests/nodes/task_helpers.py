"""What the tests of a running graph do: wait for a mode, run a skill from elsewhere, drive by hand."""

import threading
import time
from collections.abc import Callable

import numpy as np
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from sensor_msgs.msg import Joy
from typing_extensions import Self

from reins.contracts.plan import SkillCall
from reins.demo.recording import Recording
from reins.demo.session import Session
from reins.nodes.client import GraphClient
from reins.nodes.outcomes import SkillProgress, TaskProgress
from reins.nodes.teleop import KEYS
from reins.nodes.watch import GraphWatch
from reins.teleop.intent import Action, Direction
from reins.teleop.mapping import load_joy_mapping

HOME = SkillCall(skill="home")
REACH = SkillCall(skill="move_to", arguments={"target": "red_block"})
"""Takes two seconds from the home pose."""
LIMIT = 60.0


def safety_mode(client: GraphClient) -> str:
    watch = GraphWatch(client)
    end = time.monotonic() + 10.0
    while watch.status.safety is None and time.monotonic() < end:
        client.spin(0.1)
    watch.close()
    assert watch.status.safety is not None
    return watch.status.safety.mode


def resting_mode(client: GraphClient) -> str:
    """The mode once a skill or a stop that still ends has ended."""
    end = time.monotonic() + 10.0
    while (mode := safety_mode(client)) in ("active_skill", "active_teleop", "stopping"):
        assert time.monotonic() < end, f"safety stays in mode {mode}"
        client.spin(0.1)
    return mode


def wait_for_mode(client: GraphClient, mode: str) -> None:
    end = time.monotonic() + 10.0
    while (now := safety_mode(client)) != mode:
        assert time.monotonic() < end, f"safety is in mode {now}"


def wait_until_armed(client: GraphClient) -> None:
    watch = GraphWatch(client)
    end = time.monotonic() + 10.0
    while not watch.status.armed and time.monotonic() < end:
        client.spin(0.1)
    watch.close()
    assert watch.status.armed


def call(skill: str, **arguments: str | float) -> SkillCall:
    return SkillCall(skill=skill, arguments=arguments)


def ignore(progress: SkillProgress | TaskProgress) -> None:
    """Feedback that no test looks at."""


def travelled(recording: Recording) -> float:
    """How far any joint went [rad]."""
    return float(np.ptp(recording.positions(), axis=0).max())


class Meanwhile:
    """Runs a skill from another client in another thread."""

    def __init__(self, session: Session, skill: SkillCall) -> None:
        self.phases: list[str] = []
        self.reason = ""
        self.success = False
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(session, skill))
        self._thread.start()
        assert self._started.wait(15.0), "the skill never gave feedback"

    def _run(self, session: Session, skill: SkillCall) -> None:
        with GraphClient(domain=session.domain) as other:
            outcome = other.run_skill(skill, (), LIMIT, self._feedback)
        self.success, self.reason = outcome.success, outcome.reason

    def _feedback(self, progress: SkillProgress) -> None:
        self.phases.append(progress.phase)
        self._started.set()

    def join(self) -> None:
        self._thread.join(LIMIT)
        assert not self._thread.is_alive()


class Operator:
    """Does something with the pad when the task is at a step, in a thread of their own.

    Args:
        step: how the step's text begins.
        act: what they do.
    """

    def __init__(self, step: str, act: Callable[[], None]) -> None:
        self.stages: list[str] = []
        self.texts: list[str] = []
        self.paused, self.holds = threading.Event(), threading.Event()
        self._step, self._thread = step, threading.Thread(target=act)

    def look(self, progress: TaskProgress) -> None:
        """Feedback of the task."""
        self.stages.append(progress.stage)
        self.texts.append(progress.step_text)
        if progress.stage == "paused":
            (self.holds if "took over" in progress.step_text else self.paused).set()
        here = progress.stage == "acting" and progress.phase and progress.step_text.startswith(self._step)
        if here and self._thread.ident is None:
            self._thread.start()

    def join(self) -> None:
        self._thread.join(LIMIT)
        assert not self._thread.is_alive()


class PadInHand:
    """A pad that some `joy` node reads: sends what its sticks and buttons do, 50 times a second, from its own thread.

    Args:
        domain: ROS domain of the graph.

    Attributes:
        plugged_in: whether it sends anything.
    """

    def __init__(self, domain: int) -> None:
        self.plugged_in = True
        self._mapping = load_joy_mapping("gamepad")
        self._axes, self._buttons = [0.0] * 6, [0] * 21
        self._domain = domain
        self._ready, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(LIMIT), "no teleop node listens to the pad"
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(LIMIT)

    def hold(self, held: bool) -> None:
        """Press the dead-man, or let go of it."""
        assert self._mapping.deadman.button is not None
        self._buttons[self._mapping.deadman.button] = int(held)

    def push(self, direction: Direction, value: float, seconds: float) -> None:
        """Move a stick, and let it go again after a while."""
        self.set(direction, value)
        time.sleep(seconds)
        self.set(direction, 0.0)

    def set(self, direction: Direction, value: float) -> None:
        """Move a stick."""
        axis = self._mapping.motion[direction].axis
        assert axis is not None
        self._axes[axis] = value

    def press(self, action: Action) -> None:
        """Press a button shortly."""
        button = self._mapping.actions[action].button
        assert button is not None
        self._buttons[button] = 1
        time.sleep(0.2)
        self._buttons[button] = 0

    def _run(self) -> None:
        with GraphClient(domain=self._domain) as hand:
            pad = hand.node.create_publisher(Joy, "joy", KEYS)
            while not self._over.is_set():
                if self.plugged_in:
                    pad.publish(Joy(axes=list(self._axes), buttons=list(self._buttons)))
                hand.spin(0.02)
                if pad.get_subscription_count():
                    self._ready.set()


def set_parameter(client: GraphClient, node: str, name: str, number: float) -> None:
    """Set a parameter of a running node."""
    value = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=number)
    fields = {"parameters": [Parameter(name=name, value=value)]}
    (result,) = client.call(SetParameters, f"{node}/set_parameters", node, fields).results
    assert result.successful, result.reason


def make_free(client: GraphClient) -> None:
    """The robot may move, whatever the test before left."""
    mode = resting_mode(client)
    if mode == "hold":
        assert client.hand_back("the next test").accepted
    elif mode != "ready":
        end = time.monotonic() + 10.0
        while not (answer := client.reset("the next test")).accepted:  # a robot with legs is still lying down
            assert time.monotonic() < end, answer.message
            client.spin(0.2)
        wait_until_armed(client)


def make_ready(client: GraphClient) -> None:
    """The robot may move and stands at home, whatever the test before left."""
    make_free(client)
    outcome = client.run_skill(HOME, (), LIMIT, ignore)
    assert outcome.success, outcome.reason
