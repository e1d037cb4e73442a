"""Runs the faults, trial by trial, and makes the table of stop times."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
from rich.table import Table

from reins.bench.report import Report, success_interval
from reins.bench.stops.faults import ESTOPS, Fault, random_sequences
from reins.bench.stops.moving import STANDING, TELEOP, MovingGraph, speed
from reins.contracts.errors import ReinsError
from reins.demo.session import graph
from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.robot import FloatArray

LIMIT: Final = 5.0
"""A fault without a standstill for this long is one that did not stop the arm [s]."""

WATCH: Final = 0.5
"""How long the arm is watched after it stands, and again after the fault is mended [s]."""

STILL: Final = 0.01
"""A joint that is farther from where it stood has moved unasked [rad]; sagging onto the brake is less."""

IN_MOTION: Final = 0.3
"""How long the arm moves before the fault, so that it does not hit the first command [s]."""

LEAN: Final = {"cameras": "false"}


@dataclass(frozen=True, slots=True)
class Trial:
    """One fault, once. Times in milliseconds after it.

    Attributes:
        fault: its name.
        react_ms: the first command that brakes, or the driver's own stop; None if none was seen.
        stop_ms: the arm stands; None if it never did.
        unasked_rad: farthest that a joint went after it stood, commands still coming and the fault taken back [rad].
    """

    fault: str
    react_ms: float | None
    stop_ms: float | None
    unasked_rad: float


def run_stops(
    robot: str,
    faults: Sequence[Fault],
    trials: int,
    estops: int,
    sequences: int = 0,
    seed: int = 1,
    on_trial: Callable[[Trial], None] = lambda _: None,
) -> Report:
    """Inject each fault.

    Args:
        robot: profile.
        faults: which.
        trials: of each.
        estops: of each way to stop in an emergency.
        sequences: random ones of those faults that leave the graph alive, several at once.
        seed: of the sequences.
        on_trial: called after each.

    Returns:
        summary: per fault `trials`, `react_ms` and `stop_ms` with min, p50 and max,
        the share of reactions `within_two_periods`, and `unasked_motion`, the number
        of trials in which the arm moved after it stood.

    Raises:
        ReinsError: the graph does not come up, or the arm cannot be made to move.
    """
    profile = load_profile(robot)
    done: list[Trial] = []

    def note(trial: Trial) -> None:
        done.append(trial)
        on_trial(trial)

    shared = [fault for fault in faults if not fault.ends_graph for _ in range(estops if fault in ESTOPS else trials)]
    shared += random_sequences([fault for fault in faults if not fault.ends_graph], sequences, seed)
    if shared:
        with _moving(robot, profile, cameras=False) as moving:
            for fault in shared:
                note(_trial(moving, fault))
    for fault in faults:
        for _ in range(trials if fault.ends_graph else 0):
            with _moving(robot, profile, fault.cameras) as moving:
                note(_trial(moving, fault))
    two_periods = 2e3 / profile.rates.command
    names = dict.fromkeys(trial.fault for trial in done)
    rows = {name: _row([trial for trial in done if trial.fault == name], two_periods) for name in names}
    settings = {"robot": robot, "trials": trials, "estops": estops, "sequences": sequences, "seed": seed}
    return Report("stops", settings, _totals(done) | rows, [asdict(trial) for trial in done])


@contextmanager
def _moving(robot: str, profile: RobotProfile, cameras: bool) -> Iterator[MovingGraph]:
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


def _trial(moving: MovingGraph, fault: Fault) -> Trial:
    moving.ready()
    if fault.source == TELEOP:
        moving.drive_by_stick()
    else:
        moving.drive()
    time.sleep(IN_MOTION)
    moving.injected = time.time()
    fault.inject(moving)
    began = moving.injected
    stood, still = _rest(moving, began)
    time.sleep(WATCH)
    mended = time.time()
    fault.mend(moving)
    if speed(moving.states[-1][1]) >= STANDING:
        # Its simulation was frozen with it, in mid-motion: it comes to rest once both go on, or never if it died.
        again, still = _rest(moving, mended)
        stood = None if again is None else began + again - mended
    time.sleep(WATCH)
    unasked = float(np.abs(moving.position() - still).max())
    reacted = _reacted(moving, began)
    return Trial(fault.name, _after(reacted, began), _after(stood, began), unasked)


def _rest(moving: MovingGraph, began: float) -> tuple[float | None, FloatArray]:
    """When the arm stood first, for as long as that may take, and where it is then."""
    end = time.monotonic() + LIMIT
    while (stood := _stood(moving, began)) is None and time.monotonic() < end:
        time.sleep(0.005)
    return stood, moving.position()


def _stood(moving: MovingGraph, began: float) -> float | None:
    """When the arm stood first; where no more states come, since when there are none."""
    after = [(at, state) for at, state in list(moving.states) if at > began]
    standing = next((at for at, state in after if speed(state) < STANDING), None)
    if standing is not None:
        return standing
    last = max(moving.states[-1][0], began)
    return last if time.time() - last > 1.0 else None


def _reacted(moving: MovingGraph, began: float) -> float | None:
    """When a safe command was slower than the one before it first, or the driver first had a fault."""
    commands = list(moving.commands)
    slower = [
        at
        for (_, before), (at, command) in pairwise(commands)
        if at > began and np.abs(command.velocity).max() < 0.999 * np.abs(before.velocity).max()
    ]
    faulty = [at for at, state in list(moving.states) if at > began and state.fault]
    return min([*slower[:1], *faulty[:1]], default=None)


def _after(moment: float | None, began: float) -> float | None:
    return None if moment is None else 1e3 * (moment - began)


def _totals(trials: Sequence[Trial]) -> dict[str, Any]:
    stopped = sum(trial.stop_ms is not None and trial.unasked_rad <= STILL for trial in trials)
    return {
        "episodes": len(trials),
        "success_rate": stopped / len(trials) if trials else 0.0,
        "success_ci95": list(success_interval(stopped, len(trials))),
        "forbidden_touches": 0,
        "limit_violations": len(trials) - stopped,
    }


def _row(trials: Sequence[Trial], two_periods: float) -> dict[str, Any]:
    return {
        "trials": len(trials),
        "react_ms": _spread([trial.react_ms for trial in trials]),
        "within_two_periods": sum((t.react_ms or LIMIT * 1e3) <= two_periods for t in trials) / max(1, len(trials)),
        "stop_ms": _spread([trial.stop_ms for trial in trials]),
        "never_stopped": sum(trial.stop_ms is None for trial in trials),
        "unasked_motion": sum(trial.unasked_rad > STILL for trial in trials),
    }


def _spread(values: Sequence[float | None]) -> dict[str, float | None]:
    known = [value for value in values if value is not None]
    if not known:
        return {"min": None, "p50": None, "max": None}
    return {"min": min(known), "p50": float(np.median(known)), "max": max(known)}


def table(report: Report) -> Table:
    """The figures per fault, in milliseconds."""
    made = Table(title="milliseconds after the fault: least / median / most", title_justify="left")
    made.add_column("fault", no_wrap=True)
    for heading in ("trials", "brakes", "stands", "moved unasked"):
        made.add_column(heading, justify="right")
    for name, row in report.summary.items():
        if isinstance(row, dict):
            times = [" / ".join(map(_whole, row[which].values())) for which in ("react_ms", "stop_ms")]
            made.add_row(name, str(row["trials"]), *times, str(row["unasked_motion"]))
    return made


def _whole(value: float | None) -> str:
    return "–" if value is None else f"{value:.0f}"


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
