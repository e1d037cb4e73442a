"""The robot under test: time that passes, commands that follow each other, and what was seen on the way."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np

from reins.contracts.errors import ReinsError
from reins.hardware.conformance.motion import Nudge
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, GripperCommand, Robot, RobotState, SafeCommand, StopCategory

SETTLE: Final = 0.3
"""Time after a recovery before the next check looks [s]."""

RECOVERING: Final = 8.0
"""Longest time that a recovery may take [s], with a new connection, or five seconds that an arm insists on, in it."""

FAR: Final = 0.5
"""Farther than this from where the suite found it, the robot is not driven back but the run ends [rad]."""

NEAR: Final = 1e-3
"""Nearer than this it is left where it is [rad]."""


class Tampering(Protocol):
    """What a peer lets the suite do to the robot behind the driver. Every call returns once it is in effect."""

    def cut_network(self) -> None:
        """Nothing passes any more, and neither side is told."""

    def restore_network(self) -> None:
        """As it was before."""

    def raise_fault(self) -> str:
        """Have the robot itself stop as on a collision; returns a word that its driver's fault must then contain."""
        ...


@dataclass(slots=True)
class Trace:
    """What was commanded and seen over a motion, one row per command."""

    commanded: list[FloatArray] = field(default_factory=list)
    states: list[RobotState] = field(default_factory=list)

    def error(self) -> FloatArray:
        """(n,) largest distance between the measured position and the command [rad]."""
        measured = np.array([state.position for state in self.states])
        return np.asarray(np.abs(measured - np.array(self.commanded)).max(axis=0))


class Subject:
    """One driver under test at a time. `stalled` is the longest time that this machine kept a real robot waiting [s].

    Args:
        make: makes another driver of the same robot, not yet connected.
        profile: the robot's.
        networked: whether all drivers that are made share one robot behind a network.
        tampering: of the peer behind the driver, if there is one.
    """

    def __init__(
        self,
        make: Callable[[], Robot],
        profile: RobotProfile,
        networked: bool = False,
        tampering: Tampering | None = None,
    ) -> None:
        self.make = make
        self.profile = profile
        self.networked = networked
        self.tampering = tampering
        self.period = 1.0 / profile.rates.command
        self.robot = make()
        self._sequence = 0
        self._due: float | None = None
        self.stalled = 0.0
        self._start: FloatArray | None = None

    @property
    def paced(self) -> bool:
        """Whether robot time is the clock's: not in a simulation."""
        return not self.robot.spec.simulated

    def open(self) -> None:
        """Connect, and hold still for a moment.

        Raises:
            ReinsError: it cannot be connected.
        """
        self.robot.connect()
        self.wait(SETTLE)

    def reopen(self) -> None:
        """Close the driver and connect another one in its place."""
        self.robot.close()
        self.robot = self.make()
        self.open()

    def close(self) -> None:
        """Leave the robot standing."""
        self.robot.close()

    def read(self) -> RobotState:
        """The newest state."""
        return self.robot.read()

    def step(self) -> None:
        """Let one period pass."""
        self.robot.step(self.period)
        if self.paced:
            now = time.monotonic()
            late = 0.0 if self._due is None else now - self._due
            self.stalled = max(self.stalled, late)
            self._due = self.period + (now if self._due is None or late > 5 * self.period else self._due)
            time.sleep(max(0.0, self._due - now))

    def wait(self, seconds: float) -> list[RobotState]:
        """Let time pass without a command; the states of every period."""
        states = []
        for _ in range(max(1, round(seconds / self.period))):
            self.step()
            states.append(self.read())
        return states

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

    def prepare(self) -> None:
        """Before a check: no fault, at rest, where the suite found the robot.

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
        if away > NEAR:
            self.follow(Nudge(self._start - state.reference, 1.0))
            self.hold(0.1)
        self.rest()

    def recover(self) -> RobotState:
        """Recover, wait until the robot has done so, and a moment more; the last state."""
        self.robot.recover()
        for _ in range(round(RECOVERING / self.period)):
            if not self.wait(self.period)[-1].fault:
                break
        return self.wait(SETTLE)[-1]

    def rest(self) -> None:
        """At rest, with no command that could go stale."""
        self.robot.stop(StopCategory.CONTROLLED, "between two checks")
        self.wait(0.1)
        self.recover()
        self._due, self.stalled = None, 0.0
