"""How fast the bodies of an arm move against each other, at most: a few numbers for each pair instead of a search."""

from typing import Final

import numpy as np

from reins.hardware.robot import FloatArray
from reins.safety.distances import Distances, Numbers

_SPATIAL: Final = np.array([0, 1, 2, 3, 4, 5, 4, 5, 3, 5, 3, 4])
"""Rows of a Jacobian: linear, turn, and the turn's again in the two orders in which a cross product takes them."""

_LEVERS: Final = np.array([2, 0, 1, 1, 2, 0])
"""Which axis of a lever belongs to each of those last six."""


class Approach:
    """Of a fixed set of pairs. A body is a ball around its middle here, so that what it answers is a bound.

    The arm stands still until `move` says otherwise.

    Args:
        distances: the pairs.
    """

    def __init__(self, distances: Distances) -> None:
        bodies, pairs, reach = distances.bodies, distances.pairs, distances.reach
        row_of = {number: row for row, number in enumerate(distances.moving)}
        motions = sorted({(bodies[pair.first].joint, row_of[pair.second]) for pair in pairs})
        motion_of = {motion: column for column, motion in enumerate(motions)}
        self._distances = distances
        rows = np.array([row for _, row in motions])
        self._levers = 3 * rows + _LEVERS[:, None]
        moving = [bodies[distances.moving[row]] for _, row in motions]
        joints = np.arange(reach.shape[1])[:, None]
        after_first = joints >= np.array([first for first, _ in motions])
        self._moves = (after_first & (joints < np.array([body.joint for body in moving]))).astype(np.float64)
        self._radius = np.array([body.radius for body in moving])
        self._of_pair = np.array([motion_of[bodies[pair.first].joint, row_of[pair.second]] for pair in pairs])
        self._reach, self._between = reach, np.where(reach > 0.0, 1.0, 0.0)
        self._longest = reach.max(axis=0)
        self._carried = 2.0 * np.triu(np.ones((len(joints), len(joints)))) - np.eye(len(joints))
        self._motion = np.zeros((2, 3, len(motions)))
        self._linear, self._turn = self._motion

    def move(self, velocity: FloatArray, jacobians: FloatArray) -> None:
        """The arm moves with `velocity` (n,) [rad/s] from now on; `jacobians` is (6, n) of `Kinematics`."""
        moved = (jacobians.take(_SPATIAL, axis=0) * velocity) @ self._moves
        products = moved[6:] * self._distances.middles.take(self._levers)
        self._turn[:] = moved[3:6]
        np.add(moved[:3], products[:3], out=self._linear)
        self._linear -= products[3:]

    def speeds(self) -> FloatArray:
        """(p,) how fast each pair's bodies approach each other at most, now [m/s]."""
        linear, turn = np.sqrt(np.einsum("kij,kij->kj", self._motion, self._motion))
        speeds: FloatArray = linear + self._radius * turn
        return speeds.take(self._of_pair)

    def largest_bend(self, way: FloatArray) -> float:
        """More than the second derivative of the way of any point of any pair, see `bends` [m]."""
        angles = np.abs(way)
        return float(self._longest @ angles) * float(angles.sum())

    def bends(self, way: FloatArray, numbers: Numbers) -> tuple[FloatArray, FloatArray]:
        """How much the bodies of some pairs move against each other on a straight path in joint space.

        Args:
            way: (n,) the path [rad].
            numbers: (m,) the pairs.

        Returns:
            (m,) the way of a point of a body at most [m], and (m,) its second derivative along the path at most [m].

        Source: each joint k moves the axis of a later joint j, and what j moves: |x''| ≤ Σ |Δq_j| |Δq_k| r_max(j, k).
        """
        angles = np.abs(way)
        turned = self._between.take(numbers, axis=0) * angles
        ways = self._reach.take(numbers, axis=0) * angles
        curved = np.einsum("ij,ij->i", ways, turned @ self._carried)
        return ways.sum(axis=1), curved

    def closing(self, numbers: Numbers, normals: FloatArray) -> FloatArray:
        """(m,) how fast the bodies of some pairs approach each other along (m, 3) normals at most, now [m/s]."""
        motion = self._of_pair[numbers]
        (linear, turn), along = self._motion.take(motion, axis=2), normals.T
        middle = np.einsum("ij,ij->j", linear, along)
        around = cross(turn, along)
        speeds: FloatArray = self._radius.take(motion) * np.sqrt(np.einsum("ij,ij->j", around, around)) - middle
        return speeds


def cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """(3, m) cross products of the columns; NumPy's own takes far longer for a few."""
    product = np.empty_like(a)
    product[0] = a[1] * b[2] - a[2] * b[1]
    product[1] = a[2] * b[0] - a[0] * b[2]
    product[2] = a[0] * b[1] - a[1] * b[0]
    return product
