"""The vendors' libraries alone, doing what the drivers do: connect, take a setpoint, tell where the arm is, let go."""

from collections.abc import Callable
from typing import Any, Final, Protocol

import numpy as np

from reins.hardware.franka.library import load_franky
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.hardware.ur.library import load_ur_rtde
from reins.hardware.ur.session import CYCLE


class Bare(Protocol):
    """One connection through a vendor's library."""

    def position(self) -> FloatArray:
        """(n,) measured [rad]."""
        ...

    def send(self, position: FloatArray, velocity: FloatArray) -> None:
        """The setpoint now [rad, rad/s]."""

    def close(self) -> None:
        """End the motion and let go."""


class BareFranka:
    """franky: a joint impedance tracking motion whose reference is set anew."""

    def __init__(self, profile: RobotProfile, address: str) -> None:
        assert profile.franka is not None, "the driver was made with this profile"
        self._franky = franky = load_franky()
        self._robot = franky.Robot(address, realtime_config=franky.RealtimeConfig.Ignore)
        self._motion = franky.JointImpedanceTrackingMotion(
            stiffness=np.array(profile.franka.stiffness), damping=np.array(profile.franka.damping)
        )
        self._began = False

    def position(self) -> FloatArray:
        return np.array(self._robot.state.q)

    def send(self, position: FloatArray, velocity: FloatArray) -> None:
        self._motion.set_reference(self._franky.JointReference(q=position, dq=velocity))
        if not self._began:
            self._robot.move(self._motion, asynchronous=True)
            self._began = True
        self._robot.poll_motion()

    def close(self) -> None:
        self._robot.move(self._franky.TorqueStopMotion())


class BareUR:
    """ur_rtde: servoJ."""

    def __init__(self, profile: RobotProfile, address: str) -> None:
        assert profile.ur is not None, "the driver was made with this profile"
        library = load_ur_rtde()
        self._drive = profile.ur
        self._receive = library.receive.RTDEReceiveInterface(address)
        self._control = library.control.RTDEControlInterface(address)

    def position(self) -> FloatArray:
        return np.array(self._receive.getActualQ())

    def send(self, position: FloatArray, velocity: FloatArray) -> None:
        self._control.servoJ(position.tolist(), 0.0, 0.0, CYCLE, self._drive.lookahead_time, self._drive.gain)

    def close(self) -> None:
        self._control.servoStop()
        self._control.stopScript()
        for client in (self._control, self._receive):
            client.disconnect()


BARE: Final[dict[str, Callable[[RobotProfile, str], Bare]]] = {"franka": BareFranka, "ur": BareUR}
"""By driver; from (profile, address). What a library raises comes through."""


def errors_of(driver: str) -> tuple[type[Exception], ...]:
    """What a library raises when the robot does not do what it is told."""
    if driver == "franka":
        franky: Any = load_franky()
        return (franky.Exception, RuntimeError)
    return (RuntimeError,)
