"""The filter of a legged robot: the closest safe body velocity to the one that was asked for, and whether to sit.

How it decides, cheapest first:
1. What speaks against walking (`hazards.py`) brakes the robot and then sits it down, until a reset. One that still lies
   on its side or back after the reset is let turn over, but not stand.
2. A velocity within the speed and acceleration limits, from which the robot can stop before every keep-out, passes
   unchanged, bit for bit.
3. One that is only too fast, or too much of a change, is slowed down as a whole.
4. Otherwise a small QP finds the nearest velocity with which the robot approaches each keep-out no faster than it can
   brake: it slides along a keep-out instead of freezing at it.
5. Each answer carries a certificate: keeping it for the hold time and then braking, the robot stays on one arc, and no
   point of that arc is in a keep-out (or, where the robot is inside already, deeper than it is). Every later braking
   stays on that arc, so a certificate stays valid until the next answer.
6. Where nothing else is left it brakes, within the acceleration limits.

The body follows a commanded velocity late, with a time constant r. From a body at p with velocity v, the place p + r v
moves exactly as commanded, and the body comes to rest there; so keep-outs are judged from that place.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reins.hardware.legged import BodyCommand, LeggedState, Posture
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.safety.legged.arc import Arc
from reins.safety.legged.hazards import HazardFinder, faults_of
from reins.safety.legged.keep_outs import KeepOut, Regions
from reins.safety.legged.limits import deceleration_along, speed_use, yaw_of
from reins.safety.legged.settings import LeggedSettings
from reins.safety.legged.stance import Stance
from reins.safety.legged.verdict import BodyVerdict
from reins.safety.limits import braked, braking_time, fastest_reachable, ramped, stopping_speed
from reins.safety.nearest import Bounds, NearestVelocity, SpeedLimit
from reins.safety.verdict import Limit

ROWS: Final = 8
"""Keep-outs that the QP knows of, the nearest first; the certificate knows all."""

_FREE: Final = 1e30
"""A speed that limits nothing [m/s]."""

_ROUNDING: Final = 1e-9
"""What is no difference between distances [m] and between shares of a speed limit."""

_CORRECTIONS: Final = 3
"""How often the QP is asked for a slower approach before its answer is shortened instead."""

_FRACTIONS: Final = (0.5, 0.25, 0.1)
"""Shares of the way from braking to the QP's answer that are tried when that answer has no certificate."""

_TWIST: Final = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 1]], dtype=np.float64)
"""(6, 3) Jacobian of the body's twist, linear rows first."""


@dataclass(frozen=True, slots=True, eq=False)
class _Moment:
    """What a velocity is judged by, now.

    Attributes:
        place: (2,) from where the body moves exactly as commanded [m].
        yaw: heading of the body [rad].
        brake: (3,) the velocity that brakes hardest along the path [m/s, m/s, rad/s].
        allowed: share of the speed limits that the answer may use.
        distances: (k,) of the robot from each keep-out [m].
    """

    place: FloatArray
    yaw: float
    brake: FloatArray
    allowed: float
    distances: FloatArray


class LeggedFilter:
    """Filters body velocities of one robot. Holds scratch memory: one instance per thread.

    Args:
        profile: the robot's limits.
        settings: the filter's own.
    """

    def __init__(self, profile: QuadrupedProfile, settings: LeggedSettings) -> None:
        self._hold, self._period = profile.rates.stale_after, 1.0 / profile.rates.command
        self._speed, self._acceleration = profile.body.velocity, profile.acceleration
        self._response = profile.body.response
        self._hazards = HazardFinder(profile, settings)
        self._stance = Stance(profile.body.stand_up)
        self._footprint = profile.body.footprint + settings.walking_margin
        self._regions = Regions((), self._footprint)
        self._nearest = NearestVelocity(3, ROWS)
        self._faults: Mapping[tuple[str, str], str] = {}
        self._lies_tilted = False

    @property
    def faults(self) -> Mapping[tuple[str, str], str]:
        """What speaks against walking in the newest state: (kind, who) → one sentence, as `FaultFinder` has it."""
        return self._faults

    @property
    def grounded(self) -> str:
        """Why the robot has to sit since the last reset; empty if it need not."""
        return "; ".join(self._stance.grounded.values())

    def surround(self, keep_outs: Sequence[KeepOut]) -> None:
        """From now on keep the footprint, and `walking_margin` around it, out of these."""
        self._regions = Regions(keep_outs, self._footprint)

    def reset(self) -> None:
        """The robot may stand up again, unless what speaks against it is still so."""
        self._stance.reset()

    def see(self, state: LeggedState) -> None:
        """A new measured state, which passed `check_legged_state`: is all well?"""
        found = dict(self._hazards.find(state, self._stance.is_up(state.stamp)))
        self._lies_tilted = Limit.TILT in found
        if self._stance.has_settled(state, self._lies_tilted):
            found.pop(Limit.TILT, None)
        self._faults = faults_of(found)
        self._stance.ground(found)

    def step(
        self, state: LeggedState, velocity: FloatArray, wanted: BodyCommand, elapsed: float, scale: float = 1.0
    ) -> BodyVerdict:
        """The closest safe command to `wanted`, to act from now on.

        Args:
            state: the newest measured one.
            velocity: (3,) that was let through last, and acts until now [m/s, m/s, rad/s].
            wanted: what the source asks for; it passed the gate.
            elapsed: how long `velocity` has acted [s].
            scale: share of the speed limits that is allowed, 0 < scale ≤ 1: the operator's, and what people leave.
        """
        self.see(state)
        if self._stance.grounded:
            return self._rest(velocity, elapsed, state.stamp, tuple(self._stance.grounded))
        if wanted.posture is not Posture.STAND:
            changed = (Limit.BODY_ACCELERATION,) if velocity.any() else ()
            limits = changed or _if(wanted.velocity.any(), Limit.POSTURE)
            return self._rest(velocity, elapsed, state.stamp, limits, wanted.posture)
        if self._lies_tilted:
            return self._rest(velocity, elapsed, state.stamp, (Limit.TILT,))
        self._stance.take(Posture.STAND, state.stamp)
        if not self._stance.is_up(state.stamp):
            slower = braked(velocity, self._acceleration, elapsed)
            return BodyVerdict(slower, Posture.STAND, _if(wanted.velocity.any(), Limit.POSTURE))
        answer, limits = self._filter(state, velocity, wanted.velocity, elapsed, scale)
        return BodyVerdict(answer, Posture.STAND, tuple(dict.fromkeys(limits)))

    def brake(self, state: LeggedState, velocity: FloatArray, elapsed: float, *, sit: bool = False) -> BodyVerdict:
        """What brakes hardest along the path; then it stands, or sits if it has to or `sit` asks for it. Nobody is left
        turning over. Arguments as in `step`."""
        self.see(state)
        if sit or self._stance.grounded or self._stance.posture is Posture.RECOVER:
            return self._rest(velocity, elapsed, state.stamp, tuple(self._stance.grounded))
        return BodyVerdict(braked(velocity, self._acceleration, elapsed), self._stance.posture)

    def _rest(
        self,
        velocity: FloatArray,
        elapsed: float,
        now: float,
        limits: tuple[Limit, ...],
        posture: Posture = Posture.SIT,
    ) -> BodyVerdict:
        """Brake; once standing still, sit, or turn over."""
        slower = braked(velocity, self._acceleration, elapsed)
        if not velocity.any():
            self._stance.take(posture, now)
        return BodyVerdict(slower, self._stance.posture, limits)

    def _filter(
        self, state: LeggedState, velocity: FloatArray, wanted: FloatArray, elapsed: float, scale: float
    ) -> tuple[FloatArray, tuple[Limit, ...]]:
        """The closest safe velocity to `wanted` of a robot that may walk, and why it differs."""
        if not np.isfinite(wanted).all():  # the gate refuses it; of what is no number no comparison here would hold
            return braked(velocity, self._acceleration, elapsed), (Limit.NO_SAFE_MOTION,)
        if not wanted.any() and not velocity.any():
            return wanted, ()
        target, limits, allowed = self._slowed(state, wanted, scale)
        reachable = fastest_reachable(_both(velocity), np.tile(self._acceleration, 2), elapsed, self._period)
        if (_both(target) > reachable).any():
            target = ramped(velocity, target, -reachable[:3], reachable[3:])
            limits = (*limits, Limit.BODY_ACCELERATION)
        moment = self._look(state, braked(velocity, self._acceleration, elapsed), allowed)
        too_near, too_fast = self._deficit(target, moment).any(), self._is_too_fast(target, moment)
        if not (too_near or too_fast):
            return target, limits
        limits = (*limits, Limit.KEEP_OUT if too_near else Limit.BODY_SPEED)
        answer = self._nearest_safe(target, reachable, moment)
        return (moment.brake, (*limits, Limit.NO_SAFE_MOTION)) if answer is None else (answer, limits)

    def _slowed(
        self, state: LeggedState, wanted: FloatArray, scale: float
    ) -> tuple[FloatArray, tuple[Limit, ...], float]:
        """`wanted`, as a whole slowed down to the speed limits; why; and the share of them that is allowed."""
        limit, share = min(self._hazards.shares(state), key=lambda entry: entry[1])
        allowed, use = share * scale, speed_use(wanted, self._speed)
        if use <= allowed:
            return wanted, (), allowed
        return wanted * (allowed / use), (limit if use <= scale else Limit.BODY_SPEED,), allowed

    def _look(self, state: LeggedState, brake: FloatArray, allowed: float) -> _Moment:
        """Place and limits of this moment. Where the speed limit was tightened in motion, and asks for harder braking
        than the acceleration limits allow, that hardest braking is allowed."""
        yaw = yaw_of(state.odometry.orientation)
        ahead = self._response * _turned(state.odometry.linear[:2], yaw)
        place = state.odometry.position[:2] + ahead
        distances = self._regions.distances(place[None, None])[:, 0]
        return _Moment(place, yaw, brake, max(allowed, speed_use(brake, self._speed)), distances)

    def _is_too_fast(self, velocity: FloatArray, moment: _Moment) -> bool:
        return speed_use(velocity, self._speed) > moment.allowed + _ROUNDING

    def _deficit(self, velocity: FloatArray, moment: _Moment) -> FloatArray:
        """(k,) how much too fast `velocity`, kept for the hold time and then braked, goes towards each keep-out [m/s];
        0 where it keeps out of it, or where the robot was in it already, comes no deeper."""
        time = self._hold + 0.5 * braking_time(velocity, self._acceleration)
        arc = Arc(moment.place, _turned(velocity[:2], moment.yaw), float(velocity[2]), time)
        if (moment.distances > arc.length).all():
            return np.zeros_like(moment.distances)
        lacking = np.minimum(moment.distances, 0.0) - arc.clearance(self._regions)
        return np.where(lacking > _ROUNDING, lacking / time, 0.0)

    def _is_safe(self, velocity: FloatArray, moment: _Moment) -> bool:
        return not (self._is_too_fast(velocity, moment) or self._deficit(velocity, moment).any())

    def _nearest_safe(self, target: FloatArray, reachable: FloatArray, moment: _Moment) -> FloatArray | None:
        """The nearest velocity to `target` with a certificate; None if none is found.

        Args:
            target: (3,) what would be best.
            reachable: (6,) highest velocity that the acceleration limits allow, down and then up.
            moment: by which it is judged.
        """
        nearest = np.argsort(moment.distances)[:ROWS]
        bounds = self._bounds(target, reachable, nearest, moment)
        answer = self._nearest.solve(target, _TWIST, bounds)
        if answer is None:
            return None
        for _ in range(_CORRECTIONS):
            deficit = self._deficit(answer, moment)
            if not deficit.any():
                break
            bounds.closing[: len(nearest)] -= deficit[nearest]
            slower = self._nearest.solve(target, _TWIST, bounds)
            if slower is None:
                break
            answer = slower
        ways = [moment.brake + fraction * (answer - moment.brake) for fraction in _FRACTIONS]
        return next((way for way in (answer, *ways) if self._is_safe(way, moment)), None)

    def _bounds(self, target: FloatArray, reachable: FloatArray, nearest: NDArray[np.intp], moment: _Moment) -> Bounds:
        """The QP's bounds: acceleration, speed, and how fast the robot may approach the nearest keep-outs."""
        speed, fastest = self._speed, np.full(12, _FREE)
        down, up = (speed.backward, speed.sideways, speed.turn), (speed.forward, speed.sideways, speed.turn)
        within = np.minimum(moment.allowed * np.array([*down, *up]), reachable)
        fastest[:6] = np.maximum(within, -np.roll(reachable, 3))
        farthest = speed.forward if target[0] >= 0.0 else speed.backward
        ellipse = np.diag([1.0 / farthest, 1.0 / speed.sideways, 0.0])
        approach, closing = np.zeros((ROWS, 3)), np.full(ROWS, _FREE)
        into = _turned(self._regions.towards(moment.place)[nearest], -moment.yaw)
        approach[: len(nearest), :2] = into
        braking = deceleration_along(into, self._acceleration)
        closing[: len(nearest)] = stopping_speed(moment.distances[nearest], braking, self._hold)
        return Bounds(fastest, (SpeedLimit(Limit.BODY_SPEED, ellipse, moment.allowed),), approach, closing)


def _both(values: FloatArray) -> FloatArray:
    """(6,) of a velocity: down, then up."""
    return np.concatenate([-values, values])


def _turned(vectors: FloatArray, angle: float) -> FloatArray:
    """(…, 2) vectors turned by `angle` [rad]."""
    cos, sin = np.cos(angle), np.sin(angle)
    x, y = vectors[..., 0], vectors[..., 1]
    return np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)


def _if(condition: bool | np.bool_, limit: Limit) -> tuple[Limit, ...]:
    return (limit,) if condition else ()
