"""The emergency stop, each way in each mode that moves or may move: it latches, the arm stands, nothing moves then."""

import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from patience import patient
from rclpy.qos import QoSProfile
from reins_msgs.msg import SafetyState
from std_msgs.msg import Bool
from task_helpers import HOME, LIMIT, REACH, Meanwhile, PadInHand, ignore, wait_until_armed
from typer.testing import CliRunner

from reins.cli.app import app
from reins.cli.console import ExitCode
from reins.demo.recording import Recording
from reins.demo.session import Session, graph
from reins.nodes.client import GraphClient
from reins.nodes.qos import LATCHED
from reins.nodes.recorder import GraphRecorder
from reins.nodes.wires import MOVING
from reins.teleop.intent import Action, Direction

pytestmark = [pytest.mark.ros, pytest.mark.timeout(180)]

SOON = 20.0
BRAKED = 1.0
"""The arm stands this long after an emergency stop at the latest, on a busy machine [s]."""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    log = tmp_path_factory.mktemp("estop") / "graph.log"
    with graph("sim", {"seed": "1", "cameras": "false"} | patient(), log, lambda missing: None) as running:
        yield running


class Cell:
    """The graph, an operator with a pad, and what happens.

    Args:
        session: the graph.
        pad: in the operator's hands.
    """

    def __init__(self, session: Session, pad: PadInHand) -> None:
        self.session, self.client, self.pad = session, session.client, pad
        self.recording = Recording()
        self.modes: list[str] = []
        self._skill: Meanwhile | None = None
        self._recorder = GraphRecorder(self.client, self.recording)
        self.client.listen(SafetyState, "safety/state", LATCHED, lambda message: self.modes.append(message.mode_name))
        self.button = self.client.node.create_publisher(Bool, "safety/estop", QoSProfile(depth=1))
        self.until(lambda: self.button.get_subscription_count() > 0 and bool(self.modes), "the safety node")

    def until(self, condition: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + SOON
        while not condition():
            assert time.monotonic() < end, f"{what}: not within {SOON:g} s; modes {self.modes[-5:]}"
            self.client.spin(0.02)

    def bring_to(self, mode: str) -> None:
        """Lead the graph into a mode, in motion where the mode moves."""
        if self.modes[-1] == "stopped":  # a busy machine was late
            self.clear()
        if mode == "active_skill":
            self._skill = Meanwhile(self.session, REACH)
        elif mode in ("active_teleop", "hold"):
            self.pad.hold(True)
            self.pad.set(Direction.Z, 0.6)
            self.until(lambda: self.modes[-1] == "active_teleop" and self.speed() > 0.05, "driving by hand")
            if mode == "hold":
                self.pad.hold(False)
        self.until(lambda: self.modes[-1] == mode, mode)

    def speed(self) -> float:
        """Fastest joint now [rad/s]."""
        return float(np.abs(self.recording.states[-1].velocity).max()) if self.recording.states else 0.0

    def clear(self) -> None:
        """Let go of everything, reset."""
        self.pad.hold(False)
        self.pad.set(Direction.Z, 0.0)
        if self._skill is not None:
            self._skill.join()
            self._skill = None
        assert self.client.reset("the test").accepted
        wait_until_armed(self.client)
        self.until(lambda: self.modes[-1] == "ready", "ready")


@pytest.fixture(scope="module")
def cell(session: Session) -> Iterator[Cell]:
    with PadInHand(session.domain) as pad:
        yield Cell(session, pad)


def by_topic(cell: Cell) -> None:
    cell.button.publish(Bool(data=True))


def by_service(cell: Cell) -> None:
    assert cell.client.estop("a test", "each way").accepted


def by_command_line(cell: Cell) -> None:
    environment = {"ROS_DOMAIN_ID": str(cell.session.domain)}
    assert CliRunner().invoke(app, ["estop"], env=environment).exit_code == ExitCode.SUCCESS


def by_pad(cell: Cell) -> None:
    cell.pad.press(Action.ESTOP)


@pytest.mark.parametrize(
    "way", [by_service, *(pytest.param(way, marks=pytest.mark.slow) for way in (by_topic, by_command_line, by_pad))]
)
def test_each_way_in_each_mode(cell: Cell, way: Callable[[Cell], None]) -> None:
    for mode in ("ready", "active_skill", "active_teleop", "hold"):
        cell.bring_to(mode)
        way(cell)
        cell.until(lambda: cell.modes[-1] == "estop", f"{way.__name__} in {mode}")
        cell.client.spin(BRAKED)
        assert cell.speed() < 2.0 * MOVING, f"{way.__name__} in {mode}"
        cell.clear()
        began = cell.recording.now
        cell.client.spin(0.5)
        after = [np.abs(state.velocity).max() for state in cell.recording.states if state.stamp > began]
        assert max(after) < 2.0 * MOVING, f"nothing moves unasked after {way.__name__} in {mode}"


def test_it_works_again_afterwards(cell: Cell) -> None:
    with GraphClient(domain=cell.session.domain) as client:
        outcome = client.run_skill(HOME, (), LIMIT, ignore)
    assert outcome.success, outcome.reason


def test_only_safety_listens_to_the_button(cell: Cell) -> None:
    """One that publishes once and goes waits for one listener; were it another, the stop would be lost."""
    listeners = cell.client.node.get_subscriptions_info_by_topic("/safety/estop")
    assert {listener.node_name for listener in listeners} == {"safety"}
