"""Distances between the bodies of an arm and around it: exact where it matters, a sound lower bound elsewhere.

No body comes closer to another faster than its joints move it. A distance measured once, less the way that the joints
have made since, is therefore a lower bound, and only pairs that this bound does not clear are measured again, by coal.
"""

from collections.abc import Sequence

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
        lower: (p,) lower bound of each distance [m], < 0 where bodies overlap.
        exact: (p,) whether it is the distance itself.
        normal: (p, 3) from the first to the second body, base frame; of exact pairs.
        point: (p, 3) the second body's nearest point [m], base frame; of exact pairs.
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
        self._measured = self.geometry.createData()
        self._results = self._measured.distanceResults
        for number in range(len(pairs)):
            self._measured.deactivateCollisionPair(number)
        self.margin = np.array([pair.margin for pair in pairs])
        self.reach = _reaches(model, bodies, pairs)
        self.lower = np.full(len(pairs), -np.inf)
        self.exact = np.zeros(len(pairs), dtype=bool)
        self.normal, self.point = np.zeros((len(pairs), 3)), np.zeros((len(pairs), 3))
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
        """Body `number`, which no joint moves, is elsewhere now."""
        self.geometry.geometryObjects[number].placement = placement
        for index, pair in enumerate(self.pairs):
            if pair.first == number:
                self.lower[index] = -np.inf
                self.exact[index] = False

    def measure(self, numbers: Numbers) -> None:
        """Make the distances of these pairs exact."""
        listed = numbers.tolist()
        for number in listed:
            self._measured.activateCollisionPair(number)
        pin.computeDistances(self.geometry, self._measured)
        for number in listed:
            self._measured.deactivateCollisionPair(number)
            result = self._results[number]
            self.lower[number] = result.min_distance
            self.normal[number] = result.normal
            self.point[number] = result.getNearestPoint2()
        self.exact[numbers] = True

    def sharpen(self, close: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> bool:
        """Measure those of the (p,) `close` pairs that are not exact; whether there were any."""
        numbers = np.flatnonzero(close & ~self.exact)
        if not numbers.size:
            return False
        self.measure(numbers)
        return True


def _reaches(model: pin.Model, bodies: Sequence[Body], pairs: Sequence[Pair]) -> FloatArray:
    """(p, n) the `reach` of each pair: only the joints between its bodies move them against each other."""
    whole = {pair.second: _reach(model, bodies[pair.second]) for pair in pairs}
    reaches = np.zeros((len(pairs), model.nv))
    for row, pair in zip(reaches, pairs, strict=True):
        between = slice(bodies[pair.first].joint, bodies[pair.second].joint)
        row[between] = whole[pair.second][between]
    return reaches


def _reach(model: pin.Model, body: Body) -> FloatArray:
    """(n,) how far a body can be from each joint's axis at most [m]; 0 for joints after it."""
    reach = np.zeros(model.nv)
    axis = _axis(model, body.joint)
    reach[body.joint - 1] = np.linalg.norm(np.cross(body.corners, axis), axis=1).max()
    length = float(np.linalg.norm(body.corners, axis=1).max())
    for joint in range(body.joint - 1, 0, -1):
        length += float(np.linalg.norm(model.jointPlacements[joint + 1].translation))
        reach[joint - 1] = length
    return reach


def _axis(model: pin.Model, joint: int) -> FloatArray:
    """(3,) axis of a joint in its own frame."""
    data = model.createData()
    jacobian = pin.computeJointJacobian(model, data, pin.neutral(model), joint)
    axis: FloatArray = np.asarray(jacobian)[3:, joint - 1].copy()
    return axis
