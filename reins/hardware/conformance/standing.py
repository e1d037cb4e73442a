"""Checks of a robot that stands still: what it says of itself, its units, its clock, and what it must refuse."""

import time
from typing import Any, Final

import numpy as np

from reins.contracts.errors import ReinsError
from reins.hardware.conformance.check import require
from reins.hardware.conformance.subject import Subject
from reins.hardware.conformance.under_test import UnderTest

STILL: Final = 2e-3
"""A joint that moved less than this stood still [rad]."""

AT_REST: Final = 0.03
"""Slower than this is rest, given what sensors of speed tell at rest [rad/s]."""

JUMP: Final = 0.15
"""A setpoint that is this far away must be refused [rad]; the interface's limit is 0.1."""

FULL_TURN: Final = 2.0 * np.pi


def identity(subject: Subject) -> str:
    """Name, kind and joints are the profile's, and every array has one value per joint."""
    spec, profile, state = subject.robot.spec, subject.profile, subject.read()
    require(spec.name == profile.name, f"the driver says it is '{spec.name}', the profile '{profile.name}'")
    require(spec.kind == profile.kind, f"the driver says it is of kind '{spec.kind}', the profile '{profile.kind}'")
    require(
        spec.joint_names == profile.joint_names,
        f"joints of the driver: {', '.join(spec.joint_names)}; of the profile: {', '.join(profile.joint_names)}",
    )
    for name in ("position", "velocity", "effort", "reference"):
        shape = getattr(state, name).shape
        require(
            shape == (len(profile.joints),), f"{name} has shape {shape}, and there are {len(profile.joints)} joints"
        )
    return f"{len(profile.joints)} joints"


def units(subject: Subject) -> str:
    """At rest: radians, rad/s, N·m and metres, all finite; degrees or millimetres do not fit."""
    state, profile = subject.read(), subject.profile
    for name in ("position", "velocity", "effort", "reference"):
        require(bool(np.isfinite(getattr(state, name)).all()), f"{name} is not finite: {getattr(state, name)}")
    largest = float(np.abs(state.position).max())
    require(largest <= FULL_TURN, f"a position of {largest:.1f} rad is more than a turn: degrees?")
    speed = float(np.abs(state.velocity).max())
    require(speed < AT_REST, f"at rest a joint is said to move with {speed:.3f} rad/s")
    over = np.abs(state.effort) > 1.2 * profile.effort
    require(not over.any(), f"torques above the joints' limits: {state.effort[over]} N·m")
    if subject.robot.spec.has_gripper:
        width, most = state.gripper_width, profile.gripper.max_width
        require(-0.005 <= width <= most + 0.005, f"a gripper of {most} m is said to be open by {width:.3f} m")
    return f"at rest below {max(speed, 1e-4):.4f} rad/s"


def limits(subject: Subject) -> str:
    """The measured position is inside the profile's limits, so that the profile is this robot's."""
    position, profile = subject.read().position, subject.profile
    room = np.minimum(position - profile.lower, profile.upper - position)
    worst = int(room.argmin())
    require(room[worst] > 0.0, f"{profile.joint_names[worst]} is {-room[worst]:.3f} rad outside the profile's limits")
    return f"{room[worst]:.2f} rad of room at {profile.joint_names[worst]}"


def freshness(subject: UnderTest[Any, Any, Any]) -> str:
    """Robot time goes on with every period, as fast as time does, and never back."""
    states = subject.wait(1.0)
    steps = np.diff([state.stamp for state in states])
    passed, asked = states[-1].stamp - states[0].stamp, subject.period * len(steps)
    require(float(steps.min()) >= 0.0, f"robot time went back by {-steps.min():.4f} s")
    old = float(steps.max())
    allowed = max(2.5 * subject.period, subject.profile.rates.stale_after / 2)
    require(old <= allowed, f"states were up to {1e3 * old:.0f} ms apart, and {1e3 * allowed:.0f} ms is the most")
    require(abs(passed - asked) < 0.1 * asked, f"robot time went on by {passed:.3f} s in {asked:.3f} s")
    return f"states at most {1e3 * old:.0f} ms apart"


def rates(subject: Subject) -> str:
    """`read` and `write` never block, and the driver keeps its rate."""
    reference = subject.read().reference.copy()
    still, stamps, costs = np.zeros_like(reference), [], []
    for _ in range(round(1.0 / subject.period)):
        began = time.perf_counter()
        subject.write(reference, still)
        stamps.append(subject.read().stamp)
        costs.append(time.perf_counter() - began)
        subject.step()
    cost = float(np.percentile(costs, 90))
    require(
        cost < 0.2 * subject.period, f"write and read take {1e3 * cost:.1f} ms of a period of {subject.period:.3f} s"
    )
    fresh = len(set(stamps)) / len(stamps)
    require(fresh > 0.9, f"only {100 * fresh:.0f} % of the states were new")
    return f"write and read in {1e6 * float(np.median(costs)):.0f} µs"


def hold_without_command(subject: Subject) -> str:
    """After connecting it holds where it is until the first command, and is not called stale for it."""
    subject.reopen()
    before = subject.read().position
    after = subject.wait(max(1.0, 3 * subject.profile.rates.stale_after))[-1]
    require(not after.fault, f"without any command it has a fault: {after.fault}")
    moved = float(np.abs(after.position - before).max())
    require(moved < STILL, f"without any command it moved by {moved:.4f} rad")
    return f"moved by {1e3 * moved:.2f} mrad"


def refuse_wrong_length(subject: Subject) -> str:
    """A setpoint with too few values is an error, and nothing moves."""
    short = np.zeros(len(subject.profile.joints) - 1)
    before = subject.read().position
    try:
        subject.write(short, short)
    except ReinsError as error:
        moved = float(np.abs(subject.wait(0.1)[-1].position - before).max())
        require(moved < STILL, f"it moved by {moved:.4f} rad")
        return str(error)
    require(False, f"a setpoint of {len(short)} values was taken")
    return ""


def refuse_not_finite(subject: Subject) -> str:
    """A setpoint that is not a number stops it with a fault that says so."""
    position = subject.read().reference.copy()
    position[-1] = np.nan
    return _refused(subject, position, np.zeros_like(position), "not finite")


def refuse_jump(subject: Subject) -> str:
    """A setpoint far from where the last joint is stops it with a fault that names the joint."""
    state = subject.read()
    position = state.reference.copy()
    room = subject.profile.upper[-1] - position[-1] > position[-1] - subject.profile.lower[-1]
    position[-1] += JUMP if room else -JUMP
    return _refused(subject, position, np.zeros_like(position), subject.profile.joint_names[-1])


def _refused(subject: Subject, position: np.ndarray, velocity: np.ndarray, word: str) -> str:
    before = subject.read().position
    subject.write(position, velocity)
    states = subject.wait(0.2)
    fault = states[-1].fault
    require(bool(fault), "it was taken")
    require(word in fault, f"the fault does not say '{word}': {fault}")
    moved = max(float(np.abs(state.position - before).max()) for state in states)
    require(moved < 2 * STILL, f"it moved by {moved:.4f} rad")
    return fault
