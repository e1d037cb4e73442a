"""Where the object of a skill is: as it was seen last, or as the fingers carry it since they closed on it."""

from math import atan2, pi

from reins.hardware.robot import FloatArray
from reins.skills.observation import ObjectView


class ObjectFollower:
    """Between two looks a held object moves with the tool. Passive: told what is seen and where the tool is.

    Args:
        view: the object as it was seen first.
    """

    def __init__(self, view: ObjectView) -> None:
        self.view = view
        self._grasp: tuple[FloatArray, float] | None = None

    def see(self, view: ObjectView) -> ObjectView:
        """The object as it is seen now, not held."""
        self.view, self._grasp = view, None
        return view

    def carry(self, tool: FloatArray, rotation: FloatArray) -> ObjectView:
        """The object in the closed fingers of a tool at (3,) `tool` [m] with (3, 3) `rotation`.

        Closing fingers bring it into their middle, its sides parallel to them: so has perception it.
        """
        turn = atan2(rotation.item(3), rotation.item(0))  # of the hand's x axis
        if self._grasp is None:
            offset = rotation.T.dot(self.view.position - tool)
            offset[1] = 0.0
            off = (self.view.yaw - turn + pi / 4) % (pi / 2) - pi / 4
            self._grasp = offset, self.view.yaw - turn - off
        offset, angle = self._grasp
        self.view = ObjectView(tool + rotation.dot(offset), turn + angle, self.view.size)
        return self.view

    def loose(self) -> ObjectView:
        """The object where it was last, not held."""
        self._grasp = None
        return self.view
