"""Distances between the bodies of an arm and around it: exact where it matters, a sound lower bound elsewhere.

No body comes closer to another faster than its joints move it. A distance measured once, less the way that the joints
have made since, is therefore a lower bound, and only pairs that this bound does not clear are measured again, by coal.
"""

from collections.abc import Sequence

import coal
import numpy as np
import pinocchio as pin

from reins.hardware.robot import FloatArray
from reins.safety.bodies import Body, Pair

Numbers = np.ndarray[tuple[int], np.dtype[np.int64]]


class Distances:
    """Of a fixed set of pairs. All memory is made here.

    Args:
        model: of the arm, n joints.
        bodies: all of them.
        pairs: those that are watched.

    Attributes:
        moving: numbers of the bodies that are second in a pair.
        lower: (p,) lower bound of each distance [m], < 0 where bodies overlap.
        exact: (p,) whether it is the distance itself.
        margin: (p,) smallest distance [m].
        reach: (p, n) how fast two bodies can approach per speed of each joint, at most [m/rad].
    """

    def __init__(self, model: pin.Model, bodies: Sequence[Body], pairs: Sequence[Pair]) -> None:
        self.bodies, self.pairs = tuple(bodies), tuple(pairs)
        self.model, self.geometry = model, pin.GeometryModel()
        for number, body in enumerate(bodies):
            name = f"{number} {body.name}"
            self.geometry.addGeometryObject(pin.GeometryObject(name, body.joint, body.placement, body.shape))
        for pair in pairs:
            self.geometry.addCollisionPair(pin.CollisionPair(pair.first, pair.second))
        self.moving = tuple(sorted({pair.second for pair in pairs}))
        for number in self.moving:  # carried along by pinocchio, so that they need no Python
            mark = pin.SE3(np.eye(3), bodies[number].middle)
            ball = coal.Sphere(0.0)
            self.geometry.addGeometryObject(pin.GeometryObject(f"middle {number}", bodies[number].joint, mark, ball))
        self._measured = self.geometry.createData()
        self._middles = [self._measured.oMg[len(bodies) + row].translation for row in range(len(self.moving))]
        self._results = [self._measured.distanceResults[number] for number in range(len(pairs))]
        self.margin = np.array([pair.margin for pair in pairs])
        self.reach = _reaches(bodies, pairs, model.nv)
        self.lower = np.full(len(pairs), -np.inf)
        self.exact = np.zeros(len(pairs), dtype=bool)
        firsts = np.array([pair.first for pair in pairs])
        self._pairs_of = [np.flatnonzero(firsts == number) for number in range(len(bodies))]
        self._extents = [float(np.linalg.norm(body.corners, axis=1).max()) for body in bodies]
        self._position = np.zeros(model.nv)
        self._way = np.zeros(len(pairs))

    def move(self, position: FloatArray, data: pin.Data) -> None:
        """The arm is at `position` (n,) [rad] now, for which `data` holds the kinematics."""
        way = np.abs(position - self._position)
        if way.any():
            np.matmul(self.reach, way, out=self._way)
            self.lower -= self._way
            self.exact[:] = False
            self._position[:] = position
        pin.updateGeometryPlacements(self.model, data, self.geometry, self._measured)

    def put(self, number: int, placement: pin.SE3) -> None:
        """Body `number`, which no joint moves, is elsewhere now: a distance of it is less the way that it made."""
        item = self.geometry.geometryObjects[number]
        moved = placement.translation - item.placement.translation
        turned = placement.rotation - item.placement.rotation
        way = float(np.linalg.norm(moved) + np.linalg.norm(turned) * self._extents[number])
        if way == 0.0:
            return
        item.placement = placement
        pairs = self._pairs_of[number]
        self.lower[pairs] -= way
        self.exact[pairs] = False

    @property
    def middles(self) -> FloatArray:
        """(3 m,) where the middles of the bodies `moving` are now [m], base frame, one after the other."""
        return np.concatenate(self._middles)

    def measure(self, numbers: Numbers) -> None:
        """Make the distances of these pairs exact."""
        for number in numbers.tolist():
            pin.computeDistance(self.geometry, self._measured, number)
            self.lower[number] = self._results[number].min_distance
        self.exact[numbers] = True

    def normals(self, numbers: Numbers) -> FloatArray:
        """(m, 3) from the first to the second body of these pairs, which are exact; base frame."""
        return np.array([self._results[number].normal for number in numbers.tolist()])

    def points(self, numbers: Numbers) -> FloatArray:
        """(m, 3) the second body's nearest point of these pairs, which are exact [m]; base frame."""
        return np.array([self._results[number].getNearestPoint2() for number in numbers.tolist()])

    def sharpen(self, close: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> bool:
        """Measure those of the (p,) `close` pairs that are not exact; whether there were any."""
        numbers = (close & ~self.exact).nonzero()[0]
        if not numbers.size:
            return False
        self.measure(numbers)
        return True


def _reaches(bodies: Sequence[Body], pairs: Sequence[Pair], n: int) -> FloatArray:
    """(p, n) the `reach` of each pair: only the joints between its bodies move them against each other."""
    reaches = np.zeros((len(pairs), n))
    for number, pair in enumerate(pairs):
        between = slice(bodies[pair.first].joint, None)  # what moves the second comes no later than its own
        reaches[number, between] = bodies[pair.second].reach[between]
    return reaches
