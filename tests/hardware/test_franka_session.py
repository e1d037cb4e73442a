"""One connection to a Franka arm, over a franky of plain Python: what it raises is a sentence of the session's."""

from enum import Enum
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from reins.hardware.franka.session import FrankaSession
from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.streaming.session import Aborted, SessionLost

PROFILE = load_profile("franka")


class FakeError(Exception):
    """What the module's `Exception` is."""


class ControlError(FakeError):
    """What its `ControlException` is."""


class CommandError(FakeError):
    """What its `CommandException` is."""


class Mode(Enum):
    Idle = 1
    UserStopped = 5
    AutomaticErrorRecovery = 6


class FakeRobot:
    """An arm in one mode; says which settings it was given."""

    def __init__(self) -> None:
        self.mode = Mode.Idle
        self.errors: bool | Exception = False
        self.settings: list[str] = []
        self.model: str | Exception = CommandError("libfranka: command not supported")

    @property
    def state(self) -> Any:
        zero = np.zeros(7)
        time = SimpleNamespace(to_sec=lambda: 1.0)
        return SimpleNamespace(time=time, q=zero, dq=zero, tau_J=zero, robot_mode=self.mode, current_errors="[]")

    @property
    def has_errors(self) -> bool:
        if isinstance(self.errors, Exception):
            raise self.errors
        return self.errors

    @property
    def model_urdf(self) -> str:
        if isinstance(self.model, Exception):
            raise self.model
        return self.model

    def set_collision_behavior(self, *_: object) -> None:
        self.settings.append("collision")

    def set_load(self, *_: object) -> None:
        self.settings.append("load")

    def move(self, _motion: object, asynchronous: bool) -> None:
        self.settings.append("moves")


@pytest.fixture
def robot() -> FakeRobot:
    return FakeRobot()


@pytest.fixture
def session(robot: FakeRobot) -> FrankaSession:
    return connect(robot)


def connect(robot: FakeRobot, profile: RobotProfile = PROFILE) -> FrankaSession:
    franky = SimpleNamespace(
        Robot=lambda _address, realtime_config: robot,
        RealtimeConfig=SimpleNamespace(Enforce=1, Ignore=2),
        RobotMode=Mode,
        Exception=FakeError,
        ControlException=ControlError,
        CommandException=CommandError,
        JointImpedanceTrackingMotion=lambda stiffness, damping: SimpleNamespace(set_reference=lambda _reference: None),
        JointReference=lambda q, dq: None,
    )
    return FrankaSession(franky, "10.0.0.1", profile)


def test_a_network_that_ends_during_a_recovery_is_a_lost_connection(robot: FakeRobot, session: FrankaSession) -> None:
    """`has_errors` waits for a state, and raises where none comes."""
    robot.errors = FakeError("libfranka: UDP receive: Timeout")
    with pytest.raises(SessionLost, match=r"UDP receive: Timeout \(look at the cable"):
        session.recover()


def test_settings_that_a_robot_did_not_take_are_made_before_it_moves(robot: FakeRobot) -> None:
    """It was connected in a mode that takes none, and nobody recovered it since."""
    robot.mode = Mode.UserStopped
    session = connect(robot)
    with pytest.raises(Aborted, match="no payload and no collision thresholds in mode UserStopped"):
        session.begin(np.zeros(7))
    assert robot.settings == []
    robot.mode = Mode.Idle
    session.begin(np.zeros(7))
    assert robot.settings == ["collision", "load", "moves"]


def test_a_recovery_waits_for_a_robot_that_still_clears_its_errors(
    robot: FakeRobot, session: FrankaSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot.mode = Mode.AutomaticErrorRecovery
    assert "is clearing its errors" in session.measure().trouble
    looks = 0

    def measure() -> None:
        nonlocal looks
        looks += 1
        robot.mode = Mode.Idle if looks == 3 else robot.mode

    monkeypatch.setattr(session, "measure", measure)
    robot.settings.clear()
    session.recover()
    assert looks == 3 and robot.settings == ["collision", "load"]


def described(profile: RobotProfile) -> str:
    """What the arm of a profile says of itself."""
    joints = "".join(
        f'<joint name="joint{number}" type="revolute"><limit lower="{joint.lower}" upper="{joint.upper}"/></joint>'
        for number, joint in enumerate(profile.joints, 1)
    )
    return f'<robot name="{profile.name}">{joints}<joint name="hand" type="fixed"/></robot>'


@pytest.mark.parametrize("name, other", [("franka", "panda"), ("panda", "franka")])
def test_an_arm_that_is_not_the_profiles_is_not_taken_over(robot: FakeRobot, name: str, other: str) -> None:
    """A Panda's limits are no limits of a Research 3."""
    robot.model = described(load_profile(name))
    connect(robot, load_profile(name))
    with pytest.raises(SessionLost, match=rf"calls itself '{name}', where .* in profile '{other}' from .*this arm's"):
        connect(robot, load_profile(other))


@pytest.mark.parametrize("model", ["", "no xml", "<robot/>", CommandError("not supported")])
def test_an_arm_that_does_not_tell_what_it_is_is_believed(robot: FakeRobot, model: str | Exception) -> None:
    robot.model = model
    assert connect(robot).measure().trouble == ""
