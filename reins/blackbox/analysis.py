"""What happened: who was in charge, what was asked and changed, why it stopped, and how soon it stood."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from reins.blackbox.case import SAVED
from reins.blackbox.reading import Array, Event, Note, Recording, Series

STILL: Final = 0.01
"""A joint slower than this stands [rad/s], and so does a body [m/s, rad/s]."""

SAME: Final = 1e-6
"""A safe velocity that differs by no more is what was asked [rad/s]."""

BRIDGED: Final = 0.25
"""A command that is older than this is not what a safe command answers [s]; longer than any source may be silent."""

SOURCES: Final = {"active_skill": "skill", "active_teleop": "teleop"}
"""Which source is in charge in which mode of the safety monitor."""

MORE: Final = re.compile(r" \(and \d+ more like it\)$")
"""What the safety monitor adds to an event that sums up several."""

CLIPPED: Final = "limit_clipped"
REJECTED: Final = "command_rejected"


@dataclass(frozen=True, slots=True)
class Charge:
    """A stretch of time, since the stop [s], in one mode of the safety monitor; source is empty for nobody."""

    begin: float
    end: float
    mode: str
    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class Speed:
    """The joint that uses most of its limit at some time since the stop [s]: its speed, that share, and the unit."""

    time: float
    joint: str
    speed: float
    share: float
    unit: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What a source wanted until the stop: how many commands, and the fastest joint of the last one.

    None where no command was a number for each joint.
    """

    source: str
    commands: int
    last: Speed | None


@dataclass(frozen=True, slots=True)
class Filtered:
    """What the safety monitor made of it.

    Attributes:
        compared: safe commands that answer a command of the source in charge.
        changed: those that differ from it.
        largest: by how much at most.
        joint: in which joint.
        unit: of that.
        rejected, rejected_after: commands that were refused until the stop and after it, by the monitor's own count.
        speed_scale: share of the speed limits that was in force at the stop; 1 is all.
        reasons: its reasons for changing and refusing until the stop, most frequent first.
    """

    compared: int
    changed: int
    largest: float
    joint: str
    unit: str
    rejected: int
    rejected_after: int
    speed_scale: float
    reasons: Sequence[str]


@dataclass(frozen=True, slots=True)
class Standstill:
    """How it came to rest.

    Attributes:
        known: whether there are robot states after the stop.
        moving: whether it moved when the stop came.
        after: time from the stop to standstill [s]; 0 if it stood already, NaN if it still moved at the end.
        travel: farthest that a joint moved after the stop.
        joint: which one.
        unit: of its travel.
    """

    known: bool
    moving: bool
    after: float
    travel: float
    joint: str
    unit: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything that is told about a file; times are seconds since the stop."""

    stopped: bool
    charges: Sequence[Charge]
    asked: Sequence[Asked]
    filtered: Filtered
    plan: str
    question: str
    standstill: Standstill
    fastest: Speed | None
    at_stop: Speed | None
    events: Sequence[Event]


def analyse(recording: Recording) -> Analysis:
    """Work it out."""
    charges = _charges(recording)
    return Analysis(
        stopped=recording.case.kind != SAVED,
        charges=charges,
        asked=[_asked(recording, source, series) for source, series in recording.asked.items()],
        filtered=_filtered(recording, charges),
        plan=_latest(recording.plans),
        question=_latest(recording.questions),
        standstill=_standstill(recording),
        fastest=_fastest(recording),
        at_stop=_at(recording, recording.velocity, 0.0),
        events=recording.events,
    )


def _latest(notes: Sequence[Note]) -> str:
    """What was so when the stop came."""
    return next((note.text for note in reversed(notes) if note.time <= 0.0), "")


def _charges(recording: Recording) -> list[Charge]:
    """The modes, each until the next; stretches of one mode are one."""
    found: list[Charge] = []
    for index, told in enumerate(recording.modes):
        later = recording.modes[index + 1 :]
        end = later[0].time if later else recording.end
        if found and found[-1].mode == told.mode:
            found[-1] = Charge(found[-1].begin, end, told.mode, found[-1].source, found[-1].reason)
        else:
            found.append(Charge(told.time, end, told.mode, SOURCES.get(told.mode, ""), told.reason))
    return found


def _asked(recording: Recording, source: str, series: Series) -> Asked:
    return Asked(source, sum(time <= 0.0 for time in series.times), _at(recording, series, 0.0))


def _filtered(recording: Recording, charges: Sequence[Charge]) -> Filtered:
    """Compare each safe command with the newest command of the source that was in charge."""
    compared = changed = joint = 0
    largest = 0.0
    joints = len(recording.case.joint_names)
    safe = recording.safe.array(joints)
    for source, series in recording.asked.items():
        sent, wanted = np.array(series.sent), series.array(joints)
        for time, at, velocity in zip(recording.safe.times, recording.safe.sent, safe, strict=True):
            index = int(np.searchsorted(sent, at, side="right")) - 1
            if index < 0 or at - sent[index] > BRIDGED or not _drives(charges, source, time):
                continue
            difference = np.abs(velocity - wanted[index])
            if not np.isfinite(difference).all():
                continue
            compared += 1
            changed += bool(difference.max() > SAME)
            if difference.max() > largest:
                largest, joint = float(difference.max()), int(difference.argmax())
    told = [event for event in recording.events if event.kind in (CLIPPED, REJECTED) and event.time <= 0.0]
    reasons = [reason for reason, _count in Counter(MORE.sub("", event.reason) for event in told).most_common()]
    counts = [mode.rejected for mode in recording.modes] or [0]
    at_stop = max((mode.rejected for mode in recording.modes if mode.time <= 0.0), default=counts[0])
    scale = next((mode.speed_scale for mode in reversed(recording.modes) if mode.time <= 0.0), 1.0)
    rejected, after = at_stop - counts[0], counts[-1] - at_stop
    name, unit = recording.case.joint_names[joint], recording.case.unit(joint)
    return Filtered(compared, changed, largest, name, unit, rejected, after, scale, reasons)


def _drives(charges: Sequence[Charge], source: str, time: float) -> bool:
    return any(charge.source == source and charge.begin <= time <= charge.end for charge in charges)


def _standstill(recording: Recording) -> Standstill:
    joints = len(recording.case.joint_names)
    times, velocity = np.array(recording.velocity.times), recording.velocity.array(joints)
    after = times >= 0.0
    if not after.any():
        return Standstill(False, False, float("nan"), float("nan"), "", "")
    moves = np.logical_not(np.all(np.abs(velocity) <= STILL, axis=1))  # what is not a number does not stand
    position = recording.position.array(joints)
    first = max(0, int(np.argmax(after)) - 1)
    travel = np.nan_to_num(np.fmax.reduce(np.abs(position[first:] - position[first]), axis=0))
    joint = int(travel.argmax())
    moving = bool(moves[first])
    last = np.flatnonzero(moves[first:])
    if not len(last):
        until = 0.0
    elif first + last[-1] + 1 < len(times):
        until = max(0.0, float(times[first + last[-1] + 1]))
    else:
        until = float("nan")
    name, unit = recording.case.joint_names[joint], recording.case.unit(joint).removesuffix("/s")
    return Standstill(True, moving, until, float(travel[joint]), name, unit)


def _fastest(recording: Recording) -> Speed | None:
    values = np.abs(recording.velocity.array(len(recording.case.joint_names)))
    if not np.isfinite(values).any():
        return None
    row, joint = np.unravel_index(int(np.nanargmax(values)), values.shape)
    return _speed(recording, recording.velocity.times[int(row)], values[row], int(joint))


def _at(recording: Recording, series: Series, time: float) -> Speed | None:
    """The fastest joint in the last row of numbers that is not later than `time` [s]."""
    values = np.abs(series.array(len(recording.case.joint_names)))
    rows = np.flatnonzero((np.array(series.times) <= time) & np.isfinite(values).all(axis=1))
    if not len(rows):
        return None
    row = values[rows[-1]]
    return _speed(recording, series.times[int(rows[-1])], row, int(row.argmax()))


def _speed(recording: Recording, time: float, row: Array, joint: int) -> Speed:
    share = float(row[joint]) / recording.case.velocity_limits[joint]
    return Speed(time, recording.case.joint_names[joint], float(row[joint]), share, recording.case.unit(joint))
