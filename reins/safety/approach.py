"""How fast the bodies of an arm move against each other, at most: two numbers for each pair instead of a search."""

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from reins.hardware.robot import FloatArray
from reins.safety.bodies import Body, Pair


class Approach:
    """Of a fixed set of pairs. A body is a ball around its middle here, so that what it answers is a bound.

    Args:
        bodies: all of them.
        pairs: those that are watched.
        reach: (p, n) of `Distances`.
    """

    def __init__(self, bodies: Sequence[Body], pairs: Sequence[Pair], reach: FloatArray) -> None:
        n = reach.shape[1]
        moving = sorted({pair.second for pair in pairs})
        self._joints = [bodies[number].joint for number in moving]
        self._middles = [_middle(bodies[number]) for number in moving]
        radius = [_radius(bodies[number]) for number in moving]
        row_of = {number: row for row, number in enumerate(moving)}
        ways = sorted({(bodies[pair.first].joint, row_of[pair.second]) for pair in pairs})
        way_of = {way: row for row, way in enumerate(ways)}
        self._first = np.array([first for first, _ in ways])
        self._row = np.array([row for _, row in ways])
        self._second = np.array(self._joints)[self._row]
        self._radius = np.array(radius)[self._row]
        self._of_pair = np.array([way_of[bodies[pair.first].joint, row_of[pair.second]] for pair in pairs])
        self._reach, self._between = reach, (reach > 0.0).astype(np.float64)
        self._where = np.zeros((len(moving), 3))
        self._spatial = np.zeros((n + 1, 6))

    def place(self, data: pin.Data) -> None:
        """The bodies are where these kinematics have them."""
        for row, (joint, middle) in enumerate(zip(self._joints, self._middles, strict=True)):
            self._where[row] = data.oMi[joint].act(middle)

    def speeds(self, velocity: FloatArray, jacobians: FloatArray) -> FloatArray:
        """(p,) how fast each pair's bodies approach each other at most, now [m/s].

        Args:
            velocity: (n,) joint velocity [rad/s].
            jacobians: (6, n) of `Kinematics.joint_jacobians`.
        """
        np.cumsum((jacobians * velocity).T, axis=0, out=self._spatial[1:])
        moved = self._spatial[self._second] - self._spatial[self._first]
        turn, point = moved[:, 3:], self._where[self._row]
        linear = moved[:, :3] + cross(turn, point)
        length = np.sqrt(np.einsum("ij,ij->i", linear, linear))
        length += self._radius * np.sqrt(np.einsum("ij,ij->i", turn, turn))
        speeds: FloatArray = length[self._of_pair]
        return speeds

    def travels(self, speeds: FloatArray, way: FloatArray, time: float) -> FloatArray:
        """(p,) how much closer each pair's bodies come at most on a straight path in joint space [m].

        Args:
            speeds: of the velocity at its start, see `speeds`.
            way: (n,) the path [rad].
            time: that the velocity takes for it [s].

        Source: a path whose second derivative is at most c leaves its tangent by at most c / 2; c ≤ the turns of the
        joints times the way that they make of a body.
        """
        angles = np.abs(way)
        farthest = self._reach @ angles
        travels: FloatArray = np.minimum(farthest, speeds * time + 0.5 * farthest * (self._between @ angles))
        return travels


_NEXT, _LAST = [1, 2, 0], [2, 0, 1]


def cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """(m, 3) cross products of the rows; NumPy's own takes ten times as long for a few."""
    product: FloatArray = a[:, _NEXT] * b[:, _LAST] - a[:, _LAST] * b[:, _NEXT]
    return product


def _middle(body: Body) -> FloatArray:
    """(3,) middle of a body's bounding box in its joint's frame [m]."""
    middle: FloatArray = (body.corners.min(axis=0) + body.corners.max(axis=0)) / 2.0
    return middle


def _radius(body: Body) -> float:
    """How far a body reaches from its middle [m]."""
    return float(np.linalg.norm(body.corners - _middle(body), axis=1).max())
