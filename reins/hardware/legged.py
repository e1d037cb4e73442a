"""What passes between a legged robot, its safety filter and whoever commands it: plain data, SI units.

Body velocities are (3,): vx forward, vy left [m/s], yaw rate about z [rad/s], in the body frame (REP 103). Poses are in
the odometry frame (REP 105): continuous, z up. Quaternions are x y z w.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from reins.hardware.robot import Driver, FloatArray


class Posture(IntEnum):
    """What the robot does with its legs."""

    SIT = 0
    """On the ground, motors at rest; safe without power."""
    STAND = 1
    """On its legs: standing, or walking where a velocity is commanded."""
    RECOVER = 2
    """On the ground, turning back onto its belly where it lies on its side or back; at rest once it has."""


@dataclass(frozen=True, slots=True)
class Gait:
    """How a robot carries itself while it stands and walks; how much each number is, is its way of walking's affair.

    Attributes:
        height: of the body, from -1, lowest, to 1, highest; 0 is as usual.
        style: of its steps, from -1, flat and quick, to 1, high and slow; 0 is as usual.
    """

    height: float = 0.0
    style: float = 0.0

    @property
    def numbers(self) -> FloatArray:
        """(2,) height and style."""
        return np.array([self.height, self.style])

    def objection(self) -> str:
        """Why there is no such gait, one clause; empty where there is."""
        for name, value in (("height", self.height), ("style", self.style)):
            if not -1.0 <= value <= 1.0:  # what is no number is refused, too
                return f"{name} of the gait is {value}, which is not in -1 … 1"
        return ""


AS_USUAL: Final = Gait()
"""The gait of everybody who asks for no other one."""


@dataclass(frozen=True, slots=True, eq=False)
class BodyCommand:
    """What a source (a skill, teleop) wants of a legged robot.

    Attributes:
        source: "skill" or "teleop".
        sequence: grows by one with every command of this source; a gap is a lost message, a repeat is rejected.
        stamp: robot time of the state that the command was computed from [s].
        period: how long the command is meant to hold until the next one [s].
        velocity: (3,) body velocity [m/s, m/s, rad/s].
        activation: robot time when the goal (or the press of the dead-man) that this command serves began [s].
        posture: on its legs, or sitting.
        gait: how it carries itself on them.
        trace_ns: CLOCK_MONOTONIC of the source when it sent this [ns], 0 if untraced; only for latency measurements.
    """

    source: str
    sequence: int
    stamp: float
    period: float
    velocity: FloatArray
    activation: float
    posture: Posture = Posture.STAND
    gait: Gait = AS_USUAL
    trace_ns: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class SafeBodyCommand:
    """What safety lets through; the only thing that the driver of a legged robot applies.

    Attributes:
        sequence: grows by one with every safe command.
        stamp: robot time of the state it was checked against [s].
        period: how long until the next one is due [s]; past the profile's `stale_after` the driver stops by itself.
        velocity: (3,) body velocity [m/s, m/s, rad/s].
        posture: on its legs, or sitting.
        gait: how it carries itself on them.
        trace_ns: passed on from the command that it was made from, 0 if untraced.
    """

    sequence: int
    stamp: float
    period: float
    velocity: FloatArray
    posture: Posture
    gait: Gait = AS_USUAL
    trace_ns: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Odometry:
    """Where the base is and how it moves, as nav_msgs/Odometry has it.

    Attributes:
        position: (3,) of the base in the odometry frame [m].
        orientation: (4,) x y z w of the base in the odometry frame.
        linear: (3,) velocity of the base in the body frame [m/s].
        angular: (3,) turn rates in the body frame [rad/s].
    """

    position: FloatArray
    orientation: FloatArray
    linear: FloatArray
    angular: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class LeggedState:
    """What a legged robot measured.

    Attributes:
        stamp: robot time [s].
        orientation: (4,) of the base by its inertial sensor, x y z w; what is up is exact, its heading may drift.
        position, velocity, effort: (n,) measured joint position [rad], velocity [rad/s], torque [N·m].
        contact: (f,) bool, whether each foot touches the ground, in the profile's order.
        battery: charge, 0 … 1.
        odometry: where the base is.
        height: of the base above the ground under it [m]; None where the robot does not know it.
        temperature: (n,) of the joints' motors [°C]; None where the robot does not measure it.
        sequence: sequence of the last safe command applied, 0 before the first.
        fault: empty, or one sentence that says why the robot does not move.
    """

    stamp: float
    orientation: FloatArray
    position: FloatArray
    velocity: FloatArray
    effort: FloatArray
    contact: NDArray[np.bool_]
    battery: float
    odometry: Odometry
    height: float | None = None
    temperature: FloatArray | None = None
    sequence: int = 0
    fault: str = ""


class LeggedRobot(Driver[LeggedState, SafeBodyCommand], Protocol):
    """The driver of a legged robot: how its legs carry the body is its own affair."""
