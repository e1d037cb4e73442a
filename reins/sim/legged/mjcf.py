"""The MuJoCo model of one legged robot on one ground."""

from typing import Final

import mujoco
import numpy as np

from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.quadruped_build import HEAD
from reins.hardware.robot import FloatArray
from reins.sim.legged.description import TRUNK, Drive, Link, Shape, links_of
from reins.sim.legged.ground import GroundSpec, Thing
from reins.sim.world import COLOURS

TIMESTEP: Final = 0.002
"""Period of physics and of the joints' control loops [s]."""

GROUND, ROBOT = 0b01, 0b10
"""Collision bits: the robot collides with the ground and what stands on it; its legs pass through each other."""

DEPTH: Final = 1.0
"""Of the ground below its lowest point [m]."""

BODY_RGBA: Final = (0.75, 0.77, 0.80, 1.0)
LIMB_RGBA: Final = (0.25, 0.26, 0.28, 1.0)
FLOOR_RGBA: Final = (0.62, 0.64, 0.60, 1.0)


def build_walker(profile: QuadrupedProfile, ground: GroundSpec) -> mujoco.MjModel:
    """Compile the model. Generalised positions: the trunk's place and orientation (w x y z), then the joints.

    Controls are the joints' target positions [rad]; each joint pulls there with its motor's stiffness and damping, and
    no harder than its limit.
    """
    spec = mujoco.MjSpec()
    spec.modelname = f"{profile.name}_{ground.name}"
    _set_options(spec)
    _add_ground(spec, ground)
    for number, thing in enumerate(ground.things):
        _add_thing(spec, f"{thing.label}_{number}", thing, ground)
    for link in links_of(profile):
        _add_link(spec, link)
    spec.body(TRUNK).add_site(name="imu", pos=profile.build.imu)
    _add_head(spec, profile)
    for link in links_of(profile):
        if link.drive is not None:
            _add_actuator(spec, link.drive)
    return spec.compile()


def _set_options(spec: mujoco.MjSpec) -> None:
    spec.compiler.degree = False
    spec.option.timestep = TIMESTEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_PYRAMIDAL
    # A simulation that diverges must show it, not start again in silence.
    spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    spec.visual.map.znear, spec.visual.map.zfar = 0.02, 30.0
    spec.stat.extent = 1.0
    spec.visual.headlight.ambient = [0.45, 0.45, 0.45]
    spec.visual.headlight.diffuse = [0.40, 0.40, 0.40]
    spec.visual.quality.offsamples = 0  # smoothing of edges doubles the time of software rendering
    spec.visual.global_.offwidth, spec.visual.global_.offheight = 1920, 1080


def _add_ground(spec: mujoco.MjSpec, ground: GroundSpec) -> None:
    common = {
        "contype": GROUND,
        "conaffinity": ROBOT,
        "friction": [ground.friction, 0.02, 0.001],
        "priority": 1,  # the file says how slippery a foot is on it: of two equals MuJoCo takes the greater friction
        "rgba": FLOOR_RGBA,
    }
    if ground.is_flat:
        spec.worldbody.add_geom(
            name="ground", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[ground.extent, ground.extent, 0.1], **common
        )
        return
    heights = ground.heights
    low, span = float(heights.min()), float(np.ptp(heights)) or 1.0
    spec.add_hfield(
        name="ground",
        nrow=heights.shape[0],
        ncol=heights.shape[1],
        size=[ground.extent, ground.extent, span, DEPTH],
        userdata=((heights - low) / span).ravel(),
    )
    spec.worldbody.add_geom(
        name="ground", type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname="ground", pos=[0.0, 0.0, low], **common
    )


def _add_thing(spec: mujoco.MjSpec, name: str, thing: Thing, ground: GroundSpec) -> None:
    x, y = thing.at
    half = [extent / 2.0 for extent in thing.size]
    kind = mujoco.mjtGeom.mjGEOM_CYLINDER if thing.label == "person" else mujoco.mjtGeom.mjGEOM_BOX
    spec.worldbody.add_geom(
        name=name,
        type=kind,
        size=[half[0], half[2], 0.0] if thing.label == "person" else half,
        pos=[x, y, ground.height_at(x, y) + half[2]],
        quat=[np.cos(thing.yaw / 2.0), 0.0, 0.0, np.sin(thing.yaw / 2.0)],
        rgba=[*COLOURS[thing.colour], 1.0],
        contype=GROUND,
        conaffinity=ROBOT,
    )


def _add_link(spec: mujoco.MjSpec, link: Link) -> None:
    parent = spec.body(link.parent) if link.parent else spec.worldbody
    body = parent.add_body(name=link.name, pos=link.place)
    mass = link.mass
    body.mass, body.ipos, body.fullinertia = mass.mass, mass.centre, mass.inertia
    body.explicitinertial = True
    if not link.parent:
        body.add_freejoint(name=TRUNK)
    elif link.drive is not None:
        _add_joint(body, link.drive)
    _add_shape(body, link)


def _add_joint(body: mujoco.MjsBody, drive: Drive) -> None:
    limits, motor = drive.limits, drive.motor
    body.add_joint(
        name=limits.name,
        type=mujoco.mjtJoint.mjJNT_HINGE,
        axis=drive.axis,
        range=[limits.lower, limits.upper],
        limited=1,
        armature=motor.armature,
        damping=_row(3, motor.viscous),
        frictionloss=motor.friction,
        actfrclimited=1,
        actfrcrange=[-limits.effort, limits.effort],
    )


def _add_shape(body: mujoco.MjsBody, link: Link) -> None:
    shape: Shape = link.shape
    common = {
        "name": link.name,
        "mass": 0.0,
        "contype": ROBOT,
        "conaffinity": GROUND,
        "rgba": LIMB_RGBA if link.parent else BODY_RGBA,
    }
    if shape.kind == "capsule":
        ends = [*shape.begin, *shape.end]
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_CAPSULE, fromto=ends, size=[shape.half[0], 0.0, 0.0], **common)
    elif shape.kind == "ball":
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[shape.half[0], 0.0, 0.0], **common)
    else:
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=shape.half, pos=shape.begin, **common)


def _add_head(spec: mujoco.MjSpec, profile: QuadrupedProfile) -> None:
    """MuJoCo's cameras look along their -z, y up."""
    camera = profile.build.camera
    rotation = camera.pose[:3, :3] * [1.0, -1.0, -1.0]
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(rotation).ravel())
    spec.body(TRUNK).add_camera(
        name=HEAD,
        pos=camera.position,
        quat=quaternion,
        fovy=camera.fovy,
        resolution=[camera.width, camera.height],
    )


def _add_actuator(spec: mujoco.MjSpec, drive: Drive) -> None:
    motor, name = drive.motor, drive.limits.name
    spec.add_actuator(
        name=name,
        trntype=mujoco.mjtTrn.mjTRN_JOINT,
        target=name,
        gaintype=mujoco.mjtGain.mjGAIN_FIXED,
        gainprm=_row(mujoco.mjNGAIN, motor.stiffness),
        biastype=mujoco.mjtBias.mjBIAS_AFFINE,
        biasprm=_row(mujoco.mjNBIAS, 0.0, -motor.stiffness, -motor.damping),
    )


def _row(length: int, *values: float) -> FloatArray:
    """(length,) `values`, then zeros."""
    row = np.zeros(length)
    row[: len(values)] = values
    return row
