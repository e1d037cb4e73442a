"""Limits as small pure functions: plain arrays in and out, no state, no clock.

They look one way only: how fast may something go towards a limit. For the other way, negate position and velocity.

They are exact in discrete time. A velocity chosen now acts for some `elapsed` time of at most `hold` and may then be
braked by `acceleration * elapsed`; whatever `elapsed` turns out to be, what these functions allow can still stop in
time.
"""

import numpy as np

from reins.hardware.robot import FloatArray


def stopping_distance(speed: FloatArray, deceleration: FloatArray, hold: float) -> FloatArray:
    """How far something goes that keeps `speed` for `hold` and then brakes.

    Args:
        speed: (n,) [rad/s], ≥ 0.
        deceleration: (n,) braking it is allowed [rad/s²], > 0.
        hold: time until the brake acts [s].

    Returns:
        (n,) distance [rad].

    Source: d = v h + v² / 2a, uniform braking.
    """
    return speed * (hold + speed / (2.0 * deceleration))


def stopping_speed(distance: FloatArray, deceleration: FloatArray, hold: float) -> FloatArray:
    """Highest speed that may be kept for `hold` and still stops within `distance`.

    Braking by `deceleration * elapsed` at every later command keeps within what this allows there, for any elapsed time
    up to `hold`: so what obeys it once can obey it for ever.

    Args:
        distance: (n,) room left to the limit [rad]; negative once past it.
        deceleration: (n,) braking it is allowed [rad/s²], > 0.
        hold: longest time until the next command [s], > 0.

    Returns:
        (n,) speed [rad/s]; 0 at and past the limit.

    Source: the positive root of `stopping_distance(v) = d`, written so that nothing cancels near d = 0.
    """
    room = np.maximum(distance, 0.0)
    return (2.0 * room) / (hold + np.sqrt(hold * hold + (2.0 * room) / deceleration))


def fastest_reachable(velocity: FloatArray, acceleration: FloatArray, elapsed: float, period: float) -> FloatArray:
    """The highest velocity that the acceleration limits let come next.

    After a gap longer than a period (a state or a tick was late) a joint may brake by as much as the whole gap allows,
    so that it stops where it would have, but speeds up by one period's worth only.

    Args:
        velocity: (n,) velocity until now [rad/s].
        acceleration: (n,) acceleration limits [rad/s²].
        elapsed: time that `velocity` has acted [s].
        period: control period [s].

    Returns:
        (n,) velocity [rad/s]. The lowest is `-fastest_reachable(-velocity, …)`.
    """
    gaining = np.maximum(velocity + acceleration * min(elapsed, period), 0.0)
    return np.minimum(velocity + acceleration * elapsed, gaining)


def jerk_limited(acceleration: FloatArray, jerk: FloatArray, period: float) -> FloatArray:
    """The largest acceleration that can be used freely without ever breaking a jerk limit.

    From one control period to the next the acceleration may change from one end of its range to the other. Held to half
    of what the jerk limit lets it change by, it may, and so the arm can always brake at once, as hard as it may.

    Args:
        acceleration: (n,) acceleration limits [rad/s²].
        jerk: (n,) jerk limits [rad/s³].
        period: control period [s].

    Returns:
        (n,) acceleration [rad/s²].
    """
    return np.minimum(acceleration, 0.5 * jerk * period)


def affordable(least: FloatArray, most: FloatArray, limit: FloatArray) -> float:
    """How far from `least` towards `most` one can go within a limit, 0 … 1.

    Args:
        least, most: (n,) values at both ends, e.g. torques without and with an acceleration [N·m].
        limit: (n,) largest absolute value, ≥ 0.

    Returns:
        The largest share s in 0 … 1 for which |least + s (most - least)| ≤ limit; 0 where `least` is beyond it, and
        where one of them is not a number.
    """
    if not (np.abs(least) <= limit).all() or np.isnan(most).any():  # NaN of `least` included
        return 0.0
    change = most - least
    size, room = np.abs(change), np.where(change > 0.0, limit - least, limit + least)
    return float(np.divide(room, size, out=np.ones_like(room), where=size > room).min())


def braking_time(velocity: FloatArray, acceleration: FloatArray) -> float:
    """How long it takes until every joint stands, each braking as hard as it may [s]."""
    return float((np.abs(velocity) / acceleration).max())


def braked(velocity: FloatArray, acceleration: FloatArray, elapsed: float) -> FloatArray:
    """`velocity` (n,) [rad/s] after braking for `elapsed` [s] along its own direction: the arm stays on its path.

    The joint that takes longest brakes at its limit and the others in proportion, so that it ends as soon as if each
    braked alone.
    """
    total = braking_time(velocity, acceleration)
    if elapsed >= total:
        return np.zeros_like(velocity)
    return velocity * (1.0 - elapsed / total)


def ramped(velocity: FloatArray, wanted: FloatArray, lowest: FloatArray, highest: FloatArray) -> FloatArray:
    """As far from `velocity` towards `wanted` as the acceleration limits let it come, all joints in proportion.

    The tool's motion changes straight from one to the other; joint by joint it would swerve on the way.

    Args:
        velocity: (n,) velocity until now [rad/s].
        wanted: (n,) velocity to come to [rad/s].
        lowest, highest: (n,) what is reachable, on both sides of `velocity` [rad/s].

    Returns:
        (n,) velocity [rad/s].
    """
    change = wanted - velocity
    size = np.abs(change)
    room = np.where(change > 0.0, highest - velocity, velocity - lowest)
    share = float(np.divide(room, size, out=np.ones_like(room), where=size > room).min())
    return np.minimum(np.maximum(velocity + share * change, lowest), highest)
