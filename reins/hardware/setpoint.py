"""What every driver refuses to track, whatever the robot: setpoints that are not finite, or that jump."""

from collections.abc import Sequence
from math import isfinite
from typing import Final

import numpy as np

from reins.contracts.errors import ReinsError
from reins.hardware.robot import FloatArray, SafeCommand

JUMP: Final = 0.1
"""A setpoint farther than this from where the robot is and from where it was going is refused [rad]."""


def refusal(command: SafeCommand, reference: FloatArray, measured: FloatArray, names: Sequence[str]) -> str:
    """Why a setpoint is not tracked: one sentence, empty if it is.

    Args:
        command: the setpoint.
        reference: (n,) what the driver tracks now [rad].
        measured: (n,) where the robot is [rad].
        names: (n,) of the joints.

    Raises:
        ReinsError: position or velocity has the wrong length.
    """
    if len(command.position) != len(names) or len(command.velocity) != len(names):
        raise ReinsError(f"a setpoint for {len(names)} joints has {len(names)} positions and velocities")
    if not isfinite(float(command.position @ command.position + command.velocity @ command.velocity)):
        return "a setpoint is not finite"
    jump = np.minimum(np.abs(command.position - reference), np.abs(command.position - measured))
    worst = int(jump.argmax())
    if jump[worst] > JUMP:
        return f"the setpoint of {names[worst]} jumps by {jump[worst]:.2f} rad; {JUMP} rad is the most"
    return ""
