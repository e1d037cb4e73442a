"""The QP of the filter: nearest joint velocity within intervals, walls, approaches and speed limits.

"Nearest" is meant for the tool: a motion that is cut short changes the tool's twist as little as possible, and then the
joints. Pushed straight into a wall the tool stands still; nearest in joint space alone it would slide off to the side,
which nobody asked for.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import daqp
import numpy as np

from reins.hardware.robot import FloatArray
from reins.safety.verdict import Limit

TURN_LENGTH: Final = 0.3
"""Lever with which a turn of the tool [rad/s] counts beside its linear motion [m/s]: about its distance from the wrist
[m]."""

JOINT_WEIGHT: Final = 1e-4
"""What a change of a joint velocity [rad/s] counts beside one of the tool's [m/s], squared: little, but enough to keep
the answer unique and calm near singular poses."""

_CUTS: Final = 6
"""Rows for the speed limits of points of the arm, added one at a time where an answer is too fast."""

_CUT_SHARE: Final = 0.998
"""Share of a speed limit that a row asks for: a few rows then suffice to get below the limit itself."""

_UNBOUNDED: Final = 1e30
"""What the solver reads as no bound."""

_ACCURACY: Final = 1e-5
"""How far past a wall's speed an answer may be [m/s]: the solver's own accuracy, with room."""

_OPTIMAL: Final = 1
"""The solver's status of a problem that it solved."""


@dataclass(slots=True, eq=False)  # made in every control period, where freezing costs a microsecond
class SpeedLimit:
    """The largest length of a velocity.

    Attributes:
        limit: which one it is.
        rows: (3, n) Jacobian of the velocity.
        largest: its largest length [m/s or rad/s].
    """

    limit: Limit
    rows: FloatArray
    largest: float

    def share(self, velocity: FloatArray) -> float:
        """How much of the limit joint velocity (n,) [rad/s] uses; more than 1 is too fast."""
        part = self.rows @ velocity
        return math.sqrt(part @ part) / self.largest


@dataclass(slots=True, eq=False)  # made in every control period, where freezing costs a microsecond
class Bounds:
    """Within what the answer must be.

    Attributes:
        fastest: (2n + 6,) highest velocity of each joint down, of each up [rad/s], and of the tool towards each wall
            [m/s].
        speeds: limits of the speeds of the tool and other points.
        approach: (k, n) rows by which joint velocities bring two bodies closer [m/rad].
        closing: (k,) how fast they may [m/s].
    """

    fastest: FloatArray
    speeds: Sequence[SpeedLimit]
    approach: FloatArray
    closing: FloatArray


class NearestVelocity:
    """Solves it. The workspace of the solver is made once and reused.

    Args:
        n: number of joints.
        approaches: number k of the approaches.
    """

    def __init__(self, n: int, approaches: int) -> None:
        self._n, self._cuts = n, 3 + approaches
        self._rows = np.zeros((self._cuts + _CUTS, n))
        self._low = np.full(n + self._cuts + _CUTS, -_UNBOUNDED)
        self._high = np.full(n + self._cuts + _CUTS, _UNBOUNDED)
        self._regular = JOINT_WEIGHT * np.eye(n)
        self._scaling = np.array([1.0, 1.0, 1.0, TURN_LENGTH, TURN_LENGTH, TURN_LENGTH])[:, None]
        self._solver = daqp.Model()
        rows, high = np.zeros_like(self._rows), self._high.copy()  # it keeps what it is given
        self._solver.setup(np.eye(n), np.zeros(n), rows, high)

    def solve(self, wanted: FloatArray, jacobian: FloatArray, bounds: Bounds) -> FloatArray | None:
        """The velocity within `bounds` that is nearest to `wanted`, or None if there is none.

        Args:
            wanted: (n,) joint velocity [rad/s].
            jacobian: (6, n) of the tool, linear rows first.
            bounds: what it must keep.
        """
        n, fastest = self._n, bounds.fastest
        low, high = -fastest[:n], fastest[n : 2 * n]
        slowest_tool, fastest_tool = -fastest[2 * n : 2 * n + 3], fastest[2 * n + 3 :]
        if not ((low <= high).all() and (slowest_tool <= fastest_tool).all()):  # the solver does not look
            return None
        cuts = self._cuts
        self._rows[:3], self._rows[3:cuts], self._rows[cuts:] = jacobian[:3], bounds.approach, 0.0
        self._low[:n], self._high[:n] = low, high
        self._low[n : n + 3], self._high[n : n + 3] = slowest_tool, fastest_tool
        self._high[n + 3 : n + cuts] = np.minimum(bounds.closing, _UNBOUNDED)
        scaled = jacobian * self._scaling
        metric = scaled.T @ scaled + self._regular
        self._solver.update(H=metric, f=-(metric @ wanted), A=self._rows, bupper=self._high, blower=self._low)
        for cut in range(_CUTS + 1):
            if cut:
                self._solver.update(A=self._rows, bupper=self._high)
            answer, _, status, _ = self._solver.solve()
            if status != _OPTIMAL:
                return None
            velocity: FloatArray = np.minimum(np.maximum(answer, low), high)
            rates = self._rows[:cuts] @ velocity
            kept = (rates <= self._high[n : n + cuts] + _ACCURACY).all() and (
                rates[:3] >= slowest_tool - _ACCURACY
            ).all()
            if not kept:  # NaN included
                return None
            too_fast = _too_fast(velocity, bounds)
            if too_fast is None:
                return velocity
            if cut < _CUTS:
                self._rows[cuts + cut], self._high[n + cuts + cut] = too_fast
        return None


def _too_fast(velocity: FloatArray, bounds: Bounds) -> tuple[FloatArray, float] | None:
    """A row, and its bound, that keeps a point from moving as fast as it does at `velocity`; None if it may."""
    for speed in bounds.speeds:
        part = speed.rows @ velocity
        length = math.sqrt(part @ part)
        if length > speed.largest:
            return (part / length) @ speed.rows, speed.largest * _CUT_SHARE
    return None
