"""The simulated gripper: a drive that closes at a limited speed and pushes with a limited force."""

from typing import Final

import mujoco

from reins.hardware.profile import Gripper
from reins.hardware.robot import GripperCommand
from reins.sim.model import FINGER_STIFFNESS

STALL_SPEED: Final = 0.005
"""Slower than this the fingers do not move [m/s of width]."""

STALL_FORCE: Final = 4.0
"""Closing force from which a stall is a grasp and no friction [N]."""

STALL_TIME: Final = 0.04
"""A stall that lasts this long is a grasp [s]."""


class SimulatedGripper:
    """Moves the drive's reference towards the commanded width; a stall above the target width is a grasp.

    Args:
        model, data: the simulation; its last activation is the reference of the mean finger position [m].
        limits: of the profile.
        joints: number of arm joints, which come before the fingers.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, limits: Gripper, joints: int) -> None:
        self._limits = limits
        self._position = data.qpos[joints : joints + 2]
        self._velocity = data.qvel[joints : joints + 2]
        self._reference = data.act[-1:]
        self._speed = data.ctrl[-1:]
        self._force = data.actuator_force[-1:]
        self._force_range = model.actuator_forcerange[-1]
        self.reset()

    @property
    def width(self) -> float:
        """Measured distance between the fingers [m]."""
        return float(self._position[0] + self._position[1])

    @property
    def holding(self) -> bool:
        """The fingers push on something that keeps them apart."""
        return self._stalled >= STALL_TIME

    def reset(self) -> None:
        """Fully open, at rest."""
        self._position[:] = self._limits.max_width / 2
        self._reference[0] = self._limits.max_width / 2
        self._stalled = 0.0
        self.command(GripperCommand(self._limits.max_width, self._limits.grasp_force))

    def command(self, command: GripperCommand) -> None:
        """Move to a width and push with at most a force, both clipped to the limits."""
        self._target = min(max(command.width, 0.0), self._limits.max_width) / 2
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
