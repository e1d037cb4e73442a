"""Actions of policies: from the network's output to joint velocities, as the policy's contract says."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from reins.contracts.errors import ReinsError, UnknownName
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.models.metadata import ActionSpec

MEANINGS: Final = ("joint_velocity",)
"""What an action may mean."""


class ActionDecoder:
    """Turns the network's output into joint velocities.

    Args:
        spec: of the policy's contract.
        profile: the robot.

    Raises:
        UnknownName: an action of a meaning that does not exist; lists those that do.
        ReinsError: an action that could command more than the robot's speed limits.
    """

    def __init__(self, spec: ActionSpec, profile: RobotProfile) -> None:
        if spec.meaning not in MEANINGS:
            raise UnknownName("action meaning", spec.meaning, MEANINGS)
        self._scale = np.array(spec.scale)
        if np.any(self._scale > profile.velocity):
            joint = profile.joint_names[int(np.argmax(self._scale - profile.velocity))]
            raise ReinsError(f"its action can command {joint} faster than the profile of '{profile.name}' allows")

    def clip(self, output: NDArray[np.float32]) -> FloatArray:
        """(n,) the network's output as an action in [-1, 1]."""
        return np.clip(output.astype(np.float64), -1.0, 1.0)

    def velocity(self, action: FloatArray) -> FloatArray:
        """(n,) joint velocity that an action means [rad/s]."""
        velocity: FloatArray = action * self._scale
        return velocity
