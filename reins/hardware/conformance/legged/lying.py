"""Checks of a robot that lies: what it says of itself, its units, and what it must refuse."""

import time
from typing import Final

import numpy as np

from reins.contracts.errors import ReinsError
from reins.hardware.conformance.check import require
from reins.hardware.conformance.legged.subject import UPRIGHT, LeggedSubject
from reins.hardware.conformance.standing import FULL_TURN
from reins.hardware.legged import Posture
from reins.hardware.legs import up_of

STILL: Final = 0.03
"""A joint of a robot that lies and moved less than this stood still [rad]; its motors rest, and rubber gives."""

CREEP: Final = 0.06
"""A body that moved less than this lay still [m]: legs whose motors rest may slip."""

AT_REST: Final = 0.1
"""Slower than this is rest [rad/s]."""

PRESSED: Final = 0.05
"""How far a joint may be pressed beyond its limit by the weight on it [rad]."""


def identity(subject: LeggedSubject) -> str:
    """Name, kind and joints are the profile's, and every array has its length."""
    spec, profile, state = subject.robot.spec, subject.profile, subject.read()
    require(spec.name == profile.name, f"the driver says it is '{spec.name}', the profile '{profile.name}'")
    require(spec.kind == profile.kind, f"the driver says it is of kind '{spec.kind}', the profile '{profile.kind}'")
    require(
        spec.joint_names == profile.joint_names,
        f"joints of the driver: {', '.join(spec.joint_names)}; of the profile: {', '.join(profile.joint_names)}",
    )
    lengths = dict.fromkeys(("position", "velocity", "effort"), len(profile.joints))
    for name, length in {**lengths, "contact": len(profile.feet), "orientation": 4}.items():
        shape = getattr(state, name).shape
        require(shape == (length,), f"{name} has shape {shape}, and not ({length},)")
    return f"{len(profile.joints)} joints, {len(profile.feet)} feet"


def units(subject: LeggedSubject) -> str:
    """Lying: radians, rad/s, N·m and metres, all finite; z is up, and the battery is a share."""
    state, profile = subject.read(), subject.profile
    odometry = state.odometry
    for name in ("position", "velocity", "effort", "orientation"):
        require(bool(np.isfinite(getattr(state, name)).all()), f"{name} is not finite: {getattr(state, name)}")
    for name in ("position", "orientation", "linear", "angular"):
        require(bool(np.isfinite(getattr(odometry, name)).all()), f"{name} of the odometry is not finite")
    largest = float(np.abs(state.position).max())
    require(largest <= FULL_TURN, f"a position of {largest:.1f} rad is more than a turn: degrees?")
    speed = float(np.abs(state.velocity).max())
    require(speed < AT_REST, f"at rest a joint is said to move with {speed:.3f} rad/s")
    over = np.abs(state.effort) > 1.2 * profile.effort
    require(not over.any(), f"torques above the joints' limits: {state.effort[over]} N·m")
    length = float(np.linalg.norm(state.orientation))
    require(abs(length - 1.0) < 0.01, f"the orientation has length {length:.3f}, and a quaternion 1")
    up = up_of(state.orientation)
    require(bool(up[2] > UPRIGHT), f"it lies, and says that {np.round(up, 2)} of its body is up: is the order x y z w?")
    require(0.0 <= state.battery <= 1.0, f"a battery of {state.battery} is no share of a full one")
    require(subject.lies(state), f"it lies, and says that it is {subject.told(state)}")
    return f"at rest below {max(speed, 1e-4):.4f} rad/s"


def limits(subject: LeggedSubject) -> str:
    """The measured position is inside the profile's limits, so that the profile is this robot's."""
    position, profile = subject.read().position, subject.profile
    room = np.minimum(position - profile.lower, profile.upper - position)
    worst = int(room.argmin())
    require(
        room[worst] > -PRESSED, f"{profile.joint_names[worst]} is {-room[worst]:.3f} rad outside the profile's limits"
    )
    return f"{room[worst]:.2f} rad of room at {profile.joint_names[worst]}"


def rates(subject: LeggedSubject) -> str:
    """`read` and `write` never block, and states are new at the rate that the profile names."""
    stamps, costs = [], []
    for _ in range(round(1.0 / subject.period)):
        began = time.perf_counter()
        subject.write(np.zeros(3), Posture.SIT)
        stamps.append(subject.read().stamp)
        costs.append(time.perf_counter() - began)
        subject.step()
    cost = float(np.percentile(costs, 90))
    require(
        cost < 0.2 * subject.period, f"write and read take {1e3 * cost:.1f} ms of a period of {subject.period:.3f} s"
    )
    fresh = len(set(stamps)) / len(stamps)
    require(fresh > 0.7, f"only {100 * fresh:.0f} % of the states were new")
    return f"write and read in {1e6 * float(np.median(costs)):.0f} µs"


def hold_without_command(subject: LeggedSubject) -> str:
    """After connecting it stays lying until the first command, and is not called stale for it."""
    subject.reopen()
    before = subject.read().odometry.position
    after = subject.wait(max(1.0, 3 * subject.profile.rates.stale_after))[-1]
    require(not after.fault, f"without any command it has a fault: {after.fault}")
    moved = float(np.linalg.norm(after.odometry.position - before))
    require(subject.lies(after) and moved < CREEP, f"without any command its body moved by {moved:.3f} m")
    return f"moved by {1e3 * moved:.1f} mm"


def refuse_wrong_length(subject: LeggedSubject) -> str:
    """A command with too few velocities is an error, and nothing moves."""
    before = subject.read().position
    try:
        subject.write(np.zeros(2), Posture.STAND)
    except ReinsError as error:
        moved = float(np.abs(subject.wait(0.3)[-1].position - before).max())
        require(moved < STILL, f"it moved by {moved:.4f} rad")
        return str(error)
    require(False, "a command of two velocities was taken")
    return ""


def refuse_not_finite(subject: LeggedSubject) -> str:
    """A velocity that is not a number stops it with a fault that says so."""
    before = subject.read().position
    subject.write(np.array([0.0, np.nan, 0.0]), Posture.STAND)
    state = subject.wait(0.3)[-1]
    require(bool(state.fault), "it was taken")
    require("not finite" in state.fault, f"the fault does not say 'not finite': {state.fault}")
    moved = float(np.abs(state.position - before).max())
    require(moved < STILL, f"it moved by {moved:.4f} rad")
    return state.fault
