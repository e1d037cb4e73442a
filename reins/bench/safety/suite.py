"""`reins bench safety`: a million commands through the filter, each judged by a judge that knows nothing of it."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from typing import Final

import numpy as np

from reins.bench.report import Report, success_interval
from reins.bench.safety.attack import Attacker
from reins.bench.safety.bare import Bare
from reins.bench.safety.judge import Judge
from reins.bench.safety.twin import BOXES
from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.robot import FloatArray
from reins.safety.bodies import Box
from reins.safety.filter import SafetyFilter
from reins.safety.settings import SafetySettings

EPISODE: Final = 2_000
"""Commands between two changes of what is around the arm."""

UNCHANGED: Final = 1e-9
"""A velocity that differs by less is the same [rad/s]."""

BARE_EVERY: Final = 5
"""The bare computation is timed beside every fifth command."""

CLEAR: Final = 0.003
"""Room that there is around the arm where an episode begins [m]."""

Scene = tuple[list[tuple[FloatArray, FloatArray]], tuple[FloatArray, FloatArray] | None, float, float]


@dataclass(frozen=True, slots=True)
class SafetyEpisode:
    """One arm in one surrounding.

    Attributes:
        seed: of this episode.
        commands: how many went through the filter.
        changed: how many it changed.
        changed_safe: how many of those the judge finds safe as they were.
        violations: of hard limits, by kind.
        objects: keep-outs around it.
        held: whether it holds something.
        payload: that it reckons with [kg].
        scale: share of the speed limits allowed.
        filter_us, bare_qp_us: times, of each command and of some [µs].
    """

    seed: int
    commands: int
    changed: int
    changed_safe: int
    violations: dict[str, int]
    objects: int
    held: bool
    payload: float
    scale: float
    filter_us: list[float]
    bare_qp_us: list[float]

    @property
    def success(self) -> bool:
        """Whether no limit was broken and no safe command changed."""
        return not self.violations and self.changed_safe == 0


def episodes_of(commands: int) -> int:
    """How many episodes so many commands are."""
    return -(-commands // EPISODE)


def trouble(episode: SafetyEpisode) -> str:
    """What to print of an episode, nothing if all is well."""
    if episode.success:
        return ""
    return f"seed {episode.seed}: violations {episode.violations}, safe commands changed {episode.changed_safe}"


def run_safety(
    robot: str, commands: int, seed: int, jobs: int, on_episode: Callable[[SafetyEpisode], None] = lambda _: None
) -> Report:
    """Attack the filter.

    Args:
        robot: profile name.
        commands: how many.
        seed: of everything random.
        jobs: processes side by side; what is found does not depend on it, times do.
        on_episode: called as each ends, in any order.
    """
    lengths = [min(EPISODE, commands - number * EPISODE) for number in range(episodes_of(commands))]
    seeds = np.random.SeedSequence(seed).generate_state(len(lengths)).tolist()
    done = []
    for episode in _run_all(robot, list(zip(seeds, lengths, strict=True)), jobs):
        on_episode(episode)
        done.append(episode)
    order = {episode_seed: number for number, episode_seed in enumerate(seeds)}
    done.sort(key=lambda episode: order[episode.seed])
    return _report(done, {"robot": robot, "commands": commands, "seed": seed, "jobs": jobs})


def _run_all(robot: str, tasks: list[tuple[int, int]], jobs: int) -> Iterator[SafetyEpisode]:
    if jobs == 1:
        for seed, length in tasks:
            yield run_episode(robot, seed, length)
        return
    with ProcessPoolExecutor(max_workers=jobs, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(run_episode, robot, seed, length) for seed, length in tasks]):
            yield future.result()


def run_episode(robot: str, seed: int, commands: int) -> SafetyEpisode:
    """So many commands to one arm in one surrounding, all drawn from `seed`."""
    profile, settings = load_profile(robot), SafetySettings()
    generator = np.random.default_rng(seed)
    judge = Judge(profile, settings)
    boxes, held, payload, scale = scene = _surroundings(generator)
    position = _put(judge, scene, generator)
    judge.begin(position, scale)
    tested = SafetyFilter(profile, settings)
    keep_outs = [Box(f"box {number}", centre, np.eye(3), size) for number, (centre, size) in enumerate(boxes)]
    tested.surround(keep_outs, Box("held", held[0], np.eye(3), held[1]) if held else None, payload)
    bare, attacker = Bare(profile, boxes), Attacker(profile, judge.twin, generator)
    velocity = np.zeros(len(position))
    changed = changed_safe = 0
    filter_us, bare_us = [], []
    for number in range(commands):
        elapsed = attacker.gap()
        position = position + velocity * elapsed
        wanted = attacker.next(position, velocity)
        begin = time.perf_counter_ns()
        verdict = tested.step(position, velocity, wanted, elapsed, scale)
        filter_us.append((time.perf_counter_ns() - begin) / 1e3)
        if number % BARE_EVERY == 0:
            begin = time.perf_counter_ns()
            bare.run(position, wanted)
            bare_us.append((time.perf_counter_ns() - begin) / 1e3)
        if np.abs(verdict.velocity - wanted).max() > UNCHANGED:
            changed += 1
            changed_safe += judge.was_safe(position, velocity, wanted, elapsed)
        judge.command(position, velocity, verdict.velocity, elapsed)
        velocity = verdict.velocity
    violations = dict(judge.counts)
    objects, holds = len(boxes), held is not None
    return SafetyEpisode(
        seed, commands, changed, changed_safe, violations, objects, holds, payload, scale, filter_us, bare_us
    )


def _surroundings(generator: np.random.Generator) -> Scene:
    """Keep-outs, what is held, payload [kg], and the share of the speed limits."""
    boxes = []
    for _ in range(int(generator.choice([0, 2, BOXES, BOXES]))):
        size = generator.uniform(0.03, 0.12, 3)
        centre = generator.uniform([0.2, -0.5, 0.02], [0.75, 0.5, 0.4])
        boxes.append((centre, size))
    held = None
    if generator.random() < 0.4:
        held = (generator.uniform(-0.02, 0.02, 3), generator.uniform(0.03, 0.1, 3))
    payload = float(generator.choice([0.0, 0.0, 0.5, 2.0]))
    return boxes, held, payload, float(generator.choice([1.0, 1.0, 0.5, 0.1]))


def _put(judge: Judge, scene: Scene, generator: np.random.Generator) -> FloatArray:
    """Have the scene around the arm and find a place for it that is clear; home when chance finds none."""
    boxes, held, payload, _ = scene
    profile: RobotProfile = judge.profile
    judge.twin.set_boxes(boxes)
    judge.twin.set_held(held)
    judge.twin.set_payload(payload)
    for _ in range(2_000):
        position = profile.home + generator.normal(size=len(profile.joints)) * 0.5
        position = np.clip(position, profile.lower + 0.02, profile.upper - 0.02)
        if judge.is_clear(position, CLEAR):
            return position
    return np.array(profile.home)


def _report(episodes: list[SafetyEpisode], settings: dict[str, object]) -> Report:
    count, successes = len(episodes), sum(episode.success for episode in episodes)
    kinds = sorted({kind for episode in episodes for kind in episode.violations})
    violations = {kind: sum(episode.violations.get(kind, 0) for episode in episodes) for kind in kinds}
    filter_us = np.concatenate([episode.filter_us for episode in episodes])
    bare_us = np.concatenate([episode.bare_qp_us for episode in episodes])
    crowded = [time for episode in episodes if episode.objects == BOXES for time in episode.filter_us]
    summary = {
        "episodes": count,
        "success_rate": successes / count,
        "success_ci95": list(success_interval(successes, count)),
        "forbidden_touches": violations.get("keep_out_distance", 0),
        "limit_violations": sum(violations.values()),
        "commands": sum(episode.commands for episode in episodes),
        "violations": sum(violations.values()),
        "violations_by_kind": violations,
        "changed": sum(episode.changed for episode in episodes),
        "changed_safe_commands": sum(episode.changed_safe for episode in episodes),
        "filter_us": _percentiles(filter_us),
        "filter_us_8_objects": _percentiles(crowded or filter_us),
        "bare_qp_us": _percentiles(bare_us),
        "ratio": float(np.median(filter_us) / np.median(bare_us)),
    }
    return Report("safety", settings, summary, [_record(episode) for episode in episodes])


def _record(episode: SafetyEpisode) -> dict[str, object]:
    times = {"filter_us": _percentiles(episode.filter_us), "bare_qp_us": _percentiles(episode.bare_qp_us)}
    return asdict(episode) | times | {"success": episode.success}


def _percentiles(times: FloatArray | list[float]) -> dict[str, float]:
    return {"p50": float(np.percentile(times, 50)), "p99": float(np.percentile(times, 99))}
