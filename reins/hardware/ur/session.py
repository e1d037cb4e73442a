"""One connection to a UR arm, used by one thread: measure, track a joint reference, end, recover."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Thread
from typing import Any, Final

import numpy as np

from reins.hardware.drive import URDrive
from reins.hardware.robot import FloatArray
from reins.hardware.streaming.session import Aborted, Measured, SessionLost
from reins.hardware.ur.dashboard import Dashboard
from reins.hardware.ur.library import Library
from reins.hardware.ur.words import NOT_STARTED, OTHER_PROGRAM, PROGRAM_ENDED, PROTECTIVE_STOP, explain, trouble

CYCLE: Final = 0.002
"""The controller's own cycle, for which a position holds unless the next one comes [s]."""

GONE: Final = 1.0
"""A controller that says nothing for this long is taken for gone [s]."""

EXPLAINING: Final = 0.05
"""The controller's states come over two connections: of one thing they may tell this much later [s]."""

STARTING: Final = 3.0
"""Longest time that the controller takes to start the control program, or to do a setting [s]."""

VARIABLES: Final = (
    *("timestamp", "actual_q", "actual_qd", "target_moment"),
    *("robot_mode", "safety_mode", "runtime_state", "robot_status_bits", "safety_status_bits"),
)
"""What is asked of RTDE, in every cycle of the controller."""


class URSession:
    """A connection; implements `reins.hardware.streaming.session.Session`.

    The controller's servoj follows the references that `track` gives; between motions it holds the last one. Should
    they, and the signs of life that `measure` sends, come less often than the drive's `watchdog`, the controller ends
    its program and brakes the arm. No call that is made while the arm moves waits for an answer.

    Args:
        library: the modules.
        address: of the controller.
        drive: what to tell it.

    Raises:
        SessionLost: it cannot be connected; says why and what to do.
    """

    def __init__(self, library: Library, address: str, drive: URDrive) -> None:
        self._library = library
        self._address = address
        self._drive = drive
        self._dashboard = Dashboard(library, address)
        self._dashboard.require(drive.model)
        self._control: Any = None
        self._receive: Any = None
        self._kicked = 0.0
        self._ours = False  # the program that runs on the controller
        self._last_time, self._last_at = -1.0, time.monotonic()
        self.tracking = False
        self._receive = self._call(lambda: library.receive.RTDEReceiveInterface(address, variables=list(VARIABLES)))
        try:
            self._await_data()
            if not self._stopped():
                self._take_control()
        except (SessionLost, Aborted) as error:
            self.close()
            raise SessionLost(str(error)) from None

    def measure(self) -> Measured:
        """The newest state, and a sign of life to the controller.

        Raises:
            SessionLost: there is none for a second, or the controller closed the connection.
        """
        now = time.monotonic()
        if not self._receive.isConnected():
            raise SessionLost(
                f"the UR controller at {self._address} closed the connection; look at it, then recover the robot"
            )
        clock = self._receive.getTimestamp()
        if clock != self._last_time:
            self._last_time, self._last_at = clock, now
        elif now - self._last_at > GONE:
            raise SessionLost(
                f"the UR controller at {self._address} has said nothing for {GONE:.0f} s; "
                "look at the cable and at the controller, then recover the robot"
            )
        self._show_life(now)
        return Measured(
            clock,
            np.array(self._receive.getActualQ()),
            np.array(self._receive.getActualQd()),
            np.array(self._receive.getTargetMoment()),
            self._trouble(),
            self._last_at,
        )

    def begin(self, position: FloatArray) -> None:
        """Track from this position (6,) on [rad], where the robot is.

        Raises:
            Aborted: the robot takes no motion now.
        """
        self.check()
        self.tracking = True
        self.track(position, np.zeros_like(position))

    def track(self, position: FloatArray, velocity: FloatArray) -> None:
        """The reference from now on [rad]; servoj finds its velocity itself.

        Raises:
            Aborted: the controller does not take it.
            SessionLost: the connection is broken.
        """
        drive, target = self._drive, position.tolist()
        taken = self._call(lambda: self._control.servoJ(target, 0.0, 0.0, CYCLE, drive.lookahead_time, drive.gain))
        self._kicked = time.monotonic()
        if not taken:
            self._abort(
                self._trouble() or "the controller takes no command; look at the pendant, then recover the robot"
            )

    def check(self) -> None:
        """Raise what ended the motion, if something did.

        Raises:
            Aborted: the robot did.
        """
        if why := self._trouble():
            self._abort(why)

    def end(self) -> None:
        """Stay at the last reference; servoj holds it."""
        self.tracking = False

    def halt(self) -> None:
        """Have the controller end its program and brake by its own means; a recovery starts the program anew.

        Raises:
            SessionLost: it does not answer.
        """
        self.tracking = self._ours = False
        self._dashboard.stop_program()
        self._wait(lambda: not self._runs(), EXPLAINING)

    def recover(self) -> None:
        """Unlock a protective stop, and start the control program if it ended.

        Raises:
            Aborted: the robot cannot move; says why.
            SessionLost: the connection is broken.
        """
        if self._receive.getSafetyMode() == PROTECTIVE_STOP:
            self._dashboard.unlock()
            self._wait(lambda: not self._stopped(), STARTING)
        if why := self._stopped():
            raise Aborted(why)
        self._take_control()

    def close(self) -> None:
        """Have the controller end the program, and let go of the robot."""
        if self._ours and self._runs() and time.monotonic() - self._last_at < GONE:
            with suppress(SessionLost):  # without it the watchdog ends the program
                self._dashboard.stop_program()
        clients = [client for client in (self._receive, self._control) if client is not None]
        # Each takes half a second, or three without a network, and as long once more to be let go of: now, and not when
        # another session has taken its place and the controller waits for a sign of life.
        self._receive = self._control = None
        with ThreadPoolExecutor() as pool:
            list(pool.map(_let_go, clients))

    def _await_data(self) -> None:
        if not self._wait(lambda: self._receive.getTimestamp() > 0.0, STARTING):
            raise SessionLost(
                f"the UR controller at {self._address} takes the connection and sends no data; restart the controller"
            )

    def _runs(self) -> bool:
        """Whether a program runs on the controller, be it whose it may."""
        return self._control is not None and bool(self._control.isProgramRunning())

    def _stopped(self) -> str:
        """Why the robot cannot move, program or not; empty if it can."""
        return trouble(self._receive.getRobotMode(), self._receive.getSafetyMode())

    def _trouble(self) -> str:
        """Why the robot takes no motion; empty if it does."""
        if self._ours and not self._runs():
            self._ours = False
            self._wait(lambda: bool(self._stopped()), EXPLAINING)
        return self._stopped() or ("" if self._ours else PROGRAM_ENDED)

    def _abort(self, why: str) -> None:
        self.tracking = False
        raise Aborted(why)

    def _show_life(self, now: float) -> None:
        """Tell the controller that somebody is there, three times as often as it wants it."""
        if now - self._kicked > 1.0 / (3.0 * self._drive.watchdog) and self._ours:
            self._kicked = now
            self._call(self._control.kickWatchdog)

    def _take_control(self) -> None:
        """Have the control program run with the drive's settings."""
        if self._control is None:
            self._dashboard.require(self._drive.model)  # again, for somebody may have come since
            self._control = self._call(lambda: self._library.control.RTDEControlInterface(self._address))
        elif not self._ours and self._runs():
            raise Aborted(OTHER_PROGRAM)
        elif not self._ours:
            self._call(self._control.reuploadScript)
        if not self._wait(self._runs, STARTING):
            raise Aborted(NOT_STARTED)
        self._ours = True
        load = self._drive.payload
        self._set("payload", lambda: self._control.setPayload(load.mass, list(load.centre)))
        self._set("watchdog", lambda: self._control.setWatchdog(self._drive.watchdog))

    def _set(self, what: str, call: Callable[[], bool]) -> None:
        """Make a setting, for which the client may wait five minutes and this program does not."""
        taken: list[bool] = []
        thread = Thread(target=lambda: taken.append(self._taken(call)), name=f"ur-{what}", daemon=True)
        thread.start()
        thread.join(STARTING)
        if not taken:
            raise SessionLost(f"the UR controller at {self._address} does not answer while its {what} is set")
        if not taken[0]:
            raise Aborted(self._trouble() or f"the controller does not take the {what}; look at the pendant")

    def _taken(self, call: Callable[[], bool]) -> bool:
        """Whether the controller takes a setting; in a thread of its own."""
        try:
            return bool(self._call(call))
        except SessionLost:
            return False

    def _wait(self, holds: Callable[[], bool], most: float) -> bool:
        """Whether it comes to hold within `most` [s]."""
        deadline = time.monotonic() + most
        while not holds() and time.monotonic() < deadline:
            time.sleep(CYCLE)
        return holds()

    def _call(self, call: Callable[[], Any]) -> Any:
        """What the library gives, which raises when it has no connection, or loses it."""
        try:
            return call()
        except (RuntimeError, ValueError) as error:
            raise SessionLost(f"no connection to the UR arm at {self._address}: {explain(str(error))}") from None


def _let_go(client: Any) -> None:
    with suppress(RuntimeError):  # a connection that broke has nothing to end
        client.disconnect()
