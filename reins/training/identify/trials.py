"""The trials: joint trajectories that excite what is to be identified, and what an arm does under them."""

from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.sim.matching import Matching
from reins.sim.physics import Physics
from reins.sim.world import WorldSpec, load_world

WAVES: Final = 4
"""Sines that are added up for each joint."""

BAND: Final = (0.2, 2.0)
"""Their frequencies [Hz]: skills move within it."""

SHARE: Final = 0.5
"""Largest speed and acceleration of the waves together, as a share of the joint's limits."""

CLEAR: Final = 0.05
"""How far they stay from the joints' limits [rad]."""

FADE: Final = 1.0
"""Time in which the waves rise from nothing [s]."""

BLOCK: Final = "red_block"
"""What slides."""

ASIDE: Final = np.array([0.3, 0.45, 0.02, 1.0, 0.0, 0.0, 0.0])
"""Pose of a block that is in nobody's way."""

SLIDE: Final = 1.0
"""Time in which a thrown block comes to rest [s]."""

NOWHERE: Final = np.zeros(3)
"""Velocity of a block that is not thrown [m/s]."""


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """What the joints are told, from standstill at the first reference.

    Attributes:
        period: time between two references [s]; they are joined by straight lines.
        reference: (m, n) [rad].
        thrown: (3,) velocity that the block starts with [m/s].
    """

    period: float
    reference: FloatArray
    thrown: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Response:
    """What an arm did in a trial, one row for each reference but the first.

    Attributes:
        position, velocity: (m - 1, n) measured joints [rad, rad/s].
        block: (m - 1, 7) pose of the block; no rows where nobody saw it.
    """

    position: FloatArray
    velocity: FloatArray
    block: FloatArray


class Matchable(Physics, Protocol):
    """An engine whose drives and friction can be changed, and whose objects can be thrown."""

    def match(self, matching: Matching) -> None:
        """Have these factors from the next `begin` on."""

    def throw(self, name: str, velocity: FloatArray) -> None:
        """Give an object this velocity (3,) [m/s], base frame."""


def trial_world() -> WorldSpec:
    """The tabletop with nothing on it but one block."""
    tabletop = load_world("tabletop").model_dump()
    block = {"label": "block", "colour": "red", "size": (0.04, 0.04, 0.04)}
    return WorldSpec.model_validate(tabletop | {"name": "trials", "objects": [block], "goal": []})


def waves(profile: RobotProfile, seconds: float, seed: int) -> Trial:
    """All joints at once, each by a sum of sines around the home pose, well within its limits.

    Source: multisine excitation, e.g. Swevers et al., "Optimal robot excitation and identification", 1997.
    """
    random = np.random.default_rng(seed)
    period, n = 1.0 / profile.rates.command, len(profile.joints)
    turn = 2.0 * np.pi * random.uniform(*BAND, (WAVES, n))
    phase = random.uniform(0.0, 2.0 * np.pi, (WAVES, n))
    amplitude = SHARE / WAVES * np.minimum(profile.velocity / turn, profile.acceleration / turn**2)
    time = np.arange(round(seconds / period) + 1)[:, None, None] * period
    swing = (amplitude * (np.sin(turn * time + phase) - np.sin(phase))).sum(axis=1)
    room = np.minimum(profile.home - profile.lower, profile.upper - profile.home) - CLEAR
    swing *= np.minimum(1.0, room / np.abs(swing).max(axis=0))
    risen = 0.5 - 0.5 * np.cos(np.pi * np.minimum(time[:, 0] / FADE, 1.0))
    reference = profile.home + risen * swing
    return Trial(period, reference, NOWHERE)


def slide(profile: RobotProfile, speed: float) -> Trial:
    """The arm stands, and a block slides over the table, away from it and from `speed` [m/s] to rest."""
    period = 1.0 / profile.rates.command
    reference = np.tile(profile.home, (round(SLIDE / period) + 1, 1))
    return Trial(period, reference, np.array([speed, 0.0, 0.0]))


def respond(physics: Matchable, trial: Trial) -> Response:
    """What the arm of an engine, and the block, do in a trial.

    Args:
        physics: of `trial_world`.
        trial: what to do.
    """
    physics.begin({BLOCK: ASIDE}, trial.reference[0])
    physics.throw(BLOCK, trial.thrown)
    joints, steps = physics.joints, round(trial.period / physics.timestep)
    rows, block = [], []
    for now, then in zip(trial.reference[:-1], trial.reference[1:], strict=True):
        joints.reference[:] = now
        joints.speeds[:] = (then - now) / trial.period
        physics.advance(steps)
        rows.append(np.array([joints.position, joints.velocity]))
        block.append(np.array(physics.objects[BLOCK]))
    measured = np.array(rows)
    return Response(measured[:, 0], measured[:, 1], np.array(block))
