"""The rules that people and planners set at run time. Every change, and every one that was refused, leaves a trace."""

from collections.abc import Callable, Collection
from typing import TypeVar, get_args

from reins.contracts.errors import ReinsError
from reins.contracts.event import Severity
from reins.contracts.plan import Constraint, ConstraintKind
from reins.safety.constraints import PROGRAMS, ConstraintSet
from reins.safety.names import listed

T = TypeVar("T")

Tell = Callable[[Severity, str, str, str], None]
"""Takes severity, kind, source and reason of an event."""


class Rules:
    """Changes of a ConstraintSet, each told as an event.

    Args:
        constraints: what is in force.
        tell: takes the events.
        seen: gives the ids of the objects that the robot knows of.
        kept: kinds of constraints that this robot keeps; others are refused.
        distances: whether it keeps the distance of an "avoid" constraint; if not, one with a distance is refused.
    """

    def __init__(
        self,
        constraints: ConstraintSet,
        tell: Tell,
        seen: Callable[[], Collection[str]],
        kept: Collection[ConstraintKind] = get_args(ConstraintKind),
        distances: bool = True,
    ) -> None:
        self.constraints = constraints
        self._tell, self._seen, self._kept, self._distances = tell, seen, kept, distances

    def set_speed_scale(self, scale: float, requested_by: str) -> None:
        """The operator's share of the speed limits, 0 < scale ≤ 1.

        Raises:
            ReinsError: anything else, nobody asks, or a planner does.
        """
        self._try("set_speed_scale", requested_by, lambda: self.constraints.set_speed_scale(scale, requested_by))
        self._tell(Severity.INFO, "speed_scale", requested_by, f"{requested_by} set the speed scale to {scale:g}")

    def add(self, constraint: Constraint, requested_by: str) -> Constraint:
        """Tighten; returns the constraint with its id. Raises ReinsError when it is refused."""
        named = self._try("add", requested_by, lambda: self._added(constraint, requested_by))
        remark = self.remark(named)
        text = f"{requested_by} asks: {named} ({named.id}){remark}"
        self._tell(Severity.WARN if remark else Severity.INFO, "constraint_added", requested_by, text)
        return named

    def _added(self, constraint: Constraint, requested_by: str) -> Constraint:
        if constraint.kind not in self._kept:
            raise ReinsError(f"this robot keeps no '{constraint.kind}' constraint; it keeps {', '.join(self._kept)}")
        if constraint.distance and not self._distances:
            raise ReinsError(
                f"this robot keeps its own distance from what it avoids, and none of {constraint.distance:g} m; "
                f"say `avoid {constraint.object}` without one"
            )
        return self.constraints.add(constraint, requested_by)

    def remark(self, constraint: Constraint) -> str:
        """What whoever set it should know besides, to be put behind it; empty if it does what it says."""
        seen = self._seen()
        if constraint.kind != "avoid" or constraint.object in seen:
            return ""
        others = f"what is seen: {listed(sorted(seen))}" if seen else "nothing is seen"
        return f": no object of that name is seen now, and it counts from when one is ({others})"

    def keep(self, earlier: ConstraintSet) -> None:
        """Go on with the constraints of a monitor that was here before; each is told."""
        self.constraints.take_over(earlier)
        for constraint in self.constraints.constraints:
            text = f"still in force: {constraint} ({constraint.id})"
            self._tell(Severity.INFO, "constraint_kept", constraint.set_by, text)

    def remove(self, constraint_id: str, requested_by: str) -> Constraint:
        """Drop one; returns it. Raises ReinsError when that is refused."""
        gone = self._try("remove", requested_by, lambda: self.constraints.remove(constraint_id, requested_by))
        self._tell_removal(gone, requested_by)
        return gone

    def clear(self, set_by: str, requested_by: str) -> int:
        """Drop all that `set_by` set; returns how many. Raises ReinsError when that is refused."""
        gone = self._try("clear", requested_by, lambda: self.constraints.clear(set_by, requested_by))
        for constraint in gone:
            self._tell_removal(constraint, requested_by)
        return len(gone)

    def _tell_removal(self, gone: Constraint, requested_by: str) -> None:
        text = f"{requested_by} dropped: {gone} ({gone.id})"
        self._tell(Severity.INFO, "constraint_removed", requested_by, text)

    def _try(self, what: str, requested_by: str, act: Callable[[], T]) -> T:
        """Do it, or tell why not."""
        try:
            require(requested_by, what)
            return act()
        except ReinsError as error:
            self._tell(Severity.WARN, "rule_refused", requested_by or "nobody", str(error))
            raise


def require(who: str, what: str) -> None:
    """Raise ReinsError unless somebody gave a name."""
    if not who.strip():
        raise ReinsError(f"{what} needs the name of the operator who asks for it")


def require_person(who: str, what: str) -> None:
    """Raise ReinsError unless somebody gave a name, and not that of a program that acts by itself.

    That is a rule between honest programs: nobody proves who asks.
    """
    require(who, what)
    if who.strip() in PROGRAMS:
        raise ReinsError(f"{what} is an operator's own act, and '{who.strip()}' is a program: ask in a person's name")
