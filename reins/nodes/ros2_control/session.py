"""One connection to an arm behind ros2_control: joint states in, setpoints out."""

import time
from typing import Final

import numpy as np
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState

from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.hardware.ros2_control import Controls, Ros2ControlDrive
from reins.hardware.streaming.session import Aborted, Measured, SessionLost
from reins.nodes.control_loop import Inbox
from reins.nodes.ros2_control.commanders import Commanders
from reins.nodes.ros2_control.controller import ask_order, topic_of
from reins.nodes.ros2_control.joint_states import JointReader, Misread, Sample
from reins.nodes.ros2_control.link import APPEAR, Link, absolute, wait_for
from reins.nodes.ros2_control.manager import ControllerManager
from reins.nodes.ros2_control.setpoints import ArraySetpoints, Pace, Setpoints, TrajectorySetpoints

OTHERS: Final = 1.0
"""How long another program that commands the controller may take to be discovered after the controller was [s]."""

GONE: Final = 1.0
"""Joint states that were silent for longer are connected to anew [s]."""

WATCH: Final = 0.1
"""Time between two looks for another commander [s]."""

SOMEBODY: Final = "somebody else commands the controller"
"""Who was seen, and has left before it was asked for its name."""

STATES: Final = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Hears publishers of either reliability; several may share the topic."""


class Ros2ControlSession:
    """Implements `reins.hardware.streaming.session.Session`.

    Args:
        drive: of the profile.
        profile: the robot.

    Raises:
        SessionLost: nothing or another robot is there; says what is missing and what to do.
    """

    def __init__(self, drive: Ros2ControlDrive, profile: RobotProfile) -> None:
        self._drive = drive
        self._names = [drive.prefix + name for name in profile.joint_names]
        self._topic = topic_of(drive)
        self._states = absolute(drive.joint_states)
        self._tracking = False
        self._watched_at = float("-inf")
        self._pace = Pace(drive.rate)
        self._trouble = ""
        self._link = Link("arm")
        try:
            self._inbox = Inbox(self._link.node, JointState, self._states, STATES)
            self._reader = JointReader(self._names, self._states)
            self._sample = self._first()
            self._seen_at = time.monotonic()
            order = ask_order(self._link, drive, self._names)
            self._manager = ControllerManager(self._link, drive)
            self._commanders = Commanders(self._link, drive)
            self._refuse_others()
            self._setpoints = self._publish(profile, order)
            if trouble := self._manager.ask_now(APPEAR):
                raise SessionLost(trouble)
        except SessionLost:
            self._link.close()
            raise
        self._target = self._sample.position

    def _first(self) -> Sample:
        said = f"nothing comes on {self._states}; is the joint_state_broadcaster active, and ROS_DOMAIN_ID the same?"

        def look() -> Sample | None:
            nonlocal said
            for message in self._inbox.drain():
                try:
                    if sample := self._reader.read(message):
                        return sample
                    said = f"{self._states} has none of the joints {', '.join(self._names)}; it has " + ", ".join(
                        message.name
                    )
                except Misread as misread:
                    said = str(misread)
            return None

        if sample := wait_for(look):
            return sample
        raise SessionLost(said)

    def _refuse_others(self) -> None:
        end = time.monotonic() + OTHERS
        while time.monotonic() < end:
            if others := self._commanders.told():
                raise SessionLost(f"{others}; stop that first, for a controller has one commander at a time")
            time.sleep(0.05)

    def _publish(self, profile: RobotProfile, order: list[int]) -> Setpoints:
        node, topic, drive = self._link.node, self._topic, self._drive
        setpoints: Setpoints = (
            TrajectorySetpoints(node, topic, self._names, drive, profile)
            if drive.controls is Controls.TRAJECTORY
            else ArraySetpoints(node, topic, order, drive, profile)
        )
        if wait_for(lambda: node.count_subscribers(topic) or None) is None:
            raise SessionLost(f"nobody listens on {topic}: is controller '{drive.controller}' configured?")
        return setpoints

    @property
    def tracking(self) -> bool:
        """Whether setpoints are being sent."""
        return self._tracking

    def measure(self) -> Measured:
        """The newest joint state; never waits.

        Raises:
            SessionLost: there was none for a second, or their clock went back.
        """
        now = time.monotonic()
        for message in self._inbox.drain():
            self._take(message, now)
        if now - self._seen_at > GONE:
            raise SessionLost(f"{self._states} ended; start ros2_control again, then recover the robot")
        sample = self._sample
        trouble = self._trouble or self._manager.trouble() or self._contested(now)
        return Measured(sample.stamp, sample.position, sample.velocity, sample.effort, trouble, self._seen_at)

    def _take(self, message: JointState, now: float) -> None:
        try:
            sample = self._reader.read(message)
        except Misread as misread:
            self._trouble, self._seen_at = str(misread), now
            return
        if sample is None or sample.stamp == self._sample.stamp:
            return
        if sample.stamp < self._sample.stamp:
            raise SessionLost(f"the time of {self._states} went back: ros2_control was started anew; recover the robot")
        self._sample, self._seen_at, self._trouble = sample, now, ""

    def _contested(self, now: float) -> str:
        """Why nothing may be commanded while another program does, too; looked for now and then."""
        if now - self._watched_at < WATCH:
            return ""
        if self._commanders.there():  # looked at again at once, while it lasts
            return f"{self._commanders.told() or SOMEBODY}; stop that first"
        self._watched_at = now
        return ""

    def begin(self, position: FloatArray) -> None:
        """Send setpoints from this position (n,) on [rad]."""
        self._tracking = True
        self.track(position, np.zeros_like(position))

    def track(self, position: FloatArray, velocity: FloatArray) -> None:
        """The setpoint now [rad, rad/s]; sent at the profile's rate, and in any case where the arm comes to rest."""
        self._target = position
        if self._pace.due(velocity, time.monotonic()):
            self._setpoints.send(position, velocity, self._sample.position)

    def check(self) -> None:
        """See that the arm follows.

        Raises:
            Aborted: it does not.
        """
        behind = np.abs(self._target - self._sample.position)
        worst = int(behind.argmax())
        if behind[worst] <= self._drive.following:
            return
        self.halt()
        raise Aborted(
            f"{self._names[worst]} is {behind[worst]:.2f} rad from its setpoint: is controller "
            f"'{self._drive.controller}' active, and nothing in the arm's way?"
        )

    def end(self) -> None:
        """Have the controller hold the last setpoint; one that takes velocities, the arm where it is."""
        self._hold(self._target)

    def halt(self) -> None:
        """Have the controller hold the arm where it is, at once."""
        self._hold(self._sample.position)

    def recover(self) -> None:
        """There is nothing to clear: errors of the hardware are cleared in ros2_control. A controller of velocities may
        still have those with which the connection was lost, and holds from now on.

        Raises:
            Aborted: the controller is not active.
        """
        if self._drive.controls is Controls.VELOCITY:
            self._hold(self._sample.position)
        if trouble := self._manager.ask_now(APPEAR):
            raise Aborted(trouble)

    def close(self) -> None:
        """Leave the graph."""
        self._link.close()

    def _hold(self, position: FloatArray) -> None:
        self._target = position
        self._setpoints.hold(position)
        self._tracking = False
