"""A launched graph whose plans wait for an operator: nothing moves before one is approved, and stops always work."""

from collections.abc import Callable, Iterator

import pytest
from patience import patient
from task_helpers import LIMIT, ignore, make_ready, set_parameter, travelled, wait_for_mode

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Plan, SkillCall
from reins.demo.recording import Recording
from reins.demo.session import Session, graph
from reins.nodes.client import GraphClient
from reins.nodes.outcomes import PlanQuestion, Reply, TaskOutcome
from reins.nodes.plan_client import PlanClient
from reins.nodes.recorder import GraphRecorder
from reins.nodes.watch import GraphWatch
from reins.planning.approval import Approve, Edit, Reject
from reins.planning.tracing.reading import read_trace
from reins.planning.tracing.trace import default_folder, newest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(180)]

ANNA = "anna@desk"
STILL = 0.01
"""What a robot that stands moves by at most, in a recording [rad]."""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    log = tmp_path_factory.mktemp("approval") / "graph.log"
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
    """Does something, once, when a plan waits.

    Args:
        client: of the graph.
        act: what they do.
    """

    def __init__(self, client: GraphClient, act: Callable[[PlanClient, PlanQuestion], None]) -> None:
        self.plans = PlanClient(client)
        self.questions: list[PlanQuestion] = []
        self._act, self._acted = act, False
        self.plans.watch(self._hear)

    def _hear(self, question: PlanQuestion | None) -> None:
        if question is not None:
            self.questions.append(question)

    def look(self) -> None:
        """Called again and again by the client."""
        if self.questions and not self._acted:
            self._acted = True
            self._act(self.plans, self.questions[-1])


def perform(
    client: GraphClient, instruction: str, act: Callable[[PlanClient, PlanQuestion], None], approve: str = "ask"
) -> tuple[TaskOutcome, Operator]:
    operator = Operator(client, act)
    return client.execute_task(instruction, LIMIT, ignore, approve, operator.look), operator


def test_an_approved_plan_runs_and_why_is_answered_before_and_afterwards(
    client: GraphClient, recording: Recording
) -> None:
    told: list[str] = []

    def approve(plans: PlanClient, question: PlanQuestion) -> None:
        client.spin(1.0)
        told.append(f"{travelled(recording):.3f}")
        watch = GraphWatch(client)
        client.spin(0.5)
        watch.close()
        assert watch.status.waiting == question
        told.append(plans.explain("why do you wait?"))
        with pytest.raises(ReinsError, match="one at a time"):
            client.execute_task("go home", LIMIT, ignore)
        assert not plans.answer(Approve(ANNA), question.number + 1).accepted
        assert plans.answer(Approve(ANNA), question.number).accepted

    done, operator = perform(client, "push the green block left", approve, "risky")
    assert done.success, done.reason
    assert float(told[0]) < STILL and travelled(recording) > 0.1
    assert "waits for an operator's answer" in told[1] and "without a grip" in told[1]
    assert operator.plans.waiting() is None
    why = client.execute_task("why did you push the green block?", LIMIT, ignore)
    assert (why.outcome, why.success) == ("answered", True)
    assert "push green_block left" in why.reason and "anna@desk approved it" in why.reason
    kinds = [entry["kind"] for entry in read_trace(newest(default_folder())).entries]
    assert kinds[:6] == ["task", "plan", "ask", "why", "answer", "run"]


def test_an_edited_plan_is_checked_and_runs_in_place_of_the_other(client: GraphClient) -> None:
    replies: list[Reply] = []

    def edit(plans: PlanClient, _: PlanQuestion) -> None:
        unicorn = SkillCall(skill="move_to", arguments={"target": "unicorn"})
        block = SkillCall(skill="move_to", arguments={"target": "green_block"})
        replies.extend(plans.answer(Edit(Plan(steps=(step,)), ANNA)) for step in (unicorn, block))

    done, _ = perform(client, "put the red block in the blue bowl", edit)
    assert not replies[0].accepted and "no object 'unicorn'" in replies[0].message
    assert replies[1].accepted and done.success, done.reason
    assert done.plan.steps is not None and [step.skill for step in done.plan.steps] == ["move_to"]


def test_what_is_turned_down_is_not_done(client: GraphClient, recording: Recording) -> None:
    def reject(plans: PlanClient, _: PlanQuestion) -> None:
        assert plans.answer(Reject("do not touch the red block", ANNA)).accepted

    done, operator = perform(client, "put the red block in the blue bowl", reject)
    assert done.outcome == "refused" and "red_block" in done.reason
    assert travelled(recording) < STILL and len(operator.questions) == 1


def test_without_an_answer_it_ends_in_time(client: GraphClient, recording: Recording) -> None:
    try:
        set_parameter(client, "planner", "approve_limit", 1.5)
        done, operator = perform(client, "put the red block in the blue bowl", lambda plans, question: None)
    finally:
        set_parameter(client, "planner", "approve_limit", 120.0)
    assert done.outcome == "cancelled" and "nobody approved the plan within 1.5 s" in done.reason
    assert travelled(recording) < STILL and operator.plans.waiting() is None


def test_it_can_be_aborted_and_stopped_while_it_waits(client: GraphClient, recording: Recording) -> None:
    def abort(plans: PlanClient, _: PlanQuestion) -> None:
        assert plans.abort().accepted

    done, operator = perform(client, "put the red block in the blue bowl", abort)
    assert done.outcome == "cancelled" and not operator.plans.abort().accepted

    def stop(plans: PlanClient, _: PlanQuestion) -> None:
        assert client.estop(ANNA, "to see what happens").accepted
        client.spin(0.5)
        assert not plans.answer(Approve(ANNA)).accepted

    done, _ = perform(client, "put the red block in the blue bowl", stop)
    assert done.outcome == "failed" and "emergency stop" in done.reason
    wait_for_mode(client, "estop")
    assert travelled(recording) < STILL


def test_a_word_that_is_none_is_named(client: GraphClient) -> None:
    with pytest.raises(ReinsError, match="no way to approve 'sometimes'"):
        client.execute_task("go home", LIMIT, ignore, "sometimes")
