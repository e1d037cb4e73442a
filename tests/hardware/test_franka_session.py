"""One connection to a Franka arm, over a franky of plain Python: what it raises is a sentence of the session's."""

from enum import Enum
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from reins.hardware.franka.session import FrankaSession
from reins.hardware.profile import load_profile
from reins.hardware.streaming.session import SessionLost

DRIVE = load_profile("franka").franka
assert DRIVE is not None


class FakeError(Exception):
    """What the module's `Exception` is."""


class ControlError(FakeError):
    """What its `ControlException` is."""


class CommandError(FakeError):
    """What its `CommandException` is."""


class Mode(Enum):
    Idle = 1
    UserStopped = 5


class FakeRobot:
    """An arm in one mode; says which settings it was given."""

    def __init__(self) -> None:
        self.mode = Mode.Idle
        self.errors: bool | Exception = False
        self.settings: list[str] = []

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

    def set_collision_behavior(self, *_: object) -> None:
        self.settings.append("collision")

    def set_load(self, *_: object) -> None:
        self.settings.append("load")


@pytest.fixture
def robot() -> FakeRobot:
    return FakeRobot()


@pytest.fixture
def session(robot: FakeRobot) -> FrankaSession:
    return connect(robot)


def connect(robot: FakeRobot) -> FrankaSession:
    franky = SimpleNamespace(
        Robot=lambda _address, realtime_config: robot,
        RealtimeConfig=SimpleNamespace(Enforce=1, Ignore=2),
        RobotMode=Mode,
        Exception=FakeError,
        ControlException=ControlError,
        CommandException=CommandError,
    )
    return FrankaSession(franky, "10.0.0.1", DRIVE)


def test_a_network_that_ends_during_a_recovery_is_a_lost_connection(robot: FakeRobot, session: FrankaSession) -> None:
    """`has_errors` waits for a state, and raises where none comes."""
    robot.errors = FakeError("libfranka: UDP receive: Timeout")
    with pytest.raises(SessionLost, match=r"UDP receive: Timeout \(look at the cable"):
        session.recover()
