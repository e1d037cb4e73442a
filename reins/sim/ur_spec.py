"""A UR arm for the simulator: its URDF, with a two-finger gripper that moves and something to look at."""

from pathlib import Path
from typing import Final

import mujoco
import numpy as np

from reins.sim.objects import COLLISION_GROUP, VISUAL_GROUP
from reins.sim.parts import UR, Block

GRIPPER: Final = "gripper"
"""The link of the URDF that the fingers are on; its last shape stands for the fingers."""

ROOT: Final = 0.10
"""Where the fingers begin, from the flange [m]. Source: Robotiq, 2F-85 instruction manual, with its coupling."""

FINGER_MASS: Final = 0.06
"""Of one finger [kg]; its share of the gripper's."""

ARMATURE: Final = (0.6, 0.6, 0.4, 0.1, 0.1, 0.1)
"""Inertia of each joint's drive as the joint feels it [kg·m²]; not published."""

ARM_COLOUR: Final = (0.70, 0.73, 0.76, 1.0)
GRIPPER_COLOUR: Final = (0.16, 0.16, 0.17, 1.0)


def read_ur(path: Path, hand: str, fingers: tuple[str, str], joints: tuple[str, str], stroke: float) -> mujoco.MjSpec:
    """The arm with names as the simulator wants them.

    Args:
        path: of the URDF.
        hand, fingers, joints: names for the hand's body, the fingers' bodies and their joints.
        stroke: how far apart the fingers open [m].
    """
    spec = mujoco.MjSpec.from_file(str(path))
    spec.compiler.fusestatic = False  # the hand is a body of its own
    spec.compiler.discardvisual = False  # what is added here is to be looked at
    for joint, armature in zip(spec.joints, ARMATURE, strict=True):
        joint.armature = armature
    gripper = spec.body(GRIPPER)
    spec.delete(list(gripper.geoms)[-1])
    for body in spec.bodies:
        colour = GRIPPER_COLOUR if body.name == GRIPPER else ARM_COLOUR
        for geom in list(body.geoms):
            geom.group, geom.mass = COLLISION_GROUP, 0.0
            _show(body, geom, colour)
    gripper.name = hand
    for finger, joint, turn in zip(fingers, joints, ([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]), strict=True):
        _add_finger(gripper, finger, joint, turn, stroke / 2)
    _couple(spec, joints)
    return spec


def _add_finger(gripper: mujoco.MjsBody, name: str, joint: str, turn: list[float], reach: float) -> None:
    """One finger on the side that `turn` (w x y z) says, that opens by `reach` [m]."""
    body = gripper.add_body(name=name, pos=[0.0, 0.0, ROOT], quat=turn)
    body.mass, body.ipos, body.inertia = FINGER_MASS, [0.0, 0.02, 0.03], [5e-5, 5e-5, 2e-5]
    body.explicitinertial = True
    body.add_joint(
        name=joint, type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0.0, 1.0, 0.0], limited=1, range=[0.0, reach], damping=5.0
    )
    for block in (UR.shank, UR.pad):
        _show_block(body, block)


def _couple(spec: mujoco.MjSpec, joints: tuple[str, str]) -> None:
    """The fingers move alike, and one drive moves both."""
    tendon = spec.add_tendon(name="split")
    for joint in joints:
        tendon.wrap_joint(joint, 0.5)
    alike = np.zeros(mujoco.mjNEQDATA)
    alike[1] = 1.0  # second of the coefficients of a polynomial
    spec.add_equality(
        type=mujoco.mjtEq.mjEQ_JOINT,
        name1=joints[0],
        name2=joints[1],
        objtype=mujoco.mjtObj.mjOBJ_JOINT,
        data=alike,
        solimp=[0.95, 0.99, 0.001, 0.5, 2.0],
        solref=[0.005, 1.0],
    )


def _show(body: mujoco.MjsBody, geom: mujoco.MjsGeom, colour: tuple[float, ...]) -> None:
    body.add_geom(
        type=geom.type,
        size=geom.size,
        pos=geom.pos,
        quat=geom.quat,
        rgba=colour,
        group=VISUAL_GROUP,
        contype=0,
        conaffinity=0,
        mass=0.0,
    )


def _show_block(body: mujoco.MjsBody, block: Block) -> None:
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=block.half,
        pos=block.centre,
        rgba=GRIPPER_COLOUR,
        group=VISUAL_GROUP,
        contype=0,
        conaffinity=0,
        mass=0.0,
    )
