"""Limits as small pure functions: plain arrays in and out, no state, no clock.

They are exact in discrete time. A velocity chosen now acts for some `elapsed` time of at most `hold` and is then
changed by at most `acceleration * elapsed`; whatever `elapsed` turns out to be, what these functions allow can still
stop in time.
"""

import numpy as np

from reins.hardware.robot import FloatArray


def stopping_distance(speed: FloatArray, deceleration: FloatArray, hold: float) -> FloatArray:
    """How far a joint goes that keeps `speed` for `hold` and then brakes.

    Args:
        speed: (n,) speed [rad/s], ≥ 0.
        deceleration: (n,) braking it is allowed [rad/s²], > 0.
        hold: time until the brake acts [s].

    Returns:
        (n,) distance [rad].

    Source: d = v h + v² / 2a, uniform braking.
    """
    return speed * (hold + speed / (2.0 * deceleration))


def stopping_speed(distance: FloatArray, deceleration: FloatArray, hold: float) -> FloatArray:
    """Highest speed that a joint may keep for `hold` and still stop within `distance`.

    Braking by `deceleration * elapsed` at every later command keeps within what this allows there, for any elapsed time
    up to `2 * hold`: so a reference that obeys it once can obey it for ever.

    Args:
        distance: (n,) room left to the limit [rad]; negative once past it.
        deceleration: (n,) braking the joint is allowed [rad/s²], > 0.
        hold: longest time until the next command [s], > 0.

    Returns:
        (n,) speed [rad/s]; 0 at and past the limit.

    Source: the positive root of `stopping_distance(v) = d`, written so that nothing cancels near d = 0.
    """
    room = np.maximum(distance, 0.0)
    return 2.0 * room / (hold + np.sqrt(hold * hold + 2.0 * room / deceleration))


def reachable(
    velocity: FloatArray, acceleration: FloatArray, elapsed: float, period: float
) -> tuple[FloatArray, FloatArray]:
    """The joint velocities that the acceleration limit lets come next.

    After a gap longer than a period (a state or a tick was late) a joint may brake by as much as the whole gap allows,
    so that it stops where it would have, but speeds up by one period's worth only.

    Args:
        velocity: (n,) velocity until now [rad/s].
        acceleration: (n,) acceleration limits [rad/s²].
        elapsed: time that `velocity` has acted [s].
        period: control period [s].

    Returns:
        Lowest and highest velocity, (n,) each [rad/s].
    """
    braking = acceleration * elapsed
    gaining = acceleration * min(elapsed, period)
    low = np.maximum(velocity - braking, np.minimum(velocity - gaining, 0.0))
    high = np.minimum(velocity + braking, np.maximum(velocity + gaining, 0.0))
    return low, high


def velocity_interval(
    position: FloatArray,
    reach: tuple[FloatArray, FloatArray],
    *,
    lower: FloatArray,
    upper: FloatArray,
    speed: FloatArray,
    acceleration: FloatArray,
    hold: float,
) -> tuple[FloatArray, FloatArray]:
    """The joint velocities that are allowed next.

    Never empty: where the speed or position limit asks for harder braking than the acceleration limit allows (a limit
    was tightened, or the arm starts outside), it is the hardest braking that is allowed.

    Args:
        position: (n,) reference now [rad].
        reach: what `reachable` says, (n,) lowest and highest [rad/s].
        lower, upper: (n,) position limits [rad].
        speed: (n,) speed limits [rad/s].
        acceleration: (n,) acceleration limits [rad/s²].
        hold: longest time until the next command [s].

    Returns:
        Lowest and highest velocity, (n,) each [rad/s].
    """
    slowest, fastest = reach
    low = np.maximum(-speed, -stopping_speed(position - lower, acceleration, hold))
    high = np.minimum(speed, stopping_speed(upper - position, acceleration, hold))
    return np.minimum(np.maximum(low, slowest), fastest), np.maximum(np.minimum(high, fastest), slowest)


def braking_time(velocity: FloatArray, acceleration: FloatArray) -> float:
    """How long it takes until every joint stands, each braking as hard as it may [s]."""
    return float(np.max(np.abs(velocity) / acceleration))


def braked(velocity: FloatArray, acceleration: FloatArray, elapsed: float) -> FloatArray:
    """`velocity` (n,) [rad/s] after braking for `elapsed` [s] along its own direction, so that the arm stays on its
    path.

    The joint that takes longest brakes at its limit and the others in proportion: it ends as soon as if each braked
    alone.
    """
    total = braking_time(velocity, acceleration)
    if elapsed >= total:
        return np.zeros_like(velocity)
    return velocity * (1.0 - elapsed / total)
