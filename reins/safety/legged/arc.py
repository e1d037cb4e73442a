"""The path of a body that keeps its velocity in its own frame: an arc of a circle, or a straight line.

A body that keeps a velocity and then brakes all its components in proportion stays on one arc until it stands. So the
nearest that the arc comes to a region is the nearest that the robot comes to it.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from reins.hardware.robot import FloatArray
from reins.safety.legged.keep_outs import Regions

_STRAIGHT: Final = 1e-9
"""An arc that turns by less than this in all is a line [rad]; it leaves the line by less than its length times this."""

_QUARTERS: Final = 0.5 * np.pi * np.arange(4)


@dataclass(frozen=True, slots=True, eq=False)
class Arc:
    """One path.

    Attributes:
        place: (2,) where it begins [m].
        velocity: (2,) in the odometry frame, where it begins [m/s].
        turn: yaw rate [rad/s].
        time: for how long, counted as if the velocity were kept [s].
    """

    place: FloatArray
    velocity: FloatArray
    turn: float
    time: float

    @property
    def length(self) -> float:
        """Its length [m]."""
        return float(np.hypot(*self.velocity)) * self.time

    def at(self, times: FloatArray) -> FloatArray:
        """(…, 2) points of it at times (…) [s].

        Source: the chord of an angle φ = turn t is v t sin(φ/2) / (φ/2), turned by φ/2; exact for φ = 0, too.
        """
        half = 0.5 * self.turn * times
        chord = times * np.sinc(half / np.pi)
        along, across = chord * np.cos(half), chord * np.sin(half)
        x, y = self.velocity
        points: FloatArray = self.place + np.stack([along * x - across * y, across * x + along * y], axis=-1)
        return points

    def clearance(self, regions: Regions) -> FloatArray:
        """(k,) how near it comes to each region [m]; negative where it enters.

        The distance from a rectangle with round corners is least at an end of the arc, where the arc is nearest to a
        corner, or where it runs parallel to a side. From the middle of a rectangle, deep inside the region, distances
        have further least values on its diagonals; they are not looked for.
        """
        times = np.concatenate([self._ends(regions.count), self._near_corners(regions.corners)], axis=1)
        if abs(self.turn) * self.time > _STRAIGHT:
            times = np.concatenate([times, self._parallel(regions.headings)], axis=1)
        points = self.at(np.minimum(np.maximum(times, 0.0), self.time))
        clearance: FloatArray = regions.distances(points).min(axis=1)
        return clearance

    def _ends(self, count: int) -> FloatArray:
        return np.tile([0.0, self.time], (count, 1))

    def _near_corners(self, corners: FloatArray) -> FloatArray:
        """(k, 4) times at which the circle, or the line, is nearest to points (k, 4, 2) [s]."""
        if abs(self.turn) * self.time <= _STRAIGHT:
            squared = float(self.velocity @ self.velocity)
            way = (corners - self.place) @ self.velocity
            return way / squared if squared > 0.0 else np.zeros_like(way)
        spoke = np.array([self.velocity[1], -self.velocity[0]]) / self.turn  # from the middle of the circle to the body
        to_corner = corners - (self.place - spoke)
        across = spoke[0] * to_corner[..., 1] - spoke[1] * to_corner[..., 0]
        return self._from_now_on(np.arctan2(across, to_corner @ spoke))

    def _parallel(self, headings: FloatArray) -> FloatArray:
        """(k, 4) times at which the body moves along or against an axis of each rectangle [s]."""
        course = np.arctan2(self.velocity[1], self.velocity[0])
        return self._from_now_on((headings - course)[:, None] + _QUARTERS)

    def _from_now_on(self, angles: FloatArray) -> FloatArray:
        """When the path has turned by these angles [rad], from the first round on [s]."""
        times: FloatArray = np.mod(np.sign(self.turn) * angles, 2.0 * np.pi) / abs(self.turn)
        return times
