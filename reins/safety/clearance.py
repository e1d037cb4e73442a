"""Whether two bodies stay apart along a straight path in joint space: a proof, not a sample.

A plane between two convex bodies, fixed to the first, bounds their distance from below for as long as it stands between
them. Each corner of the second goes a path that bends by no more than its joints' turns allow, so that its height above
the plane between two points of the path is at least that at the lower one, less the bend. Where one plane does not
suffice the path is halved and the plane of its far end is tried. The bound holds for any plane: the normals that coal
finds need not be exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pinocchio as pin

from reins.hardware.robot import FloatArray
from reins.safety.distances import Distances

STEPS: Final = 16
"""Into how many parts a path is divided at most."""

ROUNDING: Final = 1e-7
"""Accuracy of a distance [m]."""


@dataclass(slots=True, eq=False)  # made in every control period, where freezing costs a microsecond
class _Plane:
    """A plane between a pair: (3,) normal in the frame of the first body's joint, and the first body's height above it
    [m]."""

    normal: FloatArray
    height: float


class Clearance:
    """Looks along paths of one arm. All memory is made here.

    Args:
        distances: its pairs.
    """

    def __init__(self, distances: Distances) -> None:
        self._distances, self._model = distances, distances.model
        self._data = [self._model.createData() for _ in range(STEPS + 1)]
        joints = range(self._model.njoints)
        self._frames = [
            [(data.oMi[joint].rotation, data.oMi[joint].translation) for joint in joints] for data in self._data
        ]
        self._measured = distances.geometry.createData()
        self._results = self._measured.distanceResults
        bodies = distances.bodies
        self._sides = [(bodies[pair.first], bodies[pair.second]) for pair in distances.pairs]
        self.along(np.zeros(self._model.nv), np.zeros(self._model.nv))

    def along(self, position: FloatArray, way: FloatArray) -> None:
        """The path that is asked about: from `position` (n,) [rad] on by `way` (n,) [rad]."""
        self._start, self._way = position, way
        self._known = [False] * (STEPS + 1)

    def overlap(self, number: int, curved: float) -> float:
        """By how much a pair whose distance is exact would come closer than it may on the path [m]; 0 if it does not.

        A pair that is closer than its margin already may stay as close as it is.

        Args:
            number: the pair.
            curved: second derivative of the way of any point of it along the path, at most [m]; see `Approach.bends`.

        Source: a chord of a path whose second derivative is at most c is within c h² / 8 of it.
        """
        distances, pair = self._distances, self._distances.pairs[number]
        margin = float(distances.margin[number])
        plane = self._plane(pair.first, 0, distances.normals(np.array([number]))[0])
        above = self._above(number, plane, 0)
        inside = float(distances.lower[number]) < margin
        floor, bend = (above, 0.0) if inside else (margin, curved / (8.0 * STEPS * STEPS))
        at, step, fresh = 0, STEPS, True
        while at < STEPS:  # in parts of a power of two, so that none is longer than what is left
            end, sag = at + step, bend * (step * step)
            there = self._above(number, plane, end)
            if floor - (min(above, there) - sag) <= ROUNDING:
                at, above, fresh = end, there, False
                continue
            far = self._look(number, end)
            there = self._above(number, far, end)
            missing = floor - (min(self._above(number, far, at), there) - sag)
            if missing <= ROUNDING:
                at, plane, above, fresh = end, far, there, True
                continue
            if step == 1 or there < floor - ROUNDING:
                return missing
            step //= 2
            if not fresh:
                plane, fresh = self._look(number, at), True
                above = self._above(number, plane, at)
        return 0.0

    def _at(self, step: int) -> pin.Data:
        """Kinematics after so many of the STEPS."""
        data = self._data[step]
        if not self._known[step]:
            pin.forwardKinematics(self._model, data, self._start + self._way * (step / STEPS))
            self._known[step] = True
        return data

    def _frames_at(self, step: int) -> Sequence[tuple[FloatArray, FloatArray]]:
        """Rotation (3, 3) and translation (3,) [m] of each joint after so many steps, base frame."""
        self._at(step)
        return self._frames[step]

    def _look(self, number: int, step: int) -> _Plane:
        """The plane between the pair after so many steps."""
        data = self._at(step)
        pin.updateGeometryPlacements(self._model, data, self._distances.geometry, self._measured)
        pin.computeDistance(self._distances.geometry, self._measured, number)
        return self._plane(self._distances.pairs[number].first, step, self._results[number].normal.copy())

    def _plane(self, first: int, step: int, normal: FloatArray) -> _Plane:
        """The plane of that normal (3,), base frame, which touches the first body."""
        body = self._distances.bodies[first]
        if body.joint:
            turned = normal @ self._frames_at(step)[body.joint][0]
            return _Plane(turned, float((body.corners @ turned).max()))
        placement = self._distances.geometry.geometryObjects[first].placement
        corners = body.corners @ placement.rotation.T
        return _Plane(normal, float((corners @ normal).max()) + float(normal @ placement.translation))

    def _above(self, number: int, plane: _Plane, step: int) -> float:
        """How far the second body is above the first along the plane's normal, after so many steps [m]."""
        (first, second), frames = self._sides[number], self._frames_at(step)
        normal, height = plane.normal, plane.height
        if first.joint:
            rotation, translation = frames[first.joint]
            normal = rotation @ normal
            height += float(normal @ translation)
        rotation, translation = frames[second.joint]
        lowest = np.minimum.reduce(second.corners @ (normal @ rotation))
        return float(lowest + normal @ translation) - height
