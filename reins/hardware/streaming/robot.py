"""A real arm as a `Robot`: nothing that the control thread calls waits for the network."""

from collections.abc import Callable
from threading import Event, Thread
from typing import Final

from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import RobotSpec, RobotState, SafeCommand, StopCategory
from reins.hardware.streaming.exchange import Exchange
from reins.hardware.streaming.loop import Loop
from reins.hardware.streaming.session import Hand, Session, unforeseen

PERIOD: Final = 0.002
"""Time between two references that the thread gives the robot while no command comes [s]."""

SILENCE: Final = 0.06
"""A robot that says nothing for this long is a fault [s]: a cut network is told within a tenth of a second."""

CONNECTING: Final = 10.0
"""Longest time that `connect` waits for the robot [s]."""

ENDING: Final = 4.0
"""Longest time that `close` waits for the robot to stand [s]."""


class StreamingRobot:
    """An arm behind a network; implements `reins.hardware.robot.Robot`.

    Between commands the robot holds by itself; the first command begins to track from the measured position. A
    controlled stop (category 1) slows the reference down along its path, then leaves the robot to itself. A cut
    (category 0) has the robot end the motion at once by its own means: no such arm lets a program take its power away.

    Robot time is the robot's own clock and goes on over a reconnection. `recover` returns at once, and the fault stays
    until the robot has recovered.

    Args:
        profile: the robot.
        who: the robot as a sentence about it begins.
        connect: makes a session; raises ReinsError.
        connect_hand: makes the hand; raises ReinsError. None: there is none.
    """

    def __init__(
        self,
        profile: RobotProfile,
        who: str,
        connect: Callable[[], Session],
        connect_hand: Callable[[], Hand] | None,
    ) -> None:
        self._profile = profile
        self._who = who
        self._make_session = connect
        self._make_hand = connect_hand
        self._spec = RobotSpec(
            profile.name, profile.kind, False, profile.joint_names, has_gripper=connect_hand is not None, cameras=()
        )
        self._exchange: Exchange | None = None
        self._thread: Thread | None = None
        self._hand: Hand | None = None

    @property
    def spec(self) -> RobotSpec:
        """What this driver says of itself."""
        return self._spec

    def connect(self) -> None:
        """Connect to arm and hand; the robot holds by itself.

        Raises:
            ReinsError: it does not answer; says what to do.
        """
        opening = _Opening(self._make_session, self._profile)
        self._thread = Thread(target=opening.run, name=self._profile.name, daemon=True)
        self._thread.start()
        self._exchange = opening.wait(self._who)
        if self._make_hand is not None:
            try:
                self._hand = self._make_hand()
            except ReinsError:
                self.close()
                raise

    def read(self) -> RobotState:
        """The newest measured state.

        Raises:
            ReinsError: not connected yet.
        """
        view = self._connected().view()
        fingers = self._hand.fingers() if self._hand is not None else None
        return RobotState(
            stamp=view.stamp,
            position=view.measured.position.copy(),
            velocity=view.measured.velocity.copy(),
            effort=view.measured.effort.copy(),
            reference=view.reference,
            gripper_width=fingers.width if fingers else 0.0,
            gripper_holding=fingers.holding if fingers else False,
            sequence=view.sequence,
            fault=view.fault,
        )

    def write(self, command: SafeCommand) -> None:
        """Track this setpoint from now on; ignored while a fault is set. One that is not finite, that jumps or
        that is too fast stops.

        Raises:
            ReinsError: position or velocity has the wrong length, or not connected yet.
        """
        taken = self._connected().offer(command)
        if taken and command.gripper is not None and self._hand is not None:
            self._hand.command(command.gripper)

    def step(self, dt: float) -> None:
        """Notice a robot that says nothing any more, whatever the driver's own thread is waiting for, and a hand that
        does not work."""
        exchange = self._connected()
        exchange.notice(SILENCE, self._who)
        if self._hand is not None and (trouble := self._hand.fingers().trouble):
            exchange.stop(StopCategory.CONTROLLED, trouble)

    def stop(self, category: StopCategory, reason: str) -> None:
        """Stop now and set the fault to `reason`; the first reason stays."""
        self._connected().stop(category, reason)
        if self._hand is not None:
            self._hand.freeze()

    def recover(self) -> None:
        """Have the robot recover, connecting anew if need be; no earlier command resumes."""
        if self._hand is not None:
            self._hand.recover()
        self._connected().ask_recovery()

    def close(self) -> None:
        """Bring the robot to a stand and let go of it."""
        if self._exchange is not None:
            self._exchange.ask_end()
        if self._hand is not None:
            self._hand.close()
            self._hand = None
        if self._thread is not None:
            self._thread.join(timeout=ENDING)
            self._thread = None

    def _connected(self) -> Exchange:
        if self._exchange is None:
            raise ReinsError(f"{self._who} is not connected")
        return self._exchange


class _Opening:
    """The driver's own thread, from the attempt to connect to the end."""

    def __init__(self, connect: Callable[[], Session], profile: RobotProfile) -> None:
        self._connect = connect
        self._profile = profile
        self._answered = Event()
        self._abandoned = Event()
        self._exchange: Exchange | None = None
        self._error: ReinsError | None = None

    def wait(self, who: str) -> Exchange:
        """What is shared with the thread, once the robot has answered.

        Raises:
            ReinsError: it has not, or not well.
        """
        if not self._answered.wait(CONNECTING):
            self._abandoned.set()
            raise ReinsError(
                f"{who} does not answer within {CONNECTING:.0f} s; is the address right, the robot on, this computer "
                "in its network? Is another client connected? Restart the robot's controller if none of it is so"
            )
        if self._exchange is None:
            raise self._error or ReinsError(f"{who} is not connected")
        return self._exchange

    def run(self) -> None:
        """The thread."""
        try:
            session = self._connect()
            self._exchange = Exchange(session.measure(), self._profile)
        except ReinsError as error:
            self._error = error
            return
        except Exception as error:  # of the vendor's library
            self._error = ReinsError(unforeseen(error))
            return
        finally:
            self._answered.set()
        if self._abandoned.is_set():
            session.close()
            return
        loop = Loop(self._exchange, session, self._connect, self._profile)
        while loop.cycle():
            self._exchange.wait(PERIOD)
