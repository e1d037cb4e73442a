"""What every simulated arm does whatever its physics engine: reference, watchdog, stops, faults, truth of the world."""

from typing import Final

import numpy as np

from reins.hardware.profile import RobotProfile
from reins.hardware.robot import RobotSpec, RobotState, SafeCommand, StopCategory, refusal
from reins.sim.gripper import SimulatedGripper
from reins.sim.physics import Physics
from reins.sim.placement import TablePose
from reins.sim.table import Table
from reins.sim.world import CameraSpec, WorldSpec
from reins.sim.world_state import WorldState

SETTLE: Final = 0.3
"""Time that objects get after a reset to come to rest [s]; it does not count as robot time."""

STILL: Final = 1e-3
"""Below this speed brakes have closed [rad/s]."""


class SimulatedArm:
    """One arm in one simulated world; implements `reins.hardware.robot.Robot` over any `Physics`.

    Joint impedance runs at the physics rate: inside the engine the reference moves from the commanded position with the
    commanded velocity. Past a command's period the reference goes on with the same velocity until the profile's
    `stale_after`, for a command that is a little late must not jerk the arm; then the reference brakes along its path
    within the acceleration limits and the fault is set.

    A touch shorter than a `step` can be missed: contacts are looked at once per `step`.

    Args:
        profile: the robot.
        world: the world around it.
        seed: of the objects' poses.
        physics: the engine, made from the same profile and world.

    Attributes:
        watches_touches: look at the contacts after every `step`, for `world_state`; whoever never asks saves the time.

    Raises:
        ReinsError: the objects do not fit on the table.
    """

    def __init__(self, profile: RobotProfile, world: WorldSpec, seed: int, physics: Physics) -> None:
        self.world = world
        self.cameras: dict[str, CameraSpec] = {camera.name: camera for camera in world.cameras}
        self._profile = profile
        self._spec = RobotSpec(
            name=profile.name,
            kind=profile.kind,
            simulated=True,
            joint_names=profile.joint_names,
            has_gripper=True,
            cameras=tuple(self.cameras),
        )
        self._physics = physics
        self._dt = physics.timestep
        joints = physics.joints
        self._position, self._velocity, self._effort = joints.position, joints.velocity, joints.effort
        self._reference, self._speeds = joints.reference, joints.speeds
        self._limits = profile.velocity
        self._stale_steps = round(profile.rates.stale_after / self._dt)
        self._gripper = SimulatedGripper(physics.gripper, profile.gripper)
        self._table = Table(world, physics)
        self.watches_touches = True
        self.seed = seed
        self.reset(seed)

    @property
    def spec(self) -> RobotSpec:
        """What this driver says of itself."""
        return self._spec

    def reset(self, seed: int) -> None:
        """Start again at time 0: arm at home, gripper open, objects at the poses that `seed` draws, no fault.

        Raises:
            ReinsError: the objects do not fit on the table.
        """
        self._physics.begin(self._table.poses(seed))
        self._gripper.reset()
        self._hold_measured()
        self._physics.advance(round(SETTLE / self._dt))
        self._physics.time = 0.0
        self._table.forget_touches()
        self.seed = seed
        self._fault = ""
        self._braking = False
        self._cut = False
        self._sequence = 0
        self._late = 0.0
        self._hold_measured()

    def put(self, name: str, pose: TablePose) -> None:
        """Have somebody else put an object on the table, at once, wherever it was.

        Raises:
            UnknownName: no such object; lists those that exist.
        """
        self._table.put(name, pose)

    def connect(self) -> None:
        """Hold the measured position."""
        self._hold_measured()

    def read(self) -> RobotState:
        """The measured state now."""
        return RobotState(
            stamp=self._physics.time,
            position=self._position.copy(),
            velocity=self._velocity.copy(),
            effort=self._effort.copy(),
            reference=self._reference.copy(),
            gripper_width=self._gripper.width,
            gripper_holding=self._gripper.holding,
            sequence=self._sequence,
            fault=self._fault,
        )

    def write(self, command: SafeCommand) -> None:
        """Track this setpoint from now on; ignored while a fault is set.

        A setpoint that is not finite, that jumps or that is too fast is not tracked: the arm stops and says so.

        Raises:
            ReinsError: position or velocity has the wrong length.
        """
        if self._fault:
            return
        if why := refusal(command, self._reference, self._position, self._spec.joint_names, self._limits):
            self.stop(StopCategory.CONTROLLED, why)
            return
        self._reference[:] = command.position
        self._speeds[:] = command.velocity
        self._steps_left = self._stale_steps
        self._watched = True
        self._sequence = command.sequence
        if command.gripper is not None:
            self._gripper.command(command.gripper)

    def step(self, dt: float) -> None:
        """Let `dt` [s] of robot time pass. Fractions of a physics step are carried over to the next call."""
        steps = int((self._late + dt) / self._dt + 1e-6)
        self._late += dt - steps * self._dt
        if self._fault:
            self._step_stopped(steps)
        elif not self._watched or steps <= self._steps_left:
            self._gripper.drive(steps * self._dt)
            self._physics.advance(steps)
            self._steps_left -= steps
        else:
            fresh = self._steps_left
            self._gripper.drive(fresh * self._dt)
            self._physics.advance(fresh)
            self.stop(
                StopCategory.CONTROLLED,
                f"no command for {self._profile.rates.stale_after * 1e3:.0f} ms: the arm stopped by itself",
            )
            self._step_stopped(steps - fresh)
        if self.watches_touches:
            self._table.look()

    def stop(self, category: StopCategory, reason: str) -> None:
        """Stop now and set the fault to `reason`; the first reason stays.

        CONTROLLED brakes along the path within the acceleration limits, then holds. CUT takes the drive's torque away:
        brakes alone slow the arm down, then hold it where it came to rest.
        """
        self._fault = self._fault or reason
        self._watched = False
        self._gripper.freeze()
        if category == StopCategory.CUT:
            self._cut = True
            self._speeds[:] = 0.0
        elif not self._cut:
            self._braking = True

    def recover(self) -> None:
        """Clear the fault and hold the measured position; no earlier command resumes."""
        self._fault = ""
        self._braking = False
        self._cut = False
        self._hold_measured()

    def close(self) -> None:
        """Stand still and release the engine."""
        self._hold_measured()
        self._physics.close()

    def world_state(self) -> WorldState:
        """What is true now."""
        return self._table.truth(self.seed)

    def _hold_measured(self) -> None:
        self._reference[:] = self._position
        self._speeds[:] = 0.0
        self._watched = False
        self._steps_left = 0

    def _step_stopped(self, steps: int) -> None:
        """One physics step at a time: slow the reference down, or let the brakes grip."""
        for _ in range(steps):
            if self._cut:
                if np.abs(self._velocity).max() > STILL:
                    self._reference[:] = self._position  # a brake has no spring
            elif self._braking:
                self._slow_down()
            self._gripper.drive(self._dt)
            self._physics.advance(1)

    def _slow_down(self) -> None:
        """Take one physics step's worth off the reference speed, every joint by the same share."""
        left = float(np.max(np.abs(self._speeds[0]) / self._profile.acceleration))
        if left <= self._dt:
            self._speeds[:] = 0.0
            self._braking = False
        else:
            self._speeds *= 1.0 - self._dt / left
