"""Speed and separation for a robot that walks: the rule of `separation.py`, with its own braking."""

from collections.abc import Sequence

import numpy as np

from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.safety.legged.keep_outs import KeepOut, Regions
from reins.safety.separation import Separation
from reins.safety.settings import SafetySettings


def top_speed(profile: QuadrupedProfile) -> float:
    """Fastest speed of the body over the ground [m/s], in its fastest direction."""
    limits = profile.body.velocity
    return max(limits.forward, limits.backward, limits.sideways)


def separation_of(profile: QuadrupedProfile, settings: SafetySettings) -> Separation:
    """The monitor's rule for this body: it reacts later by its response, and brakes with its own deceleration.

    Raises:
        ReinsError: the slow distance is not greater than the stop distance.
    """
    rule, body = Separation.of(settings), profile.body
    return Separation(
        rule.stop_distance,
        rule.slow_distance,
        rule.reaction + body.response,
        rule.human_speed,
        min(body.acceleration.along, body.acceleration.sideways),
    )


def nearest_person(place: FloatArray, people: Sequence[KeepOut], footprint: float) -> float:
    """Distance between people and a robot's footprint, for `HumanDistance`.

    Args:
        place: (2,) of the base [m].
        people: where they are, without margins.
        footprint: radius of the robot [m].

    Returns:
        The distance [m], negative where they overlap; inf without people.
    """
    if not people:
        return np.inf
    return float(Regions(people, footprint).distances(place[None, None]).min())
