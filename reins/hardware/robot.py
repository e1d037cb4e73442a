"""The interface that every robot gives, simulated or real. SI units; quaternions x y z w; base frame by REP 103.

Time is robot time: `step(dt)` lets it pass, so that a simulator and a real driver count deadlines alike. No driver
reads the wall clock.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from math import isfinite
from typing import Final, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from reins.contracts.errors import ReinsError

FloatArray = NDArray[np.float64]

JUMP: Final = 0.1
"""A setpoint farther than this from where the robot is and from where it was going is refused [rad]."""

ROUNDING: Final = 1.02
"""A speed beyond its limit by less than this factor is at the limit, rounded."""


class StopCategory(IntEnum):
    """IEC 60204-1 stop categories."""

    CUT = 0
    """Remove drive power at once; brakes hold."""
    CONTROLLED = 1
    """Brake within the limits, then hold."""


@dataclass(frozen=True, slots=True)
class GripperCommand:
    """Close or open to `width` [m] between the fingers, pushing with at most `force` [N]."""

    width: float
    force: float


@dataclass(frozen=True, slots=True, eq=False)
class JointCommand:
    """What a source (a skill, teleop) wants. Velocity is the command; safety integrates it to a position.

    Attributes:
        source: "skill" or "teleop".
        sequence: grows by one with every command of this source; a gap is a lost message, a repeat is rejected.
        stamp: robot time of the state that the command was computed from [s].
        period: how long the command is meant to hold until the next one [s].
        joint_names: (n,) in the profile's order.
        velocity: (n,) joint velocity [rad/s].
        activation: robot time when the goal (or the press of the dead-man) that this command serves began [s]. After a
            stop and its reset, or a hand-back, only commands of a later activation move the robot.
        gripper: gripper target, or None to leave it as it is.
        trace_ns: CLOCK_MONOTONIC of the source when it sent this [ns], 0 if untraced; only for latency measurements.
    """

    source: str
    sequence: int
    stamp: float
    period: float
    joint_names: tuple[str, ...]
    velocity: FloatArray
    activation: float
    gripper: GripperCommand | None = None
    trace_ns: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class SafeCommand:
    """What the safety monitor lets through; the only thing that a driver applies.

    Attributes:
        sequence: grows by one with every safe command.
        stamp: robot time [s] of the state it was checked against.
        period: how long until the next one is due [s]; past it the driver extrapolates for at most the profile's
            `stale_after`, then stops by itself.
        position: (n,) reference position at the start of the period [rad].
        velocity: (n,) reference velocity over the period [rad/s]; the driver tracks position + velocity * elapsed.
        gripper: gripper target, or None to leave it as it is.
        trace_ns: passed on from the command that it was made from, 0 if untraced.
    """

    sequence: int
    stamp: float
    period: float
    position: FloatArray
    velocity: FloatArray
    gripper: GripperCommand | None = None
    trace_ns: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class RobotState:
    """What the robot measured.

    Attributes:
        stamp: robot time [s].
        position, velocity, effort: (n,) measured joint position [rad], velocity [rad/s], torque [N·m].
        reference: (n,) position that the driver is tracking now [rad].
        gripper_width: distance between the fingers [m].
        gripper_holding: the fingers are closed on something (stalled above their target width).
        sequence: sequence of the last safe command applied, 0 before the first.
        fault: empty, or one sentence that says why the robot does not move.
    """

    stamp: float
    position: FloatArray
    velocity: FloatArray
    effort: FloatArray
    reference: FloatArray
    gripper_width: float
    gripper_holding: bool
    sequence: int
    fault: str = ""


@dataclass(frozen=True, slots=True)
class RobotSpec:
    """What a driver says of itself; joint limits and rates are in the profile of the same name.

    Attributes:
        name: profile name, e.g. "franka".
        kind: "arm" or "quadruped".
        simulated: False for anything that is not known to be a simulation.
        joint_names: (n,) in the order of every array.
        has_gripper: whether gripper commands do anything.
        cameras: names of the cameras that the robot carries or its world has.
    """

    name: str
    kind: Literal["arm", "quadruped"]
    simulated: bool
    joint_names: tuple[str, ...]
    has_gripper: bool
    cameras: tuple[str, ...]


StateOut = TypeVar("StateOut", covariant=True)
SafeIn = TypeVar("SafeIn", contravariant=True)


class Driver(Protocol[StateOut, SafeIn]):
    """A driver of any kind of robot. Not thread-safe: one thread calls it.

    After `connect()` the robot holds still until the first `write`: an arm its measured position, a legged robot the
    posture that it is in. A driver that gets no fresh command for the profile's `stale_after` stops by itself (category
    1) and reports a fault until `recover()`.
    """

    @property
    def spec(self) -> RobotSpec: ...

    def connect(self) -> None:
        """Open the connection and hold still. Raises ReinsError with the reason."""

    def read(self) -> StateOut:
        """The newest measured state; never blocks."""
        ...

    def write(self, command: SafeIn) -> None:
        """Do this from now on; ignored while a fault is set. Never blocks. What is not finite stops the robot.

        Raises:
            ReinsError: it is no command for this robot.
        """

    def step(self, dt: float) -> None:
        """Let `dt` [s] of robot time pass: a simulator computes it, a real driver checks its deadlines."""

    def stop(self, category: StopCategory, reason: str) -> None:
        """Stop now, from any state, and set the fault to `reason`. A legged robot that brakes also sits down."""

    def recover(self) -> None:
        """Clear the fault and hold still; no earlier command resumes."""

    def close(self) -> None:
        """Leave the robot standing still and release everything. Safe to call twice."""


class Robot(Driver[RobotState, SafeCommand], Protocol):
    """The driver of an arm. `reins/hardware/legged.py` has that of a legged robot."""


def refusal(
    command: SafeCommand, reference: FloatArray, measured: FloatArray, names: Sequence[str], limits: FloatArray
) -> str:
    """Why no driver tracks a setpoint, whatever the robot: one sentence; empty if it is fine.

    Args:
        command: the setpoint.
        reference: (n,) what the driver tracks now [rad].
        measured: (n,) where the robot is [rad].
        names: (n,) of the joints.
        limits: (n,) their speed limits [rad/s].

    Raises:
        ReinsError: position or velocity has the wrong length.
    """
    if len(command.position) != len(names) or len(command.velocity) != len(names):
        raise ReinsError(f"a setpoint for {len(names)} joints has {len(names)} positions and velocities")
    change, fastest = command.position - reference, ROUNDING * limits
    if change.dot(change) <= JUMP**2 and (np.abs(command.velocity) <= fastest).all():
        return ""  # the usual case, at little cost; what is not finite passes neither comparison
    if not isfinite(float(command.position @ command.position + command.velocity @ command.velocity)):
        return "a setpoint is not finite"
    jump = np.minimum(np.abs(change), np.abs(command.position - measured))
    worst = int(jump.argmax())
    if jump[worst] > JUMP:
        return f"the setpoint of {names[worst]} jumps by {jump[worst]:.2f} rad; {JUMP} rad is the most"
    excess = np.abs(command.velocity) / fastest
    worst = int(excess.argmax())
    if excess[worst] > 1.0:
        speed = abs(command.velocity[worst])
        return f"the setpoint of {names[worst]} moves at {speed:.2f} rad/s; {limits[worst]:g} rad/s is its limit"
    return ""
