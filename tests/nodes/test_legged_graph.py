"""A legged robot's safety and teleop nodes, launched, over ROS: what they let through, and what stops them."""

import math
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import Twist
from legged_graph import SOON, LeggedGraph
from rclpy.publisher import Publisher
from reins_msgs import msg as ros
from std_msgs.msg import Bool, String
from task_helpers import PadInHand

from reins.blackbox.analysis import analyse
from reins.blackbox.reading import read
from reins.blackbox.words import explain
from reins.hardware.legged import Posture
from reins.nodes.qos import CONTROL, EVENTS
from reins.nodes.teleop import KEYS, KEYS_TOPIC
from reins.nodes.watch import GraphWatch
from reins.safety.legged.limits import speed_use
from reins.teleop.intent import Action, Direction

pytestmark = [pytest.mark.ros, pytest.mark.timeout(180)]

AHEAD = (0.4, 0.0, 0.0)
TILTED = [math.sin(0.45), 0.0, 0.0, math.cos(0.45)]
"""By 0.9 rad, x y z w."""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LeggedGraph]:
    log = tmp_path_factory.mktemp("legged") / "graph.log"
    os.environ["ROS_LOG_DIR"] = str(log.parent / "ros-log")
    with LeggedGraph(log) as graph:
        yield graph


@pytest.fixture(scope="module")
def pad_of(running: LeggedGraph) -> Iterator[PadInHand]:
    with PadInHand(running.domain) as pad:
        yield pad


@pytest.fixture
def graph(running: LeggedGraph) -> LeggedGraph:
    """Ready, armed, nobody drives."""
    running.be_ready()
    return running


@pytest.fixture
def pad(graph: LeggedGraph, pad_of: PadInHand) -> Iterator[PadInHand]:
    """In the operator's hands, nothing pressed, and teleop has seen that."""
    pad_of.plugged_in = True
    graph.client.spin(0.4)
    yield pad_of
    pad_of.hold(False)
    for direction in (Direction.X, Direction.Y, Direction.YAW):
        pad_of.set(direction, 0.0)
    pad_of.plugged_in = False


@pytest.fixture
def walking(graph: LeggedGraph) -> LeggedGraph:
    """A skill walks it ahead."""
    graph.new_goal()
    graph.walk(AHEAD, lambda: graph.velocity().tolist() == list(AHEAD) and graph.walks(), "a robot that walks")
    return graph


@pytest.fixture
def twists(graph: LeggedGraph) -> Iterator[Publisher]:
    publisher = graph.client.node.create_publisher(Twist, "cmd_vel", 1)
    graph.until(lambda: publisher.get_subscription_count() > 0, "a teleop node that listens to cmd_vel")
    yield publisher
    graph.client.node.destroy_publisher(publisher)


class TestCommands:
    def test_a_safe_one_passes_unchanged(self, walking: LeggedGraph) -> None:
        wanted, count = [0.35, 0.05, -0.1], len(walking.sent)
        walking.walk(wanted, lambda: walking.velocity().tolist() == wanted, "the very velocity")
        walking.walk(wanted, lambda: len(walking.sent) > count + 40, "more of them")
        assert all(sent.posture == Posture.STAND for sent in walking.sent[count:])
        assert walking.client.node.get_publishers_info_by_topic("/command/safe")[0].node_name == "safety"

    def test_it_stands_up_first(self, graph: LeggedGraph) -> None:
        if graph.states[-1].height is not None and graph.states[-1].height > 0.2:
            assert graph.client.estop("a test", "so that it sits").accepted
            graph.until(graph.sits, "a robot that sits")
            graph.be_ready()
        graph.new_goal()
        graph.walk(AHEAD, lambda: graph.sent[-1].posture == Posture.STAND, "a robot that rises")
        assert not graph.velocity().any()
        graph.walk(AHEAD, graph.walks, "a robot that walks")
        assert any("not standing yet" in reason for reason in graph.told("limit_clipped"))

    def test_whoever_looks_at_the_graph_sees_the_robot(self, graph: LeggedGraph) -> None:
        watch = GraphWatch(graph.client)
        graph.until(lambda: bool(watch.status.armed) and watch.status.up("robot"), "what `reins status` shows")
        watch.close()

    def test_one_that_is_too_fast_is_held_to_the_limits(self, walking: LeggedGraph) -> None:
        limits = walking.profile.body.velocity
        walking.walk((9.0, 0.0, 0.0), lambda: speed_use(walking.velocity(), limits) > 1.0 - 1e-6, "the speed limit")
        assert max(speed_use(np.array([s.velocity.linear.x, 0.0, 0.0]), limits) for s in walking.sent) < 1.0 + 1e-6
        assert any("body speed" in reason for reason in walking.told("limit_clipped"))

    @pytest.mark.parametrize(
        ("spoil", "said"),
        [
            (lambda m: setattr(m.velocity.linear, "x", math.nan), "vx is nan"),
            (lambda m: setattr(m.velocity.angular, "z", math.inf), "yaw rate is inf"),
            (lambda m: setattr(m.velocity.linear, "z", 0.1), "shape (6,)"),
            (lambda m: setattr(m, "period", math.nan), "period nan"),
            (lambda m: setattr(m, "posture", 9), "posture 9"),
            (lambda m: setattr(m, "sequence", 0), "sequence 0"),
            (lambda m: setattr(m.header.stamp, "sec", max(m.header.stamp.sec - 5, 0)), "ms old"),
            (lambda m: setattr(m.header.stamp, "sec", m.header.stamp.sec + 5), "ahead of the robot"),
        ],
        ids=["NaN", "infinite", "into the air", "period", "posture", "sequence", "stale", "future"],
    )
    def test_a_broken_one_is_refused_and_the_others_go_on(
        self, walking: LeggedGraph, spoil: Callable[[Any], None], said: str
    ) -> None:
        def send() -> bool:
            broken = walking.command(AHEAD)
            spoil(broken)
            walking.publish(broken)
            return any(said in reason for reason in walking.told("command_rejected"))

        walking.until(send, f"an event that says '{said}'")
        before = len(walking.sent)
        walking.walk(AHEAD, lambda: len(walking.sent) > before + 20, "commands that go on")
        assert np.isfinite([list(map(float, (s.velocity.linear.x, s.velocity.angular.z))) for s in walking.sent]).all()


class TestHazards:
    @pytest.mark.parametrize(
        ("changes", "kind"),
        [
            ({"orientation": TILTED}, "tilt"),
            ({"contact": [False] * 4}, "foot_contact"),
            ({"battery": 0.05}, "battery"),
            ({"position": [9.0] * 12}, "leg_joint"),
        ],
        ids=["tilt", "feet", "battery", "joint"],
    )
    def test_it_stops_sits_and_waits_for_a_reset(
        self, walking: LeggedGraph, changes: dict[str, Any], kind: str
    ) -> None:
        walking.change(**changes)
        walking.walk(AHEAD, lambda: bool(walking.told(kind)), f"an event of kind {kind}")
        walking.walk(AHEAD, walking.sits, "a robot that sits, though the skill goes on")
        walking.mode("stopped")
        walking.change()
        walking.reset()
        before = len(walking.sent)
        walking.walk(AHEAD, lambda: len(walking.sent) > before + 30, "time in which an old goal could resume")
        assert walking.sits()

    def test_a_reset_is_refused_while_it_lasts(self, walking: LeggedGraph) -> None:
        walking.change(battery=0.05)
        walking.mode("stopped")
        refused = walking.client.reset("a test")
        assert not refused.accepted and "battery" in refused.message

    def test_a_state_that_is_no_number_counts_as_silence(self, walking: LeggedGraph) -> None:
        walking.change(battery=math.nan)
        walking.walk(AHEAD, lambda: bool(walking.told("robot_state_lost")), "a lost state")
        assert walking.told("state_rejected")
        walking.until(walking.sits, "a robot that sits")


class TestTeleop:
    def test_the_dead_man_takes_over_releasing_it_holds_and_only_handing_back_gives_it_to_skills(
        self, walking: LeggedGraph, pad: PadInHand
    ) -> None:
        pad.hold(True)
        pad.set(Direction.Y, 1.0)
        walking.walk(AHEAD, lambda: walking.modes[-1] == "active_teleop", "the operator in charge")
        walking.walk(AHEAD, lambda: walking.velocity()[1] > 0.2, "motion to the left")
        pad.hold(False)
        walking.walk(AHEAD, walking.stands, "a robot that stands, though stick and skill go on")
        assert walking.modes[-1] == "hold"
        walking.new_goal()
        before = len(walking.sent)
        walking.walk(AHEAD, lambda: len(walking.sent) > before + 30, "time in which the skill could take over")
        assert walking.stands() and walking.modes[-1] == "hold"
        pad.press(Action.HAND_BACK)
        walking.mode("ready")
        walking.new_goal()
        walking.walk(AHEAD, walking.walks, "a skill that walks again")

    def test_sitting_down_and_standing_up_by_button(self, walking: LeggedGraph, pad: PadInHand) -> None:
        pad.hold(True)
        walking.mode("active_teleop")
        pad.press(Action.SIT)
        walking.until(walking.sits, "a robot that sits")
        pad.press(Action.STAND)
        walking.until(walking.stands, "a robot that stands")

    def test_a_pad_that_falls_silent_holds(self, walking: LeggedGraph, pad: PadInHand) -> None:
        pad.hold(True)
        pad.set(Direction.X, 1.0)
        walking.mode("active_teleop")
        walking.until(walking.walks, "a robot that walks")
        pad.plugged_in = False
        walking.mode("hold")
        walking.until(walking.stands, "a robot that stands")
        assert walking.told("joystick_lost")

    def test_the_pads_button_stops_it(self, walking: LeggedGraph, pad: PadInHand) -> None:
        pad.press(Action.ESTOP)
        walking.mode("estop")
        walking.until(walking.sits, "a robot that sits")

    def test_keys(self, walking: LeggedGraph) -> None:
        keys = walking.client.node.create_publisher(String, KEYS_TOPIC, KEYS)
        walking.until(lambda: keys.get_subscription_count() > 0, "a teleop node that listens to keys")

        def turns() -> bool:
            keys.publish(String(data="j"))
            return walking.modes[-1] == "active_teleop" and bool(walking.velocity()[2] > 0.2)

        walking.until(turns, "motion to the left")
        walking.mode("hold")
        walking.until(walking.stands, "a robot that stands")
        walking.client.node.destroy_publisher(keys)

    def test_cmd_vel_drives_and_its_silence_holds(self, walking: LeggedGraph, twists: Publisher) -> None:
        wanted = Twist()
        wanted.linear.x, wanted.angular.z = 0.3, 0.2

        def driven() -> bool:
            twists.publish(wanted)
            return walking.velocity().tolist() == [0.3, 0.0, 0.2]

        walking.until(driven, "the very velocity")
        assert walking.modes[-1] == "active_teleop"
        walking.mode("hold")
        walking.until(walking.stands, "a robot that stands")
        assert walking.told("cmd_vel_silent")

    def test_cmd_vel_that_is_no_number_is_told_and_holds(self, walking: LeggedGraph, twists: Publisher) -> None:
        wanted = Twist()
        wanted.linear.x = math.nan

        def refused() -> bool:
            twists.publish(wanted)
            return bool(walking.told("cmd_vel_unusable"))

        walking.until(refused, "an event")
        assert "x is nan" in walking.told("cmd_vel_unusable")[0]

    def test_cmd_vel_goes_on_after_an_emergency_stop_and_its_reset_to_no_effect(
        self, walking: LeggedGraph, twists: Publisher
    ) -> None:
        wanted = Twist()
        wanted.linear.x = 0.3

        def until(condition: Callable[[], bool], what: str) -> None:
            def look() -> bool:
                twists.publish(wanted)
                return condition()

            walking.until(look, what)

        until(walking.walks, "a robot that walks")
        assert walking.client.estop("a test", "to see what happens").accepted
        until(walking.sits, "a robot that sits")
        walking.reset()
        before = len(walking.sent)
        until(lambda: len(walking.sent) > before + 30, "time in which it could resume")
        assert walking.sits()


class TestStops:
    def test_the_emergency_stop_sits_it_down_and_falls_silent(self, walking: LeggedGraph) -> None:
        button = walking.client.node.create_publisher(Bool, "safety/estop", EVENTS)
        walking.until(lambda: button.get_subscription_count() > 0, "safety, that listens")
        button.publish(Bool(data=True))
        walking.walk(AHEAD, lambda: walking.modes[-1] == "estop", "an emergency stop")
        walking.walk(AHEAD, walking.sits, "a robot that sits")
        walking.walk(AHEAD, lambda: not walking.states_armed, "a driver host that trips as well")
        assert "no command/safe" in walking.states[-1].fault
        refused = walking.client.reset("")
        assert not refused.accepted
        walking.reset()
        walking.arm()
        walking.new_goal()
        walking.walk(AHEAD, walking.walks, "a robot that walks for a new goal")
        walking.client.node.destroy_publisher(button)

    def test_the_black_box_tells_of_it(self, walking: LeggedGraph) -> None:
        before = set(walking.folder.glob("*.mcap"))
        assert walking.client.estop("anna", "a test").accepted
        walking.until(lambda: bool(set(walking.folder.glob("*.mcap")) - before), "a file")
        (path,) = set(walking.folder.glob("*.mcap")) - before
        recording = read(path)
        told = list(explain(recording, analyse(recording)))
        words = dict(told)
        assert "anna" in words["stop"] and words["in charge"].startswith("a skill")
        assert "after the stop" in words["standstill"]
        assert any(heading == "asked" and "0.400 m/s in x" in text for heading, text in told)

    def test_a_driver_that_falls_silent_stops_it(self, walking: LeggedGraph) -> None:
        walking.stop_process("robot", True)
        try:
            walking.until(lambda: bool(walking.told("robot_state_lost")), "a lost robot")
            walking.until(lambda: not walking.velocity().any(), "braking")
            assert walking.sent[-1].posture == Posture.SIT or walking.modes[-1] in ("stopping", "stopped")
        finally:
            walking.stop_process("robot", False)
        walking.mode("stopped")
        walking.until(walking.sits, "a robot that sits")

    def test_a_silent_skill_is_braked_and_loses_control(self, walking: LeggedGraph) -> None:
        walking.mode("ready")
        walking.until(walking.stands, "a robot that stands")
        assert walking.told("source_silent")

    def test_a_robot_that_is_not_armed_is_not_driven(self, walking: LeggedGraph) -> None:
        assert walking.client.arm("a test", False).accepted
        walking.walk(AHEAD, lambda: walking.modes[-1] == "stopped", "a stop")
        assert walking.told("robot_fault") or walking.told("not_following")

    def test_a_second_publisher_on_the_safe_topic_disarms_the_robot(self, walking: LeggedGraph) -> None:
        other = walking.client.node.create_publisher(ros.SafeBodyCommand, "command/safe", CONTROL)
        try:
            walking.walk(AHEAD, lambda: not walking.states_armed, "a robot that is disarmed")
            assert "2 publishers" in walking.states[-1].fault
            walking.until(lambda: bool(walking.told("publishers")), "their names")
            assert walking.client.node.get_name() in walking.told("publishers")[0]
            refused = walking.client.arm("a test", True)
            assert not refused.accepted
        finally:
            walking.client.node.destroy_publisher(other)
        walking.until(lambda: walking.speed() < 0.01, "a robot that stands", SOON)
