"""Checks of stops: by category, by silence, and what may follow one."""

from typing import Any, Final

import numpy as np

from reins.hardware.conformance.check import require
from reins.hardware.conformance.motion import all_joints
from reins.hardware.conformance.standing import AT_REST, STILL
from reins.hardware.conformance.subject import Subject
from reins.hardware.conformance.under_test import UnderTest
from reins.hardware.robot import FloatArray, StopCategory

BRAKING: Final = 0.5
"""Time in which a robot in small motion is at rest after a stop [s]."""

WATCH: Final = 0.06
"""How much later than the profile's deadline the driver may notice silence [s]: a few periods."""


def controlled_stop(subject: Subject) -> str:
    """Category 1 brakes to rest, tells the reason, and ignores what is commanded afterwards."""
    return _stop(subject, StopCategory.CONTROLLED)


def cut_stop(subject: Subject) -> str:
    """Category 0 does so too."""
    return _stop(subject, StopCategory.CUT)


def first_reason_stays(subject: UnderTest[Any, Any, Any]) -> str:
    """A stop during a stop works, and the first reason is what is told."""
    subject.robot.stop(StopCategory.CONTROLLED, "the first reason")
    subject.robot.stop(StopCategory.CUT, "the second reason")
    fault = subject.wait(0.1)[-1].fault
    require(fault == "the first reason", f"the fault is: {fault}")
    return ""


def stale_command_stop(subject: Subject) -> str:
    """Without a fresh command for `stale_after` it stops by itself, in motion as at rest, and says so."""
    stale = subject.profile.rates.stale_after
    _into_motion(subject)
    states = subject.wait(stale + WATCH + BRAKING)
    require(bool(states[-1].fault), f"{1e3 * (stale + WATCH + BRAKING):.0f} ms without a command, and it did not stop")
    silence = sum(not state.fault for state in states) * subject.period + subject.period
    require(silence <= stale + WATCH, f"it stopped only {1e3 * silence:.0f} ms after the last command")
    require(silence > 0.5 * stale, f"it stopped {1e3 * silence:.0f} ms after a command, which was not stale yet")
    speed = float(np.abs(states[-1].velocity).max())
    require(speed < AT_REST, f"it still moves with {speed:.3f} rad/s")
    require("no command" in states[-1].fault, f"the fault does not say 'no command': {states[-1].fault}")
    return f"{1e3 * silence:.0f} ms after the last command"


def recovery(subject: Subject) -> str:
    """After a recovery it holds, nothing earlier resumes, and it moves again when it is told to."""
    _into_motion(subject)
    subject.robot.stop(StopCategory.CONTROLLED, "a check")
    rest = subject.wait(BRAKING)[-1].position
    subject.recover()
    state = subject.wait(max(0.5, 3 * subject.profile.rates.stale_after))[-1]
    require(not state.fault, f"it still has the fault: {state.fault}")
    moved = float(np.abs(state.position - rest).max())
    require(moved < STILL, f"after the recovery it moved by {1e3 * moved:.1f} mrad without a command")
    nudge = all_joints(subject.profile, state.position)
    subject.follow(nudge)
    share = float(((subject.hold(0.2).position - state.position) / nudge.distance).mean())
    require(share > 0.5, f"after the recovery it went {100 * share:.0f} % of the way told")
    return f"{100 * share:.0f} % of the way told"


def _into_motion(subject: Subject) -> FloatArray:
    """Bring all joints to the fastest part of a small motion; where they are."""
    subject.hold(0.2)
    nudge = all_joints(subject.profile, subject.read().position)
    trace = subject.follow(nudge, until=0.5)
    require(not trace.states[-1].fault, f"it stopped on the way: {trace.states[-1].fault}")
    return trace.states[-1].position


def _stop(subject: Subject, category: StopCategory) -> str:
    before = _into_motion(subject)
    subject.robot.stop(category, "a check of stops")
    rest = subject.wait(BRAKING)[-1]
    speed, way = float(np.abs(rest.velocity).max()), float(np.abs(rest.position - before).max())
    require(speed < AT_REST, f"{BRAKING} s after the stop it still moves with {speed:.3f} rad/s")
    require(rest.fault == "a check of stops", f"the fault is not the reason given but: {rest.fault or 'none'}")
    nudge = all_joints(subject.profile, rest.position)
    subject.follow(nudge, until=0.5)
    after = subject.read()
    moved = float(np.abs(after.position - rest.position).max())
    require(moved < STILL, f"a command after the stop moved it by {1e3 * moved:.1f} mrad")
    require(after.sequence == rest.sequence, "a command after the stop counts as applied")
    require(bool(after.fault), "a command after the stop cleared the fault")
    return f"at rest after {1e3 * way:.1f} mrad"
