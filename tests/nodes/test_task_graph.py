"""The whole simulated graph: skills and tasks over real actions, and what happens when they are taken away."""

import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(180)]
pytest.importorskip("rclpy", reason="needs ROS 2")
pytest.importorskip("reins_msgs", reason="needs the built interfaces")

from std_msgs.msg import String  # noqa: E402

from reins.contracts.errors import ReinsError  # noqa: E402
from reins.contracts.plan import SkillCall  # noqa: E402
from reins.demo.recording import Recording  # noqa: E402
from reins.demo.session import Session, graph  # noqa: E402
from reins.nodes.client import GraphClient  # noqa: E402
from reins.nodes.outcomes import SkillProgress, TaskProgress  # noqa: E402
from reins.nodes.recorder import GraphRecorder  # noqa: E402
from reins.nodes.skill_worker import STANDING  # noqa: E402
from reins.nodes.teleop import KEYS, KEYS_TOPIC  # noqa: E402
from reins.nodes.watch import GraphWatch  # noqa: E402
from reins.sim.predicates import is_in, is_touched  # noqa: E402
from reins.skills.library import SKILLS  # noqa: E402

SEED = 1
HOME = SkillCall(skill="home")
REACH = SkillCall(skill="move_to", arguments={"target": "red_block"})
"""Takes two seconds from the home pose."""
LIMIT = 60.0


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    log = tmp_path_factory.mktemp("graph") / "graph.log"
    with graph("sim", {"seed": str(SEED)}, log, lambda missing: None) as running:
        yield running


@pytest.fixture
def client(session: Session) -> GraphClient:
    """A client of a graph in which the robot is at home and may move, whatever the test before left."""
    mode = safety_mode(session.client)
    if mode == "hold":
        assert session.client.hand_back("the next test").accepted
    elif mode != "ready":
        assert session.client.reset("the next test").accepted
        wait_until_armed(session.client)
    outcome = session.client.run_skill(HOME, (), LIMIT, ignore)
    assert outcome.success, outcome.reason
    return session.client


def safety_mode(client: GraphClient) -> str:
    watch = GraphWatch(client)
    client.spin(0.5)
    watch.close()
    assert watch.status.safety is not None
    return watch.status.safety.mode


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


@pytest.fixture
def recording(client: GraphClient) -> Iterator[Recording]:
    made = Recording()
    recorder = GraphRecorder(client, made)
    client.spin(0.5)
    yield made
    recorder.close()


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
    assert max(speeds) < 2.0 * STANDING
    assert max(np.abs(state.velocity).max() for state in recording.states) > STANDING, "it had been moving"


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
    assert max(speeds) < 2.0 * STANDING
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


def test_taking_over_by_hand_ends_the_task_and_handing_back_lets_the_next_one_run(
    session: Session, client: GraphClient
) -> None:
    ready, acting, over = threading.Event(), threading.Event(), threading.Event()

    def look(progress: TaskProgress) -> None:
        if progress.stage == "acting" and progress.phase:
            acting.set()

    driver = threading.Thread(target=drive_by_hand, args=(session.domain, ready, acting, over))
    driver.start()
    assert ready.wait(LIMIT)
    result = client.execute_task("put the green block on the white plate", LIMIT, look)
    over.set()
    driver.join(LIMIT)
    assert (result.outcome, result.success) == ("cancelled", False)
    assert "by hand" in result.reason
    wait_for_mode(client, "hold")
    refused = client.run_skill(HOME, (), LIMIT, ignore)
    assert not refused.success and "reins handback" in refused.reason
    assert client.hand_back("a test").accepted
    after = client.run_skill(HOME, (), LIMIT, ignore)
    assert after.success, after.reason


def drive_by_hand(domain: int, ready: threading.Event, begin: threading.Event, over: threading.Event) -> None:
    """Hold a key, as a terminal repeats it, from one event to another."""
    with GraphClient(domain=domain) as hand:
        keys = hand.node.create_publisher(String, KEYS_TOPIC, KEYS)
        while keys.get_subscription_count() == 0:
            hand.spin(0.1)
        ready.set()
        assert begin.wait(LIMIT)
        while not over.is_set():
            keys.publish(String(data="r"))
            hand.spin(0.03)


def test_a_cancelled_task_ends_in_a_result(client: GraphClient) -> None:
    result = client.execute_task("put the yellow block in the blue bowl", 2.0, ignore)
    assert (result.outcome, result.success) == ("cancelled", False)
    after = client.run_skill(HOME, (), LIMIT, ignore)
    assert after.success, after.reason
