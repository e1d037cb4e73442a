"""The analysis in words: (heading, sentence) pairs for whoever prints them."""

import math
from collections.abc import Iterator
from typing import Final

from reins.blackbox.analysis import Analysis, Asked, Charge, Filtered, Speed
from reins.blackbox.reading import Recording

WHO: Final = {"skill": "a skill", "teleop": "the operator, by hand (teleop)"}
"""Sources for a person."""

MOST_REASONS: Final = 3
"""Reasons of the filter that are told; the events have them all."""


def explain(recording: Recording, analysis: Analysis) -> Iterator[tuple[str, str]]:
    """What a person wants to know, most important first."""
    zero = "the stop" if analysis.stopped else "it was asked for"
    yield "stop" if analysis.stopped else "saved", recording.case.reason
    for cause in recording.case.causes[1:]:
        yield "", f"then, {ago((cause.stamp - recording.case.stop) * 1e-9)}: {cause.reason}"
    yield "standstill", _standstill(analysis)
    yield "in charge", _in_charge(recording, analysis, zero)
    if analysis.plan:
        yield "plan", analysis.plan
    if analysis.question:
        yield "waited", f"for an operator's answer about {analysis.question}"
    for asked in analysis.asked:
        if asked.commands:
            yield "asked", _asked(asked, zero)
    yield "filter", _filtered(analysis.filtered)
    yield "motion", _motion(analysis, zero)
    yield "record", _record(recording)


def ago(time: float, zero: str = "the stop") -> str:
    """A time since `zero` [s], for a sentence."""
    size = f"{abs(time) * 1e3:.0f} ms" if abs(time) < 1.0 else f"{abs(time):.1f} s"
    return f"{size} {'before' if time < 0.0 else 'after'} {zero}"


def _standstill(analysis: Analysis) -> str:
    rest = analysis.standstill
    if not analysis.stopped:
        return "nothing stopped; somebody asked for the record"
    if not rest.known:
        return "not known: nothing was heard of the robot after the stop"
    if not rest.moving and rest.after == 0.0:
        return "the robot stood already"
    travel = f"nothing moved further than {rest.travel:.4f} {rest.unit} meanwhile ({rest.joint})"
    if math.isnan(rest.after):
        return f"the robot still moved at the end of the record; {travel}"
    return f"{rest.after * 1e3:.0f} ms after the stop; {travel}"


def _in_charge(recording: Recording, analysis: Analysis, zero: str) -> str:
    before = [charge for charge in analysis.charges if charge.begin < 0.0] or list(analysis.charges[:1])
    if not before:
        return "not known: nothing was heard of the safety monitor"
    now = before[-1]
    if now.source:
        return f"{WHO[now.source]}, for {_length(now, recording):.1f} s before {zero}"
    driven = next((charge for charge in reversed(before) if charge.source), None)
    text = f"nobody: the safety monitor was in {now.mode.upper()} ({now.reason})"
    return text if driven is None else f"{text}; before that {WHO[driven.source]}, until {ago(driven.end, zero)}"


def _length(charge: Charge, recording: Recording) -> float:
    return -max(charge.begin, recording.begin)


def _asked(asked: Asked, zero: str) -> str:
    who = WHO.get(asked.source, asked.source)
    if asked.last is None:
        return f"{who}: {asked.commands} commands, none of them a number for each joint"
    return f"{who}: {asked.commands} commands, the last one {ago(asked.last.time, zero)}: {_speed(asked.last)}"


def _speed(speed: Speed) -> str:
    return f"{speed.speed:.3f} {speed.unit} in {speed.joint}, {speed.share:.0%} of its limit"


def _filtered(filtered: Filtered) -> str:
    after = f"; {filtered.rejected_after} refused after the stop" if filtered.rejected_after else ""
    if not filtered.compared and not filtered.rejected:
        return f"no source drove, so there was nothing to change{after}"
    text = f"{filtered.changed} of {filtered.compared} commands changed"
    if filtered.changed:
        text += f", by {filtered.largest:.3f} {filtered.unit} at most ({filtered.joint})"
    text += f"; {filtered.rejected} refused{after}"
    if filtered.speed_scale < 1.0:
        text += f"; {filtered.speed_scale:.0%} of the speed limits in force"
    if not filtered.reasons:
        return text
    more = len(filtered.reasons) - MOST_REASONS
    told = "; ".join(filtered.reasons[:MOST_REASONS]) + (f"; and {more} more, see the events" if more > 0 else "")
    return f"{text}: {told}"


def _motion(analysis: Analysis, zero: str) -> str:
    if analysis.fastest is None:
        return "not known: there are no robot states"
    text = f"fastest {_speed(analysis.fastest)}, {ago(analysis.fastest.time, zero)}"
    return f"{text}; when it came {_speed(analysis.at_stop)}" if analysis.at_stop else text


def _record(recording: Recording) -> str:
    case = recording.case
    where = f", namespace {case.namespace}" if case.namespace else ""
    reach = f"from {max(0.0, -recording.begin):.1f} s before to {max(0.0, recording.end):.1f} s after"
    return (
        f"robot {case.robot}{where}, {sum(recording.topics.values())} messages, {reach}; "
        f"written {case.written} by reins {case.versions.get('reins', '?')}"
    )
