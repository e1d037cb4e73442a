"""Motion of a legged robot: turns what is wanted into safe body commands, and knows what the robot was told last.

A body velocity is a reference by itself: whoever takes over goes on from the velocity that was let through last, and
changes it within the acceleration limits. It acts for the robot time that really passes, as an arm's does.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from reins.hardware.legged import AS_USUAL, BodyCommand, LeggedState, Posture, SafeBodyCommand
from reins.hardware.quadruped import QuadrupedProfile
from reins.safety.legged.filter import LeggedFilter
from reins.safety.legged.keep_outs import KeepOut
from reins.safety.legged.settings import LeggedSettings
from reins.safety.legged.validate import AXES
from reins.safety.legged.verdict import BodyVerdict
from reins.safety.reference import Reference
from reins.safety.verdict import Limit

UNAPPLIED: Final = 2.0
"""A driver that applies no safe command for this many times `stale_after`, and reports no fault, does not listen."""


class LeggedMotion:
    """The velocity of one robot's body and the filter in front of it. `see` comes before everything else.

    Args:
        profile: the robot.
        settings: the filter's.
    """

    def __init__(self, profile: QuadrupedProfile, settings: LeggedSettings) -> None:
        self._period = 1.0 / profile.rates.command
        self._patience = UNAPPLIED * profile.rates.stale_after
        self._filter = LeggedFilter(profile, settings)
        self._reference = Reference(len(AXES), self._period, profile.rates.stale_after)
        self._posture, self._gait = Posture.SIT, AS_USUAL
        self._sequence = self._applied = 0
        self._applied_at = math.inf
        self._state: LeggedState

    @property
    def standing(self) -> bool:
        """Whether the body is told to stand still."""
        return self._reference.standing

    @property
    def sitting(self) -> bool:
        """Whether it stands still and is told to sit."""
        return self.standing and self._posture is Posture.SIT

    @property
    def faults(self) -> Mapping[tuple[str, str], str]:
        """What speaks against walking in the newest state: (kind, who) → one sentence."""
        return self._filter.faults

    def periods_since_last(self, now: float) -> float:
        """Control periods that the last command has acted at robot time `now` [s]."""
        return self._reference.elapsed(now) / self._period

    def see(self, state: LeggedState) -> None:
        """A new measured state: keep to its time, look for hazards, and note whether the driver listens."""
        self._state = state
        self._reference.not_after(state.stamp)
        self._filter.see(state)
        if state.sequence != self._applied:
            self._applied, self._applied_at = state.sequence, state.stamp
        self._applied_at = min(self._applied_at, state.stamp)

    def lagging(self, state: LeggedState) -> str:
        """A sentence about a driver that applies no command; empty if it does."""
        waited = state.stamp - self._applied_at
        if waited <= self._patience:
            return ""
        return f"the robot has applied no command for {waited:.2f} s; is it armed?"

    def rebase(self, jump: float) -> None:
        """Robot time has jumped by `jump` [s]: what the robot does is not changed by that."""
        self._reference.stamp += jump
        self._applied_at += jump

    def start(self, now: float) -> None:
        """Stand still from robot time `now` [s] on; whatever made the robot sit is over."""
        self._reference.restart(np.zeros(len(AXES)), now)
        self._filter.reset()
        self._applied_at = now

    def surround(self, keep_outs: Sequence[KeepOut]) -> None:
        """Keep out of these from now on."""
        self._filter.surround(keep_outs)

    def drive(
        self, wanted: BodyCommand, scale: float, now: float, stamp: float, trace_ns: int
    ) -> tuple[SafeBodyCommand, tuple[Limit, ...]]:
        """The safe command nearest to `wanted`, and what the filter changed.

        Args:
            wanted: velocity, posture and gait, from a command that passed the gate.
            scale: share of the speed limits in force.
            now: robot time [s].
            stamp: robot time of the state that it was checked against [s].
            trace_ns: handed on.
        """
        self._gait = wanted.gait
        before, elapsed = self._reference.velocity, self._reference.advance(now)
        verdict = self._filter.step(self._state, before, wanted, elapsed, scale)
        return self._send(verdict, stamp, trace_ns), verdict.limits

    def brake(self, now: float, stamp: float, sit: bool) -> SafeBodyCommand:
        """The safe command that brakes hardest along the path; then it stands, or where `sit`, sits down. Arguments
        as in `drive`."""
        before, elapsed = self._reference.velocity, self._reference.advance(now)
        return self._send(self._filter.brake(self._state, before, elapsed, sit=sit), stamp, 0)

    def _send(self, verdict: BodyVerdict, stamp: float, trace_ns: int) -> SafeBodyCommand:
        self._reference.velocity, self._posture = verdict.velocity, verdict.posture
        self._sequence += 1
        return SafeBodyCommand(
            sequence=self._sequence,
            stamp=stamp,
            period=self._period,
            velocity=verdict.velocity,
            posture=verdict.posture,
            gait=self._gait,
            trace_ns=trace_ns,
        )
