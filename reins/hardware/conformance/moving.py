"""Checks that move the robot, by a few centimetres at most: order and sign of joints, tracking, starts, the gripper."""

from typing import Final

import numpy as np

from reins.hardware.conformance.check import require
from reins.hardware.conformance.motion import all_joints, one_joint
from reins.hardware.conformance.standing import AT_REST, STILL
from reins.hardware.conformance.subject import Subject
from reins.hardware.robot import GripperCommand, RobotState

SHARE: Final = 0.5
"""Part of a small motion that must at least be seen: friction takes some of it where a drive is soft."""

LAG: Final = 0.012
"""Largest distance between command and measured position during a small motion [rad]."""

WIDTH: Final = 0.004
"""How near the gripper comes to the width that was asked for [m]."""


def joint_order(subject: Subject) -> str:
    """Each joint that is told to move moves, the right way and as far as told, and no other does."""
    seen = []
    for index, name in enumerate(subject.profile.joint_names):
        before = subject.hold(0.2).position
        nudge = one_joint(subject.profile, index, before)
        subject.follow(nudge)
        moved = subject.hold(0.2).position - before
        subject.follow(nudge.reversed())
        share = float(moved[index] / nudge.distance[index])
        others = float(np.abs(np.delete(moved, index)).max())
        require(
            SHARE < share < 1.3,
            f"{name} was told to move by {nudge.distance[index]:.3f} rad and moved by {moved[index]:.3f} rad",
        )
        require(others < 0.5 * abs(moved[index]), f"while {name} moved, another joint did by {others:.4f} rad")
        seen.append(share)
    return f"{100 * min(seen):.0f} to {100 * max(seen):.0f} % of the way told"


def tracking(subject: Subject) -> str:
    """All joints together follow the commands closely, the reference exactly."""
    subject.hold(0.2)
    nudge = all_joints(subject.profile, subject.read().position)
    trace = subject.follow(nudge)
    state = subject.hold(0.1)
    off = float(trace.error().max())
    require(not state.fault, f"it stopped: {state.fault}")
    require(off < LAG, f"it is up to {1e3 * off:.1f} mrad away from the command, and {1e3 * LAG:.0f} mrad is the most")
    references = np.array([state.reference for state in trace.states])
    behind = float(np.abs(references - np.array(trace.commanded)).max())
    speed = float(np.abs(nudge.velocity(nudge.duration / 2)).max())
    late = subject.profile.rates.stale_after if subject.paced else 2.0 * subject.period
    require(
        behind <= speed * late + 1e-6,
        f"`reference` is {1e3 * behind:.2f} mrad from the command, farther than {1e3 * late:.0f} ms of motion",
    )
    subject.follow(nudge.reversed())
    return f"within {1e3 * off:.1f} mrad of the command"


def bumpless_start(subject: Subject) -> str:
    """The first command, made from the measured state, moves nothing; nor does the first one after a recovery."""
    worst = 0.0
    for _ in range(2):
        before = subject.read().position.copy()
        states = [subject.send(before, np.zeros_like(before)) for _ in range(round(0.4 / subject.period))]
        require(not states[-1].fault, f"it stopped: {states[-1].fault}")
        moved = max(float(np.abs(state.position - before).max()) for state in states)
        speed = max(float(np.abs(state.velocity).max()) for state in states)
        require(moved < STILL, f"it moved by {1e3 * moved:.2f} mrad at the first commands")
        require(speed < AT_REST, f"it moved with {speed:.3f} rad/s at the first commands")
        worst = max(worst, moved)
        subject.rest()
    return f"at most {1e3 * worst:.2f} mrad"


def late_command(subject: Subject) -> str:
    """A command that comes late, but not stale, neither stops nor jerks it."""
    subject.hold(0.2)
    nudge = all_joints(subject.profile, subject.read().position)
    subject.follow(nudge, until=0.5)
    state = subject.wait(0.5 * subject.profile.rates.stale_after)[-1]
    require(not state.fault, f"it stopped although the command was not stale: {state.fault}")
    state = subject.send(state.reference, np.zeros_like(state.reference))
    require(not state.fault, f"it stopped at the late command: {state.fault}")
    return f"{500 * subject.profile.rates.stale_after:.0f} ms late"


def gripper(subject: Subject) -> str:
    """It goes to the widths asked for, and holds nothing where there is nothing."""
    limits = subject.profile.gripper
    for width in (limits.max_width, 0.5 * limits.max_width, limits.max_width):
        state = _move_gripper(subject, GripperCommand(width, limits.grasp_force))
        off = abs(state.gripper_width - width)
        require(not state.fault, f"it stopped: {state.fault}")
        require(off < WIDTH, f"told to open to {width:.3f} m it is at {state.gripper_width:.3f} m")
        require(not state.gripper_holding, f"it says that it holds something at {state.gripper_width:.3f} m")
    closed = _move_gripper(subject, GripperCommand(0.0, limits.grasp_force))
    require(not closed.gripper_holding, "closed on nothing, it says that it holds something")
    _move_gripper(subject, GripperCommand(limits.max_width, limits.grasp_force))
    return f"within {1e3 * WIDTH:.0f} mm"


def _move_gripper(subject: Subject, command: GripperCommand) -> RobotState:
    """Let it go there, for as long as its whole way takes three times; the last state."""
    limits = subject.profile.gripper
    state = subject.read()
    for _ in range(int(3.0 * limits.max_width / limits.speed / 0.1)):
        state = subject.hold(0.1, command)
        if abs(state.gripper_width - command.width) < 0.25 * WIDTH:
            break
    return subject.hold(0.3, command)
