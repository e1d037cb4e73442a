"""Many tasks in a row in one launched graph: whether it leaks, and whether anything gets stuck."""

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any, Final

import psutil

from reins.bench.planner_figures import summary_of
from reins.bench.report import Report, success_interval
from reins.bench.tabletop_episode import Episode
from reins.bench.tabletop_report import asked_for
from reins.bench.tabletop_ros import run_in_graph, running_graph, send_home
from reins.bench.tabletop_tasks import BenchTask, TaskStyle, draw_task
from reins.contracts.errors import ReinsError
from reins.hardware.profile import load_profile
from reins.peers.robot import PEERS
from reins.rig import RigSettings

WARM: Final = 10
"""Tasks after which a node is expected to have all that it keeps: growth is counted from there."""

_STARTED: Final = re.compile(r"/?(\w+) started, pid (\d+)")


@dataclass(frozen=True, slots=True)
class Memory:
    """Resident memory of one node [MB].

    Attributes:
        before: of the first task.
        warm: after WARM tasks, or half of them where there are fewer.
        after: the last one.
        growth: from warm to after, as a share.
    """

    before: float
    warm: float
    after: float
    growth: float


def run_soak(
    settings: RigSettings, tasks: int, seed: int, style: TaskStyle, on_task: Callable[[Episode], None] = lambda _: None
) -> Report:
    """Run tasks one after the other in one graph, and look at the memory of its nodes after each.

    Args:
        settings: backends and world.
        tasks: how many.
        seed: of the first task; others in the same world follow.
        style: of the tasks.
        on_task: called as each one ends.

    Raises:
        ReinsError: the graph does not come up, or dies; where it stops answering, the report says so instead.
    """
    profile, stuck = load_profile(settings.robot), ""
    episodes: list[Episode] = []
    with running_graph(settings, settings.world) as session:
        nodes = processes_of(session.log)
        memory = [_resident(nodes)]
        for asked in _tasks(settings.world, tasks, seed, style):
            try:
                if settings.backend in PEERS:
                    send_home(session)
                episodes.append(run_in_graph(session, asked, profile))
            except ReinsError as error:
                stuck = f"task {len(episodes) + 1}, “{asked.task.instruction}”: {error}"
                break
            memory.append(_resident(nodes))
            on_task(episodes[-1])
    records = [{**asdict(episode), "memory_mb": taken} for episode, taken in zip(episodes, memory[1:], strict=True)]
    where = {**asked_for(settings, style), "world": settings.world, "tasks": tasks, "seed": seed}
    return Report("soak", where, summarise(episodes, memory, stuck), records)


def processes_of(log: Path) -> dict[str, psutil.Process]:
    """The nodes of a graph, by what its runner wrote as it started them.

    Raises:
        ReinsError: it names none that lives.
    """
    found = {}
    for name, pid in _STARTED.findall(log.read_text(encoding="utf-8", errors="replace")):
        if psutil.pid_exists(int(pid)):
            found[name] = psutil.Process(int(pid))
    if not found:
        raise ReinsError(f"{log} names no node that lives")
    return found


def summarise(episodes: Sequence[Episode], memory: Sequence[dict[str, float]], stuck: str) -> dict[str, Any]:
    """The figures of a soak.

    Args:
        episodes: the tasks that ended.
        memory: resident memory by node [MB], before the first task and after each.
        stuck: what did not end, in words; "" for nothing.
    """
    right = sum(episode.success for episode in episodes)
    warm = min(WARM, len(episodes) // 2)
    nodes = {name: _memory([taken[name] for taken in memory if name in taken], warm) for name in memory[0]}
    return {
        "episodes": len(episodes),
        "success_rate": right / max(1, len(episodes)),
        "success_ci95": list(success_interval(right, len(episodes))),
        "stuck": int(bool(stuck)) + sum(episode.outcome == "cancelled" for episode in episodes),
        **({"stuck_at": stuck} if stuck else {}),
        "died": sorted(name for name in memory[0] if name not in memory[-1]),
        "limit_violations": sum(sum(episode.limit_violations.values()) for episode in episodes),
        "growth": max(node.growth for node in nodes.values()),
        "memory_mb": {name: asdict(node) for name, node in nodes.items()},
        **summary_of([episode.planner for episode in episodes]),
    }


def _tasks(world: str, tasks: int, seed: int, style: TaskStyle) -> list[BenchTask]:
    """The first tasks from this seed on that are in the world of the graph."""
    found: list[BenchTask] = []
    for number in count(seed):
        if len(found) == tasks:
            break
        asked = draw_task(number, style)
        if asked.task.world == world:
            found.append(asked)
    return found


def _memory(taken: Sequence[float], warm: int) -> Memory:
    settled = taken[min(warm, len(taken) - 1)]
    return Memory(taken[0], settled, taken[-1], taken[-1] / settled - 1.0)


def _resident(nodes: dict[str, psutil.Process]) -> dict[str, float]:
    """Resident memory of the nodes that live [MB]."""
    found = {}
    for name, process in nodes.items():
        try:
            found[name] = process.memory_info().rss / 1e6
        except psutil.NoSuchProcess:
            continue
    return found
