"""The simulated arm in PyBullet: the same interface, world and drives, computed by another engine."""

import weakref
from collections.abc import Mapping
from typing import Final

import numpy as np
import pybullet as bullet
from numpy.typing import NDArray

from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.sim.arm import SimulatedArm
from reins.sim.gripper import GripperDrive
from reins.sim.matching import Matching, load_matching
from reins.sim.model import FINGER_DAMPING, FINGER_STIFFNESS, build_model
from reins.sim.parts import FRANKA, parts_of
from reins.sim.physics import JointDrive
from reins.sim.pybullet_urdf import bullet_urdf
from reins.sim.pybullet_world import TIMESTEP, load_bodies
from reins.sim.world import WorldSpec

NOTHING: Final = np.zeros((0, 2), dtype=np.int32)
"""No contacts."""


class PybulletRobot(SimulatedArm):
    """One arm in one world, computed by PyBullet in a world of its own (DIRECT).

    Args:
        profile: the robot.
        world: the world around it.
        seed: of the objects' poses.

    Raises:
        ReinsError: the robot cannot be loaded, or the objects do not fit on the table.
    """

    def __init__(self, profile: RobotProfile, world: WorldSpec, seed: int) -> None:
        super().__init__(profile, world, seed, PybulletPhysics(profile, world))


class PybulletPhysics:
    """Bullet as `reins.sim.physics.Physics`: joint impedance by torques, once per physics step.

    Attributes:
        model: the MuJoCo model that shapes, masses and friction come from; what is changed in it holds from `begin` on.
        stiffness, damping: (n,) of the joints [N·m/rad, N·m·s/rad].

    Args:
        profile, world: what to simulate.
        matching: factors of the drives and of friction; those that ship by default.

    Raises:
        ReinsError: the arm is none of Franka's.
    """

    timestep = TIMESTEP

    def __init__(self, profile: RobotProfile, world: WorldSpec, matching: Matching | None = None) -> None:
        parts = parts_of(profile)
        if parts is not FRANKA:
            raise ReinsError(
                f"the simulator 'pybullet' has Franka's arms only; simulate '{profile.name}' with 'mujoco'"
            )
        # Shapes, masses, friction and the layout of qpos are those of the MuJoCo model.
        self.model = build_model(profile, world, pretty=False)
        self._urdf = bullet_urdf(profile, self.model)
        self._profile, self._world = profile, world
        self._n = n = len(profile.joints)
        self._nominal = np.array([parts.stiffness, parts.damping, self.model.dof_frictionloss[:n]])
        self.match(matching or load_matching(profile, "pybullet"))
        self._at_rest = [0.0] * (n + 2)
        position, velocity = np.zeros(n + 2), np.zeros(n + 2)
        self._position, self._velocity = position, velocity
        self.joints = JointDrive(position[:n], velocity[:n], np.zeros(n), np.zeros(n), np.zeros((1, n)))
        self.gripper = GripperDrive(
            position[n:], velocity[n:], np.zeros(1), np.zeros(1), np.zeros(1), np.array([0.0, 0.0])
        )
        self.time = 0.0
        self.client = bullet.connect(bullet.DIRECT)
        if self.client < 0:
            raise ReinsError("PyBullet gives no more worlds in this process; close robots that are not needed any more")
        self._disconnect = weakref.finalize(self, bullet.disconnect, self.client)

    def match(self, matching: Matching) -> None:
        """Have these factors from the next `begin` on."""
        self.stiffness, self.damping, self.model.dof_frictionloss[: self._n] = self._nominal * matching.factors
        self._surface = matching.surface

    def throw(self, name: str, velocity: FloatArray) -> None:
        """Give an object this velocity (3,) [m/s], base frame."""
        bullet.resetBaseVelocity(
            self.bodies.objects[name], linearVelocity=velocity.tolist(), physicsClientId=self.client
        )

    @property
    def objects(self) -> Mapping[str, FloatArray]:
        """(7,) pose of every object's body, x y z [m] and w x y z, by id."""
        return {name: self._pose(name) for name in self._world.by_id}

    def qpos(self) -> FloatArray:
        """(nq,) generalised position in the MuJoCo model's order."""
        return np.concatenate([self._position, *self.objects.values()])

    def begin(self, poses: Mapping[str, FloatArray], position: FloatArray | None = None) -> None:
        """Start anew at time 0, at rest. Everything is loaded again: Bullet's contacts remember what was before."""
        bullet.resetSimulation(physicsClientId=self.client)
        self.bodies = load_bodies(self.client, self._profile, self._world, self.model, self._urdf, self._surface)
        start = self._profile.home if position is None else position
        self._position[:] = [*start, *[self._profile.gripper.max_width / 2] * 2]
        self._velocity[:] = 0.0
        for joint, at in zip(self.bodies.joints, self._position.tolist(), strict=True):
            bullet.resetJointState(self.bodies.arm, joint, at, 0.0, physicsClientId=self.client)
        for name, pose in poses.items():
            self.put(name, pose)
        self.time = 0.0

    def put(self, name: str, pose: FloatArray) -> None:
        """Have an object at a pose (7,) from now on; Bullet sets it to rest as well."""
        centre = pose[:3] + _turned(pose[3:], self.model.body(name).ipos)
        bullet.resetBasePositionAndOrientation(
            self.bodies.objects[name], centre.tolist(), pose[[4, 5, 6, 3]].tolist(), physicsClientId=self.client
        )

    def advance(self, steps: int) -> None:
        """Compute that many physics steps."""
        arm, indices, client = self.bodies.arm, self.bodies.joints, self.client
        joints, n, limit = self.joints, self._n, self._profile.effort
        reference, speed = joints.reference, joints.speeds[0]
        finger_reference, finger_speed = self.gripper.reference, self.gripper.speed
        for _ in range(steps):
            gravity = bullet.calculateInverseDynamics(
                arm, self._position.tolist(), self._at_rest, self._at_rest, physicsClientId=client
            )
            wanted = self.stiffness * (reference - joints.position) + self.damping * (speed - joints.velocity)
            np.clip(wanted + gravity[:n], -limit, limit, out=joints.effort)
            finger = self._drive_fingers() / 2
            forces = [*joints.effort.tolist(), gravity[n] + finger, gravity[n + 1] + finger]
            bullet.setJointMotorControlArray(arm, indices, bullet.TORQUE_CONTROL, forces=forces, physicsClientId=client)
            bullet.stepSimulation(physicsClientId=client)
            reference += speed * TIMESTEP
            np.clip(reference, self._profile.lower, self._profile.upper, out=reference)
            finger_reference += finger_speed * TIMESTEP
            states = bullet.getJointStates(arm, indices, physicsClientId=client)
            self._position[:] = [state[0] for state in states]
            self._velocity[:] = [state[1] for state in states]
        self.time += steps * TIMESTEP

    def contacts(self) -> NDArray[np.int32]:
        """(c, 2) kinds of what is in contact; none at all while the robot touches nothing."""
        if not bullet.getContactPoints(self.bodies.arm, physicsClientId=self.client):
            return NOTHING
        kinds = self.bodies.kinds
        touching = [
            (kinds[point[1], point[3]], kinds[point[2], point[4]])
            for point in bullet.getContactPoints(physicsClientId=self.client)
            if point[8] <= 0.0 or point[9] > 0.0  # Bullet also tells of bodies that are merely near
        ]
        return np.array(touching, dtype=np.int32) if touching else NOTHING

    def close(self) -> None:
        """Give Bullet's world back. Safe to call twice."""
        self._disconnect()

    def _drive_fingers(self) -> float:
        """Force of the gripper's drive, of which each finger gets half [N]."""
        gripper = self.gripper
        mean = sum(gripper.position.tolist()) / 2
        speed = sum(gripper.velocity.tolist()) / 2
        least, most = gripper.force_range.tolist()
        wanted = FINGER_STIFFNESS * (gripper.reference.item() - mean) - FINGER_DAMPING * speed
        force: float = min(max(wanted, least), most)
        gripper.force[0] = force
        return force

    def _pose(self, name: str) -> FloatArray:
        centre, (x, y, z, w) = bullet.getBasePositionAndOrientation(
            self.bodies.objects[name], physicsClientId=self.client
        )
        turn = np.array([w, x, y, z])
        return np.concatenate([centre - _turned(turn, self.model.body(name).ipos), turn])


def _turned(quaternion: FloatArray, vector: FloatArray) -> FloatArray:
    """(3,) `vector` turned by a (4,) quaternion w x y z."""
    axis = quaternion[1:]
    return vector + 2.0 * np.cross(axis, np.cross(axis, vector) + quaternion[0] * vector)
