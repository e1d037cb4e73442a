"""A legged robot in PyBullet: the same robot, motors and ground, computed by another engine."""

import os
import tempfile
import weakref
from math import sqrt
from typing import Final

import numpy as np
import pybullet as bullet

from reins.contracts.errors import ReinsError
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.sim.legged.description import links_of
from reins.sim.legged.engine import Truth
from reins.sim.legged.ground import CELL, GroundSpec, Thing
from reins.sim.legged.urdf import walker_urdf

TIMESTEP: Final = 0.001
"""Of physics and of the joints' control loops [s]: damping is explicit here, and MuJoCo's 2 ms would be too long."""

GRAVITY: Final = -9.81
"""Along z [m/s²]."""


class BulletLegs:
    """Bullet as `reins.sim.legged.engine.LegEngine`. Bullet knows no armature: a motor's inertia about its joint's axis
    goes to the link that it drives. What it calls the base is the trunk's principal axes at its centre of mass, turned
    against the body frame by `_axes`.

    Args:
        profile: the robot.
        ground: what it stands on.

    Raises:
        ReinsError: Bullet gives no more worlds in this process.
    """

    timestep = TIMESTEP

    def __init__(self, profile: QuadrupedProfile, ground: GroundSpec) -> None:
        self.client = bullet.connect(bullet.DIRECT)
        if self.client < 0:
            raise ReinsError("PyBullet gives no more worlds in this process; close robots that are not needed any more")
        self._disconnect = weakref.finalize(self, bullet.disconnect, self.client)
        self._profile, self._ground = profile, ground
        self._effort = profile.effort
        motors = profile.build.motors * 4
        self._stiffness = np.array([motor.stiffness for motor in motors])
        self._damping = np.array([motor.damping for motor in motors])
        self._grip, self._target = 1.0, np.array(profile.home)
        self._load()

    def begin(self, position: FloatArray, yaw: float, joints: FloatArray) -> None:
        """Start anew."""
        self.lay(position, np.array([0.0, 0.0, np.sin(yaw / 2.0), np.cos(yaw / 2.0)]), joints)

    def lay(self, position: FloatArray, orientation: FloatArray, joints: FloatArray) -> None:
        """Start anew, anyhow turned. Everything is loaded again: Bullet's contacts remember what was before."""
        self._load()
        client = self.client
        centre = np.asarray(position) + _turned(orientation, self._centre)
        axes = _composed(orientation, self._axes).tolist()
        bullet.resetBasePositionAndOrientation(self._robot, centre.tolist(), axes, physicsClientId=client)
        for joint, at in zip(self._joints, joints.tolist(), strict=True):
            bullet.resetJointState(self._robot, joint, at, 0.0, physicsClientId=client)
        self._target, self._grip = np.array(joints), 1.0
        self._read_joints()

    def aim(self, joints: FloatArray, grip: float) -> None:
        """Pull there from now on."""
        self._target, self._grip = np.array(joints), grip

    def advance(self, steps: int) -> None:
        """Compute that many physics steps."""
        robot, joints, client = self._robot, self._joints, self.client
        for _ in range(steps):
            pull = self._grip * self._stiffness * (self._target - self._position) - self._damping * self._speed
            self._torque = np.clip(pull, -self._effort, self._effort)
            bullet.setJointMotorControlArray(
                robot, joints, bullet.TORQUE_CONTROL, forces=self._torque.tolist(), physicsClientId=client
            )
            bullet.stepSimulation(physicsClientId=client)
            self._read_joints()

    def push(self, change: FloatArray) -> None:
        """Change the base's velocity."""
        linear, angular = bullet.getBaseVelocity(self._robot, physicsClientId=self.client)
        faster = (np.array(linear) + change).tolist()
        bullet.resetBaseVelocity(self._robot, faster, angular, physicsClientId=self.client)

    def truth(self) -> Truth:
        """How it is now."""
        centre, axes = (np.array(part) for part in bullet.getBasePositionAndOrientation(self._robot, self.client))
        turn = _composed(axes, _inverse(self._axes))
        linear, angular = (np.array(part) for part in bullet.getBaseVelocity(self._robot, self.client))
        arm = _turned(turn, self._centre)
        contact, scraped = np.zeros(4, dtype=bool), False
        for point in bullet.getContactPoints(bodyA=self._robot, physicsClientId=self.client):
            if point[8] <= 0.0 or point[9] > 0.0:  # Bullet also tells of bodies that are merely near
                foot = self._feet.get(point[3])
                scraped |= foot is None
                if foot is not None:
                    contact[foot] = True
        return Truth(
            position=centre - arm,
            orientation=turn,
            linear=linear - np.cross(angular, arm),
            rates=_turned(_inverse(turn), angular),
            joints=self._position.copy(),
            speeds=self._speed.copy(),
            torques=self._torque.copy(),
            contact=contact,
            scraped=scraped,
        )

    def close(self) -> None:
        """Give Bullet's world back. Safe to call twice."""
        self._disconnect()

    def _load(self) -> None:
        client, profile = self.client, self._profile
        bullet.resetSimulation(physicsClientId=client)
        bullet.setGravity(0.0, 0.0, GRAVITY, physicsClientId=client)
        bullet.setPhysicsEngineParameter(
            fixedTimeStep=TIMESTEP, numSubSteps=0, deterministicOverlappingPairs=1, physicsClientId=client
        )
        _load_ground(client, self._ground)
        for thing in self._ground.things:
            _load_thing(client, thing, self._ground)
        self._robot = _load_robot(client, walker_urdf(profile))
        infos = [bullet.getJointInfo(self._robot, i, client) for i in range(bullet.getNumJoints(self._robot, client))]
        links = {info[12].decode(): info[0] for info in infos}
        moved = {info[1].decode(): info[0] for info in infos}
        self._joints = [moved[name] for name in profile.joint_names]
        self._feet = {links[f"{foot}_foot"]: number for number, foot in enumerate(profile.feet)}
        self._centre = np.array(profile.build.trunk.centre)
        self._axes = np.array(bullet.getDynamicsInfo(self._robot, -1, client)[4])
        self._finish(links)
        self._position, self._speed, self._torque = np.zeros(12), np.zeros(12), np.zeros(12)

    def _finish(self, links: dict[str, int]) -> None:
        """Friction, motors' inertia, no damping but the joints' own, no motors but ours; no link collides with another
        one of the robot."""
        client, robot = self.client, self._robot
        for link in links_of(self._profile):
            index = links[link.name] if link.parent else -1
            friction = {"lateralFriction": sqrt(self._ground.friction), "physicsClientId": client}
            bullet.changeDynamics(robot, index, linearDamping=0.0, angularDamping=0.0, **friction)
            if link.drive is None:
                continue
            motor = link.drive.motor
            moments = np.array(bullet.getDynamicsInfo(robot, index, client)[2])
            heavy = moments + motor.armature * self._nearest_axis(index, np.array(link.drive.axis))
            bullet.changeDynamics(
                robot, index, localInertiaDiagonal=heavy.tolist(), jointDamping=motor.viscous, physicsClientId=client
            )
            bullet.setJointMotorControl2(
                robot, index, bullet.VELOCITY_CONTROL, targetVelocity=0.0, force=motor.friction, physicsClientId=client
            )

    def _nearest_axis(self, index: int, axis: FloatArray) -> FloatArray:
        """(3,) shares that a link's principal axes have of a joint's axis."""
        turn = np.array(bullet.getDynamicsInfo(self._robot, index, self.client)[4])
        shares: FloatArray = _turned(_inverse(turn), axis) ** 2
        return shares

    def _read_joints(self) -> None:
        states = bullet.getJointStates(self._robot, self._joints, physicsClientId=self.client)
        self._position = np.array([state[0] for state in states])
        self._speed = np.array([state[1] for state in states])


def _load_robot(client: int, text: str) -> int:
    with tempfile.TemporaryDirectory(prefix="reins-bullet-") as folder:
        path = os.path.join(folder, "robot.urdf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        flags = bullet.URDF_USE_INERTIA_FROM_FILE
        return int(bullet.loadURDF(path, flags=flags, physicsClientId=client))


def _load_ground(client: int, ground: GroundSpec) -> None:
    """Bullet multiplies the two friction coefficients of a contact: ground and feet have the root each."""
    if ground.is_flat:
        shape = bullet.createCollisionShape(bullet.GEOM_PLANE, physicsClientId=client)
        body = bullet.createMultiBody(0.0, shape, physicsClientId=client)
    else:
        heights = ground.heights
        shape = bullet.createCollisionShape(
            bullet.GEOM_HEIGHTFIELD,
            meshScale=[CELL, CELL, 1.0],
            heightfieldData=heights.ravel().tolist(),
            numHeightfieldRows=heights.shape[1],
            numHeightfieldColumns=heights.shape[0],
            physicsClientId=client,
        )
        middle = float(heights.min() + heights.max()) / 2.0  # Bullet puts a height field's middle at its origin
        body = bullet.createMultiBody(0.0, shape, basePosition=[0.0, 0.0, middle], physicsClientId=client)
    bullet.changeDynamics(body, -1, lateralFriction=sqrt(ground.friction), physicsClientId=client)


def _load_thing(client: int, thing: Thing, ground: GroundSpec) -> None:
    half = [extent / 2.0 for extent in thing.size]
    if thing.label == "person":
        shape = bullet.createCollisionShape(
            bullet.GEOM_CYLINDER, radius=half[0], height=thing.size[2], physicsClientId=client
        )
    else:
        shape = bullet.createCollisionShape(bullet.GEOM_BOX, halfExtents=half, physicsClientId=client)
    x, y = thing.at
    bullet.createMultiBody(
        0.0,
        shape,
        basePosition=[x, y, ground.height_at(x, y) + half[2]],
        baseOrientation=[0.0, 0.0, float(np.sin(thing.yaw / 2.0)), float(np.cos(thing.yaw / 2.0))],
        physicsClientId=client,
    )


def _turned(quaternion: FloatArray, vector: FloatArray) -> FloatArray:
    """(3,) `vector` turned by a quaternion (4,) x y z w."""
    axis = quaternion[:3]
    return vector + 2.0 * np.cross(axis, np.cross(axis, vector) + quaternion[3] * vector)


def _inverse(quaternion: FloatArray) -> FloatArray:
    """(4,) the turn back, x y z w."""
    back: FloatArray = quaternion * np.array([-1.0, -1.0, -1.0, 1.0])
    return back


def _composed(first: FloatArray, second: FloatArray) -> FloatArray:
    """(4,) the turn by `second`, then by `first`, x y z w."""
    a, b = first[:3], second[:3]
    return np.append(first[3] * b + second[3] * a + np.cross(a, b), first[3] * second[3] - a @ b)
