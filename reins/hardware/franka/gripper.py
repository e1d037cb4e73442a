"""The Franka Hand: every one of its commands blocks until the fingers rest."""

from contextlib import suppress
from typing import Any, Final

from reins.contracts.errors import ReinsError
from reins.hardware.franka.words import explain
from reins.hardware.profile import Gripper
from reins.hardware.robot import GripperCommand
from reins.hardware.streaming.hand import PolledHand
from reins.hardware.streaming.session import Fingers

CLOSED: Final = 0.005
"""A target below this is a grasp, which pushes with the force that is asked for; above, a move to the width [m]."""

STALLED: Final = 0.003
"""Fingers that rest farther than this above the width of a grasp hold something [m]."""

UNKNOWN: Final = 0.01
"""A hand that tells a largest width below this was not homed since it got power [m]."""


def franka_hand(franky: Any, address: str, limits: Gripper) -> PolledHand:
    """The hand. One that was not homed is homed before its first command, so it needs room then.

    Args:
        franky: the module.
        address: of the robot.
        limits: of the profile.

    Raises:
        ReinsError: no hand answers; says what to do.
    """
    return PolledHand("franka-hand", lambda: FrankaGrip(franky, address, limits))


class FrankaGrip:
    """One connection to the hand, and what it is doing; implements `reins.hardware.streaming.hand.Grip`.

    Raises:
        ReinsError: no hand answers; says what to do.
    """

    def __init__(self, franky: Any, address: str, limits: Gripper) -> None:
        self._franky = franky
        self._limits = limits
        self._doing: GripperCommand | None = None
        self._future: Any = None
        try:
            self._hand = franky.Gripper(address)
            float(self._hand.width)
        except (franky.Exception, RuntimeError) as error:
            raise ReinsError(
                f"no Franka Hand answers at {address}: {explain(str(error))}; attach and initialise it in Desk"
            ) from None

    def turn(self, wanted: GripperCommand | None, frozen: bool) -> Fingers:
        """Begin what is wanted if it is new, and look at the fingers; waits for homing and for what is interrupted.

        Raises:
            ReinsError: the hand does not work; in libfranka's words.
        """
        try:
            return self._turn(wanted, frozen)
        except (self._franky.Exception, RuntimeError) as error:
            raise ReinsError(f"the hand does not work: {explain(str(error))}") from None

    def close(self) -> None:
        """Let go of the hand."""
        self._future = None  # first: what still runs needs the hand
        self._hand = None

    def _turn(self, wanted: GripperCommand | None, frozen: bool) -> Fingers:
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
