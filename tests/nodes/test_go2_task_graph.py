"""The launched graph of a simulated Go2: a sentence sends it somewhere, and an operator may stop it or take it away."""

import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from patience import patient
from reins_msgs import msg as ros
from task_helpers import LIMIT, Operator, PadInHand, ignore, make_free, wait_for_mode
from typer.testing import CliRunner, Result

from reins.cli.app import app
from reins.cli.console import ExitCode
from reins.contracts.plan import SkillCall
from reins.contracts.scene import PERSON, ROBOT, SITTING, Relation
from reins.demo.session import Session, graph
from reins.hardware.legged import LeggedState
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.nodes import convert_legged as convert
from reins.nodes.client import GraphClient
from reins.nodes.qos import CONTROL, EVENTS, LATCHED
from reins.nodes.watch import newest_scene
from reins.sim.legged.ground import load_ground
from reins.sim.legged.outlook import edge_distance, named
from reins.skills.legged.library import LEGGED_SKILLS
from reins.teleop.intent import Action, Direction

pytestmark = [pytest.mark.ros, pytest.mark.slow, pytest.mark.timeout(300)]

GO2 = load_profile("go2", QuadrupedProfile)
THINGS = dict(named(load_ground("yard")))
LONG = 150.0
"""A task takes at most this long on a busy machine [s]."""

SOON = 20.0
"""Whatever an operator waits for [s]."""

WALKS, SWAYS = 0.2, 0.1
"""Speeds of a body over the ground: faster than this it walks, slower it stands [m/s]."""


class Seen:
    """What robot and safety said, heard whenever the client waits for something.

    Args:
        client: of the graph.

    Attributes:
        states: of the robot.
        modes: of the safety monitor, each with the robot time at which it began [s].
        events: of the safety monitor.
    """

    def __init__(self, client: GraphClient) -> None:
        self.states: list[LeggedState] = []
        self.modes: list[tuple[float, str]] = []
        self.events: list[ros.SafetyEvent] = []
        client.listen(ros.LeggedState, "robot_state", CONTROL, self._on_state)
        client.listen(ros.SafetyState, "safety/state", LATCHED, self._on_mode)
        client.listen(ros.SafetyEvent, "safety/events", EVENTS, self.events.append)

    def _on_state(self, message: ros.LeggedState) -> None:
        self.states.append(convert.legged_state_from_msg(message))

    def _on_mode(self, message: ros.SafetyState) -> None:
        """Counts of commands are told in it as well, while the mode lasts."""
        if not self.modes or self.modes[-1][1] != message.mode_name:
            self.modes.append((self.states[-1].stamp if self.states else 0.0, message.mode_name))

    def forget(self) -> None:
        """What was said so far is of no interest."""
        for kept in (self.states, self.modes, self.events):
            del kept[:]

    @property
    def sits(self) -> bool:
        """Whether it does now."""
        return bool(self.states) and not GO2.is_up(self.states[-1].height)

    def wait_until_it_walks(self) -> None:
        """In another thread than the client's."""
        end = time.monotonic() + SOON
        while not (self.states and speed(self.states[-1]) > WALKS):
            assert time.monotonic() < end, "it does not walk"
            time.sleep(0.02)

    def in_mode(self, name: str) -> list[LeggedState]:
        """States of a mode, from half a second after it began."""
        ends = [at for at, _ in self.modes[1:]] + [np.inf]
        spans = [(at + 0.5, end) for (at, mode), end in zip(self.modes, ends, strict=True) if mode == name]
        return [state for state in self.states if any(begin < state.stamp < end for begin, end in spans)]

    def nearest(self, thing: str) -> float:
        """Least free distance between its footprint and a thing [m]."""
        places = [state.odometry.position[:2] for state in self.states]
        return min(edge_distance(THINGS[thing], place) for place in places) - GO2.body.footprint


def speed(state: LeggedState) -> float:
    """Of the body over the ground [m/s]."""
    return float(np.hypot(*state.odometry.linear[:2]))


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    log = tmp_path_factory.mktemp("go2") / "graph.log"
    arguments = {"seed": "1", "blackbox_folder": str(log.parent)} | patient("go2")
    with graph("go2_sim", arguments, log, lambda missing: None) as running:
        yield running


@pytest.fixture(scope="module")
def heard(session: Session) -> Seen:
    return Seen(session.client)


@pytest.fixture
def client(session: Session) -> GraphClient:
    """A client of a graph in which the robot may move, whatever the test before left."""
    make_free(session.client)
    return session.client


@pytest.fixture
def seen(client: GraphClient, heard: Seen) -> Seen:
    client.spin(0.3)
    heard.forget()
    client.spin(0.3)
    return heard


@pytest.fixture
def pad(session: Session) -> Iterator[PadInHand]:
    with PadInHand(session.domain) as made:
        yield made


def test_its_skills_are_those_of_legs(client: GraphClient) -> None:
    assert {(entry.name, entry.controller) for entry in client.skills()} == {
        (name, "scripted") for name in LEGGED_SKILLS
    }


def test_a_sentence_sends_it_round_the_box_to_the_door_where_it_sits_and_it_keeps_its_distance(
    client: GraphClient, seen: Seen
) -> None:
    result = client.execute_task(
        "walk around the blue box to the red door, then sit, and keep a metre away from the person", LONG, ignore
    )
    assert (result.outcome, result.reason) == ("succeeded", "done: stand, go_to red_door and sit")
    client.spin(0.5)
    assert newest_scene(client).relations >= {Relation(ROBOT, "is", SITTING), Relation(ROBOT, "at", "red_door")}
    assert seen.sits and seen.nearest("red_door") < 0.6
    assert seen.nearest(PERSON) >= 1.0 and seen.nearest("blue_box") > 0.0
    told = [event.reason for event in seen.events if event.kind in ("constraint_added", "constraint_removed")]
    assert len(told) == 2 and all(PERSON in reason for reason in told)
    assert not any(state.fault for state in seen.states)


def test_it_says_why_it_did_that(client: GraphClient) -> None:
    done = client.execute_task("sit, then stand up, then turn left", LONG, ignore)
    assert done.success, done.reason
    answer = client.execute_task("why did you stand up?", LIMIT, ignore)
    assert answer.outcome == "answered"
    assert answer.reason.startswith("Step 2 was stand, so that robot is standing, which turn 1.5708 needs.")


@pytest.mark.parametrize(
    ("instruction", "outcome", "said"),
    [
        ("walk to the purple door", "refused", "there is no purple door here"),
        ("走到紫色的门", "refused", "没有"),
        ("walk to the door", "question", "red_door"),
    ],
)
def test_what_it_does_not_see_is_refused_in_a_sentence_and_nothing_moves(
    client: GraphClient, seen: Seen, instruction: str, outcome: str, said: str
) -> None:
    result = client.execute_task(instruction, LIMIT, ignore)
    assert result.outcome == outcome and said in result.reason and "\n" not in result.reason
    client.spin(0.5)
    assert max(map(speed, seen.states)) < SWAYS and {mode for _, mode in seen.modes} <= {"ready"}


def test_a_skill_that_is_cancelled_has_stopped_when_it_says_so(client: GraphClient, seen: Seen) -> None:
    stand = client.run_skill(SkillCall(skill="stand"), (), LIMIT, ignore)
    assert stand.success, stand.reason
    outcome = client.run_skill(SkillCall(skill="turn", arguments={"angle": 6.0}), (), 2.0, ignore)
    assert not outcome.success and "cancelled" in outcome.reason
    count = len(seen.states)
    client.spin(0.5)
    assert max(abs(state.odometry.angular[2]) for state in seen.states) > WALKS, "it had been turning"
    assert max(abs(state.odometry.angular[2]) for state in seen.states[count:]) < SWAYS


def test_an_emergency_stop_on_the_way_sits_it_down_and_a_reset_does_not_resume(
    session: Session, client: GraphClient, seen: Seen
) -> None:
    def stop() -> None:
        seen.wait_until_it_walks()
        with GraphClient(domain=session.domain) as other:
            assert other.estop("a test", "to see what happens").accepted

    operator = Operator("go_to", stop)
    result = client.execute_task("walk to the green box", LONG, operator.look)
    operator.join()
    assert result.outcome == "failed" and "emergency stop" in result.reason
    wait_for_mode(client, "estop")
    end = time.monotonic() + SOON
    while not seen.sits:
        assert time.monotonic() < end, "it does not sit"
        client.spin(0.1)
    make_free(client)
    seen.forget()
    client.spin(1.0)
    assert seen.sits and max(map(speed, seen.states)) < SWAYS


def test_it_is_taken_over_on_the_way_holds_and_arrives_after_the_hand_back(
    client: GraphClient, seen: Seen, pad: PadInHand
) -> None:
    def drive() -> None:
        seen.wait_until_it_walks()
        pad.hold(True)
        operator.paused.wait(SOON)
        pad.push(Direction.YAW, 1.0, 1.5)
        pad.hold(False)
        operator.holds.wait(SOON)
        time.sleep(1.5)
        pad.press(Action.HAND_BACK)

    operator = Operator("go_to", drive)
    result = client.execute_task("walk to the white door", LONG, operator.look)
    operator.join()
    client.spin(0.5)
    assert result.success, result.reason
    assert result.replans == 0, "an operator's takeover is no failure"
    assert "while you drove: " in result.reason and " moved " not in result.reason
    assert operator.paused.is_set() and operator.holds.is_set(), "feedback tells the pause"
    turned = [abs(state.odometry.angular[2]) for state in seen.in_mode("active_teleop")]
    assert max(turned) > WALKS, "the operator turned it"
    holds = seen.in_mode("hold")
    assert holds and max(map(speed, holds)) < SWAYS, "nothing moves between release and hand-back"
    assert Relation(ROBOT, "at", "white_door") in newest_scene(client).relations


def test_a_chinese_sentence_works(client: GraphClient, seen: Seen) -> None:
    result = client.execute_task("慢慢地走到黄色的标记，然后坐下", LONG, ignore)
    assert result.success, result.reason
    client.spin(0.5)
    place = seen.states[-1].odometry.position[:2]
    assert float(np.hypot(*(place - THINGS["yellow_marker"].at))) < 0.4 and seen.sits
    assert max(map(speed, seen.states)) < 0.7 * GO2.body.velocity.forward * 0.5 + SWAYS


@pytest.fixture
def reins(client: GraphClient, session: Session, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """The command line, in the graph's domain."""
    monkeypatch.setenv("ROS_DOMAIN_ID", str(session.domain))
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *arguments: CliRunner().invoke(app, arguments)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["task", "stand up, then sit"], ExitCode.SUCCESS, "done: stand and sit"),
        (["task", "fly to the red door"], ExitCode.REFUSED, "fly"),
        (["skills", "run", "wait", "duration=1", "--robot", "go2"], ExitCode.SUCCESS, "succeeded"),
        (["skills", "list", "--live"], ExitCode.SUCCESS, "look_around"),
        (["status"], ExitCode.SUCCESS, "a red door"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_the_command_line_speaks_to_it(
    reins: Callable[..., Result], words: list[str], code: ExitCode, said: str
) -> None:
    result = reins(*words)
    assert said in result.output + result.stderr
    assert result.exit_code == code
