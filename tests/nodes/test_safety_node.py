"""What the safety node itself decides, without a graph: whose commands, who may reset, what a parameter means when."""

import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import rclpy
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.task import Future
from rclpy.utilities import try_shutdown
from reins_msgs import msg as ros
from reins_msgs.srv import EmergencyStop, HandBack, ListConstraints, Reset, SetConstraint
from std_msgs.msg import Bool
from std_srvs.srv import Trigger

from reins.contracts.plan import Constraint
from reins.demo.session import free_domain
from reins.hardware.profile import load_profile
from reins.hardware.robot import RobotState
from reins.nodes import safety as safety_node
from reins.nodes.control_loop import Inbox
from reins.nodes.convert import robot_state_to_msg
from reins.nodes.convert_scene import constraint_to_msg
from reins.nodes.qos import CONTROL, EVENTS, LATCHED
from reins.nodes.safety import MOST_SCENE, RECOVERING, SafetyNode
from reins.nodes.safety_rules import RuleServices
from reins.safety.modes import Mode

pytestmark = pytest.mark.ros

SOON = 10.0
SLOW = Constraint(kind="speed", scale=0.5)


@pytest.fixture
def safety() -> Iterator[SafetyNode]:
    """Configured, and inactive."""
    rclpy.init(args=[], domain_id=free_domain())
    node = SafetyNode()
    node.trigger_configure()
    assert node.state == "inactive"
    yield node
    node.close()
    node.destroy_node()
    try_shutdown()


class Outside:
    """The rest of a graph: a robot that stands at home, and whoever commands it."""

    def __init__(self) -> None:
        profile = load_profile("franka")
        home, zero = np.array(profile.home), np.zeros(len(profile.joints))
        state = RobotState(1.0, home, zero, zero, home, gripper_width=0.04, gripper_holding=False, sequence=0)
        self._profile, self._state = profile, robot_state_to_msg(state, armed=True)
        self.node = Node("outside")
        self._states = self.node.create_publisher(ros.RobotState, "robot_state", CONTROL)
        self._commands = {
            source: self.node.create_publisher(ros.JointCommand, f"command/{source}", CONTROL)
            for source in ("skill", "teleop")
        }
        self.button = self.node.create_publisher(Bool, "safety/estop", EVENTS)
        self.scenes = self.node.create_publisher(ros.Scene, "scene", LATCHED)
        self._sequence = 0
        self._modes = Inbox(self.node, ros.SafetyState, "safety/state", LATCHED)
        self.said: list[tuple[str, str]] = []
        publishers = [self._states, *self._commands.values(), self.button, self.scenes]
        self.until(lambda: all(publisher.get_subscription_count() for publisher in publishers))

    def until(self, condition: Callable[[], bool], act: Callable[[], None] = lambda: None) -> None:
        """Go on with robot time, and `act`, until something holds."""
        end = time.monotonic() + SOON
        while not condition():
            assert time.monotonic() < end
            self._state.header.stamp.nanosec += 10_000_000
            self._state.header.stamp.sec += self._state.header.stamp.nanosec // 1_000_000_000
            self._state.header.stamp.nanosec %= 1_000_000_000
            self._states.publish(self._state)
            act()
            time.sleep(0.01)
            self.said += [(state.mode_name, state.reason) for state in self._modes.drain()]

    def command(self, topic: str, source: str) -> None:
        """Stand still, says `source` on the topic of another, perhaps."""
        self._sequence += 1
        names = list(self._profile.joint_names)
        command = ros.JointCommand(source=source, joint_names=names, sequence=self._sequence, period=0.01)
        command.velocity = [0.0] * len(names)
        command.header.stamp = command.activation = self._state.header.stamp
        self._commands[topic].publish(command)

    def fault(self, reason: str) -> None:
        """What the robot says from now on."""
        self._state.fault = reason

    def close(self) -> None:
        self.node.destroy_node()


@pytest.fixture
def outside(safety: SafetyNode) -> Iterator[Outside]:
    """… and the node active and ready."""
    rest = Outside()
    safety.trigger_activate()
    rest.until(lambda: safety._monitor.mode is Mode.READY)
    yield rest
    rest.close()


def reset(safety: SafetyNode, who: str) -> Reset.Response:
    """What the service answers; the robot has no fault, so that nothing is awaited."""
    course = safety._on_reset(Reset.Request(requested_by=who), Reset.Response())
    with pytest.raises(StopIteration) as end:
        course.send(None)
    response: Reset.Response = end.value.value
    return response


def rule_services(safety: SafetyNode, outside: Outside) -> RuleServices:
    """What answers for a node's constraints, to be asked without a client."""
    return RuleServices(outside.node, safety._ask_rules, safety._constraints)


def test_a_speed_that_is_set_before_the_node_is_active_is_in_force_then(safety: SafetyNode) -> None:
    assert all(result.successful for result in safety.set_parameters([Parameter("speed_scale", value=0.2)]))
    assert safety._monitor.rules.constraints.speed_scale == 0.2
    safety.trigger_activate()
    assert safety._monitor.status(0.0).speed_scale == 0.2


@pytest.mark.parametrize("scale", [float("nan"), 0.0, -0.5, 1.5, float("inf")])
def test_a_speed_that_makes_no_sense_changes_nothing(safety: SafetyNode, scale: float) -> None:
    safety.trigger_activate()
    (result,) = safety.set_parameters([Parameter("speed_scale", value=scale)])
    assert not result.successful
    assert safety._monitor.rules.constraints.speed_scale == 1.0


@pytest.mark.parametrize(
    "topic, source, drives", [("skill", "skill", True), ("skill", "teleop", False), ("teleop", "skill", False)]
)
def test_a_source_drives_on_its_own_topic_only(
    safety: SafetyNode, outside: Outside, topic: str, source: str, drives: bool
) -> None:
    monitor = safety._monitor
    told: list[str] = []
    safety._tell = lambda event: told.append(event.reason)  # type: ignore[method-assign]
    done = lambda: monitor.mode is Mode.ACTIVE_SKILL if drives else bool(told)  # noqa: E731
    outside.until(done, lambda: outside.command(topic, source))
    if not drives:
        assert monitor.mode is Mode.READY
        assert f"source '{source} on command/{topic}'" in told[0]


@pytest.mark.parametrize("who", ["", "  ", "\n", "planner", "supervisor"])
def test_a_reset_without_an_operator_does_not_recover_the_robot(
    safety: SafetyNode, outside: Outside, who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    safety._robot_fault = "somebody pressed the button"

    async def recover() -> None:
        raise AssertionError("the robot was recovered")

    monkeypatch.setattr(safety, "_recover_robot", recover)
    answer = reset(safety, who)
    assert not answer.accepted and "operator" in answer.message


def test_a_reset_that_recovers_the_robot_of_a_new_monitor_is_enough(
    safety: SafetyNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a clean-up: the robot stopped for the silence, and the monitor waits for it to be well."""
    outside = Outside()
    outside.fault("no command/safe for 90 ms")
    safety.trigger_activate()
    outside.until(lambda: bool(safety._robot_fault))

    async def recover() -> None:
        assert safety._monitor.mode is Mode.STARTING
        outside.fault("")
        outside.until(lambda: not safety._robot_fault)

    monkeypatch.setattr(safety, "_recover_robot", recover)
    assert reset(safety, "anna").accepted
    assert safety._monitor.mode is Mode.READY
    again = reset(safety, "anna")
    assert not again.accepted and "nothing to reset" in again.message
    outside.close()


def test_what_a_robot_says_that_does_not_recover_is_the_answer_to_a_reset(
    safety: SafetyNode, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = Future()
    refused.set_result(Trigger.Response(success=False, message="not recovered: the robot moves"))
    monkeypatch.setattr(safety._recover, "call_async", lambda _request: refused)
    outside.fault("somebody pressed the button")
    outside.until(lambda: bool(safety._robot_fault))
    answer = reset(safety, "anna")
    assert (answer.accepted, answer.message) == (False, "not reset: not recovered: the robot moves")


@pytest.mark.parametrize(
    "later, waited", [("", True), ("the user stop is pressed", True), ("somebody pressed the button", False)]
)
def test_a_reset_waits_for_a_robot_that_takes_seconds_to_recover(
    safety: SafetyNode, outside: Outside, monkeypatch: pytest.MonkeyPatch, later: str, waited: bool
) -> None:
    """A UR unlocks five seconds after its stop; what it says at the end, for good or ill, ends the waiting."""
    passed = 0.0

    async def pass_time(_node: Node, seconds: float, *futures: Future) -> bool:
        nonlocal passed
        passed += 0.0 if futures else seconds
        if passed > 6.0:
            outside.fault(later)
            outside.until(lambda: safety._robot_fault == later)
        return bool(futures)

    asked = Future()
    asked.set_result(Trigger.Response(success=True))
    monkeypatch.setattr(safety_node, "first_of", pass_time)
    monkeypatch.setattr(safety._recover, "call_async", lambda _request: asked)
    outside.fault("somebody pressed the button")
    outside.until(lambda: bool(safety._robot_fault))
    answer = reset(safety, "anna")
    assert answer.accepted is (not later)
    assert (passed < 6.1) is waited and passed <= RECOVERING + 0.1
    assert not later or later in answer.message


def test_an_emergency_stop_does_not_wait_for_a_reset(safety: SafetyNode) -> None:
    """Callbacks of one group run one after the other, and a reset waits for the robot."""
    groups = {service.service_name: service.callback_group for service in safety.services}
    assert groups["/safety/reset"] is not groups["/safety/estop"]


def test_an_emergency_stop_while_the_robot_recovers_is_not_cleared(
    safety: SafetyNode, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anna resets a stop; ben presses the button before the robot has recovered from it."""
    safety._on_estop(EmergencyStop.Request(requested_by="anna"), EmergencyStop.Response())
    outside.fault("no command/safe for 90 ms")
    outside.until(lambda: bool(safety._robot_fault))

    async def recover() -> None:
        safety._on_estop(EmergencyStop.Request(requested_by="ben"), EmergencyStop.Response())
        outside.fault("")
        outside.until(lambda: not safety._robot_fault)

    monkeypatch.setattr(safety, "_recover_robot", recover)
    answer = reset(safety, "anna")
    assert not answer.accepted and "stopped again meanwhile" in answer.message
    assert safety._monitor.mode.name == "ESTOP"
    assert reset(safety, "anna").accepted
    assert safety._monitor.mode.name == "READY"


def test_a_control_thread_that_does_not_answer_is_an_answer(safety: SafetyNode, outside: Outside) -> None:
    """And not the end of the node. The emergency stop happens as soon as the thread goes on; a reset does not."""
    loop, go_on = safety._loop, threading.Event()
    assert loop is not None
    hanging = threading.Thread(target=lambda: loop.call(lambda: go_on.wait(SOON), SOON))
    hanging.start()
    stopped = safety._on_estop(EmergencyStop.Request(requested_by="me"), EmergencyStop.Response())
    answers = [reset(safety, "me"), safety._on_hand_back(HandBack.Request(requested_by="me"), HandBack.Response())]
    go_on.set()
    hanging.join(SOON)
    for answer in (stopped, *answers):
        assert not answer.accepted and "did not answer" in answer.message
    outside.until(lambda: safety._monitor.mode is Mode.ESTOP)


def test_after_it_was_inactive_nothing_goes_on_by_itself(safety: SafetyNode, outside: Outside) -> None:
    outside.until(lambda: safety._monitor.mode is Mode.ACTIVE_SKILL, lambda: outside.command("skill", "skill"))
    safety.trigger_deactivate()
    safety.trigger_activate()
    outside.until(lambda: safety._monitor.mode is Mode.STOPPED, lambda: outside.command("skill", "skill"))
    assert "was not active" in safety._monitor.status(safety._running.now()).reason
    assert reset(safety, "me").accepted


def test_what_is_forbidden_outlives_a_clean_up(safety: SafetyNode, outside: Outside) -> None:
    """An operator's constraint, one of the planner's, and no id twice."""
    rules = safety._monitor.rules
    kept = (rules.add(Constraint(kind="avoid", object="cup", set_by="operator"), "anna"), rules.add(SLOW, "planner"))
    safety.trigger_deactivate()
    safety.trigger_cleanup()
    safety.trigger_configure()
    assert safety._monitor.rules is not rules
    assert safety._monitor.rules.constraints.constraints == kept
    assert [event.kind for event in safety._monitor.take_events()] == ["constraint_kept"] * 2
    listed = rule_services(safety, outside)._on_list(ListConstraints.Request(), ListConstraints.Response())
    assert [constraint.id for constraint in listed.constraints] == ["operator-1", "planner-2"]
    assert safety._monitor.rules.add(SLOW, "planner").id == "planner-3"


def test_what_is_avoided_and_not_seen_is_set_and_said(safety: SafetyNode, outside: Outside) -> None:
    cup = constraint_to_msg(Constraint(kind="avoid", object="cup", set_by="operator"))
    asked = SetConstraint.Request(constraint=cup, requested_by="anna")
    answer = rule_services(safety, outside)._on_set(asked, SetConstraint.Response())
    assert answer.accepted and answer.id == "operator-1"
    assert answer.message == (
        "avoid cup (operator-1): no object of that name is seen now, and it counts from when one is (nothing is seen)"
    )


def test_an_inactive_one_says_so(safety: SafetyNode, outside: Outside) -> None:
    outside.until(lambda: safety._monitor.mode is Mode.ACTIVE_SKILL, lambda: outside.command("skill", "skill"))
    safety.trigger_deactivate()
    outside.until(lambda: outside.said[-1:] == [("starting", "the safety node is not active")])


def test_an_emergency_stop_outlives_it(safety: SafetyNode, outside: Outside) -> None:
    outside.button.publish(Bool(data=True))
    outside.until(lambda: safety._monitor.mode is Mode.ESTOP)
    safety.trigger_deactivate()
    safety.trigger_activate()
    assert safety._monitor.mode is Mode.ESTOP


def test_a_scene_too_large_to_look_at_is_told_and_changes_nothing(
    safety: SafetyNode, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, seen = list[str](), list[int]()
    safety._tell = lambda event: told.append(event.reason)  # type: ignore[method-assign]
    monkeypatch.setattr(safety._monitor, "on_scene", lambda scene: seen.append(len(scene.objects)))
    scenes = outside.scenes
    few = [ros.SceneObject(id=f"object_{number}") for number in range(150)]
    outside.until(lambda: bool(seen), lambda: scenes.publish(ros.Scene(objects=few)))
    many = [ros.SceneObject(id=f"object_{number}") for number in range(5000)]
    outside.until(lambda: bool(told), lambda: scenes.publish(ros.Scene(objects=many)))
    assert set(seen) == {150}
    assert f"and {MOST_SCENE} are the most" in told[0]
