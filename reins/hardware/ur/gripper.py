"""A Robotiq 2F gripper through the socket of its URCap on the controller."""

import socket
from typing import Final

from reins.contracts.errors import ReinsError
from reins.hardware.profile import Gripper
from reins.hardware.robot import GripperCommand
from reins.hardware.streaming.hand import PolledHand
from reins.hardware.streaming.session import Fingers
from reins.hardware.ur.words import explain

PORT: Final = 63352
"""Of the URCap."""

ANSWER: Final = 1.0
"""Longest time to connect, and to wait for an answer [s]."""

OPEN, CLOSED = 3, 230
"""Positions in counts at which the fingers are fully open, and touch each other. Source: Robotiq, "Encoder bytes of the
adaptive gripper"."""

FULL: Final = 255
"""Counts of the highest speed and force. The lowest ones are the fractions below."""

SLOWEST: Final = 0.020 / 0.150
WEAKEST: Final = 20.0 / 235.0
"""Share of the highest speed and force that count 0 is. Source: Robotiq, 2F-85 instruction manual."""

ACTIVE: Final = 3
"""Value of STA after an activation."""

GRIPPED: Final = 2
"""Value of OBJ when something stopped the fingers while they closed."""

STALLED: Final = 0.003
"""Fingers that rest farther than this above the width that was asked for hold something [m]."""

SERIOUS: Final = 8
"""Codes of FLT from here on are faults; below, it only waits for its activation."""

FAULTS: Final = {
    8: "too hot",
    9: "no communication with the controller",
    10: "voltage too low",
    11: "emergency release under way",
    12: "internal fault",
    13: "activation failed",
    14: "overcurrent",
    15: "emergency release done",
}
"""Code of FLT → what it means. Source: Robotiq, 2F-85 instruction manual, register FAULT STATUS."""


def robotiq_hand(address: str, limits: Gripper) -> PolledHand:
    """The gripper. One that was not activated is activated before its first command, for which it opens and closes.

    Args:
        address: of the controller.
        limits: of the profile.

    Raises:
        ReinsError: no gripper answers; says what to do.
    """
    return PolledHand("robotiq-hand", lambda: RobotiqGrip(address, limits))


class RobotiqGrip:
    """One connection to the URCap; implements `reins.hardware.streaming.hand.Grip`.

    Raises:
        ReinsError: no gripper answers; says what to do.
    """

    def __init__(self, address: str, limits: Gripper) -> None:
        self._who = f"the Robotiq gripper at {address}"
        self._limits = limits
        self._doing: GripperCommand | None = None
        self._pending: GripperCommand | None = None
        try:
            self._socket = socket.create_connection((address, PORT), timeout=ANSWER)
        except OSError as error:
            raise ReinsError(
                f"no Robotiq gripper answers at {address}:{PORT} ({error.strerror or error}); "
                "is its URCap installed, and the gripper switched on?"
            ) from None
        if self._get("FLT") >= SERIOUS:
            self._put(ACT=0)  # clears a fault, and moves nothing

    def turn(self, wanted: GripperCommand | None, frozen: bool) -> Fingers:
        """Begin what is wanted if it is new, and look at the fingers.

        Raises:
            ReinsError: the gripper does not answer, or has a fault; one sentence.
        """
        if frozen:
            self._doing = self._pending = None
            self._put(GTO=0)
        if wanted is not None and wanted != self._doing:
            self._doing = self._pending = wanted
        if self._pending is not None and self._is_active():
            self._start(self._pending)
            self._pending = None
        if (fault := self._get("FLT")) >= SERIOUS:
            what = FAULTS.get(fault, f"code {fault}")
            raise ReinsError(f"{self._who} has a fault, {what}; look at it on the pendant, then recover the robot")
        width = self._width(self._get("POS"))
        doing = self._doing
        gripped = doing is not None and self._pending is None and self._get("OBJ") == GRIPPED
        return Fingers(width, bool(gripped and doing and width > doing.width + STALLED))

    def close(self) -> None:
        """Let go of the gripper, which keeps what it holds."""
        self._socket.close()

    def _is_active(self) -> bool:
        """Whether it takes commands; begins its activation where it was not activated."""
        status = self._get("STA")
        if status == 0:
            self._put(ACT=1)
        return status == ACTIVE

    def _start(self, wanted: GripperCommand) -> None:
        share = 1.0 - min(max(wanted.width, 0.0), self._limits.max_width) / self._limits.max_width
        force = min(wanted.force, self._limits.max_force) / self._limits.max_force
        self._put(
            POS=round(OPEN + share * (CLOSED - OPEN)),
            SPE=FULL,
            FOR=_counts(force, WEAKEST),
            GTO=1,
        )

    def _width(self, position: int) -> float:
        share = (position - OPEN) / (CLOSED - OPEN)
        return self._limits.max_width * min(max(1.0 - share, 0.0), 1.0)

    def _get(self, name: str) -> int:
        words = self._ask(f"GET {name}\n").split()
        if len(words) != 2 or words[0] != name or not words[1].isdecimal():
            raise ReinsError(f"{self._who} answers '{' '.join(words)}' to GET {name}; is it a 2F with Robotiq's URCap?")
        return int(words[1])

    def _put(self, **values: int) -> None:
        said = self._ask("SET " + " ".join(f"{name} {value}" for name, value in values.items()) + "\n").strip()
        if said != "ack":
            raise ReinsError(f"{self._who} answers '{said}' to a command; is it a 2F with Robotiq's URCap?")

    def _ask(self, line: str) -> str:
        try:
            self._socket.sendall(line.encode("ascii"))
            answer = self._socket.recv(1024)
        except OSError as error:
            raise ReinsError(
                f"{self._who} does not answer: {explain(str(error))}; look at its cable, then recover the robot"
            ) from None
        if not answer:
            raise ReinsError(f"{self._who} closed the connection; look at it on the pendant, then recover the robot")
        return answer.decode("ascii", errors="replace")


def _counts(share: float, least: float) -> int:
    """Counts for a share of the highest value, of which count 0 is the share `least`."""
    return round(FULL * min(max((share - least) / (1.0 - least), 0.0), 1.0))
