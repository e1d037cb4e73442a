"""Joint states in whatever order, with whatever other joints among them, turned into what a driver measured."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from sensor_msgs.msg import JointState

from reins.hardware.robot import FloatArray
from reins.nodes.convert import time_from_msg

SMOOTHING: Final = 0.02
"""Time constant of a speed that is found from positions, where joint states tell none [s]."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One message: its stamp [s], and position, velocity, effort (n,) [rad, rad/s, N·m] in the order asked for."""

    stamp: float
    position: FloatArray
    velocity: FloatArray
    effort: FloatArray


class Misread(Exception):
    """A message with some of the joints that is of no use; one sentence."""


class JointReader:
    """Finds the joints in messages.

    An effort that the robot does not tell is 0: nothing is decided by it. A speed that it does not tell is found from
    the positions.

    Args:
        names: (n,) joints, in the order wanted.
        topic: for sentences.
    """

    def __init__(self, names: Sequence[str], topic: str) -> None:
        self._names = list(names)
        self._topic = topic
        self._seen: list[str] = []
        self._places: FloatArray | list[int] = []
        self._last: Sample | None = None

    def read(self, message: JointState) -> Sample | None:
        """What the message says of the joints; None where it is about others.

        Raises:
            Misread: it lacks some of them, has no time, or a position that is not finite.
        """
        if message.name != self._seen and not self._find(list(message.name)):
            return None
        if len(message.position) != len(self._seen):
            raise Misread(f"{self._topic} names {len(self._seen)} joints and has {len(message.position)} positions")
        stamp = time_from_msg(message.header.stamp)
        if stamp == 0.0:
            raise Misread(f"the joint states on {self._topic} carry no time")
        position = self._pick(message.position)
        if not np.isfinite(position).all():
            name = self._names[int(np.flatnonzero(~np.isfinite(position))[0])]
            raise Misread(f"the position of {name} on {self._topic} is not finite: its hardware says nothing good")
        self._last = sample = Sample(stamp, position, self._speed(message, stamp, position), self._effort(message))
        return sample

    def _find(self, names: list[str]) -> bool:
        """Whether any of the joints is among these names; notes where they are."""
        places = {name: place for place, name in enumerate(names)}
        missing = [name for name in self._names if name not in places]
        if len(missing) == len(self._names):
            return False
        if missing:
            raise Misread(
                f"{self._topic} lacks {', '.join(missing)} (it has {', '.join(names)}); "
                "are the profile's joint names, with `prefix`, those of ros2_control?"
            )
        self._seen, self._places = names, [places[name] for name in self._names]
        return True

    def _pick(self, values: Sequence[float]) -> FloatArray:
        return np.asarray(values, dtype=np.float64)[self._places]

    def _speed(self, message: JointState, stamp: float, position: FloatArray) -> FloatArray:
        if len(message.velocity) == len(self._seen):
            told = self._pick(message.velocity)
            if np.isfinite(told).all():
                return told
        last = self._last
        if last is None:
            return np.zeros(len(self._names))
        passed = stamp - last.stamp
        if passed <= 0.0:
            return last.velocity
        share = passed / (passed + SMOOTHING)
        return last.velocity + share * ((position - last.position) / passed - last.velocity)

    def _effort(self, message: JointState) -> FloatArray:
        if len(message.effort) != len(self._seen):
            return np.zeros(len(self._names))
        return np.nan_to_num(self._pick(message.effort), nan=0.0, posinf=0.0, neginf=0.0)
