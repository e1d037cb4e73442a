"""The navigation suite: each task is carried out in physics by the whole stack, and judged by the simulator's truth."""

import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from reins.bench.navigation.tasks import NavigationTask, draw_task, goal_place
from reins.bench.navigation.words import LANGUAGES, language_of
from reins.bench.report import Report, success_interval
from reins.contracts.scene import PERSON
from reins.hardware.legged import LeggedState
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.legged_eyes import STATE
from reins.legged_rig import LeggedRig, LeggedRigSettings, LeggedTick
from reins.rig import RigResult
from reins.safety.legged.limits import tilt_of, yaw_of
from reins.safety.legged.settings import LeggedSettings
from reins.sim.legged.outlook import edge_distance, named
from reins.skills.legged.library import DEFAULT_DISTANCE

NEAR: Final = 0.3
"""How far from its goal a robot may end [m]."""

SURVEY: Final = "stand up, then look around"
"""What a robot that sees for itself is told before its task: it speaks of what lies behind its back as well."""

TURNED: Final = 0.25
"""How far from the heading that is asked for it may end [rad]."""


@dataclass(frozen=True, slots=True)
class NavigationEpisode:
    """One task carried out.

    Attributes:
        seed, family, language, instruction: of the task.
        success: it says so itself, ends where and as it is asked to, has not fallen, and kept out of what it should.
        outcome, reason: as the stack says.
        error: how far from its goal it ends [m]; None where no place is asked for.
        violations: what it came nearer to than it should, by name.
        nearest_person: least free distance of its footprint from the person [m].
        fell: whether it fell, or the driver stopped it.
        wrong: what else is not as it is asked for, in words.
        duration: robot time [s].
        steps: skills that ran.
    """

    seed: int
    family: str
    language: str
    instruction: str
    success: bool
    outcome: str
    reason: str
    error: float | None
    violations: tuple[str, ...]
    nearest_person: float
    fell: bool
    wrong: tuple[str, ...]
    duration: float
    steps: tuple[str, ...]


class Judge:
    """Watches every control period of one task.

    Args:
        task: that is carried out.
        profile: the robot.
        start: its state before.

    Attributes:
        nearest: least free distance of the footprint from each thing so far [m], by name.
        fell: whether the robot lay on its side, or the driver stopped it.
    """

    def __init__(self, task: NavigationTask, profile: QuadrupedProfile, start: LeggedState) -> None:
        self._task, self._profile, self._things = task, profile, dict(named(task.ground))
        place, self._heading = start.odometry.position[:2], yaw_of(start.odometry.orientation)
        self._goal = goal_place(task.goal, place, self._heading)
        self.nearest = dict.fromkeys(self._things, math.inf)
        self.fell = False

    def see(self, tick: LeggedTick) -> None:
        """One control period."""
        state = tick.state
        self.fell = self.fell or bool(state.fault) or tilt_of(state.orientation) >= self._profile.tilt.stop
        place, footprint = state.odometry.position[:2], self._profile.body.footprint
        for name, thing in self._things.items():
            self.nearest[name] = min(self.nearest[name], edge_distance(thing, place) - footprint)

    def violations(self) -> tuple[str, ...]:
        """What was come nearer to than it should: a person than asked for or than safety lets any robot, things at all;
        markers are walked on."""
        required = max(self._task.distance, LeggedSettings().person_margin)
        return tuple(
            name
            for name, thing in self._things.items()
            if thing.label != "marker" and self.nearest[name] < (required if thing.label == PERSON else 0.0)
        )

    def error(self, state: LeggedState) -> float | None:
        """How far from its goal the robot is [m]; of a thing to stand at, how much more or less than the usual distance
        is left to it."""
        place: FloatArray = state.odometry.position[:2]
        if self._goal is not None:
            return float(np.hypot(*(place - self._goal)))
        if not self._task.goal.thing:
            return None
        thing = self._things[self._task.goal.thing]
        if thing.label == "marker":
            return math.dist(thing.at, place.tolist())
        return abs(edge_distance(thing, place) - self._profile.body.footprint - DEFAULT_DISTANCE)

    def wrong(self, state: LeggedState) -> tuple[str, ...]:
        """What besides the place is not as it is asked for."""
        goal = self._task.goal
        found: list[str] = []
        if self._profile.is_up(state.height) is goal.sits:
            found.append("it stands" if goal.sits else "it sits")
        if goal.turned is not None:
            off = math.remainder(yaw_of(state.odometry.orientation) - self._heading - goal.turned, 2.0 * math.pi)
            if abs(off) > TURNED:
                found.append(f"it has turned {math.degrees(off):.0f}° too far")
        return tuple(found)


def run_navigation(
    settings: LeggedRigSettings,
    episodes: int,
    seed: int,
    advance: Callable[[NavigationEpisode], None] = lambda _episode: None,
    language: str = LANGUAGES[0],
) -> Report:
    """Run the suite and sum up.

    Args:
        settings: what carries them out.
        episodes: how many tasks.
        seed: of grounds and instructions.
        advance: is told each episode.
        language: of the instructions: en, zh, or both in turn; the tasks are the same.

    Raises:
        UnknownName: no such robot, simulator, walk, planner or language; lists those that exist.
        ReinsError: the robot has no legs, or the simulator is not installed.
    """
    profile = load_profile(settings.robot, QuadrupedProfile)
    began = time.monotonic()
    done: list[NavigationEpisode] = []
    for number in range(episodes):
        done.append(run_task(draw_task(seed, number, profile, language_of(number, language)), settings))
        advance(done[-1])
    summary = {**summarise(done), "seconds": time.monotonic() - began}
    words = {**asdict(settings), "episodes": episodes, "seed": seed, "language": language}
    return Report("navigation", words, summary, [asdict(episode) for episode in done])


def run_task(task: NavigationTask, settings: LeggedRigSettings) -> NavigationEpisode:
    """Carry out one task. A robot that has to see for itself looks around first, which is no part of the task."""
    with LeggedRig(settings, task.ground, task.seed) as rig:
        if settings.perception != STATE:
            rig.run(SURVEY)
        judge = Judge(task, rig.profile, rig.state)
        rig.on_tick = judge.see
        result = rig.run(task.instruction)
        return _judged(task, judge, rig.state, result)


def _judged(task: NavigationTask, judge: Judge, state: LeggedState, result: RigResult) -> NavigationEpisode:
    error, wrong, violations = judge.error(state), judge.wrong(state), judge.violations()
    there = error is None or error <= NEAR
    return NavigationEpisode(
        seed=task.seed,
        family=task.family,
        language=task.language,
        instruction=task.instruction,
        success=result.outcome == "succeeded" and there and not (wrong or violations or judge.fell),
        outcome=result.outcome,
        reason=result.reason,
        error=error,
        violations=violations,
        nearest_person=judge.nearest.get(PERSON, math.inf),
        fell=judge.fell,
        wrong=wrong,
        duration=result.duration,
        steps=tuple(str(call) for call, _ in result.skills),
    )


def summarise(episodes: Sequence[NavigationEpisode]) -> dict[str, Any]:
    """The figures of some episodes."""
    successes = sum(episode.success for episode in episodes)
    errors = [episode.error for episode in episodes if episode.error is not None]
    return {
        "episodes": len(episodes),
        "success_rate": successes / len(episodes),
        "success_interval": list(success_interval(successes, len(episodes))),
        "keep_out_violations": sum(len(episode.violations) for episode in episodes),
        "falls": sum(episode.fell for episode in episodes),
        "mean_error": float(np.mean(errors)) if errors else 0.0,
        "mean_duration": float(np.mean([episode.duration for episode in episodes])),
        "by_family": _shares(episodes, lambda episode: episode.family),
        "by_language": _shares(episodes, lambda episode: episode.language),
    }


def _shares(episodes: Sequence[NavigationEpisode], of: Callable[[NavigationEpisode], str]) -> dict[str, float]:
    """The share of successes in each group."""
    tried = Counter(map(of, episodes))
    good = Counter(of(episode) for episode in episodes if episode.success)
    return {group: good[group] / count for group, count in tried.items()}
