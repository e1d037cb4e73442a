"""How long a setpoint takes until it is in use at a peer's controller: small steps, and when the peer sees each."""

import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from reins.hardware.robot import FloatArray

STEP: Final = 0.001
"""Of the first joint, there and back [rad]."""

STEPS: Final = 40
"""How often."""

PERIODS: Final = 5
"""Setpoints between two steps."""

DRIFT: Final = 0.37e-3
"""By this much more is waited before each step, so that no step keeps its place in the controller's cycle [s]."""

BEFORE: Final = 0.02
"""What was in use before a step is looked at for this long [s]."""

AFTER: Final = 0.04
"""A step that is not in use after this long is none [s]."""


def first_use(times: FloatArray, values: FloatArray, stepped: float) -> float | None:
    """How long after a step what is in use followed it: when half of the largest change was there.

    Args:
        times: (m,) of the controller's cycles [s].
        values: (m,) what was in use then: a position, or the torque that a position leads to.
        stepped: when the setpoint was given [s].

    Returns:
        Time [s]; None where nothing changed, or where nothing is known of the time before.
    """
    earlier = (times >= stepped - BEFORE) & (times < stepped)
    later = (times >= stepped) & (times < stepped + AFTER)
    if not (earlier.any() and later.any()):
        return None
    noise = float(np.ptp(values[earlier]))
    change = np.abs(values[later] - values[earlier][-1])
    if change.max() <= 2.0 * noise:
        return None
    return float(times[later][int(np.argmax(change >= 0.5 * change.max()))] - stepped)


def probe_use(
    peer: Any, send: Callable[[FloatArray, FloatArray], None], start: FloatArray, period: float
) -> list[float]:
    """Step to and fro; how long each step took until it was in use [s].

    Args:
        peer: of the robot; on this machine, for its clock is the same.
        send: gives a setpoint (n,) [rad], with its velocity [rad/s].
        start: (n,) where the robot is [rad].
        period: of the setpoints [s].
    """
    stepped, rest, there = [], np.zeros_like(start), np.zeros_like(start)
    there[0] = STEP
    peer.ask("log_use")
    for number in range(STEPS):
        target = start + there * (number % 2)
        stepped.append(time.monotonic())
        for _ in range(PERIODS):
            send(target, rest)
            time.sleep(period)
        time.sleep(DRIFT * number % period)
    rows = np.array(peer.ask("read_use")["rows"]).reshape(-1, 2)
    uses = [first_use(rows[:, 0], rows[:, 1], at) for at in stepped[1:]]
    return [use for use in uses if use is not None]
