"""Predicates measured from physics. The geometry and its thresholds are those of `reins.contracts.relations`.

A predicate is a fact tuple: (relation, a, b) with one of in, on, beside, left_of, right_of, behind, in_front_of, where
b may be "table" for "on"; ("held", a); ("touched", a); ("moved", a, direction) with left, right, forward or back.
"""

from collections.abc import Mapping
from typing import Final

from reins.contracts.errors import ReinsError, UnknownName
from reins.contracts.facts import AXES
from reins.contracts.relations import SPATIAL, holds, is_on_table
from reins.contracts.scene import TABLE
from reins.sim.placement import TablePose
from reins.sim.world_state import WorldState

MOVED: Final = 0.03
"""A push moved an object if it ended at least this far along the direction from where it started [m]."""

PREDICATES: Final = (*SPATIAL, "held", "touched", "moved")
"""All that `evaluate` knows."""

Predicate = tuple[str, ...]


def is_related(state: WorldState, name: str, a: str, b: str) -> bool:
    """Whether the spatial relation `name` holds between objects `a` and `b`, `a` not in the gripper.

    What the gripper still holds is nowhere yet: it is in, on or beside nothing.
    """
    first = state.find(a)
    if state.held == a:
        return False
    if name == "on" and b == TABLE:
        return is_on_table(first, state.objects.values())
    return holds(name, first, state.find(b))


def is_in(state: WorldState, a: str, b: str) -> bool:
    """`a` lies in container `b`: its centre within IN_RADIUS of the radius, between underside and rim."""
    return is_related(state, "in", a, b)


def is_on(state: WorldState, a: str, b: str) -> bool:
    """`a` stands on `b`, or on the table: centre over it, underside within ON_GAP of its top."""
    return is_related(state, "on", a, b)


def is_beside(state: WorldState, a: str, b: str) -> bool:
    """Footprints of `a` and `b` are at most BESIDE_GAP apart, at the same height."""
    return is_related(state, "beside", a, b)


def is_held(state: WorldState, a: str) -> bool:
    """`a` is in contact with both fingers."""
    return state.held == state.find(a).id


def is_touched(state: WorldState, a: str) -> bool:
    """The robot was in contact with `a` since the last reset."""
    return state.find(a).touched


def has_moved(state: WorldState, a: str, direction: str, start: TablePose) -> bool:
    """`a` is now at least MOVED along `direction` from `start`.

    Raises:
        UnknownName: no such direction.
    """
    if direction not in AXES:
        raise UnknownName("direction", direction, AXES)
    axis, sign = AXES[direction]
    position = state.find(a).position
    return sign * (position[axis] - (start.x, start.y)[axis]) >= MOVED


def evaluate(predicate: Predicate, state: WorldState, start: Mapping[str, TablePose] | None = None) -> bool:
    """Whether `predicate` holds in `state`.

    Args:
        predicate: a fact tuple.
        state: the truth.
        start: where objects stood after the reset, by id; only "moved" needs it.

    Raises:
        UnknownName: no such predicate, object or direction.
        ReinsError: the predicate has the wrong number of arguments, or "moved" comes without `start`.
    """
    match predicate:
        case ("held", a) | ("held", a, "gripper"):
            return is_held(state, a)
        case ("touched", a):
            return is_touched(state, a)
        case ("moved", a, direction):
            if start is None or a not in start:
                raise ReinsError(f"'moved' needs to know where '{a}' stood at the start")
            return has_moved(state, a, direction, start[a])
        case (name, a, b) if name in SPATIAL:
            return is_related(state, name, a, b)
        case (name, *_) if name not in PREDICATES:
            raise UnknownName("predicate", name, PREDICATES)
    raise ReinsError(f"{predicate} has the wrong number of arguments")
