"""A gripper in a thread of its own, for whatever speaks with one may block."""

from collections.abc import Callable
from threading import Condition, Thread
from typing import Final, Protocol

from reins.contracts.errors import ReinsError
from reins.hardware.robot import GripperCommand
from reins.hardware.streaming.session import Fingers, unforeseen

POLL: Final = 0.02
"""Time between two looks at the fingers [s]."""


class Grip(Protocol):
    """One connection to a gripper, used by one thread. A call may block for its protocol's time-outs."""

    def turn(self, wanted: GripperCommand | None, frozen: bool) -> Fingers:
        """Begin what is wanted if it is new, and look at the fingers.

        Args:
            wanted: the newest command; None leaves the fingers as they are.
            frozen: stop first what is being done.

        Raises:
            ReinsError: the gripper does not work; one sentence.
        """
        ...

    def close(self) -> None:
        """Let go of the gripper, which keeps what it holds."""


class PolledHand:
    """Implements `reins.hardware.streaming.session.Hand` over any `Grip`. The newest command wins.

    Args:
        name: of the thread.
        connect: makes a connection; raises ReinsError.

    Raises:
        ReinsError: no gripper answers; says what to do.
    """

    def __init__(self, name: str, connect: Callable[[], Grip]) -> None:
        self._connect = connect
        self._changed = Condition()
        self._wanted: GripperCommand | None = None
        self._frozen = self._recovering = self._closing = False
        grip = connect()
        self._fingers = grip.turn(None, False)
        self._thread = Thread(target=self._run, args=(grip,), name=name, daemon=True)
        self._thread.start()

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

    def _run(self, grip: Grip) -> None:
        while True:
            with self._changed:
                self._changed.wait(POLL)
                wanted, frozen, recovering, closing = self._wanted, self._frozen, self._recovering, self._closing
                self._frozen = self._recovering = False
                broken = bool(self._fingers.trouble)
            if closing:
                grip.close()
                return
            try:
                if recovering:
                    grip.close()
                    grip = self._connect()
                if not broken:
                    self._post(grip.turn(wanted, frozen))
            except ReinsError as error:
                self._post(Fingers(self.fingers().width, False, str(error)))
            except Exception as error:  # without this thread nobody would be told that the gripper does nothing
                self._post(Fingers(self.fingers().width, False, unforeseen(error)))

    def _post(self, fingers: Fingers) -> None:
        with self._changed:
            self._fingers = fingers
