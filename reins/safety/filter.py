"""The filter: the closest safe joint velocity to the one that was asked for.

How it decides, cheapest first:
1. A velocity within every limit passes unchanged, bit for bit.
2. One that is only too fast, or too much of a change, is slowed down as a whole: the tool stays on its path.
3. Otherwise a small QP finds the nearest velocity within the joint intervals, the walls of the workspace and the tool's
   speed limits: it slides along a limit instead of freezing at it.
4. Each of these answers carries a certificate: from it the arm can brake along its own direction without leaving the
   workspace. Since braking stays on that very path, a certificate stays valid until the next answer.
5. Where nothing else is left it brakes, within the acceleration limits.
"""

import math
from dataclasses import dataclass
from enum import Enum
from typing import Final

import numpy as np

from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.safety.limits import braked, fastest_reachable, ramped, stopping_speed
from reins.safety.nearest import Bounds, NearestVelocity
from reins.safety.settings import SafetySettings
from reins.safety.workspace import WorkspaceGuard


class Limit(Enum):
    """What changed a command."""

    JOINT_SPEED = "joint speed"
    JOINT_POSITION = "joint position"
    JOINT_ACCELERATION = "joint acceleration"
    TOOL_SPEED = "tool speed"
    TOOL_TURN_RATE = "tool turn rate"
    WORKSPACE = "workspace"
    NO_SAFE_MOTION = "no safe motion, so it brakes"


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """What the filter lets through.

    Attributes:
        velocity: (n,) safe joint velocity [rad/s]; the very array that was asked for when nothing was changed.
        limits: why it was changed; empty when it was not.
    """

    velocity: FloatArray
    limits: tuple[Limit, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether it differs from what was asked for."""
        return bool(self.limits)


@dataclass(frozen=True, slots=True, eq=False)
class _Moment:
    """What a velocity is judged by, now.

    Attributes:
        position: (n,) reference [rad].
        velocity: (n,) reference velocity until now [rad/s].
        elapsed: how long it has acted [s].
        reachable: (2n,) highest velocity that the acceleration limits allow each joint, down and then up [rad/s].
        bounds: highest velocities that all limits allow.
        tool: (3,) position of the tool point [m].
        jacobian: (6, n) of the tool.
    """

    position: FloatArray
    velocity: FloatArray
    elapsed: float
    reachable: FloatArray
    bounds: Bounds
    tool: FloatArray
    jacobian: FloatArray


_ROUNDING: Final = 1e-9
"""Relative excess over a tool speed limit that is none."""

_CORRECTIONS: Final = 3
"""How often the walls are moved in for the curvature of the tool's path before the answer is shortened instead."""

_FRACTIONS: Final = (0.5, 0.25, 0.1)
"""Shares of the way from braking to the QP's answer that are tried when that answer has no certificate."""


class SafetyFilter:
    """Filters joint velocities of one arm. Holds scratch memory: one instance per thread.

    Args:
        profile: the robot's limits.
        settings: the monitor's own.

    Raises:
        ReinsError: the robot's model cannot be loaded.
    """

    def __init__(self, profile: RobotProfile, settings: SafetySettings) -> None:
        self._n = len(profile.joints)
        self._speed, self._acceleration = profile.velocity, profile.acceleration
        self._tool_speed, self._turn_rate = profile.workspace.tool_speed, profile.workspace.tool_turn_rate
        self._lower = profile.lower + settings.position_margin
        self._upper = profile.upper - settings.position_margin
        self._hold, self._period = profile.rates.stale_after, 1.0 / profile.rates.command
        self._deceleration = np.append(np.tile(profile.acceleration, 2), np.full(6, settings.tool_deceleration))
        self._kinematics = Kinematics(profile)
        self._guard = WorkspaceGuard(profile, self._kinematics)
        self._nearest = NearestVelocity(self._n)
        self._room = np.zeros(2 * self._n + 6)
        self._ways = np.zeros(2 * self._n + 6)

    def step(
        self, position: FloatArray, velocity: FloatArray, wanted: FloatArray, elapsed: float, scale: float = 1.0
    ) -> Verdict:
        """The closest safe velocity to `wanted`, to act from now on.

        Args:
            position: (n,) reference now [rad].
            velocity: (n,) reference velocity until now [rad/s].
            wanted: (n,) what the source asks for [rad/s], finite.
            elapsed: how long `velocity` has acted [s].
            scale: share of the speed limits that is allowed, 0 < scale ≤ 1.
        """
        if not wanted.any() and not velocity.any():
            return Verdict(wanted)
        moment = self._look(position, velocity, elapsed, scale)
        target, limits = self._slowed(wanted, moment, scale)
        twist = moment.jacobian @ target
        if not self._keeps(target, twist, moment):
            target, twist, limits = self._ramped(target, twist, limits, moment)
            broken = self._broken(target, twist, moment)
            if broken:
                return self._certified(target, moment, (*limits, *broken))
        if self._guard.can_stop(position, target, moment.tool):
            return Verdict(target, limits)
        return self._certified(target, moment, (*limits, Limit.WORKSPACE))

    def brake(self, position: FloatArray, velocity: FloatArray, elapsed: float) -> FloatArray:
        """The velocity (n,) [rad/s] that brakes hardest along the path; arguments as in `step`."""
        if not velocity.any():
            return velocity
        return self._braked(self._look(position, velocity, elapsed, 1.0))

    def _braked(self, moment: _Moment) -> FloatArray:
        n, fastest = self._n, moment.bounds.fastest
        slower = braked(moment.velocity, self._acceleration, moment.elapsed)
        return np.minimum(np.maximum(slower, -fastest[:n]), fastest[n : 2 * n])

    def _look(self, position: FloatArray, velocity: FloatArray, elapsed: float, scale: float) -> _Moment:
        """Kinematics and limits of this moment.

        Never without a way out: where the speed or position limit of a joint asks for harder braking than its
        acceleration limit allows (a limit was tightened, or the arm starts outside), that hardest braking is allowed.
        """
        n, room = self._n, self._room
        pose, jacobian = self._kinematics.tool_jacobian(position)
        np.subtract(position, self._lower, out=room[:n])
        np.subtract(self._upper, position, out=room[n : 2 * n])
        room[2 * n :] = self._guard.place(pose.position)
        fastest = stopping_speed(room, self._deceleration, self._hold)
        speed = self._speed * scale
        if (np.abs(velocity) > speed).any():  # tightened in motion: brake to it, along the path
            speed = np.maximum(speed, np.abs(braked(velocity, self._acceleration, elapsed)))
        reachable = fastest_reachable(_both(velocity), self._deceleration[: 2 * n], elapsed, self._period)
        np.minimum(fastest[:n], speed, out=fastest[:n])
        np.minimum(fastest[n : 2 * n], speed, out=fastest[n : 2 * n])
        joints = np.minimum(fastest[: 2 * n], reachable)
        np.maximum(joints[:n], -reachable[n:], out=fastest[:n])
        np.maximum(joints[n:], -reachable[:n], out=fastest[n : 2 * n])
        bounds = Bounds(fastest, self._tool_speed * scale, self._turn_rate * scale)
        return _Moment(position, velocity, elapsed, reachable, bounds, pose.position, jacobian)

    def _slowed(self, wanted: FloatArray, moment: _Moment, scale: float) -> tuple[FloatArray, tuple[Limit, ...]]:
        """`wanted`, as a whole slowed down to the speed limits of joints and tool; itself if it keeps them."""
        limits: tuple[Limit, ...] = ()
        excess = float((np.abs(wanted) / self._speed).max()) / scale
        if excess > 1.0:
            limits = (Limit.JOINT_SPEED,)
            wanted = wanted / excess
        fast, turning = _tool_shares(moment.jacobian @ wanted, moment.bounds)
        if fast > 1.0 or turning > 1.0:
            limits = (*limits, Limit.TOOL_SPEED if fast >= turning else Limit.TOOL_TURN_RATE)
            wanted = wanted / max(fast, turning)
        return wanted, limits

    def _keeps(self, target: FloatArray, twist: FloatArray, moment: _Moment) -> bool:
        """Whether joints and tool stay below the highest velocities."""
        n, ways = self._n, self._ways
        np.negative(target, out=ways[:n])
        ways[n : 2 * n] = target
        np.negative(twist[:3], out=ways[2 * n : 2 * n + 3])
        ways[2 * n + 3 :] = twist[:3]
        return bool((ways <= moment.bounds.fastest).all())

    def _ramped(
        self, target: FloatArray, twist: FloatArray, limits: tuple[Limit, ...], moment: _Moment
    ) -> tuple[FloatArray, FloatArray, tuple[Limit, ...]]:
        """`target`, its twist and `limits`, after the acceleration limits."""
        n = self._n
        lowest, highest = -moment.reachable[:n], moment.reachable[n:]
        if (target >= lowest).all() and (target <= highest).all():
            return target, twist, limits
        target = ramped(moment.velocity, target, lowest, highest)
        return target, moment.jacobian @ target, (*limits, Limit.JOINT_ACCELERATION)

    def _broken(self, target: FloatArray, twist: FloatArray, moment: _Moment) -> tuple[Limit, ...]:
        """The limits that `target`, which is within reach, does not keep."""
        n, limits = self._n, []
        if not self._keeps(target, twist, moment):
            kept = self._ways <= moment.bounds.fastest
            limits += [] if kept[: 2 * n].all() else [Limit.JOINT_POSITION]
            limits += [] if kept[2 * n :].all() else [Limit.WORKSPACE]
        fast, turning = _tool_shares(twist, moment.bounds)
        limits += [Limit.TOOL_SPEED] if fast > 1.0 + _ROUNDING else []
        limits += [Limit.TOOL_TURN_RATE] if turning > 1.0 + _ROUNDING else []
        return tuple(limits)

    def _certified(self, target: FloatArray, moment: _Moment, limits: tuple[Limit, ...]) -> Verdict:
        """The nearest velocity from which the arm can stop inside the workspace, or braking."""
        n, brake, walled = self._n, self._braked(moment), (*limits, Limit.WORKSPACE)
        answer = self._nearest.solve(target, moment.jacobian, moment.bounds)
        if answer is None:
            return _verdict(brake, *limits, Limit.NO_SAFE_MOTION)
        if self._guard.can_stop(moment.position, answer, moment.tool):
            return _verdict(answer, *limits)
        for _ in range(_CORRECTIONS):
            moment.bounds.fastest[2 * n :] -= self._guard.excess(answer)
            nearer = self._nearest.solve(target, moment.jacobian, moment.bounds)
            if nearer is None:
                break
            answer = nearer
            if self._guard.can_stop(moment.position, answer, moment.tool):
                return _verdict(answer, *walled)
        for fraction in _FRACTIONS:
            between = brake + fraction * (answer - brake)
            if self._guard.can_stop(moment.position, between, moment.tool):
                return _verdict(between, *walled)
        return _verdict(brake, *walled, Limit.NO_SAFE_MOTION)


def _verdict(velocity: FloatArray, *limits: Limit) -> Verdict:
    """Each limit once."""
    return Verdict(velocity, tuple(dict.fromkeys(limits)))


def _both(values: FloatArray) -> FloatArray:
    """(2n,) of a velocity: down, then up."""
    return np.concatenate([-values, values])


def _tool_shares(twist: FloatArray, bounds: Bounds) -> tuple[float, float]:
    """Speed and turn rate of a (6,) twist, as shares of their limits."""
    linear, angular = twist[:3], twist[3:]
    return math.sqrt(linear @ linear) / bounds.tool_speed, math.sqrt(angular @ angular) / bounds.turn_rate
