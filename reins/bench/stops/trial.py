"""One fault, once: it is injected into a moving graph, what happens is watched, and it is judged."""

import re
import time
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from reins.bench.stops.fault import Fault
from reins.bench.stops.moving import STANDING, MovingGraph, speed
from reins.hardware.robot import FloatArray

LIMIT: Final = 5.0
"""A fault without a standstill for this long is one that did not stop the arm [s]."""

WATCH: Final = 0.5
"""How long the arm is watched after it stands, and again after the fault is mended [s]."""

GONE: Final = 1.0
"""Without a state for so long, none comes any more [s]."""

STILL: Final = 0.01
"""A joint that is farther from where it stood has moved unasked [rad]; sagging onto the brake is less."""

TO_TELL: Final = 1.7
"""How long a fault that is not told yet goes on [s]: longer than `heartbeat_timeout`, and shorter than the supervisor
waits until it ends the graph for a silent node."""

TO_REPORT: Final = 2.5
"""How long it may take until the graph has told it [s]: events that repeat are summed up once a second."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the arm and of the report. Times in milliseconds after the fault.

    Attributes:
        react_ms: the first command that brakes, or the driver's own stop; None if none was seen.
        stop_ms: the arm stands; None if it never did.
        unasked_rad: farthest that a joint went after it stood, commands still coming and the fault taken back [rad].
        untold: patterns that no event fits though one should.
    """

    react_ms: float | None
    stop_ms: float | None
    unasked_rad: float
    untold: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trial:
    """One fault, once.

    Attributes:
        fault: its name.
        row: of the table that it counts for.
        parts: names of the faults that a sequence is made of.
        stops: whether the arm has to stop.
        bound_ms: how soon it must stand [ms].
        outcome: what was measured.
        reason: of the safety monitor's mode at the end, in its words.
        events: what the graph told, each as "kind (source): reason".
        wrong: what should not be so, in words; empty where all is well.
    """

    fault: str
    row: str
    parts: tuple[str, ...]
    stops: bool
    bound_ms: float
    outcome: Outcome
    reason: str = ""
    events: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()


def judge(fault: Fault, outcome: Outcome, bound_ms: float) -> tuple[str, ...]:
    """What is wrong, in words: the arm did not stop within its bound, stopped needlessly, or moved unasked, or nothing
    told what happened."""
    wrong = []
    if fault.stops and outcome.stop_ms is None:
        wrong.append(f"did not stop within {LIMIT:g} s")
    elif fault.stops and outcome.stop_ms is not None and outcome.stop_ms > bound_ms:
        wrong.append(f"stood after {outcome.stop_ms:.0f} ms, and {bound_ms:.0f} are its bound ({fault.deadline.why})")
    elif not fault.stops and outcome.stop_ms is not None:
        wrong.append("stopped, though this has to be bridged")
    if fault.stops and outcome.unasked_rad > STILL:
        wrong.append(f"moved by {outcome.unasked_rad:.3f} rad after it stood")
    return (*wrong, *(f"nothing told that fits '{pattern}'" for pattern in outcome.untold))


@dataclass(frozen=True, slots=True, eq=False)
class _Rest:
    """Where and when the arm came to rest.

    Attributes:
        at: wall clock [s]; None if it never did.
        position: (n,) of the joints then [rad].
        is_seen: whether a state says so; else there are no more states.
    """

    at: float | None
    position: FloatArray
    is_seen: bool


def run_trial(moving: MovingGraph, fault: Fault, bound: float) -> Trial:
    """Inject a fault, and watch.

    Args:
        moving: a graph.
        fault: which one.
        bound: how soon the arm must stand after it [s].

    Raises:
        ReinsError: the arm cannot be made to move, or the fault not be made.
    """
    moving.ready()
    moving.wait_for_quiet([*fault.told, *fault.one_of])
    fault.begin(moving)
    printed, since = len(moving.printed()), moving.now()
    moving.injected = since
    fault.inject(moving)
    outcome = (_stopping if fault.stops else _going_on)(moving, fault, since, printed)
    return Trial(
        fault.name,
        fault.row or fault.name,
        fault.parts,
        fault.stops,
        1e3 * bound,
        outcome,
        moving.modes[-1][1].reason,
        tuple(moving.said(since)),
        judge(fault, outcome, 1e3 * bound),
    )


def _stopping(moving: MovingGraph, fault: Fault, since: float, printed: int) -> Outcome:
    began = moving.injected
    rest = _rest(moving, began)
    time.sleep(WATCH)
    _wait_until_told(moving, fault, since, printed, began + TO_TELL)
    mended = moving.now()
    moving.mend()
    stood = rest.at
    if not rest.is_seen and (again := _rest(moving, mended)).is_seen:
        # Its simulation was frozen with it, in mid-motion, and comes to rest once both go on.
        rest, stood = again, None if again.at is None else began + again.at - mended
    time.sleep(WATCH)
    _wait_until_told(moving, fault, since, printed, began + TO_REPORT)
    untold = _untold(moving, fault, since, printed)
    return Outcome(_ms(_reacted(moving, began), began), _ms(stood, began), _unasked(moving, rest), untold)


def _going_on(moving: MovingGraph, fault: Fault, since: float, printed: int) -> Outcome:
    began = moving.injected
    time.sleep(WATCH)
    stood = next((at for at, state in list(moving.states) if at > began and speed(state) < STANDING), None)
    moving.rest()
    _wait_until_told(moving, fault, since, printed, began + TO_REPORT)
    return Outcome(_ms(_reacted(moving, began), began), _ms(stood, began), 0.0, _untold(moving, fault, since, printed))


def _untold(moving: MovingGraph, fault: Fault, since: float, printed: int) -> tuple[str, ...]:
    """Patterns that should fit something told since then, and fit nothing.

    Of the parts of a sequence, the last may be told by print only: who should tell it was stopped already.
    """
    if fault.parts and fault.printed and re.search(fault.printed, moving.printed()[printed:]):
        return ()
    missing = [pattern for pattern in fault.told if not moving.told([pattern], since)]
    if fault.one_of and not moving.told(fault.one_of, since):
        missing.append(" or ".join(fault.one_of))
    return tuple(missing)


def _wait_until_told(moving: MovingGraph, fault: Fault, since: float, printed: int, until: float) -> None:
    while _untold(moving, fault, since, printed) and moving.now() < until:
        time.sleep(0.02)


def _rest(moving: MovingGraph, began: float) -> _Rest:
    """The first state in which the arm stood; where no more states come, the last one."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        after = [(at, state) for at, state in list(moving.states) if at > began]
        for at, state in after:
            if speed(state) < STANDING:
                return _Rest(at, np.array(state.position), True)
        last = max(moving.states[-1][0], began)
        if moving.now() - last > GONE:
            return _Rest(last, moving.position(), False)
        time.sleep(0.005)
    return _Rest(None, moving.position(), True)


def _unasked(moving: MovingGraph, rest: _Rest) -> float:
    """Farthest that a joint was from where it came to rest [rad]; 0 where it did not."""
    later = [state.position for at, state in list(moving.states) if rest.at is not None and at > rest.at]
    return float(np.abs(np.array(later) - rest.position).max()) if later else 0.0


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


def _ms(moment: float | None, began: float) -> float | None:
    return None if moment is None else 1e3 * (moment - began)


def trouble(trial: Trial) -> str:
    """A line about a trial in which something is wrong, or nothing."""
    return f"{', '.join(trial.parts) or trial.fault}: {'; '.join(trial.wrong)}" if trial.wrong else ""
