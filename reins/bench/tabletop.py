"""The tabletop suite: randomised tasks in words, success measured from physics, limits audited independently."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from multiprocessing import get_context
from typing import Final

import numpy as np

from reins.bench.audit import LimitAudit
from reins.bench.disturbances import Meddler
from reins.bench.planner_figures import KeptTrace, planner_figures
from reins.bench.report import Report
from reins.bench.tabletop_episode import Episode, judge
from reins.bench.tabletop_report import asked_for, report
from reins.bench.tabletop_tasks import BenchTask, TaskStyle, draw_task
from reins.hardware.profile import load_profile
from reins.planning.tracing.reading import Story
from reins.rig import Rig, RigSettings, Tick

SETTLE: Final = 0.5
"""How long things may come to rest before success is measured [s]."""

FORGET: Final = 5.0
"""How long perception may take to see that something is not there [s]."""


def task_seeds(seed: int, episodes: int) -> list[int]:
    """Seeds of the suite's tasks: the same `seed` always gives the same tasks, and more episodes only add to them."""
    return [int(value) for value in np.random.default_rng(seed).integers(0, 2**31 - 1, size=episodes)]


class _Watch:
    """Audits every control period, and lets somebody interfere once a task runs."""

    def __init__(self, settings: RigSettings) -> None:
        self.audit = LimitAudit(load_profile(settings.robot))
        self.meddler: Meddler | None = None

    def __call__(self, tick: Tick) -> None:
        self.audit.on_state(tick.state)
        if tick.command is not None:
            self.audit.on_command(tick.command)
        if self.meddler is not None:
            self.meddler.look(tick.state)


def run_episode(settings: RigSettings, style: TaskStyle, seed: int) -> Episode:
    """Run one task through the rig."""
    asked = draw_task(seed, style)
    watch, trace = _Watch(settings), KeptTrace()
    with Rig(replace(settings, world=asked.task.world), seed, on_tick=watch, trace=trace) as rig:
        meddler = _meddler(asked, rig) if asked.disturbance else None
        watch.meddler = meddler
        result = rig.run(asked.task.instruction)
        watch.meddler = None
        rig.wait(SETTLE)
        steps = [f"{call}{'' if success else ' (failed)'}" for call, success in result.skills]
        figures = planner_figures(Story(trace.take()), asked.task.forbidden)
        struck = "" if meddler is None else meddler.struck
        return judge(asked, rig.world_state, result, watch.audit.counts, steps, figures, struck)


def _meddler(asked: BenchTask, rig: Rig) -> Meddler:
    """Whoever disturbs the task. What is to be added has been taken away, and perception knows that it is not there."""
    meddler = Meddler(asked.disturbance, asked.task, rig.robot, rig.profile)
    end = rig.scene.stamp + FORGET
    while meddler.missing in rig.scene.objects and rig.scene.stamp < end:
        rig.wait(SETTLE)
    meddler.begin(rig.scene.stamp)
    return meddler


def run_tabletop(
    settings: RigSettings,
    episodes: int,
    seed: int,
    jobs: int,
    on_episode: Callable[[Episode], None] = lambda _: None,
    style: TaskStyle | None = None,
) -> Report:
    """Run the suite through the rig.

    Args:
        settings: backends; the world comes from each task.
        episodes: how many tasks.
        seed: seed of the suite.
        jobs: how many processes run episodes side by side; results do not depend on it.
        on_episode: called as each one ends, in any order.
        style: of the tasks.
    """
    done, style = {}, style or TaskStyle()
    for episode in _run_all(settings, style, task_seeds(seed, episodes), jobs):
        on_episode(episode)
        done[episode.seed] = episode
    ordered = [done[task_seed] for task_seed in task_seeds(seed, episodes)]
    return report(ordered, {**asked_for(settings, style), "seed": seed, "through": "rig"})


def _run_all(settings: RigSettings, style: TaskStyle, seeds: Sequence[int], jobs: int) -> Iterator[Episode]:
    if jobs == 1:
        for seed in seeds:
            yield run_episode(settings, style, seed)
        return
    with ProcessPoolExecutor(max_workers=jobs, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(run_episode, settings, style, seed) for seed in seeds]):
            yield future.result()
