"""The Franka Hand in a thread of its own, for every one of its commands blocks until the fingers rest."""

from contextlib import suppress
from threading import Condition, Thread
from typing import Any, Final

from reins.contracts.errors import ReinsError
from reins.hardware.franka.words import explain
from reins.hardware.profile import Gripper
from reins.hardware.robot import GripperCommand
from reins.hardware.streaming.session import Fingers

CLOSED: Final = 0.005
"""A target below this is a grasp, which pushes with the force that is asked for; above, a move to the width [m]."""

STALLED: Final = 0.003
"""Fingers that rest farther than this above the width of a grasp hold something [m]."""

POLL: Final = 0.02
"""Time between two looks at the fingers [s]."""

UNKNOWN: Final = 0.01
"""A hand that tells a largest width below this was not homed since it got power [m]."""


class FrankaHand:
    """Implements `reins.hardware.streaming.session.Hand`. The newest command wins.

    A hand that was not homed is homed before its first command, so it needs room then.

    Args:
        franky: the module.
        address: of the robot.
        limits: of the profile.

    Raises:
        ReinsError: no hand answers; says what to do.
    """

    def __init__(self, franky: Any, address: str, limits: Gripper) -> None:
        self._franky = franky
        self._address = address
        self._limits = limits
        self._changed = Condition()
        self._wanted: GripperCommand | None = None
        self._frozen = self._recovering = self._closing = False
        self._hand, self._fingers = self._connect()
        self._thread = Thread(target=self._run, name="franka-hand", daemon=True)
        self._thread.start()

    def _connect(self) -> tuple[Any, Fingers]:
        try:
            hand = self._franky.Gripper(self._address)
            return hand, Fingers(float(hand.width), False)
        except (self._franky.Exception, RuntimeError) as error:
            raise ReinsError(
                f"no Franka Hand answers at {self._address}: {explain(str(error))}; attach and initialise it in Desk"
            ) from None

    def fingers(self) -> Fingers:
        """The newest state; never blocks."""
        with self._changed:
            return self._fingers

    def command(self, command: GripperCommand) -> None:
        """Do this from now on; never blocks. The same command again changes nothing."""
        with self._changed:
            if command != self._wanted:
                self._wanted = command
                self._changed.notify()

    def freeze(self) -> None:
        """Stop the fingers where they are."""
        with self._changed:
            if self._wanted is not None:
                self._wanted, self._frozen = None, True
                self._changed.notify()

    def recover(self) -> None:
        """Clear the trouble, connecting anew if there was one; no earlier command resumes."""
        with self._changed:
            if self._fingers.trouble:
                self._fingers = Fingers(self._fingers.width, False)
                self._wanted, self._recovering = None, True
                self._changed.notify()

    def close(self) -> None:
        """End the thread; the fingers keep what they hold."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(timeout=2.0)

    # What follows runs in the hand's own thread.

    def _run(self) -> None:
        work = _Work(self._franky, self._hand, self._limits)
        while True:
            with self._changed:
                self._changed.wait(POLL)
                wanted, frozen, recovering, closing = self._wanted, self._frozen, self._recovering, self._closing
                self._frozen = self._recovering = False
                broken = bool(self._fingers.trouble)
            if closing:
                return
            try:
                if recovering:
                    work = _Work(self._franky, self._connect()[0], self._limits)
                if not broken:
                    self._post(work.turn(wanted, frozen))
            except (self._franky.Exception, RuntimeError, ReinsError) as error:
                self._post(Fingers(self.fingers().width, False, f"the hand does not work: {explain(str(error))}"))

    def _post(self, fingers: Fingers) -> None:
        with self._changed:
            self._fingers = fingers


class _Work:
    """What one connection to the hand is doing."""

    def __init__(self, franky: Any, hand: Any, limits: Gripper) -> None:
        self._franky = franky
        self._hand = hand
        self._limits = limits
        self._doing: GripperCommand | None = None
        self._future: Any = None

    def turn(self, wanted: GripperCommand | None, frozen: bool) -> Fingers:
        """Begin what is wanted if it is new, and look at the fingers; waits for homing and for what is interrupted."""
        if frozen or (wanted is not None and wanted != self._doing):
            self._interrupt()
            self._doing = wanted
            self._future = None if wanted is None else self._start(wanted)
        if self._future is not None and self._future.wait(0.0):
            with suppress(self._franky.CommandException):  # fingers that were stopped by an object say so like this
                self._future.get()
            self._future = None
        state = self._hand.state
        doing = self._doing
        grasped = doing is not None and doing.width < CLOSED and state.is_grasped
        return Fingers(float(state.width), bool(grasped and doing and state.width > doing.width + STALLED))

    def _interrupt(self) -> None:
        if self._future is not None and not self._future.wait(0.0):
            self._hand.stop()
            if self._future.wait(1.0):
                with suppress(self._franky.CommandException):  # it says that it was interrupted
                    self._future.get()

    def _start(self, wanted: GripperCommand) -> Any:
        if self._hand.state.max_width < UNKNOWN:
            self._hand.homing()
        if wanted.width < CLOSED:
            force = min(wanted.force, self._limits.max_force)
            return self._hand.grasp_async(wanted.width, self._limits.speed, force, CLOSED, self._limits.max_width)
        return self._hand.move_async(min(wanted.width, self._limits.max_width), self._limits.speed)
