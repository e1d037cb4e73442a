"""Trials from a black box: what a real arm, or any other, did under the references that its driver tracked."""

from pathlib import Path
from typing import Final

import numpy as np

from reins.blackbox.reading import Series, read
from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.training.identify.fit import Pair
from reins.training.identify.trials import NOWHERE, Response, Trial

STILL: Final = 0.01
"""A joint that is slower stands [rad/s]: trials start at rest."""

SHORTEST: Final = 2.0
"""A shorter recording tells too little [s]."""

MOVED: Final = 0.05
"""As does one whose joints all move less [rad]."""


def recorded(path: Path, profile: RobotProfile) -> Pair:
    """The trial and the response in a black box file, from the first moment at which the arm stands.

    Raises:
        ReinsError: the file cannot be read, is of another robot, or shows no motion from standstill.
    """
    recording = read(path)
    n, period = len(profile.joints), 1.0 / profile.rates.command
    if not recording.position.values or len(recording.position.values[0]) != n:
        raise ReinsError(f"{path} has no states of '{profile.name}', which has {n} joints")
    velocity = recording.velocity.array(n)
    standing = np.flatnonzero(np.abs(velocity).max(axis=1) < STILL)
    if not standing.size:
        raise ReinsError(f"the arm never stands in {path}, and a trial starts at rest; record one that begins so")
    start, end = recording.position.sent[int(standing[0])], recording.position.sent[-1]
    if end - start < SHORTEST:
        raise ReinsError(f"{path} shows {end - start:.1f} s from standstill on; {SHORTEST:g} s is the least")
    grid = np.arange(start, end, period)
    reference = _at(grid, recording.reference, n)
    if np.ptp(reference, axis=0).max() < MOVED:
        raise ReinsError(f"no joint moves by {MOVED} rad in {path}: nothing can be identified from it")
    response = Response(_at(grid[1:], recording.position, n), _at(grid[1:], recording.velocity, n), np.zeros((0, 7)))
    return Trial(period, reference, NOWHERE), response


def _at(times: FloatArray, series: Series, n: int) -> FloatArray:
    """(t, n) values at these times, on straight lines between those that there are."""
    values, sent = series.array(n), np.array(series.sent)
    return np.stack([np.interp(times, sent, column) for column in values.T], axis=1)
