"""Taking over by hand in the middle of a task, with a pad: it pauses, says so, and finishes after the hand-back."""

import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from patience import patient
from task_helpers import (
    HOME,
    LIMIT,
    Operator,
    PadInHand,
    ignore,
    make_ready,
    safety_mode,
    set_parameter,
    wait_for_mode,
)

from reins.contracts.errors import ReinsError
from reins.demo.recording import Recording
from reins.demo.run import INSTRUCTION
from reins.demo.session import Session, graph
from reins.nodes.client import GraphClient
from reins.nodes.outcomes import PlanQuestion, TaskOutcome, TaskProgress
from reins.nodes.plan_client import PlanClient
from reins.nodes.recorder import GraphRecorder
from reins.nodes.wires import MOVING
from reins.planning.approval import Approve
from reins.sim.predicates import is_in, is_touched
from reins.teleop.intent import Action, Direction

pytestmark = [pytest.mark.ros, pytest.mark.timeout(240)]

LONG = 150.0
"""A task with a pause takes at most this long on a busy machine [s]."""

SOON = 20.0
"""Whatever an operator waits for [s]."""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    log = tmp_path_factory.mktemp("takeover") / "graph.log"
    with graph("sim", {"seed": "1"} | patient(), log, lambda missing: None) as running:
        yield running


@pytest.fixture(scope="module")
def pad(session: Session) -> Iterator[PadInHand]:
    with PadInHand(session.domain) as made:
        yield made


@pytest.fixture
def client(session: Session, pad: PadInHand) -> GraphClient:
    """A client of a graph in which the robot is at home and may move, whatever the test before left."""
    pad.hold(False)
    make_ready(session.client)
    return session.client


def speeds(recording: Recording, mode: str) -> list[float]:
    """Fastest joint at every state while safety was in a mode [rad/s]."""
    changes = recording.modes
    spans = [(c.stamp, changes[i + 1].stamp if i + 1 < len(changes) else np.inf) for i, c in enumerate(changes)]
    inside = [span for span, change in zip(spans, changes, strict=True) if change.mode == mode]
    states = recording.states
    return [float(np.abs(s.velocity).max()) for s in states if any(a + 0.5 < s.stamp < b for a, b in inside)]


def test_the_demos_task_is_taken_over_with_the_block_in_the_hand_and_finishes_after_the_hand_back(
    session: Session, client: GraphClient, pad: PadInHand
) -> None:
    recording = Recording()
    recorder = GraphRecorder(client, recording)
    rejected: list[str] = []

    def drive() -> None:
        pad.hold(True)
        if operator.paused.wait(SOON):
            pad.push(Direction.Z, -1.0, 0.7)
            pad.press(Action.OPEN_GRIPPER)
            time.sleep(0.5)
            pad.push(Direction.Z, 1.0, 1.5)
        pad.hold(False)
        operator.holds.wait(SOON)
        with GraphClient(domain=session.domain) as other:
            try:
                other.execute_task("go home", LIMIT, ignore)
            except ReinsError as error:
                rejected.append(str(error))
            other.spin(1.0)
        pad.press(Action.HAND_BACK)

    operator = Operator("place_in", drive)
    result = client.execute_task(INSTRUCTION, LONG, operator.look)
    operator.join()
    client.spin(0.5)
    recorder.close()
    assert result.success, result.reason
    assert "while you drove: " in result.reason and "red_block no longer held" in result.reason
    assert result.replans == 0, "an operator's takeover is no failure"
    assert operator.paused.is_set() and operator.holds.is_set(), "feedback tells the pause"
    told = [text for stage, text in zip(operator.stages, operator.texts, strict=True) if stage == "paused"]
    assert any("drives by hand" in text for text in told) and all("reins handback" in text for text in told)
    assert any(text.startswith("while you drove: ") for text in operator.texts)
    assert "one at a time" in rejected[0]
    assert max(speeds(recording, "active_teleop")) > 0.05, "the operator moved the arm"
    assert max(speeds(recording, "hold")) < 2.0 * MOVING, "nothing moves between release and hand-back"
    world = recording.worlds[-1]
    assert is_in(world, "red_block", "blue_bowl") and not is_touched(world, "yellow_block")


def take_over(client: GraphClient, pad: PadInHand, then: Callable[[], None]) -> TaskOutcome:
    """Give a task, take over in its first step, let go, and do something while it is paused."""

    def drive() -> None:
        pad.hold(True)
        operator.paused.wait(SOON)
        pad.push(Direction.Z, 1.0, 0.5)
        pad.hold(False)
        then()

    operator = Operator("", drive)
    result = client.execute_task("put the green block on the white plate", LONG, operator.look)
    operator.join()
    return result


def test_a_task_that_is_paused_too_long_fails_with_the_reason(client: GraphClient, pad: PadInHand) -> None:
    try:
        set_parameter(client, "planner", "pause_limit", 1.5)
        result = take_over(client, pad, lambda: None)
    finally:
        set_parameter(client, "planner", "pause_limit", 600.0)
    assert result.outcome == "failed" and "did not hand back within 1.5 s" in result.reason
    wait_for_mode(client, "hold")
    refused = client.run_skill(HOME, (), LIMIT, ignore)
    assert not refused.success and "reins handback" in refused.reason


def test_an_emergency_stop_during_a_pause_ends_the_task(session: Session, client: GraphClient, pad: PadInHand) -> None:
    def stop() -> None:
        with GraphClient(domain=session.domain) as other:
            assert other.estop("a test", "to see what happens").accepted

    result = take_over(client, pad, stop)
    assert result.outcome == "failed" and "emergency stop" in result.reason
    wait_for_mode(client, "estop")


def test_a_cancel_during_a_pause_ends_the_task(client: GraphClient, pad: PadInHand) -> None:
    pauses: list[str] = []

    def look(progress: TaskProgress) -> None:
        if progress.stage == "acting" and progress.phase:
            pad.hold(True)
        if progress.stage == "paused":
            pauses.append(progress.step_text)
            if len(pauses) == 2:
                pad.hold(False)
                raise KeyboardInterrupt  # what Ctrl-C is to the client

    result = client.execute_task("put the green block on the white plate", LONG, look)
    assert (result.outcome, result.success) == ("cancelled", False)
    wait_for_mode(client, "hold")
    assert client.hand_back("a test").accepted
    after = client.run_skill(HOME, (), LIMIT, ignore)
    assert after.success, after.reason


def test_a_pad_that_is_unplugged_while_held_holds_and_gives_nothing_back(client: GraphClient, pad: PadInHand) -> None:
    recording = Recording()
    recorder = GraphRecorder(client, recording)
    pad.hold(True)
    wait_for_mode(client, "active_teleop")
    try:
        pad.plugged_in = False
        wait_for_mode(client, "hold")
    finally:
        pad.plugged_in = True
    client.spin(1.0)
    assert safety_mode(client) == "hold", "plugged in again still held, it must be let go of first"
    recorder.close()
    assert "joystick_lost" in {event.kind for event in recording.events}
    refused = client.run_skill(HOME, (), LIMIT, ignore)
    assert not refused.success and "reins handback" in refused.reason


def test_a_plan_that_waits_is_withdrawn_by_a_takeover_and_asked_about_again_after_the_hand_back(
    client: GraphClient, pad: PadInHand
) -> None:
    plans, asked = PlanClient(client), list[PlanQuestion | None]()
    plans.watch(asked.append)
    dealt_with, waits = set[int](), list[str]()

    def take_over(number: int) -> None:
        pad.hold(True)
        end = time.monotonic() + SOON
        while asked[-1] is not None:
            assert time.monotonic() < end, "the question stays open while an operator drives"
            client.spin(0.1)
        reply = plans.answer(Approve("anna@desk"), number)
        assert not reply.accepted
        waits.append(reply.message)
        pad.push(Direction.Z, 1.0, 0.5)
        pad.hold(False)
        wait_for_mode(client, "hold")
        pad.press(Action.HAND_BACK)

    def look() -> None:
        question = asked[-1] if asked else None
        if question is None or question.number in dealt_with:
            return
        dealt_with.add(question.number)
        if question.number == 1:
            take_over(question.number)
        else:
            assert plans.answer(Approve("anna@desk"), question.number).accepted

    result = client.execute_task("push the green block left", LONG, ignore, "ask", look)
    assert result.success, result.reason
    assert waits == ["no plan waits for an answer"]
    assert [question.number for question in asked if question is not None] == [1, 2]
