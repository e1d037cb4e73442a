"""Constraints that hold until they are removed. A planner may only tighten; the operator may loosen, too."""

from collections.abc import Iterable, Sequence
from typing import Final

from reins.contracts.errors import ReinsError, UnknownName
from reins.contracts.plan import Constraint

PLANNER: Final = "planner"
"""Whoever asks under this name, the planner node's, is a planner; everybody else is an operator."""

AUTOMATION: Final = "supervisor"
"""Whoever asks under this name, the supervisor node's, is a program that acts by itself."""

PROGRAMS: Final = (PLANNER, AUTOMATION)
"""Who is no person: what only a person may do is refused to them."""

MOST: Final = 64
"""Constraints that may be in force at one time."""


class ConstraintSet:
    """The constraints in force, and what they add up to: whatever is tightest counts.

    Args:
        speed_scale: the operator's setting, 0 < scale ≤ 1.

    Attributes:
        constraints: those in force, oldest first, each with its `id`.
        speed_scale: share of the speed limits that is allowed, 0 < scale ≤ 1: the operator's setting and the lowest of
            all "speed" constraints.
        avoided: ids of the objects that the robot keeps away from.
        distances: how far a legged robot keeps from them [m], by id, where a constraint says so.
        keep_outs: the "keep_out" constraints: boxes of full extents `size` at `centre` [m], in the base frame of an arm
            or the odometry frame of a robot that walks.
        payload: largest mass at the tool point of all "payload" constraints [kg]; 0 if there is none.
        changes: grows by one with every change, so that what is made from them is made anew only then.
    """

    def __init__(self, speed_scale: float) -> None:
        self._operator_scale = speed_scale
        self._numbers = 0
        self.changes = -1
        self._set_to(())

    def take_over(self, earlier: "ConstraintSet") -> None:
        """Hold what `earlier` held, with its ids; no later id is one of them."""
        self._numbers = earlier._numbers
        self._set_to(earlier.constraints)

    def set_speed_scale(self, scale: float, requested_by: str) -> None:
        """The operator's own setting.

        Raises:
            ReinsError: not 0 < scale ≤ 1, or a planner asks.
        """
        if requested_by == PLANNER:
            raise ReinsError("a planner cannot set the operator's speed scale; it may set a 'speed' constraint")
        if not 0.0 < scale <= 1.0:
            raise ReinsError(f"speed scale is {scale}; it must be greater than 0 and at most 1")
        self._operator_scale = scale
        self._set_to(self.constraints)

    def add(self, constraint: Constraint, requested_by: str) -> Constraint:
        """Tighten.

        Returns:
            The constraint with its new id.

        Raises:
            ReinsError: a planner asks in the operator's name, or there are too many.
        """
        if requested_by == PLANNER and constraint.set_by != "planner":
            raise ReinsError("a planner sets constraints in its own name only, set_by='planner'")
        if len(self.constraints) >= MOST:
            raise ReinsError(f"{MOST} constraints are in force, and no more fit; remove some first")
        self._numbers += 1
        named = constraint.model_copy(update={"id": f"{constraint.set_by}-{self._numbers}"})
        self._set_to((*self.constraints, named))
        return named

    def remove(self, constraint_id: str, requested_by: str) -> Constraint:
        """Drop one, and return it.

        Raises:
            UnknownName: no constraint has this id.
            ReinsError: a planner asks to drop the operator's.
        """
        found = {constraint.id: constraint for constraint in self.constraints}
        if constraint_id not in found:
            raise UnknownName("constraint", constraint_id, found)
        self._check_owner(found[constraint_id].set_by, requested_by)
        self._set_to(constraint for constraint in self.constraints if constraint.id != constraint_id)
        return found[constraint_id]

    def clear(self, set_by: str, requested_by: str) -> Sequence[Constraint]:
        """Drop all that `set_by` set, and return them.

        Raises:
            ReinsError: `set_by` is neither operator nor planner, or a planner asks to drop the operator's.
        """
        if set_by not in ("operator", "planner"):
            raise UnknownName("owner of constraints", set_by, ("operator", "planner"))
        self._check_owner(set_by, requested_by)
        dropped = tuple(constraint for constraint in self.constraints if constraint.set_by == set_by)
        self._set_to(constraint for constraint in self.constraints if constraint.set_by != set_by)
        return dropped

    def _check_owner(self, set_by: str, requested_by: str) -> None:
        if set_by != "planner" and requested_by == PLANNER:
            raise ReinsError("a planner cannot drop the operator's constraints; it may only tighten")

    def _set_to(self, constraints: Iterable[Constraint]) -> None:
        every: Sequence[Constraint] = tuple(constraints)
        self.constraints = every
        self.speed_scale = min([self._operator_scale, *(c.scale for c in every if c.kind == "speed")])
        self.avoided = frozenset(c.object for c in every if c.kind == "avoid")
        named = sorted((c for c in every if c.kind == "avoid" and c.distance), key=lambda c: c.distance)
        self.distances = {c.object: c.distance for c in named}  # of several, the largest
        self.keep_outs = tuple(c for c in every if c.kind == "keep_out")
        self.payload = max((c.mass for c in every if c.kind == "payload"), default=0.0)
        self.changes += 1
