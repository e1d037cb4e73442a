"""The simulated arm in MuJoCo, with the table and its objects around it."""

from collections.abc import Mapping
from typing import Final

import mujoco
import numpy as np
from numpy.typing import NDArray

from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.sim.arm import SimulatedArm
from reins.sim.gripper import GripperDrive
from reins.sim.matching import Matching, load_matching
from reins.sim.model import FINGERS, TIMESTEP, build_model
from reins.sim.physics import JointDrive
from reins.sim.touch import FINGER_KINDS, ROBOT
from reins.sim.world import WorldSpec

MATCHED: Final = ("actuator_gainprm", "actuator_biasprm", "dof_frictionloss", "geom_friction")
"""What a matching changes in a model."""


class MujocoRobot(SimulatedArm):
    """One arm in one world, computed by MuJoCo. `step` of a control period is one call into the engine.

    Args:
        profile: the robot.
        world: the world around it.
        seed: of the objects' poses.

    Raises:
        ReinsError: the model cannot be built, or the objects do not fit on the table.
    """

    def __init__(self, profile: RobotProfile, world: WorldSpec, seed: int) -> None:
        physics = MujocoPhysics(profile, world)
        self.model, self.data = physics.model, physics.data
        super().__init__(profile, world, seed, physics)


class MujocoPhysics:
    """MuJoCo as `reins.sim.physics.Physics`: every array is a view into the engine's own memory, which never moves."""

    timestep = TIMESTEP

    def __init__(self, profile: RobotProfile, world: WorldSpec) -> None:
        self.model = build_model(profile, world, pretty=False)
        self.data = data = mujoco.MjData(self.model)
        n = len(profile.joints)
        self._home = profile.home
        self._open = profile.gripper.max_width / 2
        self.joints = JointDrive(
            position=data.qpos[:n],
            velocity=data.qvel[:n],
            effort=data.qfrc_actuator[:n],
            reference=data.act[:n],
            speeds=data.ctrl[: 2 * n].reshape(2, n),
        )
        self.gripper = GripperDrive(
            position=data.qpos[n : n + 2],
            velocity=data.qvel[n : n + 2],
            reference=data.act[-1:],
            speed=data.ctrl[-1:],
            force=data.actuator_force[-1:],
            force_range=self.model.actuator_forcerange[-1],
        )
        self.objects: Mapping[str, FloatArray] = {name: data.joint(name).qpos for name in world.by_id}
        self._kinds = kinds_of_geoms(self.model, world)
        self._loose = np.flatnonzero((self._kinds >= 0) & (self._kinds <= len(world.by_id)))  # table and objects
        self._nominal = {name: getattr(self.model, name).copy() for name in MATCHED}
        self.match(load_matching(profile, "mujoco"))

    def match(self, matching: Matching) -> None:
        """Have these factors from now on."""
        model, nominal, n = self.model, self._nominal, len(self._home)
        stiffness, damping, friction = matching.factors
        drives = np.concatenate([stiffness, damping])[:, None]
        model.actuator_gainprm[: 2 * n] = nominal["actuator_gainprm"][: 2 * n] * drives
        model.actuator_biasprm[: 2 * n] = nominal["actuator_biasprm"][: 2 * n] * drives
        model.dof_frictionloss[:n] = nominal["dof_frictionloss"][:n] * friction
        model.geom_friction[self._loose] = nominal["geom_friction"][self._loose] * matching.surface

    def throw(self, name: str, velocity: FloatArray) -> None:
        """Give an object this velocity (3,) [m/s], base frame."""
        self.data.joint(name).qvel[:3] = velocity

    @property
    def time(self) -> float:
        """Robot time [s]."""
        return float(self.data.time)

    @time.setter
    def time(self, value: float) -> None:
        self.data.time = value

    def qpos(self) -> FloatArray:
        """(nq,) generalised position; a copy."""
        position: FloatArray = self.data.qpos.copy()
        return position

    def begin(self, poses: Mapping[str, FloatArray], position: FloatArray | None = None) -> None:
        """Start anew at time 0, at rest."""
        mujoco.mj_resetData(self.model, self.data)
        self.joints.position[:] = self._home if position is None else position
        self.gripper.position[:] = self._open
        for name, pose in poses.items():
            self.objects[name][:] = pose

    def put(self, name: str, pose: FloatArray) -> None:
        """Have an object at a pose (7,) from now on, at rest."""
        self.objects[name][:] = pose
        self.data.joint(name).qvel[:] = 0.0

    def advance(self, steps: int) -> None:
        """Compute that many physics steps."""
        mujoco.mj_step(self.model, self.data, nstep=steps)

    def contacts(self) -> NDArray[np.int32]:
        """(c, 2) kinds of what is in contact."""
        kinds: NDArray[np.int32] = self._kinds[self.data.contact.geom]
        return kinds

    def close(self) -> None:
        """Nothing is open."""


def kinds_of_geoms(model: mujoco.MjModel, world: WorldSpec) -> NDArray[np.int32]:
    """(ngeom,) kind of every geometry, as `reins.sim.touch` counts them."""
    kinds = {name: number + 1 for number, name in enumerate(world.by_id)}
    kinds.update(zip(FINGERS, FINGER_KINDS, strict=True))
    bodies = [model.body(index).name for index in model.geom_bodyid]
    return np.array([0 if name == "world" else kinds.get(name, ROBOT) for name in bodies], dtype=np.int32)
