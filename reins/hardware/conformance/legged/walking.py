"""Checks of a robot that is on its legs: it rises, walks where it is told, lies down, and forgives a late command."""

from typing import Final

import numpy as np

from reins.hardware.conformance.check import require
from reins.hardware.conformance.legged.subject import LeggedSubject
from reins.hardware.legged import LeggedState, Posture
from reins.hardware.robot import FloatArray

WALK: Final = 0.3
"""Speed along x and about z that the checks ask for [m/s, rad/s]."""

SIDE: Final = 0.2
"""And sideways [m/s]."""

LONG: Final = 2.0
"""For how long [s]: it goes no farther than 0.6 m one way, and about as far back."""

SHARE: Final = (0.5, 1.5)
"""Of the speed that is told, what is seen."""

WAYS: Final = (
    ("forward", 0, WALK),
    ("backward", 0, -WALK),
    ("left", 1, SIDE),
    ("right", 1, -SIDE),
    ("turning left", 2, WALK),
    ("turning right", 2, -WALK),
)
"""Name, axis and speed."""


def stand_up(subject: LeggedSubject) -> str:
    """It stands up in the profile's time and stays there, all feet on the ground."""
    subject.stand()
    states = subject.go(1.0)
    for state in states:
        require(not state.fault, f"it stopped: {state.fault}")
        require(subject.stands(state), f"it does not keep standing: {subject.told(state)}")
    require(bool(states[-1].contact.all()), f"standing, it says that feet are in the air: {states[-1].contact}")
    return subject.told(states[-1])


def directions(subject: LeggedSubject) -> str:
    """It walks forward, left and turns the way told by the signs of REP 103, and about as fast."""
    subject.stand()
    seen = []
    for name, axis, speed in WAYS:
        wanted = np.zeros(3)
        wanted[axis] = speed
        mean = _mean(subject.go(LONG, wanted)[-round(1.0 / subject.period) :])
        subject.go(1.0)
        share = float(mean[axis] / speed)
        require(SHARE[0] < share < SHARE[1], f"told to go {name} with {abs(speed)}, it did {100 * share:.0f} % of that")
        seen.append(share)
    return f"{100 * min(seen):.0f} to {100 * max(seen):.0f} % of the speed told"


def sit(subject: LeggedSubject) -> str:
    """It lies down where it is told to, out of walking, and its motors rest."""
    subject.stand()
    subject.go(1.0, np.array([WALK, 0.0, 0.0]))
    state = subject.go(5.0, posture=Posture.SIT)[-1]
    require(not state.fault, f"it stopped: {state.fault}")
    require(subject.lies(state), f"5 s after it was told to, it does not lie: {subject.told(state)}")
    torque = float((np.abs(state.effort) / subject.profile.effort).max())
    require(torque < 0.2, f"it lies, and a motor gives {100 * torque:.0f} % of its torque")
    return subject.told(state)


def late_command(subject: LeggedSubject) -> str:
    """A command that comes late, but not stale, does not stop it."""
    subject.stand()
    late = 0.5 * subject.profile.rates.stale_after
    state = subject.wait(late)[-1]
    require(not state.fault, f"it stopped although the command was not stale: {state.fault}")
    state = subject.go(0.5)[-1]
    require(not state.fault and subject.stands(state), f"after the late command: {state.fault or subject.told(state)}")
    return f"{1e3 * late:.0f} ms late"


def _mean(states: list[LeggedState]) -> FloatArray:
    """(3,) mean velocity of the body, as commands have it."""
    rows = [[*state.odometry.linear[:2], state.odometry.angular[2]] for state in states]
    mean: FloatArray = np.mean(rows, axis=0)
    return mean
