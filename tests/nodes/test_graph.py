"""The whole graph in simulation, launched as a user launches it: everything is there, and stops end what moves."""

import time
from collections.abc import Iterator

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped
from rcl_interfaces.srv import SetParameters
from reins_msgs import msg as ros
from rosgraph_msgs.msg import Clock
from running_graph import SOON, RunningGraph
from sensor_msgs.msg import CameraInfo, Image, JointState

from reins.demo.session import free_domain
from reins.nodes.qos import CONTROL, HEARTBEAT, IMAGES, LATCHED

pytestmark = [pytest.mark.ros, pytest.mark.timeout(240)]

NODES = ("robot", "safety", "skills", "perception", "planner", "teleop", "blackbox", "sim_cameras", "supervisor")
JOINTS = 7
RELEASED = 1.0
"""A key that was not pressed for this long is released [s]; a reset wants a fresh press."""


@pytest.fixture(scope="module")
def graph() -> Iterator[RunningGraph]:
    with RunningGraph(free_domain(), seed="3", heartbeat_timeout="2.0") as running:
        yield running.up()


def test_every_node_beats_and_is_active(graph: RunningGraph) -> None:
    beats: dict[str, str] = {}
    graph.client.node.create_subscription(
        ros.Heartbeat, "heartbeat", lambda m: beats.update({m.node: m.state}), HEARTBEAT
    )
    graph.until(lambda: beats == dict.fromkeys(NODES, "active"), "nine heartbeats")


def test_joint_states_come_at_the_profiles_rate_in_robot_time(graph: RunningGraph) -> None:
    stamps: list[float] = []
    graph.client.node.create_subscription(
        JointState, "joint_states", lambda m: stamps.append(m.header.stamp.sec + 1e-9 * m.header.stamp.nanosec), 100
    )
    graph.until(lambda: len(stamps) > 200, "joint states")
    assert np.diff(stamps).min() > 0.0
    assert np.median(np.diff(stamps)) == pytest.approx(0.01, abs=1e-6)
    message = graph.next_message(JointState, "joint_states", CONTROL)
    assert message.name[JOINTS:] == ["fr3_finger_joint1", "fr3_finger_joint2"]
    assert len(message.position) == len(message.velocity) == len(message.effort) == JOINTS + 2


def test_clock_scene_and_truth(graph: RunningGraph) -> None:
    assert graph.next_message(Clock, "clock", CONTROL).clock.sec > 0
    truth = graph.next_message(ros.WorldState, "sim/world_state", CONTROL)
    assert (truth.world, truth.seed) == ("tabletop", 3)
    scene = graph.next_message(ros.Scene, "scene", LATCHED)
    assert {item.id for item in scene.objects} == {item.id for item in truth.objects}


@pytest.mark.parametrize("camera", ["overhead", "wrist"])
def test_cameras_have_colour_depth_calibration_and_pose(graph: RunningGraph, camera: str) -> None:
    colour = graph.next_message(Image, f"camera/{camera}/color", IMAGES)
    depth = graph.next_message(Image, f"camera/{camera}/depth", IMAGES)
    info = graph.next_message(CameraInfo, f"camera/{camera}/camera_info", IMAGES)
    pose = graph.next_message(PoseStamped, f"camera/{camera}/pose", IMAGES)
    assert (colour.encoding, depth.encoding, pose.header.frame_id) == ("rgb8", "32FC1", "base")
    assert (colour.height, colour.width) == (depth.height, depth.width) == (info.height, info.width)
    metres = np.frombuffer(depth.data, np.float32)
    assert 0.05 < np.median(metres) < 3.0
    assert np.frombuffer(colour.data, np.uint8).std() > 5.0


def test_parameters_are_checked(graph: RunningGraph) -> None:
    from rcl_interfaces.msg import Parameter, ParameterValue

    client = graph.client.node.create_client(SetParameters, "safety/set_parameters")
    assert client.wait_for_service(SOON)

    def set_scale(value: float) -> str:
        value_message = ParameterValue(type=3, double_value=value)
        future = client.call_async(
            SetParameters.Request(parameters=[Parameter(name="speed_scale", value=value_message)])
        )
        graph.until(future.done, "an answer of safety/set_parameters")
        result = future.result().results[0]
        return "" if result.successful else str(result.reason)

    assert "speed_scale" in set_scale(2.0)
    assert set_scale(0.5) == ""
    graph.until(lambda: any(event.kind == "speed_scale" for event in graph.events), "the event about it")
    assert set_scale(1.0) == ""


def test_driving_by_hand_and_an_emergency_stop(graph: RunningGraph) -> None:
    graph.drive()
    assert graph.modes[-1] == "active_teleop"
    assert graph.client.estop("test", "to see it stop").accepted
    begin = time.monotonic()
    graph.press("w", 0.5)
    graph.mode("estop")
    graph.until(lambda: graph.speed() < 0.01, "standstill")
    stood = graph.position()
    graph.press("w", 0.5)
    assert np.abs(graph.position() - stood).max() < 0.01, "it moved in an emergency stop"
    assert time.monotonic() - begin < SOON

    reply = graph.client.reset("test")
    assert reply.accepted, reply.message
    graph.mode("ready")
    graph.until(lambda: graph.states[-1].armed and not graph.states[-1].fault, "armed again after the reset")
    graph.client.spin(RELEASED)
    graph.drive()
    graph.press("w", 0.1)
    graph.mode("hold")
    assert graph.client.hand_back("test").accepted
    graph.mode("ready")


def test_the_world_starts_again_with_another_seed(graph: RunningGraph) -> None:
    graph.until(lambda: bool(graph.states) and graph.speed() < 0.01, "standstill")
    before = graph.next_message(ros.WorldState, "sim/world_state", CONTROL)
    reply = graph.client.reset_world(5)
    assert reply.accepted, reply.message
    graph.until(lambda: graph.next_message(ros.WorldState, "sim/world_state", CONTROL).seed == 5, "the new world")
    after = graph.next_message(ros.WorldState, "sim/world_state", CONTROL)
    assert after.header.stamp.sec >= before.header.stamp.sec, "robot time went back"
    graph.until(lambda: graph.states[-1].armed and not graph.states[-1].fault, "armed again in the new world")
    graph.mode("ready")


def test_a_second_publisher_of_safe_commands_disarms_the_robot(graph: RunningGraph) -> None:
    graph.until(lambda: bool(graph.states) and graph.states[-1].armed, "an armed robot")
    intruder = graph.client.node.create_publisher(ros.SafeCommand, "command/safe", CONTROL)
    graph.until(lambda: not graph.states[-1].armed, "disarmed")
    assert "only the safety node may be one" in graph.states[-1].fault
    name = graph.client.node.get_name()
    graph.until(lambda: any(event.kind == "publishers" and name in event.reason for event in graph.events), "its name")
    reply = graph.client.arm("test", on=True)
    assert not reply.accepted and "2 publishers" in reply.message
    graph.client.node.destroy_publisher(intruder)
    graph.mode("stopped")
    graph.until(lambda: graph.client.reset("test").accepted, "a reset")
    graph.until(lambda: graph.states[-1].armed, "armed again")
    assert any(event.kind == "robot_stopped" for event in graph.events)


def test_two_things_that_are_not_allowed(graph: RunningGraph) -> None:
    """Nobody resets or arms without saying who they are; a lifecycle request that makes no sense harms nothing."""
    assert not graph.client.reset("").accepted
    assert not graph.client.arm("", on=True).accepted
    from lifecycle_msgs.msg import Transition
    from lifecycle_msgs.srv import ChangeState

    client = graph.client.node.create_client(ChangeState, "planner/change_state")
    assert client.wait_for_service(SOON)
    future = client.call_async(ChangeState.Request(transition=Transition(id=Transition.TRANSITION_CONFIGURE)))
    graph.until(future.done, "an answer")
    assert not future.result().success
    assert graph.next_message(ros.Heartbeat, "heartbeat", HEARTBEAT).node in NODES
    graph.printed(r"\[planner\]: transition 1 is not possible from state 'active'")
