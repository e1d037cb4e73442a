"""Constraints that hold while a task runs. A planner may only tighten; the operator may loosen, too."""

from collections.abc import Sequence

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint


class ConstraintSet:
    """The constraints in force, and the share of the speed limits that they leave.

    Args:
        speed_scale: the operator's setting, 0 < scale ≤ 1.
    """

    def __init__(self, speed_scale: float) -> None:
        self._operator_scale = speed_scale
        self._constraints: list[Constraint] = []
        self.speed_scale = speed_scale
        """Share of the speed limits that is allowed now, 0 < scale ≤ 1."""

    @property
    def constraints(self) -> Sequence[Constraint]:
        """Those in force, oldest first."""
        return tuple(self._constraints)

    def set_speed_scale(self, scale: float) -> None:
        """The operator's own setting. Raises ReinsError unless 0 < scale ≤ 1."""
        if not 0.0 < scale <= 1.0:
            raise ReinsError(f"speed scale is {scale}; it must be greater than 0 and at most 1")
        self._operator_scale = scale
        self._update()

    def add(self, constraint: Constraint) -> None:
        """Tighten. Constraints add up: the tightest counts."""
        self._constraints.append(constraint)
        self._update()

    def clear(self, set_by: str, requested_by: str) -> None:
        """Drop all that `set_by` set.

        Raises:
            ReinsError: a planner asks to drop the operator's.
        """
        if set_by == "operator" and requested_by == "planner":
            raise ReinsError("a planner cannot drop the operator's constraints; it may only tighten")
        self._constraints = [constraint for constraint in self._constraints if constraint.set_by != set_by]
        self._update()

    def _update(self) -> None:
        scales = [constraint.scale for constraint in self._constraints if constraint.kind == "speed"]
        self.speed_scale = min([self._operator_scale, *scales])
