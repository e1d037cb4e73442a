"""Demonstrations: what to do, from what a policy sees and from nothing else.

A policy has no memory. A teacher that waits for something which only it remembers (a phase, a goal found a moment ago,
how long the arm has stood still) shows different actions for the same observation, and who imitates it does their mean:
neither the one nor the other. So a teacher here is a function of `PolicyInput`, and can be asked anywhere.
"""

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reins.contracts.errors import look_up
from reins.hardware.robot import FloatArray
from reins.skills.observation import PolicyInput
from reins.training.envs.core import ACTION, STYLE
from reins.training.envs.push_wish import push
from reins.training.envs.wishes import Wish, pick, put_down, reach

SPEED: Final = 0.22
"""Speed of a demonstration at style 1 [m/s]: a little below what an action of 1 means, so that it can correct."""

TURN: Final = 1.3
"""The same of its turns [rad/s]."""

GAIN: Final = 5.0
"""Velocity per distance near the goal [1/s]."""

BRAKING: Final = (0.8, 4.0)
"""Deceleration towards the goal that its speed allows for: [m/s²], [rad/s²]."""

WISHES: Final[Mapping[str, Callable[[PolicyInput], Wish]]] = {
    "reach": reach,
    "push": push,
    "pick": pick,
    "place": put_down,
    "stack": put_down,
}
"""What each task wants, by name."""


def teach(task: str, inputs: PolicyInput) -> NDArray[np.float32]:
    """(5,) the action that a teacher of the task takes where `inputs` is seen, in [-1, 1].

    Raises:
        UnknownName: no such task; lists those that exist.
    """
    wish = look_up("task", task, WISHES)(inputs)
    share = STYLE.share(inputs.style)
    twist = np.append(
        _approach(wish.way, wish.part * share * SPEED, BRAKING[0]),
        _approach(np.array([wish.turn]), wish.part * share * TURN, BRAKING[1]),
    )
    action = np.append(twist / (share * np.array(ACTION.scale[:4])), _gripper(wish.opening))
    clipped: NDArray[np.float32] = np.clip(action, -1.0, 1.0).astype(np.float32)
    return clipped


def _gripper(opening: float) -> float:
    """The action that means `opening` [m]; closing is as far from opening as it can be."""
    return opening / ACTION.scale[4] if opening > 0.0 else -1.0


def _approach(error: FloatArray, speed: float, braking: float) -> FloatArray:
    """Velocity along `error`: at most `speed`, what `braking` still stops, and GAIN times the error."""
    distance = float(np.linalg.norm(error))
    wanted = min(speed, GAIN * distance, float(np.sqrt(2.0 * braking * distance)))
    return error * (wanted / max(distance, 1e-12))
