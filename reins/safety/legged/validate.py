"""Are a body command and a legged state well-formed? A reason why not; nothing is ever repaired."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reins.hardware.legged import BodyCommand, LeggedState, Posture
from reins.hardware.quadruped import QuadrupedProfile
from reins.safety.validate import SOURCES, Rejection

AXES = ("vx", "vy", "yaw rate")
"""The numbers of a body velocity, in order."""

UNIT_LENGTH = 1e-3
"""How far from 1 the length of an orientation may be: single-precision sensors, with room."""


def check_body_shape(command: BodyCommand) -> Rejection | None:
    """Source, posture, length, numbers, gait: what can be judged from the command alone."""
    if command.source not in SOURCES:
        return Rejection("wrong_source", f"source '{command.source}' is not one of {', '.join(SOURCES)}")
    if command.posture not in tuple(Posture):
        return Rejection("wrong_posture", f"posture {command.posture} is not one of {', '.join(Posture.__members__)}")
    if np.shape(command.velocity) != (3,):
        return Rejection("wrong_length", f"velocity has shape {np.shape(command.velocity)} instead of (3,)")
    finite = np.isfinite(command.velocity)
    if not finite.all():
        worst = int(np.argmin(finite))
        return Rejection("not_finite", f"{AXES[worst]} is {command.velocity[worst]}")
    if objection := command.gait.objection():
        return Rejection("wrong_gait", objection)
    if not (math.isfinite(command.stamp) and math.isfinite(command.activation)):
        return Rejection("not_finite", f"stamp is {command.stamp} and activation {command.activation}")
    return None


def check_legged_state(state: LeggedState, profile: QuadrupedProfile) -> Rejection | None:
    """Lengths and numbers of a measured state; a state that fails is not used at all."""
    for name, values, length in _arrays(state, profile):
        if np.shape(values) != (length,):
            return Rejection("wrong_length", f"{name} has shape {np.shape(values)} instead of ({length},)")
        if not np.isfinite(values).all():
            return Rejection("not_finite", f"{name} is not finite: {values}")
    for name, quaternion in (("orientation", state.orientation), ("odometry", state.odometry.orientation)):
        norm = float(np.linalg.norm(quaternion))
        if abs(norm - 1.0) > UNIT_LENGTH:
            return Rejection("not_a_rotation", f"{name} has a quaternion of length {norm:.3f} instead of 1")
    if not 0.0 <= state.battery <= 1.0:
        return Rejection("battery_range", f"battery is {state.battery}, which is not in 0 … 1")
    if not all(math.isfinite(value) for value in (state.stamp, state.height or 0.0)):
        return Rejection("not_finite", f"stamp is {state.stamp} and height {state.height}")
    return None


def _arrays(state: LeggedState, profile: QuadrupedProfile) -> Iterator[tuple[str, NDArray[Any], int]]:
    """Name, value and length of each array of a state."""
    joints = len(profile.joints)
    yield "orientation", state.orientation, 4
    for name in ("position", "velocity", "effort"):
        yield name, getattr(state, name), joints
    yield "contact", state.contact, len(profile.feet)
    if state.temperature is not None:
        yield "temperature", state.temperature, joints
    for name, length in (("position", 3), ("orientation", 4), ("linear", 3), ("angular", 3)):
        yield f"odometry {name}", getattr(state.odometry, name), length
