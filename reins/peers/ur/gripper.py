"""A Robotiq 2F-85 behind the socket of its URCap. Source: Robotiq, instruction manual of the 2F-85, and the URCap."""

from typing import Final

from reins.hardware.profile import Gripper
from reins.hardware.robot import GripperCommand
from reins.sim.gripper import SimulatedGripper

OPEN, CLOSED = 3, 230
"""Positions that the fingers reach. Source: Robotiq, "Encoder bytes of the adaptive gripper"."""

ACTIVATING: Final = 0.5
"""Time that an activation takes [s]; the real one about two."""

LEAST_FORCE: Final = 20.0
"""At the lowest value of FOR [N]."""

THERE: Final = 0.0005
"""Fingers that are nearer than this to where they are to be have arrived [m]."""

MOVING, STOPPED_CLOSING, ARRIVED = 0, 2, 3
"""Values of OBJ: what became of the last command."""

RESET, BUSY, ACTIVE = 0, 1, 3
"""Values of STA."""


class GripperPeer:
    """Fingers at a position in counts, that the variables command and tell of. They move at the profile's speed.

    Args:
        fingers: of the model.
        limits: of the profile.

    Attributes:
        object: position at which something is between the fingers; None for nothing.
        fault: as FLT tells it.
        activations: how often it was activated.
        asked: the variables that the client set.
    """

    def __init__(self, fingers: SimulatedGripper, limits: Gripper) -> None:
        self._fingers = fingers
        self._limits = limits
        self.object: int | None = None
        self.fault = 0
        self.activations = 0
        self.asked = {"ACT": 1, "GTO": 1, "POS": OPEN, "SPE": 255, "FOR": 150}
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
            self._fingers.freeze()
            return
        goal = min(max(self.asked["POS"], OPEN), CLOSED)
        end = goal if self.object is None else min(goal, self.object)
        width = self._width(end)
        self._fingers.command(GripperCommand(width, self._force()))
        arrived = abs(self._fingers.width - width) < THERE
        if self._fingers.holding or (arrived and end < goal):
            self._found = STOPPED_CLOSING
        else:
            self._found = ARRIVED if arrived else MOVING

    def _width(self, position: int) -> float:
        """The opening at a position in counts [m]."""
        return self._limits.max_width * (CLOSED - position) / (CLOSED - OPEN)

    def _force(self) -> float:
        """What FOR asks for [N]."""
        return LEAST_FORCE + (self._limits.max_force - LEAST_FORCE) * self.asked["FOR"] / 255.0

    def _variables(self) -> dict[str, int]:
        position = round(CLOSED - self._fingers.width / self._limits.max_width * (CLOSED - OPEN))
        told = {"POS": position, "PRE": self.asked["POS"], "STA": self._status, "OBJ": self._found}
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
