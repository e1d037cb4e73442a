"""Runs the faults, trial by trial, each in a graph that is alive, and sums up."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
from typing_extensions import Self

from reins.bench.report import Report, success_interval
from reins.bench.stops.estops import ESTOPS
from reins.bench.stops.fault import Fault
from reins.bench.stops.moving import MovingGraph
from reins.bench.stops.sequences import random_sequences
from reins.bench.stops.trial import LIMIT, STILL, Outcome, Trial, run_trial
from reins.contracts.errors import ReinsError
from reins.demo.session import graph
from reins.hardware.profile import RobotProfile, load_profile

LEAN: Final = {"cameras": "false"}


def run_stops(
    robot: str,
    faults: Sequence[Fault],
    trials: int,
    estops: int,
    sequences: int = 0,
    seed: int = 1,
    slack: float = 0.0,
    on_trial: Callable[[Trial], None] = lambda _: None,
) -> Report:
    """Inject each fault.

    Args:
        robot: profile.
        faults: which.
        trials: of each.
        estops: of each way to stop in an emergency.
        sequences: random ones of these faults, several at once.
        seed: of the sequences.
        slack: what a machine that others use adds to each bound [s].
        on_trial: called after each.

    Returns:
        summary: `wrong`, the number of trials in which something was; per fault `trials`,
        `bound_ms`, `react_ms` and `stop_ms` with min, p50 and max, the share of reactions
        `within_two_periods`, and the numbers of trials in which the arm did not stop
        (`never_stopped`), did so `late`, or needlessly (`stopped_needlessly`), moved after it
        stood (`unasked_motion`), or in which the graph did not say what happened (`unreported`).
        episodes: the trials.

    Raises:
        ReinsError: a graph does not come up, not even at the second try.
    """
    profile = load_profile(robot)
    done: list[Trial] = []
    with _Graphs(robot, profile) as graphs:
        for fault in _in_turn(faults, trials, estops) + random_sequences(faults, sequences, seed):
            done.append(graphs.run(fault, fault.deadline.stands(profile) + slack))
            on_trial(done[-1])
    two_periods = 2e3 / profile.rates.command
    names = dict.fromkeys(trial.fault for trial in done)
    rows = {name: row_of([trial for trial in done if trial.fault == name], two_periods) for name in names}
    settings = {
        "robot": robot,
        "trials": trials,
        "estops": estops,
        "sequences": sequences,
        "seed": seed,
        "slack_ms": 1e3 * slack,
    }
    return Report("stops", settings, _totals(done) | rows, [record_of(trial) for trial in done])


def _in_turn(faults: Sequence[Fault], trials: int, estops: int) -> list[Fault]:
    """Each once, each once more, and so on: what was told of one fault is over when it comes again. Those that end the
    graph come last."""
    often = [(fault, estops if fault in ESTOPS else trials) for fault in faults]
    turns = [fault for turn in range(max(trials, estops)) for fault, times in often if turn < times]
    return sorted(turns, key=lambda fault: (fault.ends_graph, fault.cameras))


class _Graphs:
    """One graph at a time, a new one whenever that is needed.

    Args:
        robot: name or path of the profile.
        profile: the same, loaded.
    """

    def __init__(self, robot: str, profile: RobotProfile) -> None:
        self._robot, self._profile = robot, profile
        self._stack = ExitStack()
        self._moving: MovingGraph | None = None
        self._cameras = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def run(self, fault: Fault, bound: float) -> Trial:
        """One trial; a graph in which it cannot be made, for an earlier fault has left something behind, is wrong."""
        moving = self._get(fault.cameras)
        try:
            trial = run_trial(moving, fault, bound)
        except ReinsError as error:
            self._end()
            untold = Outcome(None, None, 0.0, fault.told)
            return Trial(
                fault.name, fault.row or fault.name, fault.parts, fault.stops, 1e3 * bound, untold, wrong=(str(error),)
            )
        if fault.ends_graph:
            self._end()
        return trial

    def _get(self, cameras: bool) -> MovingGraph:
        if self._moving is None or cameras != self._cameras:
            self._end()
            self._cameras = cameras
            try:
                self._moving = self._start()
            except ReinsError:  # an hour of trials must not end because a busy machine was too slow once
                self._moving = self._start()
        return self._moving

    def _start(self) -> MovingGraph:
        return self._stack.enter_context(_started(self._robot, self._profile, self._cameras))

    def _end(self) -> None:
        self._moving = None
        self._stack.close()


@contextmanager
def _started(robot: str, profile: RobotProfile, cameras: bool) -> Iterator[MovingGraph]:
    arguments = {"robot": robot} | ({} if cameras else LEAN)
    with (
        TemporaryDirectory(prefix="reins-bench-") as folder,
        graph("sim", arguments, Path(folder) / "graph.log", lambda _: None) as session,
    ):
        moving = MovingGraph(session, profile)
        try:
            yield moving
        finally:
            moving.close()


def record_of(trial: Trial) -> dict[str, Any]:
    """A trial as `run_stops` reports it: what was measured stands beside the rest."""
    record = asdict(trial)
    outcome: dict[str, Any] = record.pop("outcome")
    return record | outcome


def _totals(trials: Sequence[Trial]) -> dict[str, Any]:
    good = sum(not trial.wrong for trial in trials)
    return {
        "episodes": len(trials),
        "success_rate": good / len(trials) if trials else 0.0,
        "success_ci95": list(success_interval(good, len(trials))),
        "forbidden_touches": 0,
        "limit_violations": len(trials) - good,
        "wrong": len(trials) - good,
    }


def row_of(trials: Sequence[Trial], two_periods: float) -> dict[str, Any]:
    """What `run_stops` says of one fault.

    Args:
        trials: all of that fault.
        two_periods: two control periods [ms].
    """
    made = [trial.outcome for trial in trials]
    stopping = [trial for trial in trials if trial.stops]
    bounds = [trial.bound_ms for trial in trials]
    return {
        "trials": len(trials),
        "bound_ms": max(bounds, default=0.0),
        "react_ms": spread([outcome.react_ms for outcome in made]),
        "within_two_periods": sum((o.react_ms or LIMIT * 1e3) <= two_periods for o in made) / max(1, len(trials)),
        "stop_ms": spread([outcome.stop_ms for outcome in made]),
        "never_stopped": sum(trial.outcome.stop_ms is None for trial in stopping),
        "late": sum((trial.outcome.stop_ms or 0.0) > trial.bound_ms for trial in stopping),
        "stopped_needlessly": sum(not trial.stops and trial.outcome.stop_ms is not None for trial in trials),
        "unasked_motion": sum(outcome.unasked_rad > STILL for outcome in made),
        "unreported": sum(bool(outcome.untold) for outcome in made),
    }


def spread(values: Sequence[float | None]) -> dict[str, float | None]:
    """Minimum, median and maximum of those that are known."""
    known = [value for value in values if value is not None]
    if not known:
        return {"min": None, "p50": None, "max": None}
    return {"min": min(known), "p50": float(np.median(known)), "max": max(known)}


def chosen(faults: Sequence[Fault], words: Sequence[str]) -> list[Fault]:
    """Those in whose names one of `words` begins a word; all of them where there are none.

    Raises:
        ReinsError: a word that is in no name; lists the names.
    """

    def fits(fault: Fault, word: str) -> bool:
        return f" {word}" in f" {fault.name}"

    unknown = [word for word in words if not any(fits(fault, word) for fault in faults)]
    if unknown:
        raise ReinsError(f"no fault has '{unknown[0]}' in its name (known: {', '.join(f.name for f in faults)})")
    return [fault for fault in faults if not words or any(fits(fault, word) for word in words)]
