"""An arm under test: commands that follow each other, and what was seen on the way."""

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from reins.contracts.errors import ReinsError
from reins.hardware.conformance.motion import Nudge
from reins.hardware.conformance.under_test import UnderTest
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, GripperCommand, RobotState, SafeCommand

FAR: Final = 0.5
"""Farther than this from where the suite found it, the robot is not driven back but the run ends [rad]."""

NEAR: Final = 1e-3
"""Nearer than this it is left where it is [rad]."""


@dataclass(slots=True)
class Trace:
    """What was commanded and seen over a motion, one row per command."""

    commanded: list[FloatArray] = field(default_factory=list)
    states: list[RobotState] = field(default_factory=list)

    def error(self) -> FloatArray:
        """(n,) largest distance between the measured position and the command [rad]."""
        measured = np.array([state.position for state in self.states])
        return np.asarray(np.abs(measured - np.array(self.commanded)).max(axis=0))


class Subject(UnderTest[RobotState, SafeCommand, RobotProfile]):
    """An arm under test; see `UnderTest`."""

    _start: FloatArray | None = None

    def send(self, position: FloatArray, velocity: FloatArray, gripper: GripperCommand | None = None) -> RobotState:
        """Command this and let one period pass; the state after it."""
        self.write(position, velocity, gripper)
        self.step()
        return self.read()

    def write(self, position: FloatArray, velocity: FloatArray, gripper: GripperCommand | None = None) -> None:
        """Command this."""
        self._sequence += 1
        self.robot.write(
            SafeCommand(self._sequence, self.read().stamp, self.period, position.copy(), velocity.copy(), gripper)
        )

    def hold(self, seconds: float, gripper: GripperCommand | None = None) -> RobotState:
        """Command the present reference at rest for a while; the last state."""
        reference = self.read().reference.copy()
        state = self.read()
        for _ in range(max(1, round(seconds / self.period))):
            state = self.send(reference, np.zeros_like(reference), gripper)
        return state

    def follow(self, nudge: Nudge, until: float = 1.0) -> Trace:
        """Move by `nudge` from the present reference; with `until` below 1, break off at that share of it."""
        start, trace = self.read().reference.copy(), Trace()
        for number in range(round(until * nudge.duration / self.period)):
            t = number * self.period
            state = self.send(start + nudge.offset(t), nudge.velocity(t))
            trace.commanded.append(start + nudge.offset(t + self.period))
            trace.states.append(state)
        return trace

    def prepare(self, drive: bool) -> None:
        """Before a check: no fault, at rest, and where the suite found the robot, if it may be driven there.

        Raises:
            ReinsError: it does not recover, or is too far away to be driven back.
        """
        self._due = None
        if self.read().fault:
            self.recover()
        state = self.read()
        if state.fault:
            raise ReinsError(f"the robot does not recover: {state.fault}")
        if self._start is None:
            self._start = state.position.copy()
        away = float(np.abs(self._start - state.position).max())
        if away > FAR:
            raise ReinsError(
                f"the robot is {away:.2f} rad from where the checks began; put it back by hand and run them again"
            )
        if drive and away > NEAR:
            self.follow(Nudge(self._start - state.reference, 1.0))
            self.hold(0.1)
        self.rest()
