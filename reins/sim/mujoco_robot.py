"""The simulated arm: MuJoCo behind the Robot interface, with the table and its objects around it."""

from typing import Final

import mujoco
import numpy as np

from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, RobotSpec, RobotState, SafeCommand, StopCategory
from reins.sim.gripper import SimulatedGripper
from reins.sim.model import TIMESTEP, build_model
from reins.sim.objects import rest_height
from reins.sim.placement import place
from reins.sim.touch import TouchWatch
from reins.sim.world import CameraSpec, WorldSpec
from reins.sim.world_state import TruthObject, WorldState

SETTLE: Final = 0.3
"""Time that objects get after a reset to come to rest [s]; it does not count as robot time."""

JUMP: Final = 0.1
"""A setpoint farther than this from reference and measured position is refused, as the real arm does [rad]."""

STILL: Final = 1e-3
"""Below this speed brakes have closed [rad/s]."""


class MujocoRobot:
    """One arm in one simulated world; implements `reins.hardware.robot.Robot`.

    Joint impedance runs at the physics rate: inside `mj_step` the reference moves from the commanded position with the
    commanded velocity, so that one `step` of a control period is one call into MuJoCo. Past a command's period the
    reference goes on with the same velocity until the profile's `stale_after`, for a command that is a little late must
    not jerk the arm; then the reference brakes along its path within the acceleration limits and the fault is set.

    A touch shorter than a `step` can be missed: contacts are looked at once per `step`.

    Args:
        profile: the robot.
        world: the world around it.
        seed: of the objects' poses.

    Raises:
        ReinsError: the model cannot be built, or the objects do not fit on the table.
    """

    def __init__(self, profile: RobotProfile, world: WorldSpec, seed: int) -> None:
        self.model = build_model(profile, world, pretty=False)
        self.data = mujoco.MjData(self.model)
        self.world = world
        self.cameras: dict[str, CameraSpec] = {camera.name: camera for camera in world.cameras}
        self._profile = profile
        self._n = n = len(profile.joints)
        self._spec = RobotSpec(
            name=profile.name,
            kind=profile.kind,
            simulated=True,
            joint_names=profile.joint_names,
            has_gripper=True,
            cameras=tuple(self.cameras),
        )
        # Views into the simulation's own memory; MuJoCo never moves it.
        self._position, self._velocity = self.data.qpos[:n], self.data.qvel[:n]
        self._effort = self.data.qfrc_actuator[:n]
        self._reference = self.data.act[:n]
        self._speeds = self.data.ctrl[: 2 * n].reshape(2, n)
        self._free = {name: self.data.joint(name).qpos for name in world.by_id}
        self._stale_steps = round(profile.rates.stale_after / TIMESTEP)
        self._gripper = SimulatedGripper(self.model, self.data, profile.gripper, n)
        self._touch = TouchWatch(self.model, self.data, world)
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
        poses = place(self.world, seed)
        mujoco.mj_resetData(self.model, self.data)
        self._position[:] = self._profile.home
        for name, pose in poses.items():
            height = rest_height(self.world.by_id[name])
            self._free[name][:] = [pose.x, pose.y, height, np.cos(pose.yaw / 2), 0.0, 0.0, np.sin(pose.yaw / 2)]
        self._gripper.reset()
        self._hold_measured()
        mujoco.mj_step(self.model, self.data, nstep=round(SETTLE / TIMESTEP))
        self.data.time = 0.0
        self._touch.reset()
        self.seed = seed
        self._fault = ""
        self._braking = False
        self._cut = False
        self._sequence = 0
        self._late = 0.0
        self._hold_measured()

    def connect(self) -> None:
        """Hold the measured position."""
        self._hold_measured()

    def read(self) -> RobotState:
        """The measured state now."""
        return RobotState(
            stamp=self.data.time,
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

        A setpoint that is not finite, or that jumps, is not tracked: the arm stops and says so.

        Raises:
            ReinsError: position or velocity has the wrong length.
        """
        if self._fault:
            return
        position, velocity = command.position, command.velocity
        if len(position) != self._n or len(velocity) != self._n:
            raise ReinsError(f"a setpoint for '{self._spec.name}' has {self._n} positions and velocities")
        if not (np.isfinite(position).all() and np.isfinite(velocity).all()):
            self.stop(StopCategory.CONTROLLED, "a setpoint is not finite")
            return
        if np.abs(position - self._reference).max() > JUMP and self._jumps(position):
            return
        self._reference[:] = position
        self._speeds[:] = velocity
        self._steps_left = self._stale_steps
        self._watched = True
        self._sequence = command.sequence
        if command.gripper is not None:
            self._gripper.command(command.gripper)

    def step(self, dt: float) -> None:
        """Let `dt` [s] of robot time pass. Fractions of a physics step are carried over to the next call."""
        steps = int((self._late + dt) / TIMESTEP + 1e-6)
        self._late += dt - steps * TIMESTEP
        if self._fault:
            self._step_stopped(steps)
        elif not self._watched or steps <= self._steps_left:
            self._gripper.drive(steps * TIMESTEP)
            mujoco.mj_step(self.model, self.data, nstep=steps)
            self._steps_left -= steps
        else:
            fresh = self._steps_left
            self._gripper.drive(fresh * TIMESTEP)
            mujoco.mj_step(self.model, self.data, nstep=fresh)
            self.stop(
                StopCategory.CONTROLLED,
                f"no command for {self._profile.rates.stale_after * 1e3:.0f} ms: the arm stopped by itself",
            )
            self._step_stopped(steps - fresh)
        self._touch.look()

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
        """Stand still."""
        self._hold_measured()

    def world_state(self) -> WorldState:
        """What is true now."""
        objects = {name: self._truth(name) for name in self.world.by_id}
        return WorldState(
            stamp=self.data.time,
            world=self.world.name,
            seed=self.seed,
            objects=objects,
            held=self._touch.held(),
            qpos=self.data.qpos.copy(),
        )

    def _truth(self, name: str) -> TruthObject:
        item = self.world.by_id[name]
        x, y, z, qw, qx, qy, qz = self._free[name].tolist()
        return TruthObject(
            id=name,
            label=item.label,
            colour=item.colour,
            position=(x, y, z),
            orientation=(qx, qy, qz, qw),
            size=item.size,
            touched=self._touch.touched(name),
        )

    def _jumps(self, position: FloatArray) -> bool:
        """Stop if `position` is far from where the arm is as well as from where it was going."""
        jump = np.minimum(np.abs(position - self._reference), np.abs(position - self._position))
        if jump.max() <= JUMP:
            return False
        name = self._spec.joint_names[int(jump.argmax())]
        self.stop(
            StopCategory.CONTROLLED, f"the setpoint of {name} jumps by {jump.max():.2f} rad; {JUMP} rad is the most"
        )
        return True

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
            self._gripper.drive(TIMESTEP)
            mujoco.mj_step(self.model, self.data)

    def _slow_down(self) -> None:
        """Take one physics step's worth off the reference speed, every joint by the same share."""
        left = float(np.max(np.abs(self._speeds[0]) / self._profile.acceleration))
        if left <= TIMESTEP:
            self._speeds[:] = 0.0
            self._braking = False
        else:
            self._speeds *= 1.0 - TIMESTEP / left
