"""The shortest way on the ground round what stands there: a visibility graph, searched lazily with A*.

Each obstacle, grown by what the robot needs, becomes a convex polygon of PLANES sides, a little larger than it. The
shortest way between two points among polygons bends at their corners only (T. Lozano-Pérez and M. Wesley, "An algorithm
for planning collision-free paths among polyhedral obstacles", 1979), so a search over corners that see each other finds
it, and finds one whenever there is one. That is why it is used here instead of a search over velocities: a dynamic
window looks a second ahead and stands still in front of a wide box; and with a dozen obstacles the graph is small. The
robot walks straight at the first corner, and where it is decided anew several times a second, which makes the plan a
local one: what appears in the way is walked round. Which edges are free is found only for corners that the search
reaches.
"""

import heapq
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reins.hardware.robot import FloatArray
from reins.skills.legged.frames import turned
from reins.skills.legged.obstacles import Obstacle

PLANES: Final = 16
"""Sides of a polygon: a disc's is 2 % wider than it at the corners. A multiple of 4, so that a box's are its own."""

SLACK: Final = 0.05
"""Ways keep this farther away than asked for, and bend at corners that lie as much farther out [m]: a body that walks
does not stay on a line."""

_TOUCH: Final = 1e-6
"""What touches a polygon does not cross it [m]."""

_CORNERS: Final = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])


class Ground:
    """Free and taken ground at one time.

    Args:
        obstacles: what is walked round.
        footprint: radius of the robot [m].
    """

    def __init__(self, obstacles: Sequence[Obstacle], footprint: float) -> None:
        self._obstacles = tuple(obstacles)
        angles = 2.0 * np.pi / PLANES * np.arange(PLANES)
        headings = np.array([item.heading for item in obstacles]).reshape(-1, 1)
        across = headings + angles
        self._normals = np.stack([np.cos(across), np.sin(across)], axis=-1)  # (k, PLANES, 2)
        grown = [_extent(item, normals) for item, normals in zip(self._obstacles, self._normals, strict=True)]
        needs = np.array([footprint + item.margin for item in obstacles]).reshape(-1, 1)
        self._taken = np.array(grown).reshape(-1, PLANES) + needs  # (k, PLANES)
        self._corners = _corners(self._normals, self._taken + 2.0 * SLACK)  # (k, PLANES, 2)

    def depths(self, point: FloatArray) -> FloatArray:
        """(k,) how deep (2,) is in the ground that each obstacle takes [m]; negative outside, at most the distance."""
        depths: FloatArray = (self._taken - self._normals @ point).min(axis=1, initial=np.inf)
        return depths

    def blocker(self, point: FloatArray) -> str:
        """Id of the obstacle that leaves no room to stand at (2,); empty if none does."""
        depths = self.depths(point)
        return self._obstacles[int(depths.argmax())].id if (depths > 0.0).any() else ""

    def way_out(self, point: FloatArray) -> FloatArray | None:
        """(2,) the nearest place out of the ground that the deepest obstacle takes; None where `point` is in none."""
        depths = self.depths(point)
        if not (depths > 0.0).any():
            return None
        deepest = int(depths.argmax())
        room = self._taken[deepest] - self._normals[deepest] @ point
        side = int(room.argmin())
        out: FloatArray = point + (room[side] + SLACK) * self._normals[deepest, side]
        return out

    def route(self, start: FloatArray, goal: FloatArray) -> list[FloatArray] | None:
        """The shortest way from (2,) to (2,): the points where it bends, then the goal; None if there is none.

        It keeps SLACK away from what is taken. Where start or goal is nearer than that, it comes no nearer.
        """
        offsets = self._offsets(start, goal)
        if self._sees(start, goal[None], offsets)[0]:
            return [goal]
        corners = self._corners.reshape(-1, 2)
        outside = (self._normals @ corners.T > offsets[..., None]).any(axis=1).all(axis=0)
        points = np.vstack([corners[outside], goal])
        return self._search(start, points, offsets)

    def sees(self, start: FloatArray, goal: FloatArray) -> bool:
        """Whether the straight line from (2,) to (2,) is such a way."""
        return bool(self._sees(start, goal[None], self._offsets(start, goal))[0])

    def _offsets(self, start: FloatArray, goal: FloatArray) -> FloatArray:
        """(k, PLANES) of the polygons that a way between these keeps out of."""
        near = np.maximum(np.maximum(self.depths(start), self.depths(goal)) + SLACK, 0.0)
        offsets: FloatArray = self._taken + SLACK - near[:, None] - _TOUCH
        return offsets

    def _search(self, start: FloatArray, points: FloatArray, offsets: FloatArray) -> list[FloatArray] | None:
        """A* from `start` over (m, 2) points to the last of them."""
        last = len(points) - 1
        ahead = np.hypot(*(points - points[last]).T)
        cost = np.full(len(points), np.inf)
        came = np.full(len(points), -1)
        done = np.zeros(len(points), dtype=bool)
        frontier: list[tuple[float, int]] = []

        def expand(index: int, place: FloatArray, so_far: float) -> None:
            lengths = so_far + np.hypot(*(points - place).T)
            better = np.flatnonzero(~done & (lengths < cost))
            for other in better[self._sees(place, points[better], offsets)]:
                cost[other], came[other] = lengths[other], index
                heapq.heappush(frontier, (float(lengths[other] + ahead[other]), int(other)))

        expand(-1, start, 0.0)
        while frontier:
            _, index = heapq.heappop(frontier)
            if index == last:
                return _path(points, came)
            if not done[index]:
                done[index] = True
                expand(index, points[index], float(cost[index]))
        return None

    def _sees(self, place: FloatArray, ends: FloatArray, offsets: FloatArray) -> NDArray[np.bool_]:
        """(m,) whether the straight lines from (2,) to (m, 2) cross no polygon of these offsets (k, PLANES).

        Source: M. Cyrus and J. Beck, "Generalized two- and three-dimensional clipping", 1978.
        """
        room = offsets - self._normals @ place  # (k, PLANES), positive inside a side
        along = np.einsum("kpx,mx->mkp", self._normals, ends - place)
        with np.errstate(divide="ignore", invalid="ignore"):
            times = room / along
        enters = np.where(along < 0.0, times, np.where((along == 0.0) & (room <= 0.0), np.inf, 0.0)).max(axis=2)
        leaves = np.where(along > 0.0, times, 1.0).min(axis=2)
        crossed = np.maximum(enters, 0.0) < np.minimum(leaves, 1.0)
        return np.asarray(~crossed.any(axis=1))


def length_of(start: FloatArray, way: Sequence[FloatArray]) -> float:
    """Length of a way from (2,) over its points [m]."""
    points = np.vstack([start, *way])
    return float(np.hypot(*np.diff(points, axis=0).T).sum())


def _extent(item: Obstacle, normals: FloatArray) -> FloatArray:
    """(PLANES,) how far an obstacle reaches along (PLANES, 2) unit vectors [m]."""
    corners = item.centre + turned(_CORNERS * item.half, item.heading)
    extent: FloatArray = (normals @ corners.T).max(axis=1) + item.radius
    return extent


def _corners(normals: FloatArray, offsets: FloatArray) -> FloatArray:
    """(k, PLANES, 2) where neighbouring sides meet."""
    after, beyond = np.roll(normals, -1, axis=1), np.roll(offsets, -1, axis=1)
    sine = np.sin(2.0 * np.pi / PLANES)
    x = (offsets * after[..., 1] - beyond * normals[..., 1]) / sine
    y = (beyond * normals[..., 0] - offsets * after[..., 0]) / sine
    return np.stack([x, y], axis=-1)


def _path(points: FloatArray, came: NDArray[np.intp]) -> list[FloatArray]:
    index = len(points) - 1
    path: list[FloatArray] = []
    while index >= 0:
        path.append(points[index])
        index = int(came[index])
    return path[::-1]
