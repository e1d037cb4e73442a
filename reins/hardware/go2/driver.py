"""The driver of a Go2's legs: nothing that the control thread calls waits for the network."""

import time
from collections.abc import Callable
from threading import Thread
from typing import Final

import numpy as np

from reins.contracts.errors import ReinsError
from reins.hardware.go2.cycle import SILENCE, Cycle, View
from reins.hardware.go2.guard import Guard
from reins.hardware.go2.intake import Intake
from reins.hardware.go2.library import Library, load_library
from reins.hardware.go2.link import Link, way_to
from reins.hardware.go2.messages import Reading
from reins.hardware.legged import LeggedState, SafeBodyCommand
from reins.hardware.legs import LegControl, LegOdometry
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import RobotSpec, StopCategory

CONNECTING: Final = 5.0
"""Longest time that `connect` waits for the robot's first good state [s]."""

LISTENING: Final = 0.6
"""For how long `connect` listens whether another program commands the motors [s]; such programs do at 50 Hz or more."""

ANSWERING: Final = 3.0
"""Longest time that `connect` waits for the robot's motion switcher [s]."""

LOOK: Final = 0.005
"""Time between two looks of `connect` [s]."""

ENDING: Final = 8.0
"""Longest time that `close` waits for the robot to brake and lie down [s]."""


def go2_robot(profile: QuadrupedProfile, address: str, legs: LegControl, odometry: LegOdometry) -> "Go2Robot":
    """The driver, not yet connected.

    Args:
        profile: the robot, with its part `unitree`.
        address: IP address of the robot; its network is where DDS is spoken.
        legs: how they carry the body.
        odometry: where the body is, as they tell it.

    Raises:
        ReinsError: the profile has no such part, there is no address, or the SDK is not installed.
    """
    if profile.unitree is None:
        raise ReinsError(f"profile '{profile.name}' has no part 'unitree', and the driver 'go2' drives no other robot")
    if not address:
        raise ReinsError("the driver 'go2' needs the address of the robot: robot_ip; a Go2's is 192.168.123.161")
    return Go2Robot(profile, address, load_library(), legs, odometry)


class Go2Robot:
    """A Go2 behind a network; implements `reins.hardware.legged.LeggedRobot`.

    A thread of the driver's own reads rt/lowstate and sends rt/lowcmd once a period of `legs`; while nothing is
    commanded the motors damp. A controlled stop (category 1) brakes and lies down. A cut (category 0) has all motors
    damp at once, and so has everything after which the legs cannot be trusted to be ours: no states, another program
    that commands them, a motion service of the robot that is active, a motor that rests.

    Robot time is the robot's own clock and goes on over a recovery. `recover` returns at once, and the fault stays
    until the robot speaks again and nobody else commands it.

    Args:
        profile: the robot.
        address: of it.
        library: the SDK.
        legs: how they carry the body.
        odometry: where the body is, as they tell it.
    """

    def __init__(
        self, profile: QuadrupedProfile, address: str, library: Library, legs: LegControl, odometry: LegOdometry
    ) -> None:
        assert profile.unitree is not None, "go2_robot makes sure"
        self._profile, self._drive, self._address = profile, profile.unitree, address
        self._library, self._legs, self._odometry = library, legs, odometry
        self._spec = RobotSpec(profile.name, "quadruped", False, profile.joint_names, False, ())
        self._cycle: Cycle | None = None
        self._thread: Thread | None = None

    @property
    def spec(self) -> RobotSpec:
        """What this driver says of itself."""
        return self._spec

    def connect(self) -> None:
        """Hear the robot, make sure that nobody else commands its motors, and have them damp.

        Raises:
            ReinsError: the robot says nothing good, or somebody commands it; says what to do.
        """
        link = Link(self._library, self._drive.domain, way_to(self._address))
        intake = Intake(self._library, self._profile, self._drive.least_force, SILENCE)
        guard = Guard(self._library, link, self._drive.motion_switcher)
        try:
            self._await_state(link, intake)
            self._await_silence(guard)
            first = self._await_state(link, intake)
        except ReinsError:
            link.close()
            raise
        self._cycle = Cycle(self._profile, self._library, link, intake, guard, self._legs, self._odometry, first)
        self._thread = Thread(target=self._cycle.run, name=f"{self._profile.name}-legs", daemon=True)
        self._thread.start()

    def read(self) -> LeggedState:
        """The newest measured state.

        Raises:
            ReinsError: not connected yet.
        """
        cycle = self._connected()
        with cycle.lock:
            return _state(cycle.view, cycle.orders.sequence, cycle.orders.fault)

    def write(self, command: SafeBodyCommand) -> None:
        """Walk like this from now on; ignored while a fault is set. What is not finite stops the robot.

        Raises:
            ReinsError: it is not three velocities and a posture, or not connected yet.
        """
        cycle = self._connected()
        with cycle.lock:
            cycle.orders.write(command)

    def step(self, dt: float) -> None:
        """Notice a robot that says nothing any more, whatever the driver's own thread is doing."""
        cycle = self._connected()
        with cycle.lock:
            cycle.notice(time.monotonic())

    def stop(self, category: StopCategory, reason: str) -> None:
        """Brake and lie down; with CUT, have the motors damp at once. The first reason stays."""
        cycle = self._connected()
        with cycle.lock:
            cycle.stop(category, reason)

    def recover(self) -> None:
        """Have the fault cleared once the robot speaks and nobody else commands it; no earlier command resumes."""
        cycle = self._connected()
        with cycle.lock:
            cycle.recovering = True

    def close(self) -> None:
        """Have the robot brake and lie down, and let go of it. Safe to call twice."""
        if self._cycle is None or self._thread is None:
            return
        with self._cycle.lock:
            self._cycle.ending = True
        self._thread.join(ENDING)
        self._thread = None

    def _connected(self) -> Cycle:
        if self._cycle is None:
            raise ReinsError(f"the Go2 at {self._address} is not connected")
        return self._cycle

    def _await_state(self, link: Link, intake: Intake) -> Reading:
        """The next good state, at least the second: of the first alone nothing tells whether its tick advances."""
        heard, reading = False, None

        def is_good() -> bool:
            nonlocal heard, reading
            if messages := link.take_states():
                heard, reading = True, intake.newest(messages, time.monotonic())
            return reading is not None and intake.tally.taken > 1

        def why() -> str:
            if heard:
                return f"sends only states that are no good: {intake.tally.told()}"
            return (
                f"sends no rt/lowstate on DDS domain {self._drive.domain}; is it on, the cable in its rear port, and "
                "the address right?"
            )

        self._await(is_good, CONNECTING, why)
        assert reading is not None, "or it would not be good"
        return reading

    def _await_silence(self, guard: Guard) -> None:
        """Make sure that nobody commands the motors."""
        began = time.monotonic()

        def is_ours() -> bool:
            if objection := guard.look(time.monotonic()):
                raise ReinsError(f"the Go2 at {self._address} is not taken over: {objection}")
            return guard.mode is not None and time.monotonic() - began > LISTENING

        self._await(
            is_ours,
            ANSWERING,
            "does not say whether a motion service of its own is active; restart it, or set `motion_switcher: false` "
            "in the profile of a simulator that has none",
        )

    def _await(self, so: Callable[[], bool], most: float, why: str | Callable[[], str]) -> None:
        """Wait until something is so.

        Raises:
            ReinsError: it is not in `most` [s].
        """
        end = time.monotonic() + most
        while not so():
            if time.monotonic() > end:
                raise ReinsError(f"the Go2 at {self._address} {why if isinstance(why, str) else why()}")
            time.sleep(LOOK)


def _state(view: View, sequence: int, fault: str) -> LeggedState:
    reading = view.reading
    return LeggedState(
        stamp=view.stamp,
        orientation=reading.orientation,
        position=reading.joints,
        velocity=reading.speeds,
        effort=reading.torques,
        contact=reading.contact,
        battery=float(np.clip(reading.battery, 0.0, 1.0)),
        odometry=view.odometry,
        height=view.height,
        temperature=reading.temperature,
        sequence=sequence,
        fault=fault,
    )
