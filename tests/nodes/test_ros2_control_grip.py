"""A gripper behind ros2_control over its topics; what a gripper action is sent, and a controller manager asked.

The action and the manager's services have no messages here: plain objects stand in their place, so that only what the
driver makes of them is tested, and not the wire.
"""

import re
import threading
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import pytest
import rclpy
from rclpy.context import Context
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from reins.contracts.errors import ReinsError
from reins.demo.session import free_domain
from reins.hardware.profile import load_profile
from reins.hardware.robot import GripperCommand
from reins.hardware.ros2_control import GripperController, GripperControls, Ros2ControlDrive
from reins.nodes.control_loop import Inbox
from reins.nodes.ros2_control import gripper as module
from reins.nodes.ros2_control import link, manager
from reins.nodes.ros2_control.gripper import RESTING, SILENCE, Ros2ControlGrip
from reins.nodes.ros2_control.manager import ControllerManager
from reins.nodes.ros2_control.setpoints import SETPOINTS

pytestmark = pytest.mark.ros

LIMITS = load_profile("franka").gripper
CLOSED, OPEN = 0.7, -0.1
"""Of the joint, which runs the other way than the width does [rad]."""

SOON = 5.0


def controller(controls: GripperControls = GripperControls.POSITION) -> GripperController:
    return GripperController(controller="hand", controls=controls, joint="finger", closed=CLOSED, open=OPEN)


def joint_at(width: float) -> float:
    return CLOSED + width / LIMITS.max_width * (OPEN - CLOSED)


class Fingers:
    """Joint states of one joint, which goes where the controller's topic says unless something is in between."""

    def __init__(self, domain: int) -> None:
        self._context = Context()
        rclpy.init(args=[], context=self._context, domain_id=domain)
        self.node = Node("hand", context=self._context)
        self._publisher = self.node.create_publisher(JointState, "/joint_states", 1)
        self._commands: Inbox[Float64MultiArray] = Inbox(self.node, Float64MultiArray, "/hand/commands", SETPOINTS)
        self.position = OPEN
        self.most = CLOSED
        self.taken: list[float] = []
        self.silent = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def close(self) -> None:
        self._ended.set()
        self._thread.join()
        self.node.destroy_node()
        self._context.try_shutdown()

    def _run(self) -> None:
        while not self._ended.wait(0.01):
            self.taken += [message.data[0] for message in self._commands.drain()]
            if self.taken:
                self.position = min(self.taken[-1], self.most)
            if not self.silent.is_set():
                message = JointState(name=["other", "left_finger"], position=[0.0, self.position])
                message.header.stamp.sec, message.header.stamp.nanosec = divmod(time.time_ns(), 10**9)
                self._publisher.publish(message)


@pytest.fixture
def fingers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fingers]:
    domain = free_domain()
    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))
    fingers = Fingers(domain)
    yield fingers
    fingers.close()


@pytest.fixture
def make(fingers: Fingers) -> Iterator[Callable[..., Ros2ControlGrip]]:
    made: list[Ros2ControlGrip] = []

    def grip(controls: GripperControls = GripperControls.POSITION) -> Ros2ControlGrip:
        made.append(Ros2ControlGrip(controller(controls), LIMITS, "left_", "joint_states"))
        return made[-1]

    yield grip
    for one in made:
        one.close()


def turn_until(grip: Ros2ControlGrip, wanted: GripperCommand | None, done: Callable[[Any], bool]) -> Any:
    end = time.monotonic() + SOON
    while not done(state := grip.turn(wanted, False)):
        assert time.monotonic() < end, state
        time.sleep(0.02)
    return state


def test_widths_become_positions_of_the_joint_and_back(make: Callable[..., Ros2ControlGrip], fingers: Fingers) -> None:
    grip = make()
    assert grip.turn(None, False).width == pytest.approx(LIMITS.max_width)
    turn_until(grip, GripperCommand(0.03, 20.0), lambda state: abs(state.width - 0.03) < 1e-6)
    assert fingers.taken == [pytest.approx(joint_at(0.03))], "sent once, though it was wanted many times"


def test_what_keeps_the_fingers_apart_is_held_through_a_stop(
    make: Callable[..., Ros2ControlGrip], fingers: Fingers
) -> None:
    grip = make()
    fingers.most = joint_at(0.04)
    turn_until(grip, GripperCommand(0.0, 20.0), lambda state: state.holding)
    sent = list(fingers.taken)
    assert grip.turn(None, True).holding
    time.sleep(2.0 * RESTING)
    assert grip.turn(None, False).holding and fingers.taken == sent


def test_fingers_that_hold_nothing_stop_where_they_are(make: Callable[..., Ros2ControlGrip], fingers: Fingers) -> None:
    grip = make()
    turn_until(grip, GripperCommand(0.05, 20.0), lambda state: abs(state.width - 0.05) < 1e-6)
    time.sleep(2.0 * RESTING)
    assert not grip.turn(None, True).holding
    turn_until(grip, None, lambda _: len(fingers.taken) == 2)
    assert fingers.taken[-1] == pytest.approx(joint_at(0.05))
    turn_until(grip, GripperCommand(0.05, 20.0), lambda _: len(fingers.taken) == 3)


def test_fingers_of_which_nothing_is_heard_do_not_work(make: Callable[..., Ros2ControlGrip], fingers: Fingers) -> None:
    grip = make()
    fingers.silent.set()
    began = time.monotonic()
    with pytest.raises(ReinsError, match="/joint_states no longer tells the gripper's 'finger'"):
        turn_until(grip, None, lambda _: False)
    assert SILENCE - 0.1 < time.monotonic() - began < SILENCE + 1.0


def test_a_joint_that_is_not_there_is_named(fingers: Fingers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "APPEAR", 0.5)
    with pytest.raises(ReinsError, match="/joint_states has no joint 'right_finger'"):
        Ros2ControlGrip(controller(), LIMITS, "right_", "joint_states")


class Future:
    def __init__(self, result: Any, done: bool = True) -> None:
        self._result, self._done = result, done

    def done(self) -> bool:
        return self._done

    def result(self) -> Any:
        return self._result


class Action:
    """Stands where the action client does."""

    def __init__(self) -> None:
        self.goals: list[Any] = []
        self.accepts = self.ready = True

    def server_is_ready(self) -> bool:
        return self.ready

    def send_goal_async(self, goal: Any) -> Future:
        self.goals.append(goal.command)
        return Future(SimpleNamespace(accepted=self.accepts))


@pytest.fixture
def action(monkeypatch: pytest.MonkeyPatch) -> Action:
    action = Action()
    goal = SimpleNamespace(Goal=lambda: SimpleNamespace(command=SimpleNamespace()))
    monkeypatch.setattr(module, "import_module", lambda _: SimpleNamespace(GripperCommand=goal))
    monkeypatch.setattr(
        link.Link, "action_client", lambda _link, _kind, name: action if name == "/hand/gripper_cmd" else None
    )
    return action


def test_a_gripper_action_gets_position_and_force_within_the_profile(
    make: Callable[..., Ros2ControlGrip], action: Action
) -> None:
    grip = make(GripperControls.ACTION)
    grip.turn(GripperCommand(0.02, 10_000.0), False)
    assert action.goals[0].position == pytest.approx(joint_at(0.02))
    assert action.goals[0].max_effort == LIMITS.max_force


def test_a_gripper_action_that_takes_no_goal_does_not_work(
    make: Callable[..., Ros2ControlGrip], action: Action
) -> None:
    grip = make(GripperControls.ACTION)
    action.accepts = False
    with pytest.raises(ReinsError, match="/hand/gripper_cmd takes no goal; is its controller active"):
        grip.turn(GripperCommand(0.02, 20.0), False)


def test_a_gripper_action_that_is_not_there_says_what_to_activate(
    make: Callable[..., Ros2ControlGrip], action: Action, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "APPEAR", 0.5)
    action.ready = False
    with pytest.raises(ReinsError, match="no gripper action /hand/gripper_cmd answers; activate its controller"):
        make(GripperControls.ACTION)


def test_without_the_actions_messages_it_says_what_to_install_or_to_use(make: Callable[..., Ros2ControlGrip]) -> None:
    if find_spec("control_msgs"):
        pytest.skip("control_msgs is installed")
    with pytest.raises(ReinsError, match=r"needs the package control_msgs.*controls: position"):
        make(GripperControls.ACTION)


class ManagerLink:
    """Stands where the link does: a controller manager that answers at once."""

    def __init__(self, **states: str) -> None:
        self.answer = SimpleNamespace(
            controller=[SimpleNamespace(name=name, state=state) for name, state in states.items()]
        )
        self.node = SimpleNamespace(create_client=self._client)
        self.asked: list[str] = []

    def _client(self, _kind: Any, service: str) -> Any:
        self.asked.append(service)
        return SimpleNamespace(
            service_is_ready=lambda: True,
            wait_for_service=lambda timeout_sec: True,
            call_async=lambda _request: Future(self.answer),
        )

    def look(self) -> None: ...

    def wait(self, future: Future, timeout: float) -> bool:
        return future.done()


@pytest.mark.parametrize(
    "states, says",
    [
        ({"arm": "active", "hand": "inactive"}, ""),
        ({"arm": "inactive"}, "controller 'arm' is inactive; activate it"),
        ({"hand": "active"}, r"has no controller 'arm' \(it has: hand\); load and activate it"),
        ({}, r"\(it has: none\)"),
    ],
)
def test_the_controller_managers_word_becomes_one_sentence(
    monkeypatch: pytest.MonkeyPatch, states: dict[str, str], says: str
) -> None:
    services = SimpleNamespace(ListControllers=SimpleNamespace(Request=SimpleNamespace))
    monkeypatch.setattr(manager, "load_manager_messages", lambda: services)
    line: Any = ManagerLink(**states)
    asked = ControllerManager(line, Ros2ControlDrive(controller="/left/arm", controller_manager="/left/manager"))
    assert line.asked == ["/left/manager/list_controllers"]
    for now in (asked.ask_now(1.0), *(asked.trouble() for _ in range(2))):
        assert bool(now) == bool(says) and re.search(says, now), now
