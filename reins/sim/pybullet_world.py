"""An arm, a table and its objects in a Bullet world, from the profile's URDF and the shapes of the MuJoCo model."""

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Final

import mujoco
import numpy as np
import pybullet as bullet

from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.sim.model import ARM_FAR, ARM_NEAR, FINGER_JOINTS, FINGERS, WORLD
from reins.sim.objects import FRICTION
from reins.sim.pybullet_urdf import BulletUrdf
from reins.sim.shapes import Shape, shapes_of
from reins.sim.touch import FINGER_KINDS, ROBOT
from reins.sim.world import WorldSpec

TIMESTEP: Final = 0.001
"""Physics and joint control period [s], the real arm's. Damping is explicit here, so that MuJoCo's 2 ms would be too
long for a wrist with so little inertia."""

GRAVITY: Final = -9.81
"""Along z [m/s²], as in MuJoCo."""

SURFACE: Final = sqrt(FRICTION[0])
"""Friction of table and objects: Bullet multiplies the two of a contact where MuJoCo takes the greater."""

SYNC_FORCE: Final = 500.0
"""Most force of the gear that keeps both fingers at the same distance from the middle [N]."""

SYNC_ERP: Final = 0.2
"""Share of the fingers' difference that the gear takes back in a step."""


@dataclass(frozen=True, slots=True)
class BulletBodies:
    """What is where in a loaded world.

    Attributes:
        arm: id of the robot.
        joints: index of every arm joint, then of the two fingers'.
        objects: id of every object's body, by the world's ids.
        kinds: (body, link) → kind, as `reins.sim.touch` counts them.
    """

    arm: int
    joints: tuple[int, ...]
    objects: Mapping[str, int]
    kinds: Mapping[tuple[int, int], int]


def load_bodies(
    client: int, profile: RobotProfile, world: WorldSpec, model: mujoco.MjModel, urdf: BulletUrdf, surface: float = 1.0
) -> BulletBodies:
    """Fill an empty Bullet world; objects are at the origin.

    Args:
        client: Bullet's number of the world.
        profile, world: what to load.
        model: the MuJoCo model of the same: shapes, masses and friction are taken from it.
        urdf: of the robot.
        surface: factor of the friction between table and objects.
    """
    bullet.setGravity(0.0, 0.0, GRAVITY, physicsClientId=client)
    bullet.setPhysicsEngineParameter(
        fixedTimeStep=TIMESTEP, numSubSteps=0, deterministicOverlappingPairs=1, physicsClientId=client
    )
    table = _fixed_plane(client, surface)
    arm = _load_urdf(client, urdf.text)
    _prepare_gravity(client, arm, len(profile.joints) + len(profile.gripper.joints))
    infos = [bullet.getJointInfo(arm, i, client) for i in range(bullet.getNumJoints(arm, physicsClientId=client))]
    links = {info[12].decode(): info[0] for info in infos}
    moved = {info[1].decode(): info[0] for info in infos}
    for link, body in urdf.bodies.items():
        _finish_link(client, arm, links[link], model, body, urdf.inertia.get(link))
        _filter(client, arm, links[link], model, body)
    base = min(links[link] for link in urdf.bodies)  # stands on the table for ever
    bullet.setCollisionFilterPair(arm, table, base, -1, 0, physicsClientId=client)
    names = [*(joint.model_name for joint in profile.joints), *profile.gripper.joints]
    joints = tuple(moved[name] for name in names)
    _free_joints(client, arm, joints, [*profile.joint_names, *FINGER_JOINTS], model)
    _couple_fingers(client, arm, joints[-2:])
    kinds = {(table, -1): 0}
    kinds |= {(arm, link): ROBOT for link in range(-1, len(links))}
    kinds |= {(arm, joint): kind for joint, kind in zip(joints[-2:], FINGER_KINDS, strict=True)}
    objects = {}
    for number, name in enumerate(world.by_id):
        objects[name] = _add_object(client, model, name)
        kinds[objects[name], -1] = number + 1
    return BulletBodies(arm, joints, objects, kinds)


def _load_urdf(client: int, text: str) -> int:
    flags = (
        bullet.URDF_USE_INERTIA_FROM_FILE
        | bullet.URDF_USE_SELF_COLLISION
        | bullet.URDF_USE_SELF_COLLISION_EXCLUDE_PARENT
    )
    with tempfile.TemporaryDirectory(prefix="reins-bullet-") as folder:
        path = os.path.join(folder, "robot.urdf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return int(bullet.loadURDF(path, useFixedBase=True, flags=flags, physicsClientId=client))


def _prepare_gravity(client: int, arm: int, freedoms: int) -> None:
    """Bullet keeps the model of its inverse dynamics from the first call, and refuses to make one of links that carry
    their motor's inertia. Gravity, all that it is used for, does not depend on inertia."""
    at_rest = [0.0] * freedoms
    bullet.calculateInverseDynamics(arm, at_rest, at_rest, at_rest, physicsClientId=client)


def _fixed_plane(client: int, surface: float) -> int:
    shape = bullet.createCollisionShape(bullet.GEOM_PLANE, physicsClientId=client)
    plane = int(bullet.createMultiBody(0.0, shape, physicsClientId=client))
    bullet.changeDynamics(plane, -1, lateralFriction=surface * SURFACE, physicsClientId=client)
    return plane


def _finish_link(
    client: int, arm: int, link: int, model: mujoco.MjModel, body: str, inertia: FloatArray | None
) -> None:
    """Friction, inertia, no damping but the joints' own. A link has one friction: that of its pad, where it has one."""
    friction = max(shape.friction for shape in shapes_of(model, body))
    anchored = int(body in FINGERS)  # without it a held block creeps by millimetres a second
    bullet.changeDynamics(
        arm,
        link,
        lateralFriction=friction / SURFACE,
        frictionAnchor=anchored,
        linearDamping=0.0,
        angularDamping=0.0,
        physicsClientId=client,
    )
    if inertia is not None:
        bullet.changeDynamics(arm, link, localInertiaDiagonal=inertia.tolist(), physicsClientId=client)


def _filter(client: int, arm: int, link: int, model: mujoco.MjModel, body: str) -> None:
    """The far part of the arm collides with the near part, both with the world."""
    group = int(model.geom_contype[model.body_geomadr[model.body(body).id]])
    mask = WORLD | (ARM_FAR if group == ARM_NEAR else ARM_NEAR)
    bullet.setCollisionFilterGroupMask(arm, link, group, mask, physicsClientId=client)


def _free_joints(client: int, arm: int, joints: tuple[int, ...], names: list[str], model: mujoco.MjModel) -> None:
    """No motor of Bullet's own, but its velocity motor at rest with little force: that is Coulomb friction."""
    for joint, name in zip(joints, names, strict=True):
        dof = model.joint(name)
        bullet.changeDynamics(arm, joint, jointDamping=float(dof.damping[0]), physicsClientId=client)
        bullet.setJointMotorControl2(
            arm,
            joint,
            bullet.VELOCITY_CONTROL,
            targetVelocity=0.0,
            force=float(dof.frictionloss[0]),
            physicsClientId=client,
        )


def _couple_fingers(client: int, arm: int, fingers: tuple[int, ...]) -> None:
    gear = bullet.createConstraint(
        arm, fingers[0], arm, fingers[1], bullet.JOINT_GEAR, [0, 1, 0], [0, 0, 0], [0, 0, 0], physicsClientId=client
    )
    bullet.changeConstraint(gear, gearRatio=-1, erp=SYNC_ERP, maxForce=SYNC_FORCE, physicsClientId=client)


def _add_object(client: int, model: mujoco.MjModel, name: str) -> int:
    """One free body; its inertial frame is its centre of mass, axes along the body's."""
    shapes = shapes_of(model, name)
    body = model.body(name)
    flat = np.empty(9)
    mujoco.mju_quat2Mat(flat, body.iquat)
    turn = flat.reshape(3, 3)
    moments = np.diag(turn @ np.diag(body.inertia) @ turn.T)
    made = int(
        bullet.createMultiBody(
            baseMass=float(body.mass[0]),
            baseCollisionShapeIndex=_compound(client, shapes),
            baseInertialFramePosition=body.ipos.tolist(),
            physicsClientId=client,
        )
    )
    bullet.changeDynamics(
        made,
        -1,
        localInertiaDiagonal=moments.tolist(),
        lateralFriction=shapes[0].friction / SURFACE,
        linearDamping=0.0,
        angularDamping=0.0,
        physicsClientId=client,
    )
    return made


def _compound(client: int, shapes: list[Shape]) -> int:
    types = {"box": bullet.GEOM_BOX, "cylinder": bullet.GEOM_CYLINDER, "capsule": bullet.GEOM_CAPSULE}
    return int(
        bullet.createCollisionShapeArray(
            shapeTypes=[types[shape.kind] for shape in shapes],
            halfExtents=[shape.size.tolist() for shape in shapes],
            radii=[float(shape.size[0]) for shape in shapes],
            lengths=[2.0 * float(shape.size[1]) for shape in shapes],
            collisionFramePositions=[shape.position.tolist() for shape in shapes],
            collisionFrameOrientations=[shape.quaternion.tolist() for shape in shapes],
            physicsClientId=client,
        )
    )
