"""Constraints, the speed scale, the e-stop topic and the distance of people, in the launched graph."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from patience import patient
from rclpy.qos import QoSProfile, ReliabilityPolicy
from reins_msgs.msg import SafetyState
from sensor_msgs.msg import Range
from std_msgs.msg import Bool
from task_helpers import (
    HOME,
    LIMIT,
    REACH,
    Meanwhile,
    ignore,
    resting_mode,
    safety_mode,
    travelled,
    wait_for_mode,
    wait_until_armed,
)
from typer.testing import CliRunner, Result

from reins.cli.app import app
from reins.cli.console import ExitCode
from reins.contracts.plan import Constraint
from reins.demo.recording import Recording
from reins.demo.session import Session, graph
from reins.nodes.client import GraphClient
from reins.nodes.outcomes import TaskProgress
from reins.nodes.qos import LATCHED
from reins.nodes.recorder import GraphRecorder
from reins.nodes.rules_client import RulesClient, RulesInForce
from reins.safety.constraints import MOST, PLANNER

pytestmark = [pytest.mark.ros, pytest.mark.timeout(180)]

LEAN = {"seed": "1", "cameras": "false"}
SPEED_OF_CAREFULLY = 0.5


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    log = tmp_path_factory.mktemp("rules") / "graph.log"
    with graph("sim", LEAN | patient(), log, lambda missing: None) as running:
        yield running


@pytest.fixture
def client(session: Session) -> GraphClient:
    """A client of a graph in which the robot is at home and may move, and nobody has set a rule."""
    if resting_mode(session.client) != "ready":
        assert session.client.reset("the next test").accepted
        wait_until_armed(session.client)
    rules = RulesClient(session.client)
    for owner in ("operator", "planner"):
        assert rules.clear(owner, "the next test").accepted
    assert rules.set_speed(1.0).accepted
    outcome = session.client.run_skill(HOME, (), LIMIT, ignore)
    assert outcome.success, outcome.reason
    return session.client


@pytest.fixture
def rules(client: GraphClient) -> RulesClient:
    return RulesClient(client)


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[GraphClient]:
    """A client of a graph of one's own, for what a graph does not forget."""
    with graph("sim", LEAN | patient(), tmp_path / "graph.log", lambda missing: None) as running:
        yield running.client


@pytest.fixture
def recording(client: GraphClient) -> Iterator[Recording]:
    with recorded(client) as made:
        yield made


@contextmanager
def recorded(client: GraphClient) -> Iterator[Recording]:
    """What happens in the graph from now on."""
    made = Recording()
    recorder = GraphRecorder(client, made)
    client.spin(0.5)
    try:
        yield made
    finally:
        recorder.close()


@pytest.fixture
def reins(client: GraphClient, session: Session, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """The command line, in the graph's domain."""
    monkeypatch.setenv("ROS_DOMAIN_ID", str(session.domain))
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *arguments: CliRunner().invoke(app, arguments)


def test_a_plans_constraints_are_in_force_while_it_runs_and_gone_afterwards(
    session: Session, client: GraphClient, rules: RulesClient, recording: Recording
) -> None:
    during: list[RulesInForce] = []
    own = Constraint(kind="speed", scale=0.9, set_by="operator")
    assert rules.add(own, "anna").accepted

    def look(progress: TaskProgress) -> None:
        if progress.stage == "acting" and progress.phase and not during:
            with GraphClient(domain=session.domain) as other:
                during.append(RulesClient(other).list())

    instruction = "carefully put the red block in the blue bowl but don't touch the yellow block"
    result = client.execute_task(instruction, LIMIT, look)
    assert result.success, result.reason
    of_planner = {(c.kind, c.object, c.scale) for c in during[0].constraints if c.set_by == "planner"}
    assert of_planner == {("avoid", "yellow_block", 1.0), ("speed", "", SPEED_OF_CAREFULLY)}
    assert during[0].speed_scale == SPEED_OF_CAREFULLY
    after = rules.list()
    assert [(c.set_by, c.scale) for c in after.constraints] == [("operator", 0.9)]
    assert after.speed_scale == 0.9
    told = [(event.kind, event.source) for event in recording.events if event.kind.startswith("constraint_")]
    assert told.count(("constraint_added", PLANNER)) == told.count(("constraint_removed", PLANNER)) == 2


def test_a_cancelled_task_leaves_no_constraint(client: GraphClient, rules: RulesClient) -> None:
    result = client.execute_task("carefully put the green block on the white plate", 2.0, ignore)
    assert result.outcome == "cancelled"
    assert rules.list().constraints == ()


def test_a_plan_whose_constraints_safety_refuses_moves_nothing(
    client: GraphClient, rules: RulesClient, recording: Recording
) -> None:
    for _ in range(MOST):
        assert rules.add(Constraint(kind="avoid", object="cup", set_by="operator"), "anna").accepted
    result = client.execute_task("carefully put the yellow block on the white plate", LIMIT, ignore)
    assert (result.success, result.outcome) == (False, "failed")
    assert "nothing is moved" in result.reason and "speed at most 0.5" in result.reason
    client.spin(0.3)
    assert travelled(recording) < 0.01


def test_what_the_operator_forbids_no_plan_touches(
    client: GraphClient, rules: RulesClient, recording: Recording
) -> None:
    assert rules.add(Constraint(kind="avoid", object="green_block", set_by="operator"), "anna").accepted
    result = client.execute_task("pick up the green block", LIMIT, ignore)
    assert result.outcome == "refused" and "green_block, which must not be touched" in result.reason
    client.spin(0.3)
    assert travelled(recording) < 0.01


def test_a_planner_may_only_tighten(rules: RulesClient, recording: Recording, client: GraphClient) -> None:
    assert rules.add(Constraint(kind="speed", scale=0.4, set_by="operator"), "anna").accepted
    (own,) = rules.list().constraints
    for refused in (
        rules.remove(own.id, PLANNER),
        rules.clear("operator", PLANNER),
        rules.add(Constraint(kind="avoid", object="cup", set_by="operator"), PLANNER),
        rules.add(Constraint(kind="avoid", object="cup"), ""),
        rules.remove("operator-999", "anna"),
    ):
        assert not refused.accepted and refused.message
    assert rules.list() == RulesInForce((own,), 0.4)
    client.spin(0.3)
    assert sum(event.kind == "rule_refused" for event in recording.events) == 5


def test_constraints_and_speed_on_the_command_line(reins: Callable[..., Result], rules: RulesClient) -> None:
    added = reins("constraints", "add", "keep_out", "0.5", "-0.2", "0.1", "0.2", "0.2", "0.3")
    assert added.exit_code == ExitCode.SUCCESS, added.output
    assert reins("constraints", "add", "speed", "0.5").exit_code == ExitCode.SUCCESS
    (box, slow) = rules.list().constraints
    assert (box.centre, box.size, box.set_by) == ((0.5, -0.2, 0.1), (0.2, 0.2, 0.3), "operator")
    listed = reins("constraints", "list")
    assert box.id in listed.output and "0.5, -0.2, 0.1" in listed.output and "speed at most 50%" in listed.output
    assert reins("constraints", "remove", slow.id).exit_code == ExitCode.SUCCESS
    gone = reins("constraints", "remove", slow.id)
    assert gone.exit_code == ExitCode.FAILED and box.id in gone.stderr
    unseen = reins("constraints", "add", "avoid", "unicorn")
    assert unseen.exit_code == ExitCode.SUCCESS, "it may come yet"
    assert "no object of that name is seen now" in unseen.output.replace("\n", " ")
    assert reins("speed", "0.25").exit_code == ExitCode.SUCCESS
    assert "25%" in reins("speed").output
    assert rules.list().speed_scale == 0.25
    assert reins("constraints", "remove", "--all-of", "operator").exit_code == ExitCode.SUCCESS
    assert "no constraint" in reins("constraints", "list").output


@pytest.mark.parametrize("reliability", [ReliabilityPolicy.RELIABLE, ReliabilityPolicy.BEST_EFFORT])
def test_the_topic_stops_and_latches_and_false_resets_nothing(
    session: Session, client: GraphClient, reliability: ReliabilityPolicy
) -> None:
    button = client.node.create_publisher(Bool, "safety/estop", QoSProfile(depth=1, reliability=reliability))
    while button.get_subscription_count() < (2 if reliability is ReliabilityPolicy.RELIABLE else 1):
        client.spin(0.05)
    button.publish(Bool(data=False))
    client.spin(0.3)
    assert safety_mode(client) == "ready"
    running = Meanwhile(session, REACH)
    button.publish(Bool(data=True))
    running.join()
    assert not running.success and "emergency stop" in running.reason
    wait_for_mode(client, "estop")
    for _ in range(10):
        button.publish(Bool(data=False))
        client.spin(0.05)
    assert safety_mode(client) == "estop"
    client.node.destroy_publisher(button)


def test_a_person_near_holds_the_robot_and_a_sensor_that_falls_silent_does_too(fresh: GraphClient) -> None:
    client = fresh
    sensor = client.node.create_publisher(Range, "safety/human_distance", 1)
    scales: list[float] = []
    tap = client.listen(SafetyState, "safety/state", LATCHED, lambda message: scales.append(message.speed_scale))

    def until(scale: float, distance: float | None) -> None:
        message = Range(range=distance or 0.0)
        message.header.frame_id = "lidar"
        for _ in range(200):
            if scales and scales[-1] == scale:
                return
            if distance is not None:
                sensor.publish(message)
            client.spin(0.05)
        raise AssertionError(f"the speed scale is {scales[-1:]}, not {scale}")

    with recorded(client) as recording:
        until(1.0, float("inf"))
        until(0.0, 0.1)
        until(1.0, float("inf"))
        until(0.0, None)
    client.ignore(tap)
    kinds = [event.kind for event in recording.events]
    assert "human_near" in kinds and "human_sensor_lost" in kinds
