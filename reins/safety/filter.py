"""The filter: the closest safe joint velocity to the one that was asked for.

How it decides, cheapest first:
1. A velocity within every limit passes unchanged, bit for bit.
2. One that is only too fast, or too much of a change, is slowed down as a whole: the tool stays on its path.
3. Otherwise a small QP finds the nearest velocity within the joint intervals, the walls of the workspace, the speeds
   with which bodies may approach each other, and the speed limits of tool and elbow: it slides along a limit instead of
   freezing at it.
4. Each of these answers carries a certificate: from it the arm can brake along its own direction without leaving the
   workspace or coming too close to anything. Since braking stays on that very path, a certificate stays valid until the
   next answer.
5. Where nothing else is left it brakes, within the acceleration limits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.safety.bodies import Box
from reins.safety.collision import ROWS, CollisionGuard
from reins.safety.limits import braked, braking_time, fastest_reachable, jerk_limited, ramped, stopping_speed
from reins.safety.nearest import Bounds, NearestVelocity, SpeedLimit
from reins.safety.settings import SafetySettings
from reins.safety.torque import TorqueGuard
from reins.safety.verdict import APPROACHES, Limit, Verdict
from reins.safety.workspace import WorkspaceGuard


@dataclass(slots=True, eq=False)  # made in every control period, where freezing costs a microsecond
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

_SHORTEST: Final = 1e-4
"""Times shorter than this are none: nothing accelerates in them [s]."""

_BEARABLE: Final = 1.0 - 1e-6
"""Share of an acceleration that counts as all of it."""

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
        self._hold, self._period = profile.rates.stale_after, 1.0 / profile.rates.command
        self._speed, self._speeds_both = profile.velocity, np.tile(profile.velocity, 2)
        self._other_way = np.roll(np.arange(2 * self._n), self._n)
        self._acceleration = jerk_limited(profile.acceleration, profile.jerk, self._period)
        self._tool_speed, self._turn_rate = profile.workspace.tool_speed, profile.workspace.tool_turn_rate
        self._elbow = profile.elbow
        self._lower = profile.lower + settings.position_margin
        self._upper = profile.upper - settings.position_margin
        self._deceleration = np.append(np.tile(self._acceleration, 2), np.full(6, settings.tool_deceleration))
        self._kinematics = Kinematics(profile)
        self._guard = WorkspaceGuard(profile, self._kinematics)
        self._collisions = CollisionGuard(profile, settings, self._kinematics)
        self._torque = TorqueGuard(profile, self._kinematics, self._acceleration)
        self._braking, self._time = 1.0, self._hold
        self._nearest = NearestVelocity(self._n, ROWS)
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
        self._collisions.watch(target)
        twist = moment.jacobian @ target
        kept = self._keeps(target, twist, moment) and self._collisions.keeps(target)
        if not kept or self._easing(target, moment) < 1.0:
            target, twist, limits = self._ramped(target, twist, limits, moment)
            target, twist, limits = self._eased(target, twist, limits, moment)
            broken = self._broken(target, twist, moment)
            if broken:
                return self._certified(target, moment, (*limits, *broken))
        refusal = self._refusal(target, moment, bears=True)
        if refusal is None:
            return Verdict(target, limits)
        return self._certified(target, moment, (*limits, refusal))

    def surround(self, keep_outs: Sequence[Box], held: Box | None, payload: float = 0.0) -> None:
        """From now on keep away from these boxes and take that one for held (see `CollisionGuard.surround`), with a
        payload at the tool point [kg]."""
        self._collisions.surround(keep_outs, held)
        if payload != self._torque.payload:
            self._torque.carry(payload)

    def brake(self, position: FloatArray, velocity: FloatArray, elapsed: float) -> FloatArray:
        """The velocity (n,) [rad/s] that brakes hardest along the path; arguments as in `step`."""
        if not velocity.any():
            return velocity
        return self._braked(self._look(position, velocity, elapsed, 1.0))

    def _braked(self, moment: _Moment) -> FloatArray:
        n, fastest = self._n, moment.bounds.fastest
        hardest = moment.velocity / -max(braking_time(moment.velocity, self._acceleration), _SHORTEST)
        share = max(self._torque.share(moment.position, moment.velocity, hardest), self._braking)
        slower = braked(moment.velocity, share * self._acceleration, moment.elapsed)
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
        speed, ways, joints = self._speeds_both * scale, _both(velocity), fastest[: 2 * n]
        if (ways > speed).any():  # tightened in motion: brake to it, along the path
            speed = np.maximum(speed, np.abs(_both(braked(velocity, self._acceleration, elapsed))))
        reachable = fastest_reachable(ways, self._deceleration[: 2 * n], elapsed, self._period)
        np.minimum(joints, speed, out=joints)
        np.minimum(joints, reachable, out=joints)
        np.maximum(joints, -reachable.take(self._other_way), out=joints)
        self._collisions.place(position)
        self._torque.place(position)
        bounds = Bounds(fastest, self._speeds(jacobian, scale), self._collisions.approach, self._collisions.fastest)
        return _Moment(position, velocity, elapsed, reachable, bounds, pose.position, jacobian)

    def _speeds(self, jacobian: FloatArray, scale: float) -> tuple[SpeedLimit, ...]:
        """The speed limits of points of the arm, now."""
        tool = SpeedLimit(Limit.TOOL_SPEED, jacobian[:3], self._tool_speed * scale)
        turn = SpeedLimit(Limit.TOOL_TURN_RATE, jacobian[3:], self._turn_rate * scale)
        if self._elbow is None:
            return tool, turn
        return tool, turn, SpeedLimit(Limit.ELBOW_SPEED, self._kinematics.elbow_jacobian(), self._elbow.speed * scale)

    def _slowed(self, wanted: FloatArray, moment: _Moment, scale: float) -> tuple[FloatArray, tuple[Limit, ...]]:
        """`wanted`, as a whole slowed down to the speed limits of joints and tool; itself if it keeps them."""
        limits: tuple[Limit, ...] = ()
        excess = float((np.abs(wanted) / self._speed).max()) / scale
        if excess > 1.0:
            limits = (Limit.JOINT_SPEED,)
            wanted = wanted / excess
        shares = [speed.share(wanted) for speed in moment.bounds.speeds]
        if (most := max(shares)) > 1.0:
            limits = (*limits, moment.bounds.speeds[shares.index(most)].limit)
            wanted = wanted / most
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

    def _easing(self, target: FloatArray, moment: _Moment) -> float:
        """How much of the acceleration to `target` the joints can give, 0 … 1."""
        if moment.elapsed < _SHORTEST:
            return 1.0
        return self._torque.share(moment.position, moment.velocity, (target - moment.velocity) / moment.elapsed)

    def _eased(
        self, target: FloatArray, twist: FloatArray, limits: tuple[Limit, ...], moment: _Moment
    ) -> tuple[FloatArray, FloatArray, tuple[Limit, ...]]:
        """`target`, its twist and `limits`, after the torque limits."""
        share = self._easing(target, moment)
        if share == 1.0:
            return target, twist, limits
        target = moment.velocity + share * (target - moment.velocity)
        return target, moment.jacobian @ target, (*limits, Limit.TORQUE)

    def _broken(self, target: FloatArray, twist: FloatArray, moment: _Moment) -> tuple[Limit, ...]:
        """The limits that `target`, which is within reach, does not keep."""
        n = self._n
        limits: list[Limit] = []
        if not self._keeps(target, twist, moment):
            kept = self._ways <= moment.bounds.fastest
            if not kept[: 2 * n].all():
                limits.append(Limit.JOINT_POSITION)
            if not kept[2 * n :].all():
                limits.append(Limit.WORKSPACE)
        limits += [APPROACHES[kind] for kind in self._collisions.broken(target)]
        limits += [speed.limit for speed in moment.bounds.speeds if speed.share(target) > 1.0 + _ROUNDING]
        return tuple(limits)

    def _refusal(self, velocity: FloatArray, moment: _Moment, *, bears: bool = False) -> Limit | None:
        """What the arm could not keep with `velocity` (n,) [rad/s] or in braking from it; None if it keeps everything.

        It goes on for the hold time at most and then brakes along its direction. That is a straight path in joint
        space, and the path of every later braking is a part of it. `bears`: the joints can give the acceleration.
        """
        position, braking = moment.position, self._torque.braking(moment.position, velocity)
        if braking == 0.0 or not (bears or self._easing(velocity, moment) >= _BEARABLE):
            return Limit.TORQUE
        time = self._time = self._hold + 0.5 * braking_time(velocity, self._acceleration) / braking
        if braking < 1.0 and not self._is_within(position + velocity * time):
            return Limit.JOINT_POSITION
        if not self._guard.can_go(position, velocity * time, moment.tool, moment.jacobian):
            return Limit.WORKSPACE
        if not self._collisions.can_go(position, velocity, time):
            return APPROACHES[self._collisions.refused]
        self._braking = braking
        return None

    def _is_within(self, position: FloatArray) -> bool:
        return bool((position >= self._lower).all() and (position <= self._upper).all())

    def _certified(self, target: FloatArray, moment: _Moment, limits: tuple[Limit, ...]) -> Verdict:
        """The nearest velocity from which the arm can stop in time, or braking."""
        n, brake = self._n, self._braked(moment)
        answer = self._nearest.solve(target, moment.jacobian, moment.bounds)
        if answer is None:
            return _verdict(brake, *limits, Limit.NO_SAFE_MOTION)
        refusal = self._refusal(answer, moment)
        for _ in range(_CORRECTIONS):
            if refusal is None:
                break
            limits = (*limits, refusal)
            if refusal is Limit.WORKSPACE:
                moment.bounds.fastest[2 * n :] -= self._guard.excess / self._time
            elif refusal in APPROACHES.values():
                self._collisions.pull_back(self._time)
            else:
                break
            nearer = self._nearest.solve(target, moment.jacobian, moment.bounds)
            if nearer is None:
                break
            answer, refusal = nearer, self._refusal(nearer, moment)
        if refusal is None:
            return _verdict(answer, *limits)
        for fraction in _FRACTIONS:
            between = brake + fraction * (answer - brake)
            if self._refusal(between, moment) is None:
                return _verdict(between, *limits)
        return _verdict(brake, *limits, Limit.NO_SAFE_MOTION)


def _verdict(velocity: FloatArray, *limits: Limit) -> Verdict:
    """Each limit once."""
    return Verdict(velocity, tuple(dict.fromkeys(limits)))


def _both(values: FloatArray) -> FloatArray:
    """(2n,) of a velocity: down, then up."""
    return np.concatenate([-values, values])
