"""The whole simulated graph: skills and tasks over real actions, and what happens when they are taken away."""

import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from patience import patient
from task_helpers import (
    HOME,
    LIMIT,
    REACH,
    Meanwhile,
    call,
    ignore,
    make_ready,
    travelled,
    wait_until_armed,
)
from typer.testing import CliRunner, Result

from reins.cli.app import app
from reins.cli.console import ExitCode
from reins.contracts.errors import ReinsError
from reins.contracts.plan import SkillCall
from reins.demo.recording import Recording
from reins.demo.session import Session, graph
from reins.nodes.client import GraphClient
from reins.nodes.outcomes import SkillProgress, TaskProgress
from reins.nodes.recorder import GraphRecorder
from reins.nodes.wires import MOVING
from reins.sim.predicates import is_in, is_touched
from reins.skills.library import SKILLS

pytestmark = [pytest.mark.ros, pytest.mark.timeout(180)]

SEED = 1


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = tmp_path_factory.mktemp("graph")
    with graph("sim", {"seed": str(SEED)} | patient(), folder / "graph.log", lambda missing: None) as running:
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


def test_every_skill_is_there(client: GraphClient) -> None:
    assert {entry.name for entry in client.skills()} == set(SKILLS)


def test_a_skill_moves_the_robot_and_tells_how_it_goes(client: GraphClient, recording: Recording) -> None:
    seen: list[SkillProgress] = []
    outcome = client.run_skill(REACH, (), LIMIT, seen.append)
    assert outcome.success, outcome.reason
    assert 0.5 < outcome.duration < SKILLS["move_to"].time_limit
    assert seen and all(0.0 <= progress.progress <= 1.0 for progress in seen)
    assert travelled(recording) > 0.1


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (call("pick", object="purple_thing"), ["purple_thing", "red_block"]),
        (call("juggle"), ["juggle", "pick"]),
        (call("move_to", target="red_block", height=7.0), ["height", "7"]),
        (call("move_to"), ["target"]),
    ],
    ids=str,
)
def test_a_wrong_call_fails_with_what_exists_and_nothing_moves(
    client: GraphClient, recording: Recording, wrong: SkillCall, words: list[str]
) -> None:
    outcome = client.run_skill(wrong, (), LIMIT, ignore)
    assert not outcome.success
    for word in words:
        assert word in outcome.reason
    client.spin(0.3)
    assert travelled(recording) < 0.01


def test_a_second_skill_is_rejected_with_the_reason(session: Session, client: GraphClient) -> None:
    first = Meanwhile(session, REACH)
    with pytest.raises(ReinsError, match=r"move_to.* is running.*one at a time"):
        client.run_skill(HOME, (), LIMIT, ignore)
    first.join()
    assert first.success, first.reason


def test_a_cancelled_skill_has_stopped_when_it_says_so(client: GraphClient, recording: Recording) -> None:
    outcome = client.run_skill(REACH, (), 1.0, ignore)
    ended = recording.now
    client.spin(0.5)
    assert not outcome.success and "cancelled" in outcome.reason
    speeds = [np.abs(state.velocity).max() for state in recording.states if state.stamp > ended]
    assert max(speeds) < 2.0 * MOVING
    assert max(np.abs(state.velocity).max() for state in recording.states) > MOVING, "it had been moving"


def test_an_emergency_stop_ends_the_skill_and_a_reset_does_not_resume_it(
    session: Session, client: GraphClient, recording: Recording
) -> None:
    running = Meanwhile(session, REACH)
    assert client.estop("a test", "to see what happens").accepted
    running.join()
    assert not running.success and "emergency stop" in running.reason
    outcome = client.run_skill(HOME, (), LIMIT, ignore)
    assert not outcome.success and "reins reset" in outcome.reason
    refused = client.execute_task("put the red block in the blue bowl", LIMIT, ignore)
    assert refused.outcome == "failed" and "reins reset" in refused.reason
    assert client.reset("a test").accepted
    before = recording.now
    client.spin(1.0)
    speeds = [np.abs(state.velocity).max() for state in recording.states if state.stamp > before + 0.2]
    assert max(speeds) < 2.0 * MOVING
    wait_until_armed(client)
    again = client.run_skill(HOME, (), LIMIT, ignore)
    assert again.success, again.reason


@pytest.mark.parametrize(
    ("instruction", "outcome", "words"),
    [
        ("put the pink elephant in the blue bowl", "refused", ["elephant"]),
        ("defenestrate the red block", "refused", ["defenestrate"]),
        ("   ", "refused", ["empty"]),
    ],
)
def test_an_unknown_word_is_refused_by_name_and_nothing_moves(
    client: GraphClient, recording: Recording, instruction: str, outcome: str, words: list[str]
) -> None:
    result = client.execute_task(instruction, LIMIT, ignore)
    assert result.outcome in (outcome, "question", "failed") and not result.success
    for word in words:
        assert word in result.reason
    assert travelled(recording) < 0.01


def test_the_task_of_the_demo_succeeds_by_physics_and_another_is_rejected_meanwhile(
    session: Session, client: GraphClient, recording: Recording
) -> None:
    stages: list[str] = []
    rejected: list[str] = []

    def look(progress: TaskProgress) -> None:
        stages.append(progress.stage)
        if progress.stage == "acting" and progress.phase and not rejected:
            rejected.append("")
            threading.Thread(target=ask_too).start()

    def ask_too() -> None:
        with GraphClient(domain=session.domain) as other:
            try:
                other.execute_task("go home", LIMIT, ignore)
            except ReinsError as error:
                rejected[0] = str(error)

    result = client.execute_task("put the red block in the blue bowl but don't touch the yellow block", LIMIT, look)
    assert result.success, result.reason
    assert result.plan.steps is not None
    assert {"looking", "acting", "checking"} <= set(stages)
    client.spin(0.5)
    world = recording.worlds[-1]
    assert is_in(world, "red_block", "blue_bowl")
    assert not is_touched(world, "yellow_block")
    assert "one at a time" in rejected[0]


def test_a_cancelled_task_ends_in_a_result(client: GraphClient) -> None:
    result = client.execute_task("put the yellow block in the blue bowl", 2.0, ignore)
    assert (result.outcome, result.success) == ("cancelled", False)
    after = client.run_skill(HOME, (), LIMIT, ignore)
    assert after.success, after.reason


@pytest.fixture
def reins(client: GraphClient, session: Session, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """The command line, in the graph's domain."""
    monkeypatch.setenv("ROS_DOMAIN_ID", str(session.domain))
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *arguments: CliRunner().invoke(app, arguments)


def test_the_command_line_tells_who_is_up(reins: Callable[..., Result]) -> None:
    result = reins("status")
    assert result.exit_code == ExitCode.SUCCESS
    for word in ("robot", "safety", "skills", "perception", "planner", "ready", "armed", "stage full", "red block"):
        assert word in result.output
    listed = reins("skills", "list", "--live")
    assert listed.exit_code == ExitCode.SUCCESS
    assert "place_beside" in listed.output and "scripted" in listed.output


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["skills", "run", "home"], ExitCode.SUCCESS, "succeeded"),
        (["skills", "run", "pick", "object=moon"], ExitCode.FAILED, "no object 'moon'"),
        (["skills", "run", "home", "--avoid", "yelow_block"], ExitCode.ERROR, "did you mean 'yellow_block'"),
        (["task", "put the pink elephant in the blue bowl"], ExitCode.REFUSED, "elephant"),
        (["task", "put the block in the blue bowl"], ExitCode.QUESTION, "which"),
        (["task", "put the yellow block on the white plate", "--time-limit", "1"], ExitCode.CANCELLED, "cancelled"),
        (["handback"], ExitCode.FAILED, "refused"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_the_exit_status_says_how_it_ended(
    reins: Callable[..., Result], words: list[str], code: ExitCode, said: str
) -> None:
    result = reins(*words)
    assert said in (result.output + result.stderr).lower()
    assert result.exit_code == code


def test_stop_and_reset_on_the_command_line(reins: Callable[..., Result], client: GraphClient) -> None:
    assert reins("estop", "--reason", "a test").exit_code == ExitCode.SUCCESS
    stopped = reins("task", "put the red block in the blue bowl")
    assert stopped.exit_code == ExitCode.FAILED and "a test" in stopped.output
    assert reins("reset").exit_code == ExitCode.SUCCESS
    wait_until_armed(client)
    assert reins("skills", "run", "home").exit_code == ExitCode.SUCCESS
