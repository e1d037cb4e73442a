"""A Robotiq 2F-85 behind the socket of its URCap. Source: Robotiq, instruction manual of the 2F-85, and the URCap."""

from typing import Final

OPEN, CLOSED = 3, 230
"""Positions that the fingers reach. Source: Robotiq, "Encoder bytes of the adaptive gripper"."""

ACTIVATING: Final = 0.5
"""Time that an activation takes [s]; the real one about two."""

FULL_SPEED: Final = 400.0
"""Counts per second at the highest speed."""

MOVING, STOPPED_CLOSING, ARRIVED = 0, 2, 3
"""Values of OBJ: what became of the last command."""

RESET, BUSY, ACTIVE = 0, 1, 3
"""Values of STA."""


class GripperPeer:
    """Fingers at a position in counts, that the variables command and tell of.

    Attributes:
        object: position at which something is between the fingers; None for nothing.
        fault: as FLT tells it.
        activations: how often it was activated.
        asked: the variables that the client set.
    """

    def __init__(self) -> None:
        self.object: int | None = None
        self.fault = 0
        self.activations = 0
        self.asked = {"ACT": 1, "GTO": 1, "POS": OPEN, "SPE": 255, "FOR": 150}
        self._position = float(OPEN)
        self._status = ACTIVE
        self._activating = 0.0
        self._found = ARRIVED

    def reset(self) -> None:
        """As after power-up."""
        self.asked["ACT"] = 0
        self._status = RESET

    def answer(self, line: str) -> str:
        """What the URCap replies."""
        words = line.split()
        if len(words) == 2 and words[0] == "GET":
            return f"{words[1]} {self._variables().get(words[1], '?')}\n"
        if len(words) % 2 == 1 and words[0] == "SET":
            self._take({name: int(value) for name, value in zip(words[1::2], words[2::2], strict=True)})
            return "ack"
        return "?"

    def tick(self, dt: float) -> None:
        """Let the fingers move."""
        if self._status == BUSY:
            self._activating -= dt
            self._status = BUSY if self._activating > 0.0 else ACTIVE
        if self._status != ACTIVE or not self.asked["GTO"] or self.fault:
            return
        goal = float(min(max(self.asked["POS"], OPEN), CLOSED))
        most = FULL_SPEED * dt * (20.0 + 130.0 * self.asked["SPE"] / 255.0) / 150.0
        step = min(max(goal - self._position, -most), most)
        if self.object is not None and self._position + step > self.object >= self._position:
            self._position, self._found = float(self.object), STOPPED_CLOSING
            return
        self._position += step
        self._found = ARRIVED if step == 0.0 else MOVING

    def _variables(self) -> dict[str, int]:
        told = {"POS": round(self._position), "PRE": self.asked["POS"], "STA": self._status, "OBJ": self._found}
        return {**self.asked, **told, "FLT": self.fault}

    def _take(self, values: dict[str, int]) -> None:
        if values.get("ACT") == 0:
            self.reset()
        elif values.get("ACT") == 1 and self._status == RESET:
            self._status, self._activating = BUSY, ACTIVATING
            self.activations += 1
        if "POS" in values and values["POS"] != self.asked["POS"]:
            self._found = MOVING
        self.asked.update(values)
