"""Whether a task succeeded, measured from physics and never from anyone's word."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Final

import numpy as np

from reins.contracts.event import LANGUAGE_MODEL
from reins.contracts.plan import Plan, SkillCall
from reins.contracts.scene import TABLE
from reins.demo.recording import Recording
from reins.hardware.profile import RobotProfile
from reins.planning.simulation import net_effects
from reins.planning.words import fact_text
from reins.sim.placement import TablePose
from reins.sim.predicates import PREDICATES, Predicate, evaluate
from reins.sim.world_state import TruthObject, WorldState
from reins.skills.library import SKILLS

MILLIMETRES: Final = 1000.0


@dataclass(frozen=True, slots=True)
class Criterion:
    """One thing that must be so: in words, whether it is, and the figures."""

    text: str
    met: bool
    measured: str


def goals_of(calls: Sequence[SkillCall]) -> list[Predicate]:
    """What physics must show after these skills ran, from their declared effects."""
    steps: list[tuple[SkillCall, str | None]] = []
    held: str | None = None
    for call in calls:
        steps.append((call, held))
        if call.skill == "pick":
            held = str(call.arguments["object"])
        elif call.skill.startswith("place_"):
            held = None
    facts = sorted(net_effects(steps, SKILLS))
    renamed = [("held", *fact[1:]) if fact[0] == "holding" else fact for fact in facts]
    return [fact for fact in renamed if fact[0] in PREDICATES]


def forbidden_by(plan: Plan | None) -> list[str]:
    """Ids of the objects that a plan says must not be touched."""
    return [] if plan is None else [item.object for item in plan.constraints if item.kind == "avoid"]


def judge(goals: Sequence[Predicate], forbidden: Sequence[str], recording: Recording) -> list[Criterion]:
    """Evaluate goals and prohibitions on the recorded truth.

    Args:
        goals: facts that must hold at the end.
        forbidden: ids of objects that must not have been touched.
        recording: with at least one state of the world.
    """
    first, last = recording.worlds[0], recording.worlds[-1]
    start = {name: TablePose(item.position[0], item.position[1], 0.0) for name, item in first.objects.items()}
    criteria = [_goal(goal, last, start) for goal in goals]
    criteria += [_untouched(first.find(name), last.find(name)) for name in forbidden]
    return criteria


def by_the_model(backend: str, recording: Recording) -> Criterion:
    """Whether the language model planned, all the time."""
    reports = [event.reason for event in recording.events if event.kind == LANGUAGE_MODEL]
    measured = reports[0] if reports else f"{len(recording.plans)} plans by {backend}"
    return Criterion("the language model planned, and nobody in its place", not reports, measured)


def within_limits(recording: Recording, profile: RobotProfile) -> Criterion:
    """Whether every measured state was inside the profile's position and velocity limits."""
    positions, velocities = recording.positions(), recording.velocities()
    room = float(np.min(np.minimum(positions - profile.lower, profile.upper - positions)))
    share = float(np.max(np.abs(velocities) / profile.velocity))
    text = "every joint stayed within its position and speed limits"
    return Criterion(
        text, room >= 0.0 and share <= 1.0, f"nearest limit {room:.2f} rad, top speed {share:.0%} of limit"
    )


def _goal(goal: Predicate, world: WorldState, start: Mapping[str, TablePose]) -> Criterion:
    met = evaluate(goal, world, start)
    fact = ("holding", *goal[1:]) if goal[0] == "held" else goal
    return Criterion(fact_text(fact), met, _figures(goal, world, start))


def _figures(goal: Predicate, world: WorldState, start: Mapping[str, TablePose]) -> str:
    item = world.find(goal[1])
    x, y, z = item.position
    if goal[0] == "moved":
        return f"moved {MILLIMETRES * hypot(x - start[goal[1]].x, y - start[goal[1]].y):.0f} mm"
    if goal[0] == "held" or goal[-1] == TABLE:
        return f"{item.id} at height {MILLIMETRES * z:.0f} mm; in the gripper: {world.held or 'nothing'}"
    other = world.find(goal[2])
    distance = hypot(x - other.position[0], y - other.position[1])
    height = z - item.size[2] / 2 - (other.position[2] - other.size[2] / 2)
    return f"centres {MILLIMETRES * distance:.0f} mm apart, {MILLIMETRES * height:.0f} mm above its underside"


def _untouched(before: TruthObject, after: TruthObject) -> Criterion:
    moved = hypot(*(a - b for a, b in zip(after.position, before.position, strict=True)))
    touched = after.touched
    return Criterion(
        f"{after.id} was not touched",
        not touched,
        f"{'contact with the robot' if touched else 'no contact with the robot'}, moved {MILLIMETRES * moved:.1f} mm",
    )
