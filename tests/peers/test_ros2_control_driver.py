"""The ros2_control driver against a peer that has a controller manager's nodes and topics, and physics behind them."""

import time
from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import pytest

pytest.importorskip("rclpy")
pytest.importorskip("reins_msgs")

from rclpy.duration import Duration
from ros2_control_process import Ros2ControlPeer
from trajectory_msgs.msg import JointTrajectory

from reins.contracts.errors import ReinsError
from reins.demo.session import free_domain
from reins.hardware.conformance.motion import Nudge
from reins.hardware.conformance.subject import Subject
from reins.hardware.conformance.suite import Ending, run_checks
from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.robot import RobotState, StopCategory
from reins.hardware.ros2_control import Controls, GripperController, GripperControls, Ros2ControlDrive
from reins.nodes.drivers import make_robot
from reins.nodes.ros2_control.link import Link
from reins.nodes.ros2_control.setpoints import FRESH, SETPOINTS

pytestmark = pytest.mark.ros

GRIPPER = GripperController(
    controller="gripper_controller", controls=GripperControls.POSITION, joint="fr3_finger_joint1", closed=0.0, open=0.04
)
CONTROLLERS = {
    Controls.TRAJECTORY: "joint_trajectory_controller",
    Controls.POSITION: "forward_position_controller",
    Controls.VELOCITY: "forward_velocity_controller",
}


def profile(controls: Controls, **more: Any) -> RobotProfile:
    drive = Ros2ControlDrive(controls=controls, controller=CONTROLLERS[controls], gripper=GRIPPER)
    return load_profile("franka").model_copy(update={"ros2_control": drive.model_copy(update=more)})


TRAJECTORY = profile(Controls.TRAJECTORY)
NUDGE = Nudge(np.full(7, 0.1) * np.array([1, 1, 1, 1, 1, 1, -1]), 1.0)


@pytest.fixture(scope="module", autouse=True)
def _apart() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("ROS_DOMAIN_ID", str(free_domain()))
        yield


def driven(robot: RobotProfile, peer: Ros2ControlPeer) -> Subject:
    return Subject(lambda: make_robot("ros2_control", robot, "", 0), robot, networked=True, tampering=peer)


@pytest.fixture
def subject(peer: Ros2ControlPeer) -> Iterator[Subject]:
    subject = driven(TRAJECTORY, peer)
    subject.open()
    yield subject
    subject.close()


@pytest.fixture(scope="module")
def shared_peer(_apart: None) -> Iterator[Ros2ControlPeer]:
    with Ros2ControlPeer("trajectory") as peer:
        yield peer


@pytest.fixture
def peer(shared_peer: Ros2ControlPeer) -> Ros2ControlPeer:
    shared_peer.thaw()
    shared_peer.ask("activate")
    return shared_peer


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Out of earshot of the peer that the other tests share."""
    monkeypatch.setenv("ROS_DOMAIN_ID", str(free_domain()))


def fault_while_commanded(subject: Subject, most: float) -> RobotState:
    end, state = time.monotonic() + most, subject.read()
    while not state.fault and time.monotonic() < end:
        state = subject.send(state.reference, np.zeros_like(state.reference))
    return state


@pytest.mark.slow
@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(
    "controls, traits",
    [
        (Controls.TRAJECTORY, ("no_speed",)),
        (Controls.POSITION, ("reversed",)),
        (Controls.VELOCITY, ("reversed",)),
    ],
)
def test_the_driver_conforms(controls: Controls, traits: tuple[str, ...]) -> None:
    with Ros2ControlPeer(controls.value, *traits) as peer:
        subject = driven(profile(controls), peer)
        subject.open()
        results = list(run_checks(subject))
        subject.close()
    assert [result for result in results if result.ending is not Ending.PASSED] == []


def test_an_arm_whose_driver_hangs_in_motion_runs_out_and_stands(
    subject: Subject, peer: Ros2ControlPeer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the trajectory's last point is for: nobody has to notice."""
    subject.hold(0.2)
    subject.follow(NUDGE, until=0.5)
    assert np.abs(peer.ask("look")["dq"]).max() > 0.1
    exchange = cast(Any, subject.robot)._exchange
    with monkeypatch.context() as hanging:
        hanging.setattr(exchange, "wait", lambda _seconds: time.sleep(1.0))  # the driver's own thread
        time.sleep(0.5)
        assert np.abs(peer.ask("look")["dq"]).max() < 0.01


@pytest.mark.slow
@pytest.mark.usefixtures("alone")
def test_a_controller_of_velocities_does_not_drift_after_a_stop() -> None:
    """It has no watchdog: what is sent last goes on for ever."""
    with Ros2ControlPeer("velocity") as peer:
        subject = driven(profile(Controls.VELOCITY), peer)
        subject.open()
        subject.follow(NUDGE, until=0.5)
        subject.robot.stop(StopCategory.CONTROLLED, "enough")
        subject.wait(1.0)
        before = np.array(peer.ask("look")["q"])
        subject.wait(2.0)
        np.testing.assert_allclose(peer.ask("look")["q"], before, atol=1e-3)
        subject.close()


def test_a_second_publisher_is_a_fault_that_names_it(subject: Subject) -> None:
    subject.hold(0.2)
    intruder = Link("intruder")
    try:
        intruder.node.create_publisher(JointTrajectory, "/joint_trajectory_controller/joint_trajectory", 1)
        state = fault_while_commanded(subject, 5.0)
        assert "has another publisher" in state.fault
        subject.robot.recover()
        names = [intruder.node.get_name() in state.fault for state in subject.wait(1.0)]
        assert names[-1], "it is known by then"
    finally:
        intruder.close()
    assert "has another publisher" in subject.wait(0.3)[-1].fault, "it lasts"
    assert subject.recover().fault == ""


def test_a_controller_that_is_switched_off_is_noticed_by_an_arm_that_does_not_follow(
    subject: Subject, peer: Ros2ControlPeer
) -> None:
    subject.hold(0.2)
    peer.ask("deactivate")
    before = np.array(peer.ask("look")["q"])
    subject.follow(Nudge(3.0 * NUDGE.distance, 1.0))
    state = subject.read()
    assert "from its setpoint: is controller 'joint_trajectory_controller' active" in state.fault
    peer.ask("activate")
    subject.wait(0.5)
    np.testing.assert_allclose(peer.ask("look")["q"], before, atol=2e-3)
    assert subject.recover().fault == ""


def test_a_frozen_robot_is_told_in_time_and_nothing_resumes(subject: Subject, peer: Ros2ControlPeer) -> None:
    subject.follow(NUDGE, until=0.5)
    peer.freeze()
    began = time.monotonic()
    state = fault_while_commanded(subject, 2.0)
    assert time.monotonic() - began < 0.15
    assert "has said nothing for" in state.fault
    time.sleep(1.5)  # longer than the driver keeps the connection
    peer.thaw()
    time.sleep(0.5)
    before = np.array(peer.ask("look")["q"])
    assert subject.recover().fault == ""
    np.testing.assert_allclose(peer.ask("look")["q"], before, atol=2e-3)
    assert not subject.hold(0.2).fault


@pytest.mark.slow
@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(
    "kind, traits, robot, says",
    [
        ("trajectory", ("no_joint",), TRAJECTORY, r"/joint_states lacks fr3_joint3 \(it has .*`prefix`"),
        ("trajectory", (), profile(Controls.TRAJECTORY, prefix="left_"), "has none of the joints left_fr3_joint1"),
        ("position", (), TRAJECTORY, r"no controller 'joint_trajectory_controller' answers .* load and activate it"),
        (
            "position",
            (),
            profile(Controls.VELOCITY, controller="forward_position_controller"),
            r"forwards 'position', and the profile's ros2_control.controls is 'velocity'",
        ),
        (
            "position",
            (),
            profile(Controls.POSITION, controller="gripper_controller"),
            r"drives other joints .*also fr3_finger_joint1; not fr3_joint1, fr3_joint2",
        ),
        (
            "position",
            (),
            profile(Controls.TRAJECTORY, controller="forward_position_controller"),
            "is no joint_trajectory_controller",
        ),
    ],
)
def test_a_robot_that_does_not_fit_is_one_sentence(
    kind: str, traits: tuple[str, ...], robot: RobotProfile, says: str
) -> None:
    with Ros2ControlPeer(kind, *traits) as peer:
        subject = driven(robot, peer)
        with pytest.raises(ReinsError, match=says) as raised:
            subject.open()
        assert "\n" not in str(raised.value)
        subject.close()


@pytest.mark.usefixtures("alone")
def test_without_a_robot_it_says_what_to_look_for() -> None:
    robot = make_robot("ros2_control", TRAJECTORY, "", 0)
    with pytest.raises(ReinsError, match=r"nothing comes on /joint_states; is the joint_state_broadcaster active"):
        robot.connect()
    robot.close()


def test_setpoints_that_could_not_be_delivered_do_not_arrive_later() -> None:
    """A publisher of setpoints lets them expire: a cable that is plugged in again must not move the arm."""
    assert SETPOINTS.lifespan == Duration(seconds=FRESH)
