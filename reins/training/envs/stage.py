"""The stage of an environment: one simulated arm whose state can be set, and whose physics can be changed."""

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Final, Protocol

import mujoco
import numpy as np

from reins.contracts.documents import Shelf
from reins.contracts.errors import ReinsError, look_up
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray, GripperCommand, RobotState, SafeCommand
from reins.sim.arm import SimulatedArm
from reins.sim.mujoco_robot import MujocoRobot
from reins.sim.simulators import INSTALL_PYBULLET
from reins.sim.world import WorldSpec
from reins.training.envs.randomisation import Draw
from reins.training.envs.view import quaternion_of

WORLDS: Final = Shelf("training world", "reins.training.envs", "worlds")
"""The worlds of the environments."""


class Stage(Protocol):
    """What an environment needs of a simulator."""

    @property
    def world(self) -> WorldSpec: ...

    def arrange(self, joints: FloatArray, width: float, objects: Mapping[str, tuple[float, ...]]) -> None:
        """Set the state, at rest at time 0: joints (n,) [rad], gripper [m], (x, y, z, yaw) of every object [m, rad]."""

    def apply(self, draw: Draw, sizes: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
        """Change the physics from its nominal values; returns the extents (3,) of every object [m]."""
        ...

    def pose(self, name: str) -> FloatArray:
        """(7,) x y z [m] and w x y z of an object; a view."""
        ...

    def read(self) -> RobotState: ...

    def write(self, command: SafeCommand) -> None: ...

    def step(self, dt: float) -> None: ...

    def close(self) -> None: ...


class MujocoStage:
    """The stage in MuJoCo. The model is compiled once; what is drawn anew is written into it.

    Args:
        profile: the robot.
        world: name of a training world.
    """

    def __init__(self, profile: RobotProfile, world: str) -> None:
        self.world = WORLDS.load(world, WorldSpec)
        self.robot = robot = MujocoRobot(profile, self.world, seed=0)
        robot.watches_touches = False
        self._force = profile.gripper.grasp_force
        self._n = n = len(profile.joints)
        self._poses = {name: robot.data.joint(name).qpos for name in self.world.by_id}
        self._fingers = robot.data.qpos[n : n + 2]
        self.read, self.write, self.step = robot.read, robot.write, robot.step
        self._tuner = ModelTuner(robot.model, self.world, n)

    def arrange(self, joints: FloatArray, width: float, objects: Mapping[str, tuple[float, ...]]) -> None:
        """Set the state; see `Stage`."""
        robot = self.robot
        mujoco.mj_resetData(robot.model, robot.data)
        robot.data.qpos[: self._n] = joints
        self._fingers[:] = width / 2
        robot.data.act[-1] = width / 2
        for name, (x, y, z, yaw) in objects.items():
            self._poses[name][:] = (x, y, z, *quaternion_of(yaw))
        robot.recover()
        still = np.zeros(self._n)
        robot.write(SafeCommand(0, 0.0, 0.01, joints, still, GripperCommand(width, self._force)))
        robot.step(robot.model.opt.timestep)  # a grip of the episode before is forgotten
        robot.data.time = 0.0

    def apply(self, draw: Draw, sizes: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
        """Change the physics; see `Stage`."""
        return self._tuner.apply(draw, sizes)

    def pose(self, name: str) -> FloatArray:
        """(7,) pose of an object."""
        pose: FloatArray = self._poses[name]
        return pose

    def close(self) -> None:
        """Release the simulator."""
        self.robot.close()


class PybulletStage:
    """The stage in PyBullet: everything is loaded anew for every episode, from a MuJoCo model that is changed as above.

    Args:
        profile: the robot.
        world: name of a training world.
    """

    def __init__(self, profile: RobotProfile, world: str) -> None:
        import pybullet

        from reins.sim.pybullet_robot import PybulletPhysics

        self._bullet = pybullet
        self.world = WORLDS.load(world, WorldSpec)
        self._physics = physics = PybulletPhysics(profile, self.world)
        self._robot = robot = SimulatedArm(profile, self.world, 0, physics)
        robot.watches_touches = False
        self._force = profile.gripper.grasp_force
        self._n = len(profile.joints)
        self._gains = physics.stiffness.copy(), physics.damping.copy()
        self._tuner = ModelTuner(physics.model, self.world, self._n)
        self.read, self.write, self.step = robot.read, robot.write, robot.step

    def arrange(self, joints: FloatArray, width: float, objects: Mapping[str, tuple[float, ...]]) -> None:
        """Set the state; see `Stage`."""
        physics, robot = self._physics, self._robot
        physics.begin({name: np.array([*at[:3], *quaternion_of(at[3])]) for name, at in objects.items()})
        start = [*joints.tolist(), width / 2, width / 2]
        for joint, position in zip(physics.bodies.joints, start, strict=True):
            self._bullet.resetJointState(physics.bodies.arm, joint, position, 0.0, physicsClientId=physics.client)
        physics.joints.position[:] = joints
        physics.gripper.position[:] = physics.gripper.reference[:] = width / 2
        robot.recover()
        robot.write(SafeCommand(0, 0.0, 0.01, joints, np.zeros(self._n), GripperCommand(width, self._force)))
        robot.step(physics.timestep)
        physics.time = 0.0

    def apply(self, draw: Draw, sizes: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
        """Change the physics; see `Stage`."""
        self._physics.stiffness = self._gains[0] * draw.stiffness
        self._physics.damping = self._gains[1] * draw.damping
        return self._tuner.apply(draw, sizes)

    def pose(self, name: str) -> FloatArray:
        """(7,) pose of an object."""
        return self._physics.objects[name]

    def close(self) -> None:
        """Release the simulator."""
        self._robot.close()


class ModelTuner:
    """Writes drawn factors into a compiled MuJoCo model, always from its nominal values.

    Args:
        model: the model.
        world: whose objects it holds.
        joints: number of arm joints.
    """

    def __init__(self, model: mujoco.MjModel, world: WorldSpec, joints: int) -> None:
        self._model, self._n = model, joints
        self._scratch = mujoco.MjData(model)
        self._bodies = {name: model.body(name).id for name, item in world.by_id.items() if item.label == "block"}
        self._geoms = {name: int(model.body_geomadr[body]) for name, body in self._bodies.items()}
        self._pads = [model.geom(f"{side}_finger_pad").id for side in ("left", "right")]
        self._boxes = {
            name: slice(int(model.body_bvhadr[body]), int(model.body_bvhadr[body] + model.body_bvhnum[body]))
            for name, body in self._bodies.items()
        }
        fields: tuple[str, ...] = ("body_mass", "body_inertia", "geom_friction", "geom_size", "geom_rbound")
        fields += ("geom_aabb", "bvh_aabb")  # what collisions are looked for in first
        fields += ("actuator_gainprm", "actuator_biasprm", "dof_damping")
        self._nominal = {name: np.copy(getattr(model, name)) for name in fields}

    def apply(self, draw: Draw, sizes: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
        """Change the model; returns the extents (3,) of every object [m]."""
        model, nominal, n = self._model, self._nominal, self._n
        result = dict(sizes)
        for name, body in self._bodies.items():
            scale = np.array([draw.size, draw.size, draw.size])
            geom = self._geoms[name]
            model.geom_size[geom] = nominal["geom_size"][geom] * scale
            model.geom_rbound[geom] = nominal["geom_rbound"][geom] * draw.size
            model.geom_aabb[geom] = nominal["geom_aabb"][geom] * draw.size
            model.bvh_aabb[self._boxes[name]] = nominal["bvh_aabb"][self._boxes[name]] * draw.size
            mass = draw.mass * draw.size**3
            model.body_mass[body] = nominal["body_mass"][body] * mass
            model.body_inertia[body] = nominal["body_inertia"][body] * mass * draw.size**2
            model.geom_friction[geom] = nominal["geom_friction"][geom] * draw.friction
            result[name] = sizes[name] * scale
        for pad in self._pads:
            model.geom_friction[pad] = nominal["geom_friction"][pad] * draw.grip
        gains, bias = model.actuator_gainprm, model.actuator_biasprm
        gains[:n] = nominal["actuator_gainprm"][:n] * draw.stiffness
        bias[:n] = nominal["actuator_biasprm"][:n] * draw.stiffness
        gains[n : 2 * n] = nominal["actuator_gainprm"][n : 2 * n] * draw.damping
        bias[n : 2 * n] = nominal["actuator_biasprm"][n : 2 * n] * draw.damping
        model.dof_damping[:n] = nominal["dof_damping"][:n] * draw.damping
        mujoco.mj_setConst(model, self._scratch)  # what MuJoCo derives from masses and inertias
        return result


STAGES: Final[Mapping[str, Callable[[RobotProfile, str], Stage]]] = {
    "mujoco": MujocoStage,
    "pybullet": PybulletStage,
}
"""Simulators that environments run in."""


def make_stage(sim: str, profile: RobotProfile, world: str) -> Stage:
    """The stage of a simulator.

    Raises:
        UnknownName: no such simulator; lists those that exist.
        ReinsError: it is not installed; says how to get it.
    """
    stage = look_up("simulator of environments", sim, STAGES)
    if stage is PybulletStage and find_spec("pybullet") is None:
        raise ReinsError(f"the simulator 'pybullet' is not installed; {INSTALL_PYBULLET}")
    return stage(profile, world)
