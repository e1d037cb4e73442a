"""Which pictures to take while somebody moves the arm about: where it stands still, in a pose that is new."""

from typing import Final

import numpy as np
import pinocchio as pin

from reins.calibration.board import BoardFinder
from reins.calibration.folder import FolderWriter, Picture
from reins.hardware.robot import FloatArray

STILL: Final = 0.3
"""The tool must have stood still for this long before a picture [s]: exposure, and what is on its way."""

STILL_POSITION: Final = 0.0005
"""It stands still if it moves by less than this meanwhile [m]."""

STILL_TURN: Final = 0.002
"""And turns by less than this [rad]."""

NEW_POSITION: Final = 0.03
"""A pose is new if it is this far from all others [m]."""

NEW_TURN: Final = 0.10
"""Or turned by this against all others [rad]: six degrees."""


class Recorder:
    """Takes a picture in every new pose in which the arm stands still and the board is seen.

    Args:
        finder: of the board.
        writer: of the folder.
    """

    def __init__(self, finder: BoardFinder, writer: FolderWriter) -> None:
        self._finder, self._writer = finder, writer
        self._taken: list[FloatArray] = []

    @property
    def count(self) -> int:
        """How many pictures were taken."""
        return len(self._taken)

    def offer(self, rgb: Picture, tool: FloatArray, before: FloatArray) -> str:
        """A picture came.

        Args:
            rgb: (h, w, 3).
            tool: (4, 4) pose of the tool in the base frame when it was taken.
            before: the same, STILL earlier.

        Returns:
            What became of it, in words for the person who moves the arm.
        """
        if _apart(tool, before, STILL_POSITION, STILL_TURN):
            return "moving"
        if not all(_apart(tool, other, NEW_POSITION, NEW_TURN) for other in self._taken):
            return "move on: this pose is taken"
        view = self._finder.find(rgb)
        if view is None:
            return "the board is not seen, or too little of it"
        name = self._writer.add(rgb, tool)
        self._taken.append(tool)
        return f"{name}: {len(view.points)} corners"


def _apart(one: FloatArray, other: FloatArray, position: float, turn: float) -> bool:
    far = float(np.linalg.norm(one[:3, 3] - other[:3, 3])) > position
    return far or float(np.linalg.norm(pin.log3(one[:3, :3].T @ other[:3, :3]))) > turn
