"""What a locomotion policy sees and what its actions mean, for robots side by side; the same in training and in use."""

from typing import Final

import numpy as np

from reins.hardware.legs import Sense
from reins.hardware.robot import FloatArray
from reins.locomotion.trot import GAITS, Trot

ENVIRONMENT: Final = "reins/Locomotion"
VERSION: Final = "2"
"""What policies over the trot are trained in; the version is raised with every change to what is asked, observed, done
or rewarded, of the trot as well."""

TERMS: Final = (
    ("up", 3, 1.0),
    ("rates", 3, 0.25),
    ("command", 3, 1.0),
    ("measured_velocity", 3, 1.0),
    ("joints", 12, 1.0),
    ("speeds", 12, 0.05),
    ("last_action", 12, 1.0),
    ("phase", 2, 1.0),
    ("stepping", 1, 1.0),
    ("gait", GAITS, 1.0),
)
"""Name, size and scale of every term: up (unit vector, body frame), turn rates [rad/s], commanded and measured velocity
[m/s, m/s, rad/s], joints from the stance [rad], their speeds [rad/s], sine and cosine of the trot's phase, whether it
steps, height and style of its gait, -1 … 1 each."""

SIZE: Final = sum(size for _, size, _ in TERMS)

_ENDS: Final = np.cumsum([size for _, size, _ in TERMS]).tolist()
_AT: Final = {name: slice(end - size, end) for (name, size, _), end in zip(TERMS, _ENDS, strict=True)}
"""Where each term is."""

_SCALES: Final = np.repeat([scale for _, _, scale in TERMS], [size for _, size, _ in TERMS])

ACTIONS: Final = 12
"""Numbers of an action: for each leg, how far its foot is moved from where the trot puts it, forward, left and up."""

REACH: Final = np.tile([0.06, 0.04, 0.05], 4)
"""How far an action of 1 moves a foot [m]."""

CLIP: Final = 5.0
"""Largest magnitude of a scaled observation."""

_LEGS: Final = np.array([1, 0, 3, 2])
"""Every leg's mirror image."""


def observe(sense: Sense, trot: Trot, command: FloatArray, last: FloatArray) -> FloatArray:
    """(n, SIZE) scaled observations.

    Args:
        sense: what was measured.
        trot: that carries these robots.
        command: (n, 3) wanted velocity.
        last: (n, ACTIONS) actions of the period before.
    """
    memory, count = trot.memory, len(command)
    seen: FloatArray = np.empty((count, SIZE))  # filled in place: putting parts together takes twice as long for one
    seen[:, _AT["up"]] = sense.up
    seen[:, _AT["rates"]] = sense.rates
    seen[:, _AT["command"]] = command
    seen[:, _AT["measured_velocity"]] = memory.measured
    np.subtract(sense.joints.reshape(count, 12), trot.stance.ravel(), out=seen[:, _AT["joints"]])
    seen[:, _AT["speeds"]] = sense.speeds.reshape(count, 12)
    seen[:, _AT["last_action"]] = last
    angle = (2.0 * np.pi * memory.phase)[:, None]
    seen[:, _AT["phase"]] = np.concatenate([np.sin(angle), np.cos(angle)], axis=1)
    seen[:, _AT["stepping"]] = memory.stepping[:, None]
    seen[:, _AT["gait"]] = memory.gait
    seen *= _SCALES
    np.minimum(np.maximum(seen, -CLIP, out=seen), CLIP, out=seen)  # np.clip takes several times as long for so few
    return seen


def offsets(actions: FloatArray) -> FloatArray:
    """(n, 4, 3) how far feet are moved [m] by actions (n, ACTIONS) in [-1, 1]."""
    moved: FloatArray = (np.clip(actions, -1.0, 1.0) * REACH).reshape(-1, 4, 3)
    return moved


def mirrored_action(actions: FloatArray) -> FloatArray:
    """(n, ACTIONS) the same with left and right exchanged."""
    mirrored: FloatArray = (actions.reshape(-1, 4, 3)[:, _LEGS] * [1.0, -1.0, 1.0]).reshape(-1, ACTIONS)
    return mirrored


def mirrored(observations: FloatArray) -> FloatArray:
    """(n, SIZE) what is seen where left and right are exchanged. Half a stride later: then the other pair steps."""
    up, rates, command, measured, joints, speeds, last, phase, stepping, gait = np.split(
        observations, _ENDS[:-1], axis=1
    )
    flat, turn = np.array([1.0, -1.0, 1.0]), np.array([-1.0, 1.0, -1.0])
    velocity = np.array([1.0, -1.0, -1.0])

    def legs(values: FloatArray) -> FloatArray:
        return (values.reshape(-1, 4, 3)[:, _LEGS] * [-1.0, 1.0, 1.0]).reshape(-1, 12)

    parts = (up * flat, rates * turn, command * velocity, measured * velocity, legs(joints), legs(speeds))
    return np.concatenate([*parts, mirrored_action(last), -phase, stepping, gait], axis=1)
