"""Who may arm which robot, and when."""

import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
import rclpy
from brakeless import Brakeless
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.utilities import try_shutdown
from reins_msgs import msg as ros
from reins_msgs.srv import Arm, ResetWorld
from std_msgs.msg import String
from std_srvs.srv import Trigger

from reins.demo.session import free_domain
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import Robot, RobotSpec, RobotState, StopCategory
from reins.nodes import drivers
from reins.nodes.control_loop import Inbox
from reins.nodes.qos import CONTROL, EVENTS, LATCHED
from reins.nodes.robot import RobotNode
from reins.nodes.robot_settings import RobotSettings
from reins.nodes.wires import MOVING
from reins.safety.constraints import AUTOMATION, PLANNER
from reins.safety.modes import Mode
from reins.sim.mujoco_robot import MujocoRobot
from reins.sim.simulators import SIMULATORS
from reins.sim.world import load_world

pytestmark = pytest.mark.ros

SOON = 10.0


class RealRobot(MujocoRobot):
    """A driver that does not say it is a simulation."""

    @property
    def spec(self) -> RobotSpec:
        return replace(super().spec, simulated=False)


def real(profile: RobotProfile, world: str, seed: int) -> Robot:
    return RealRobot(profile, load_world(world), seed)


class RunawayArm(Brakeless, MujocoRobot):  # type: ignore[misc]
    """It moves for ever, whatever it is told; only a cut stops it."""

    failing = True

    def run_away(self, speed: float) -> None:
        self._speeds[:, 0] = speed


class Commander:
    """Stands where the safety node stands: holds a position, `count` publishers of command/safe."""

    def __init__(self, node: RobotNode, position: np.ndarray) -> None:
        self._node = Node("commander")
        self.publisher = self._node.create_publisher(ros.SafeCommand, "command/safe", CONTROL)
        self._message = ros.SafeCommand(position=position.tolist(), velocity=[0.0] * len(position), period=0.01)
        self._robot = node
        end = time.monotonic() + SOON
        while self.publisher.get_subscription_count() == 0 or node._commands.publishers() == 0:
            assert time.monotonic() < end
            time.sleep(0.01)

    def hold(self, seconds: float, velocity: float = 0.0) -> None:
        """Keep the reference where it is, with a velocity that is too small to lead anywhere."""
        self._message.velocity = [velocity] * len(self._message.position)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._message.sequence += 1
            self.publisher.publish(self._message)
            time.sleep(0.01)

    def close(self) -> None:
        self._node.destroy_node()


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., RobotNode]]:
    monkeypatch.setitem(drivers.DRIVERS, "real", real)
    nodes: list[RobotNode] = []

    def node(backend: str = "mujoco", stage: str = "auto", **others: object) -> RobotNode:
        given = {"backend": backend, "stage": stage, **others}
        arguments = ["--ros-args", *(word for name, value in given.items() for word in ("-p", f"{name}:={value}"))]
        rclpy.init(args=arguments, domain_id=free_domain())
        nodes.append(RobotNode())
        nodes[-1].trigger_configure()
        nodes[-1].trigger_activate()
        assert nodes[-1].state == "active"
        return nodes[-1]

    yield node
    for made in nodes:
        made.close()
        made.destroy_node()
    try_shutdown()


def arm(node: RobotNode, who: str, on: bool = True) -> str:
    """What the service answers: empty if it did it."""
    answer = node._on_arm(Arm.Request(arm=on, requested_by=who), Arm.Response())
    return "" if answer.accepted else answer.message


def armed(node: RobotNode) -> bool:
    return node._host.armed


def home(node: RobotNode) -> np.ndarray:
    return np.array(node._profile.home)


def test_whoever_comes_late_hears_the_description_of_the_arm(make: Callable[..., RobotNode]) -> None:
    make()
    late = Node("viewer")
    inbox = Inbox(late, String, "robot_description", LATCHED)
    end, heard = time.monotonic() + SOON, list[String]()
    while not heard:
        assert time.monotonic() < end
        heard = list(inbox.drain())
        time.sleep(0.01)
    assert '<joint name="fr3_joint7"' in heard[0].data
    late.destroy_node()


def test_nothing_is_armed_while_nothing_commands(make: Callable[..., RobotNode]) -> None:
    assert "nothing comes on command/safe" in arm(make(), "somebody")


def test_a_real_robot_is_armed_by_a_person(make: Callable[..., RobotNode]) -> None:
    node = make("real", "full")
    commander = Commander(node, home(node))
    commander.hold(0.1)
    for program in (AUTOMATION, PLANNER):
        assert arm(node, program) == "not armed: a real robot is armed by a person"
    commander.hold(0.05)
    assert arm(node, "operator") == ""
    commander.close()


@pytest.mark.parametrize("simulator", [name for name in SIMULATORS if find_spec(name) is not None])
def test_every_simulator_is_armed_by_the_supervisor_and_reset(make: Callable[..., RobotNode], simulator: str) -> None:
    node = make(simulator)
    commander = Commander(node, home(node))
    commander.hold(0.1)
    assert arm(node, AUTOMATION) == ""
    commander.hold(0.1)
    assert armed(node)
    answer = node._on_reset(ResetWorld.Request(seed=5), ResetWorld.Response())
    assert answer.accepted, answer.message
    commander.close()


def test_arming_wants_one_publisher_near_the_robot_and_ends_with_its_silence(make: Callable[..., RobotNode]) -> None:
    node = make()
    far = Commander(node, home(node) + 0.1)
    far.hold(0.1)
    assert "not where the robot is" in arm(node, AUTOMATION)
    near = Commander(node, home(node))
    near.hold(0.1)
    assert "2 publishers" in arm(node, AUTOMATION)
    far.close()
    end = time.monotonic() + SOON
    while node._commands.publishers() != 1:
        assert time.monotonic() < end
        time.sleep(0.01)
    near.hold(0.1)
    assert arm(node, AUTOMATION) == ""
    near.hold(0.1)
    assert armed(node)
    time.sleep(0.3)
    assert not armed(node)
    assert "no command/safe for" in node._host.read().fault
    near.close()


BEATING = textwrap.dedent(
    """
    import sys, time, rclpy
    from reins.nodes.heartbeat import Heartbeats
    rclpy.init(domain_id=int(sys.argv[1]))
    beats = Heartbeats(rclpy.create_node("safety"), lambda: "active", lambda: True)
    beats.start()
    print("beats", flush=True)
    time.sleep(60.0)
    """
)
"""Beats as the safety node does."""


def test_the_end_of_safety_is_noticed_before_its_silence(make: Callable[..., RobotNode]) -> None:
    node = make()
    domain = str(node.context.get_domain_id())
    safety = subprocess.Popen([sys.executable, "-c", BEATING, domain], stdout=subprocess.PIPE)
    commander = Commander(node, home(node))
    try:
        assert safety.stdout is not None and safety.stdout.readline() == b"beats\n"
        end = time.monotonic() + SOON
        while not (node._watched_nodes.known("safety") and arm(node, AUTOMATION) == ""):
            assert time.monotonic() < end
            commander.hold(0.05)
        commander.hold(0.1)
        assert armed(node)
    finally:
        safety.kill()
    commander.hold(0.05)
    assert not armed(node), "though commands went on"
    assert "node 'safety' has ended" in node._host.read().fault
    commander.close()


def test_arming_an_armed_robot_changes_nothing_though_it_moves(
    make: Callable[..., RobotNode], monkeypatch: pytest.MonkeyPatch
) -> None:
    node = make()
    commander = Commander(node, home(node))
    commander.hold(0.1)
    assert arm(node, "operator") == ""
    commander.hold(0.1)
    applied = node._host._last_sequence
    monkeypatch.setattr(node, "_would_stay", lambda: False)
    assert arm(node, "operator") == ""
    assert armed(node) and node._host._last_sequence >= applied > 0, "no old command is applied again"
    commander.close()


def test_nothing_that_a_second_publisher_sends_reaches_the_robot(
    make: Callable[..., RobotNode], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its first message may come before the next tick."""
    node = make()
    commander = Commander(node, home(node))
    commander.hold(0.1)
    assert arm(node, "operator") == ""
    commander.hold(0.05)
    written = list[int]()
    monkeypatch.setattr(node._robot, "write", lambda command: written.append(command.sequence))
    stranger = Node("stranger")
    still = [0.0] * len(home(node))

    def between_two_ticks() -> None:
        assert armed(node)
        publisher = stranger.create_publisher(ros.SafeCommand, "command/safe", CONTROL)
        end = time.monotonic() + SOON
        while publisher.get_subscription_count() == 0 or node._commands.publishers() < 2:
            assert time.monotonic() < end
            time.sleep(0.001)
        publisher.publish(ros.SafeCommand(sequence=9999, position=home(node).tolist(), velocity=still, period=0.01))
        while (message := node._commands.take()) is None or message.sequence != 9999:
            assert time.monotonic() < end
            time.sleep(0.001)
        node._apply(message)

    node._in_loop().call(between_two_ticks, timeout=2.0 * SOON)
    assert 9999 not in written
    assert not armed(node)
    assert "command/safe has 2 publishers" in node._host.read().fault
    stranger.destroy_node()
    commander.close()


def test_recovering_does_not_arm(make: Callable[..., RobotNode]) -> None:
    node = make()
    commander = Commander(node, home(node))
    commander.hold(0.1)
    assert arm(node, "operator") == ""
    assert arm(node, "operator", on=False) == ""
    assert "disarmed by operator" in node._host.read().fault
    assert "recover" in arm(node, "operator") or "nothing comes" in arm(node, "operator")
    assert node._on_recover(Trigger.Request(), Trigger.Response()).success
    assert (node._host.armed, node._host.read().fault) == (False, "")
    commander.close()


def test_there_is_nothing_to_recover_of_a_robot_that_is_well(make: Callable[..., RobotNode]) -> None:
    node = make()
    commander = Commander(node, home(node))
    commander.hold(0.1)
    assert arm(node, "operator") == ""
    answer = node._on_recover(Trigger.Request(), Trigger.Response())
    assert answer.success and answer.message == "nothing to recover: the robot has no fault"
    assert armed(node)
    commander.close()


@pytest.mark.parametrize("speed, recovers", [(MOVING, True), (1.01 * MOVING, False)])
def test_a_robot_that_moves_is_not_recovered(
    make: Callable[..., RobotNode], monkeypatch: pytest.MonkeyPatch, speed: float, recovers: bool
) -> None:
    """Armed or braking, it would be made to hold still at once."""
    node = make()
    node._in_loop().call(lambda: node._host.stop(StopCategory.CONTROLLED, "someone stopped it"))
    read = node._read

    def moving() -> RobotState:
        state: RobotState = read()
        return replace(state, velocity=np.full_like(state.velocity, -speed))

    monkeypatch.setattr(node, "_read", moving)
    answer = node._on_recover(Trigger.Request(), Trigger.Response())
    assert answer.success is recovers
    assert recovers or answer.message == "not recovered: the robot moves; stop it, and ask again when it stands"
    assert node._host.read().fault == ("" if recovers else "someone stopped it")


def test_a_robot_that_fell_silent_in_motion_is_recovered(
    make: Callable[..., RobotNode], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when its cable is pulled: the speed that it had then is the last that is known, for ever."""
    node = make()
    cut = "the arm has said nothing for 61 ms"
    node._in_loop().call(lambda: node._host.stop(StopCategory.CONTROLLED, cut))
    last = node._read()
    last = replace(last, velocity=np.full_like(last.velocity, 10 * MOVING), fault=cut)
    monkeypatch.setattr(node, "_read", lambda: last)
    end = time.monotonic() + SOON
    while node._silence <= node._profile.rates.stale_after:
        assert time.monotonic() < end
        time.sleep(0.01)
    answer = node._on_recover(Trigger.Request(), Trigger.Response())
    assert answer.success, answer.message
    assert node._host.read().fault == ""


def test_a_robot_that_takes_its_time_is_not_said_to_have_recovered(
    make: Callable[..., RobotNode], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real arm's driver recovers in a thread of its own, and perhaps in vain."""
    node = make()
    node._in_loop().call(lambda: node._host.stop(StopCategory.CONTROLLED, "the user stop is pressed"))
    monkeypatch.setattr(node._robot, "recover", lambda: None)
    answer = node._on_recover(Trigger.Request(), Trigger.Response())
    assert answer.success and answer.message.startswith("asked to recover")
    assert node._host.read().fault == "the user stop is pressed"


def test_the_world_is_not_reset_under_a_robot_that_is_driven(make: Callable[..., RobotNode]) -> None:
    """It stands for a moment, for it turns round."""
    node = make()
    commander = Commander(node, home(node))
    commander.hold(0.1)
    assert arm(node, "operator") == ""
    for velocity, accepted in ((1e-3, False), (0.0, True)):
        commander.hold(0.1, velocity)
        answer = node._on_reset(ResetWorld.Request(seed=5), ResetWorld.Response())
        assert answer.accepted is accepted and ("the robot moves" in answer.message) is not accepted
    commander.close()


def test_robot_time_goes_on_over_a_reset_of_the_world(make: Callable[..., RobotNode]) -> None:
    node = make()
    time.sleep(0.3)
    before = node._in_loop().call(node._read).stamp
    assert node._on_reset(ResetWorld.Request(seed=7), ResetWorld.Response()).accepted
    after = node._in_loop().call(node._read).stamp
    assert after > before > 0.1


def until(node: RobotNode, holds: Callable[[], bool]) -> None:
    """Wait for what the control thread knows."""
    end = time.monotonic() + SOON
    while not node._in_loop().call(holds):
        assert time.monotonic() < end
        time.sleep(0.01)


def test_an_arm_that_does_not_brake_is_cut_and_an_event_says_why(
    make: Callable[..., RobotNode], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list[RunawayArm]()

    def brakeless(profile: RobotProfile, world: str, seed: int) -> Robot:
        made.append(RunawayArm(profile, load_world(world), seed))
        return made[-1]

    monkeypatch.setitem(drivers.DRIVERS, "real", brakeless)
    node = make("real", "full", braking_margin=0.1)
    listener = Node("listener")
    events, told = Inbox(listener, ros.SafetyEvent, "safety/events", EVENTS), list[ros.SafetyEvent]()
    commander = Commander(node, home(node))
    commander.hold(0.1)
    assert arm(node, "operator") == ""
    node._in_loop().call(lambda: made[0].run_away(0.3))
    end = time.monotonic() + SOON
    while not any(event.kind == "cut" for event in told):
        assert time.monotonic() < end
        told += events.drain()
        time.sleep(0.01)
    kinds = [event.kind for event in told]
    assert kinds == ["robot_stopped", "cut"], "silence stops it, and it does not brake"
    assert told[-1].reason.startswith("cut (stop of category 0): fr3_joint1 moves at 0.3")
    until(node, lambda: node._wire.stands(node._host.read()))
    assert node._on_recover(Trigger.Request(), Trigger.Response()).success
    assert node._in_loop().call(lambda: node._host.cut) == ""
    listener.destroy_node()
    commander.close()


@pytest.mark.parametrize("category, cut", [(0, "emergency stop by ann"), (1, "")])
def test_an_emergency_stop_cuts_the_power_where_that_is_asked_for(
    make: Callable[..., RobotNode], category: int, cut: str
) -> None:
    node = make(estop_category=category)
    monitor = Node("monitor")
    publisher = monitor.create_publisher(ros.SafetyState, "safety/state", LATCHED)

    def tell(mode: Mode, rejected: int = 0) -> None:
        publisher.publish(ros.SafetyState(mode=int(mode), reason="emergency stop by ann", rejected=rejected))
        time.sleep(0.1)

    tell(Mode.STOPPED)
    assert node._host.cut == ""
    tell(Mode.ESTOP)
    if cut:
        until(node, lambda: node._host.cut == cut)
        assert node._on_recover(Trigger.Request(), Trigger.Response()).success
    tell(Mode.ESTOP, rejected=1)
    assert node._host.cut == "", "the same stop, told again"
    tell(Mode.READY)
    tell(Mode.ESTOP)
    if cut:
        until(node, lambda: node._host.cut == cut)
    assert node._host.cut == node._host.read().fault == cut
    monitor.destroy_node()


@pytest.mark.parametrize("name, value", [("estop_category", 2), ("estop_category", -1), ("braking_margin", 0.01)])
def test_stops_have_bounds(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=name):
        RobotSettings.model_validate({name: value})


def ask_for(node: RobotNode, stage: str) -> str:
    """Why the stage is not entered; empty if it is."""
    result = node.set_parameters([Parameter("stage", value=stage)])[0]
    return "" if result.successful else str(result.reason)


def test_a_real_robot_starts_unarmed_and_each_stage_is_asked_for(make: Callable[..., RobotNode]) -> None:
    node = make("real")
    commander = Commander(node, home(node))
    commander.hold(0.1)
    assert "in stage 'unarmed'" in arm(node, "operator") and "`reins stage dry_run`" in arm(node, "operator")
    assert "'dry_run' is next" in ask_for(node, "full")
    assert ask_for(node, "dry_run") == ""
    commander.hold(0.1)
    assert arm(node, "operator") == ""
    commander.hold(0.1)
    assert "disarm it first" in ask_for(node, "reduced")
    assert arm(node, "operator", on=False) == ""
    assert ask_for(node, "reduced") == ""
    assert ask_for(node, "auto") != ""
    commander.close()


def test_in_a_dry_run_only_the_twin_moves(make: Callable[..., RobotNode]) -> None:
    node = make("mujoco", "dry_run")
    commander = Commander(node, home(node))
    commander.hold(0.1)
    assert arm(node, "operator") == ""
    commander._message.velocity = [0.1] + [0.0] * 6
    for _ in range(30):
        commander._message.position[0] += 0.001
        commander.hold(0.01)
    robot: Any = node._robot
    shown, arm_itself = robot.read(), robot.measured()
    commander.close()
    assert shown.position[0] - home(node)[0] > 0.02
    np.testing.assert_allclose(arm_itself.position, home(node), atol=2e-3)
