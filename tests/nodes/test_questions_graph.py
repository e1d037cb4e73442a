"""A launched graph whose planner asks: the task waits, moves nothing meanwhile, and goes on with the answer."""

import os
import pty
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest
from patience import patient
from task_helpers import LIMIT, ignore, make_ready, set_parameter, travelled

from reins.demo.recording import Recording
from reins.demo.session import Session, graph
from reins.nodes.client import GraphClient
from reins.nodes.outcomes import PlanQuestion, TaskOutcome
from reins.nodes.plan_client import PlanClient
from reins.nodes.recorder import GraphRecorder
from reins.planning.approval import Approve, Reply
from reins.planning.tracing.reading import read_trace
from reins.planning.tracing.trace import default_folder, newest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(240)]

ANNA = "anna@desk"
STILL = 0.01
"""What a robot that stands moves by at most, in a recording [rad]."""

ASKED = "put the block in the blue bowl"
WHICH = "Which one do you mean by 'the block'"
COMMAND = [sys.executable, "-m", "reins.cli", "task", ASKED]
QUESTION_STATUS = 4
"""Exit status of a task that ended with a question."""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    log = tmp_path_factory.mktemp("questions") / "graph.log"
    with graph("sim", {"seed": "1", "cameras": "false"} | patient(), log, lambda missing: None) as running:
        yield running


@pytest.fixture
def client(session: Session) -> GraphClient:
    """A client of a graph in which the robot is at home and may move, whatever the test before left."""
    make_ready(session.client)
    return session.client


@pytest.fixture
def recording(client: GraphClient) -> Iterator[Recording]:
    made = Recording()
    recorder = GraphRecorder(client, made)
    client.spin(0.5)
    yield made
    recorder.close()


class Operator:
    """Answers each question, once.

    Args:
        client: of the graph.
        act: what they do.
    """

    def __init__(self, client: GraphClient, act: Callable[[PlanClient, PlanQuestion], None]) -> None:
        self.plans = PlanClient(client)
        self.questions: list[PlanQuestion] = []
        self._act, self._acted = act, 0
        self.plans.watch(self._hear)

    def _hear(self, question: PlanQuestion | None) -> None:
        if question is not None:
            self.questions.append(question)

    def look(self) -> None:
        """Called again and again by the client."""
        if len(self.questions) > self._acted:
            self._acted = len(self.questions)
            self._act(self.plans, self.questions[-1])


def perform(
    client: GraphClient, act: Callable[[PlanClient, PlanQuestion], None], instruction: str = ASKED
) -> tuple[TaskOutcome, Operator]:
    operator = Operator(client, act)
    return client.execute_task(instruction, LIMIT, ignore, "always", operator.look, answers=True), operator


def test_the_answer_goes_on_with_the_task_and_nothing_moves_before(client: GraphClient, recording: Recording) -> None:
    moved: list[float] = []

    def answer(plans: PlanClient, question: PlanQuestion) -> None:
        client.spin(1.0)
        moved.append(travelled(recording))
        assert plans.waiting() == question and "I wait for" in plans.explain("why do you wait?")
        assert not plans.answer(Approve(ANNA), question.number).accepted
        assert not plans.answer(Reply("  ", ANNA), question.number).accepted
        assert plans.answer(Reply("the red one", ANNA), question.number).accepted

    done, operator = perform(client, answer, f"{ASKED}, but don't touch the yellow block")
    assert done.success and "pick red_block" in done.reason, done.reason
    assert max(moved) < STILL and travelled(recording) > 0.1
    assert len(operator.questions) == 1 and WHICH in (operator.questions[0].plan.question or "")
    assert operator.plans.waiting() is None
    entries = read_trace(newest(default_folder())).entries
    assert [entry["kind"] for entry in entries][:6] == ["task", "plan", "ask", "why", "answer", "plan"]
    assert WHICH in entries[2]["question"] and (entries[4]["by"], entries[4]["text"]) == (ANNA, "the red one")


def test_it_may_be_taken_back_aborted_and_left(client: GraphClient, recording: Recording) -> None:
    def take_back(plans: PlanClient, _: PlanQuestion) -> None:
        assert plans.answer(Reply("never mind", ANNA)).accepted

    def abort(plans: PlanClient, _: PlanQuestion) -> None:
        assert plans.abort().accepted

    for act in (take_back, abort):
        done, operator = perform(client, act)
        assert done.outcome == "cancelled" and operator.plans.waiting() is None
    try:
        set_parameter(client, "planner", "question_limit", 1.5)
        done, _ = perform(client, lambda plans, question: None)
    finally:
        set_parameter(client, "planner", "question_limit", 120.0)
    assert done.outcome == "question" and "nobody answered within 1.5 s" in done.reason
    assert travelled(recording) < STILL


def test_a_client_that_answers_nothing_has_the_question_as_its_result(client: GraphClient) -> None:
    begin = time.monotonic()
    done = client.execute_task(ASKED, LIMIT, ignore)
    assert done.outcome == "question" and WHICH in done.reason and "nobody answered" not in done.reason
    assert time.monotonic() - begin < 30.0


def test_without_a_terminal_the_command_ends_with_the_question(client: GraphClient) -> None:
    done = subprocess.run(
        COMMAND,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=90.0,
        check=False,
        env=_environment(client),
    )
    assert done.returncode == QUESTION_STATUS and WHICH in done.stdout, done.stdout + done.stderr


def test_at_a_terminal_the_answer_is_typed(client: GraphClient) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(COMMAND, stdin=theirs, stdout=theirs, stderr=theirs, env=_environment(client))
    os.close(theirs)
    shown, answered = "", False
    try:
        while chunk := _read(ours):
            shown += chunk
            if not answered and "type the answer" in shown:
                os.write(ours, b"the green one\n")
                answered = True
        status = process.wait(timeout=30.0)
    finally:
        process.kill()
        os.close(ours)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    assert WHICH in " ".join(plain.split()) and answered, plain
    assert status == 0 and "pick green_block" in plain, plain


def _environment(client: GraphClient) -> dict[str, str]:
    """Of a command that is to find the graph."""
    return os.environ | {"ROS_DOMAIN_ID": str(client.node.context.get_domain_id())}


def _read(terminal: int) -> str:
    """What is shown next; empty when the command has ended."""
    try:
        return os.read(terminal, 4096).decode(errors="replace")
    except OSError:
        return ""
