"""The simulated gripper: a drive that closes at a limited speed and pushes with a limited force."""

from dataclasses import dataclass
from math import nan
from typing import Final

from reins.hardware.profile import Gripper
from reins.hardware.robot import FloatArray, GripperCommand
from reins.sim.model import FINGER_STIFFNESS

STALL_SPEED: Final = 0.005
"""Slower than this the fingers do not move [m/s of width]."""

STALL_FORCE: Final = 4.0
"""Closing force from which a stall is a grasp and no friction [N]."""

STALL_TIME: Final = 0.04
"""A stall that lasts this long is a grasp [s]."""


@dataclass(frozen=True, slots=True, eq=False)
class GripperDrive:
    """What the gripper and its engine share; the arrays stay the same ones for good.

    Attributes:
        position, velocity: (2,) of the fingers, each from the middle [m, m/s]; the engine writes them.
        reference: (1,) mean finger position that the drive pulls to [m]; the engine moves it on with `speed`.
        speed: (1,) of the reference [m/s].
        force: (1,) of the drive, of which each finger gets half [N]; negative closes. The engine writes it.
        force_range: (2,) least and greatest force of the drive [N].
    """

    position: FloatArray
    velocity: FloatArray
    reference: FloatArray
    speed: FloatArray
    force: FloatArray
    force_range: FloatArray


class SimulatedGripper:
    """Moves the drive's reference towards the commanded width; a stall above the target width is a grasp.

    Args:
        drive: the engine's side of it.
        limits: of the profile.
    """

    def __init__(self, drive: GripperDrive, limits: Gripper) -> None:
        self._limits = limits
        self._position, self._velocity = drive.position, drive.velocity
        self._reference, self._speed = drive.reference, drive.speed
        self._force, self._force_range = drive.force, drive.force_range
        self.reset()

    @property
    def width(self) -> float:
        """Measured distance between the fingers [m]."""
        first, second = self._position.tolist()
        return float(first + second)

    @property
    def holding(self) -> bool:
        """The fingers push on something that keeps them apart."""
        return self._stalled >= STALL_TIME

    def reset(self) -> None:
        """Pull to fully open."""
        self._reference[0] = self._limits.max_width / 2
        self._stalled = 0.0
        self._asked = nan  # so that the next force is set
        self.command(GripperCommand(self._limits.max_width, self._limits.grasp_force))

    def command(self, command: GripperCommand) -> None:
        """Move to a width and push with at most a force, both clipped to the limits."""
        self._target = min(max(command.width, 0.0), self._limits.max_width) / 2
        if command.force != self._asked:
            self._asked = command.force
            force = min(max(command.force, 1.0), self._limits.max_force)
            self._force_range[:] = (-2 * force, 2 * force)  # the drive moves both fingers, each gets half
            self._lead = 2.2 * force / FINGER_STIFFNESS
        mean = self.width / 2
        if (self._target - mean) * (self._reference.item() - mean) < 0.0:
            self._reference[0] = mean  # turning round: stop pushing the other way at once

    def freeze(self) -> None:
        """Stop moving; a grasp keeps its force."""
        if not self.holding:
            self._target = self.width / 2

    def drive(self, duration: float) -> None:
        """Set the reference's speed for the next `duration` [s] and watch for a stall."""
        if duration <= 0.0:
            return
        first, second = self._position.tolist()
        mean = (first + second) / 2
        reference = self._reference.item()
        # Blocked fingers must not let the reference run away: opening again would then be late.
        goal = min(max(self._target, mean - self._lead), mean + self._lead)
        limit = self._limits.speed / 2
        self._speed[0] = min(max((goal - reference) / duration, -limit), limit)
        stalled = (
            self._force.item() < -STALL_FORCE
            and mean > self._target + 0.0005
            and abs(sum(self._velocity.tolist())) < STALL_SPEED
        )
        self._stalled = self._stalled + duration if stalled else 0.0
