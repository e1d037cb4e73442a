"""Keys to what the operator wants. A terminal tells presses only, so that a key counts as held while it repeats."""

import math

import numpy as np

from reins.teleop.intent import TWIST, Action, Direction, Intent
from reins.teleop.mapping import KeyMapping

_MOVING = (Action.OPEN_GRIPPER, Action.CLOSE_GRIPPER, Action.STAND, Action.SIT)
"""Actions that move something, and so are the dead-man for their command."""


class KeyboardReader:
    """Reads keys by a mapping. Motion, gripper and posture keys are the dead-man: nothing moves `timeout` after
    the last of them. The operator stays in charge for `delay`, though: a terminal repeats a key that is held only after
    a while, and whoever holds one has not let go.

    Args:
        mapping: which key does what.
        timeout: how long after its last repeat a key moves nothing any more [s].
        delay: how long after its last repeat a key is released, if that is longer [s].
    """

    def __init__(self, mapping: KeyMapping, timeout: float, delay: float) -> None:
        self._timeout, self._delay = timeout, max(timeout, delay)
        self._motions = {pair[0]: (direction, 1.0) for direction, pair in mapping.motion.items()}
        self._motions |= {pair[1]: (direction, -1.0) for direction, pair in mapping.motion.items()}
        self._actions = {key: action for action, key in mapping.actions.items()}
        self._until = -math.inf
        self._pushes: dict[Direction, tuple[float, float]] = {}

    def on_key(self, key: str, t: float) -> list[Action]:
        """One press or repeat of `key` at steady time `t` [s]; what it does once. Unknown keys do nothing."""
        action = self._actions.get(key)
        if action in _MOVING or key in self._motions:
            self._until = t + self._delay
        if key in self._motions:
            direction, sign = self._motions[key]
            self._pushes[direction] = (sign, t + self._timeout)
        return [action] if action is not None else []

    def intent(self, t: float) -> Intent:
        """What the operator wants at steady time `t` [s]."""
        if t > self._until:
            return Intent()
        values = {direction: sign for direction, (sign, until) in self._pushes.items() if t <= until}
        twist = np.array([values.get(direction, 0.0) for direction in TWIST])
        return Intent(True, twist, values.get(Direction.JOINT, 0.0))
