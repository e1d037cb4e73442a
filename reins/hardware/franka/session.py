"""One connection to a Franka arm, used by one thread: measure, track a joint reference, end, recover."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

from reins.hardware.franka.model import objection
from reins.hardware.franka.words import UNSET, explain, trouble
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.hardware.streaming.session import Aborted, Measured, SessionLost

REALTIME_KERNEL: Final = Path("/sys/kernel/realtime")
"""Is there, and says 1, where the kernel has PREEMPT_RT."""


RECOVERING: Final = 2.0
"""Longest time that the robot takes to clear its errors [s]."""


class FrankaSession:
    """A connection; implements `reins.hardware.streaming.session.Session`.

    Joint impedance runs in libfranka's 1 kHz thread with the reference that `track` gave last: as smooth as the
    reference, and it holds where a stream of velocities would drift. Waiting for a state takes a second at most.

    Args:
        franky: the module.
        address: of the robot.
        profile: the robot, with its part `franka`: what to tell it.

    Raises:
        SessionLost: it cannot be connected, or is another arm; says why and what to do.
    """

    def __init__(self, franky: Any, address: str, profile: RobotProfile) -> None:
        assert profile.franka is not None, "franka_robot makes sure"
        self._franky = franky
        self._drive = profile.franka
        self._motion: Any = None
        self._configured = False
        self._last_time, self._last_at = -1.0, 0.0
        realtime = REALTIME_KERNEL.exists() and REALTIME_KERNEL.read_text().strip() == "1"
        config = franky.RealtimeConfig.Enforce if realtime else franky.RealtimeConfig.Ignore
        try:
            self._robot = franky.Robot(address, realtime_config=config)
            if another := objection(self._description(), profile):
                self.close()
                raise SessionLost(f"the Franka arm at {address} is not taken over: {another}")
            self._configure()
        except (franky.Exception, RuntimeError) as error:
            raise SessionLost(f"no connection to the Franka arm at {address}: {explain(str(error))}") from None

    def _description(self) -> str:
        """The robot's own URDF; empty where its system, or this libfranka, is too old to tell."""
        try:
            return str(self._robot.model_urdf)
        except (AttributeError, self._franky.Exception, RuntimeError):
            return ""

    def _configure(self) -> None:
        """Tell the robot what the profile has for it, in a mode in which it listens."""
        load = self._drive.payload
        self._configured = self._robot.state.robot_mode == self._franky.RobotMode.Idle
        if self._configured:
            self._robot.set_collision_behavior(list(self._drive.torque_thresholds), list(self._drive.force_thresholds))
            self._robot.set_load(load.mass, list(load.centre), np.diag(load.inertia).flatten().tolist())

    @property
    def tracking(self) -> bool:
        """Whether a motion runs in the robot."""
        return bool(self._robot.is_in_control)

    def measure(self) -> Measured:
        """The newest state; while nothing is tracked it waits for the next one.

        Raises:
            SessionLost: none came for a second.
        """
        try:
            state = self._robot.state
        except (self._franky.Exception, RuntimeError) as error:
            raise SessionLost(explain(str(error))) from None
        clock = state.time.to_sec()
        if clock != self._last_time:
            self._last_time, self._last_at = clock, time.monotonic()
        return Measured(
            clock,
            np.array(state.q),
            np.array(state.dq),
            np.array(state.tau_J),
            trouble(state.robot_mode.name, str(state.current_errors)),
            self._last_at,
        )

    def begin(self, position: FloatArray) -> None:
        """Track a reference from this position (7,) on [rad], where the robot is. Without its settings it does not.

        Raises:
            Aborted: the robot takes no motion, or no settings, now.
            SessionLost: the connection is broken.
        """
        if not self._configured:
            self._call(self._configure)
        if not self._configured:
            raise Aborted(UNSET.format(mode=self._call(lambda: self._robot.state.robot_mode.name)))
        self._motion = self._franky.JointImpedanceTrackingMotion(
            stiffness=np.array(self._drive.stiffness), damping=np.array(self._drive.damping)
        )
        self.track(position, np.zeros_like(position))
        self._call(lambda: self._robot.move(self._motion, asynchronous=True))

    def track(self, position: FloatArray, velocity: FloatArray) -> None:
        """The reference from now on [rad, rad/s]."""
        self._motion.set_reference(self._franky.JointReference(q=position, dq=velocity))

    def check(self) -> None:
        """Raise what ended the motion, if something did.

        Raises:
            Aborted: the robot did.
            SessionLost: the network did.
        """
        self._call(self._robot.poll_motion)

    def end(self) -> None:
        """Let the torques go to damping and end the motion; the robot then holds by itself."""
        if self.tracking:
            self._call(lambda: self._robot.move(self._franky.TorqueStopMotion(), asynchronous=True))

    def halt(self) -> None:
        """Have the robot end the motion at once, by its own means."""
        if self.tracking:
            self._call(self._robot.stop)

    def recover(self) -> None:
        """Have the robot clear its errors.

        Raises:
            Aborted: it does not; says why.
            SessionLost: the connection is broken.
        """
        if self._has_errors():
            self._call(self._robot.recover_from_errors)
        deadline = time.monotonic() + RECOVERING
        while (self._has_errors() or self._is_clearing()) and time.monotonic() < deadline:
            self.measure()
        self._call(self._configure)

    def close(self) -> None:
        """Let go of the robot."""
        self._robot = self._motion = None

    def _has_errors(self) -> bool:
        return bool(self._call(lambda: self._robot.has_errors))  # it waits for a state of the robot

    def _is_clearing(self) -> bool:
        clearing = self._franky.RobotMode.AutomaticErrorRecovery
        return bool(self._call(lambda: self._robot.state.robot_mode == clearing))

    def _call(self, action: Callable[[], Any]) -> Any:
        try:
            return action()
        except (self._franky.ControlException, self._franky.CommandException) as error:
            raise Aborted(explain(str(error))) from None
        except (self._franky.Exception, RuntimeError) as error:
            raise SessionLost(explain(str(error))) from None
