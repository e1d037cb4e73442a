"""The fit: factors under which an engine's arm does what the recorded one did."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.optimize import least_squares
from scipy.sparse import csr_matrix

from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.sim.matching import Matching, nominal
from reins.training.identify.trials import Matchable, Response, Trial, respond

RANGE: Final = (0.2, 5.0)
"""Factors that are tried."""

LOOK_AHEAD: Final = 0.02
"""A velocity error counts as the position error that it makes in this time [s]."""

NOISE: Final = 1e-4
"""What no factor explains of a position [rad]: two engines, or an engine and an arm, never agree better."""

CORRELATED: Final = 10
"""Samples over which that is the same: friction sticks for about a tenth of a second."""

SPREAD: Final = 0.25
"""Standard deviation of the binary logarithm of a factor, before anything is measured: what no trial excites stays
nominal."""

DIFFERENCE: Final = 0.05
"""Change of a factor by which its effect is measured."""

SURFACES: Final = (0.5, 1.2)
"""Factors of the surface's friction that are tried; with a coefficient of friction of 1 the block tips over."""

TRIES: Final = 9
"""How many of them."""

Pair = tuple[Trial, Response]


@dataclass(frozen=True, slots=True, eq=False)
class Errors:
    """How far an engine is from what was recorded, root mean square.

    Attributes:
        position, velocity: (n,) of the joints [rad, rad/s].
        block: of where the block ends on the table [m]; NaN where nobody saw it.
    """

    position: FloatArray
    velocity: FloatArray
    block: float


def errors(physics: Matchable, pairs: Sequence[Pair]) -> Errors:
    """How far the engine, as it is now, is from the recorded responses."""
    found = [(respond(physics, trial), response) for trial, response in pairs]
    blocks = [a.block[-1:, :2] - b.block[-1:, :2] for a, b in found if len(a.block) == len(b.block)]
    return Errors(
        position=_rms(np.concatenate([a.position - b.position for a, b in found])),
        velocity=_rms(np.concatenate([a.velocity - b.velocity for a, b in found])),
        block=float(_rms(np.concatenate(blocks).reshape(-1))) if blocks else float("nan"),
    )


def fit_drives(
    physics: Matchable,
    profile: RobotProfile,
    engine: str,
    pairs: Sequence[Pair],
    on_step: Callable[[float], None] = lambda _rms: None,
) -> Matching:
    """Stiffness, damping and friction of every joint's drive, by nonlinear least squares over positions and velocities.

    Each joint's own factors are fitted to its own motion: that a drive also disturbs its neighbours is left out of the
    slope, and so three trials give all of it, whatever the number of joints. The most probable factors are looked for,
    given `NOISE` and `SPREAD`.

    Args:
        physics: what is fitted; left with the factors found.
        profile, engine: whose.
        pairs: trials and what was recorded in them.
        on_step: told the root mean square position error [rad] of everything that is tried.
    """
    n = len(profile.joints)
    begin = nominal(profile, engine)

    def residuals(factors: FloatArray) -> FloatArray:
        physics.match(_with(begin, factors))
        parts = []
        for trial, response in pairs:
            answer = respond(physics, trial)
            parts += [answer.position - response.position, LOOK_AHEAD * (answer.velocity - response.velocity)]
        off = np.concatenate(parts)
        on_step(float(np.sqrt(np.mean(np.concatenate(parts[::2]) ** 2))))
        return np.append(off.ravel() / (NOISE * np.sqrt(CORRELATED)), np.log2(factors) / SPREAD)

    samples = 2 * sum(len(response.position) for _, response in pairs)
    own = np.tile(np.eye(n), (1, 3))
    pattern = csr_matrix(np.concatenate([np.tile(own, (samples, 1)), np.eye(3 * n)]))
    found = least_squares(
        residuals,
        np.ones(3 * n),
        jac_sparsity=pattern,
        bounds=RANGE,
        diff_step=DIFFERENCE,
        x_scale=0.3,
        ftol=1e-3,
        xtol=1e-3,
        max_nfev=15,
    )
    matching = _with(begin, found.x)
    physics.match(matching)
    return matching


def fit_surface(physics: Matchable, matching: Matching, pairs: Sequence[Pair]) -> Matching:
    """The surface's friction, so that a thrown block slides as far.

    Args:
        physics: what is fitted; left with what was found.
        matching: the drives.
        pairs: slides, and what was recorded in them.

    Source: a block of speed v slides by v² / (2 μ g): a straight line over 1 / μ for each slide.
    """
    inverse = np.linspace(1.0 / SURFACES[1], 1.0 / SURFACES[0], TRIES)
    ends = np.zeros((TRIES, len(pairs)))
    for row, factor in enumerate((1.0 / inverse).tolist()):
        physics.match(matching.model_copy(update={"surface": factor}))
        ends[row] = [_end(respond(physics, trial)) for trial, _ in pairs]
    slope, offset = np.polyfit(inverse, ends, 1)
    missing = np.array([_end(response) for _, response in pairs]) - offset
    best = float(np.clip((slope @ missing) / (slope @ slope), inverse[0], inverse[-1]))
    result = matching.model_copy(update={"surface": round(1.0 / best, 3)})
    physics.match(result)
    return result


def _with(matching: Matching, factors: FloatArray) -> Matching:
    stiffness, damping, friction = (tuple(row) for row in factors.reshape(3, -1).round(4).tolist())
    return matching.model_copy(update={"stiffness": stiffness, "damping": damping, "friction": friction})


def _end(response: Response) -> float:
    """Where the block ends in x [m]."""
    return float(response.block[-1, 0])


def _rms(values: FloatArray) -> FloatArray:
    result: FloatArray = np.sqrt(np.mean(values**2, axis=0))
    return result
