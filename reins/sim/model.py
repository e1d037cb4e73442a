"""The MuJoCo model of one arm in one world: the robot, its joint controllers, table, objects and cameras."""

from typing import Final

import mujoco
import numpy as np

from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.sim.objects import COLLISION_GROUP, VISUAL_GROUP, add_object
from reins.sim.parts import ArmParts, parts_of
from reins.sim.simplify import simplify_meshes
from reins.sim.ur_spec import read_ur
from reins.sim.world import CameraSpec, WorldSpec

TIMESTEP: Final = 0.002
"""Physics and joint control period [s]."""

HAND: Final = "hand"
FINGERS: Final = ("left_finger", "right_finger")
FINGER_JOINTS: Final = ("finger_joint1", "finger_joint2")
"""Bodies and joints of the gripper."""

FINGER_STIFFNESS: Final = 10_000.0
FINGER_DAMPING: Final = 150.0
"""Of the gripper's drive over the mean position of the fingers [N/m, N·s/m]."""

FINGER_ARMATURE: Final = 0.1
"""Inertia of the gripper's motor as each finger feels it [kg]."""

PAD_FRICTION: Final = (1.5, 0.05, 0.001)
"""Rubber pads: sliding, torsional [m], rolling [m]."""

TABLE_HEIGHT: Final = 0.74
"""Of the table top above the floor [m]; only to look at."""

TABLE_TOP: Final = "table_top"
LAMP: Final = "lamp"
"""The surface that is looked at, and the light."""

WORLD, ARM_FAR, ARM_NEAR = 0b001, 0b010, 0b100
"""Collision bits: the far part of the arm (wrist, hand) collides with the world and with the near part."""


def build_model(profile: RobotProfile, world: WorldSpec, pretty: bool) -> mujoco.MjModel:
    """Compile the model. Generalised positions: the arm's joints, two fingers, then every object in the world's order.

    Args:
        profile: the robot.
        world: the world; where its objects stand is no part of the model.
        pretty: with the meshes and the scenery that only cameras need.

    Raises:
        ReinsError: the robot's MJCF lacks a joint or a body that is needed.
    """
    spec = robot_spec(profile)
    add_table(spec, pretty)
    for name, item in world.by_id.items():
        add_object(spec, name, item, pretty)
    for camera in world.cameras:
        add_camera(spec, camera)
    if pretty:
        simplify_meshes(spec)
    else:
        _drop_visuals(spec)
    spec.modelname = f"{profile.name}_{world.name}"
    return spec.compile()


def robot_spec(profile: RobotProfile) -> mujoco.MjSpec:
    """The robot with its joint controllers, alone.

    Raises:
        ReinsError: it is no arm that the simulator knows, or its description lacks a joint or a body that is needed.
    """
    parts = parts_of(profile)
    spec = _read(profile)
    _set_options(spec)
    _check_names(spec, profile)
    _prepare_bodies(spec, parts)
    _prepare_fingers(spec, parts)
    _replace_actuators(spec, profile, parts)
    return spec


def _read(profile: RobotProfile) -> mujoco.MjSpec:
    path = profile.model.path(profile.model.mjcf)
    if profile.ur is not None:
        return read_ur(path, HAND, FINGERS, FINGER_JOINTS, profile.gripper.max_width)
    spec = mujoco.MjSpec.from_file(str(path))
    spec.meshdir = str(path.parent / "meshes")
    names = {joint.model_name: joint.name for joint in profile.joints}
    for joint in spec.joints:
        joint.name = names.get(joint.name, joint.name)
    return spec


def _set_options(spec: mujoco.MjSpec) -> None:
    spec.option.timestep = TIMESTEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10.0
    # A simulation that diverges must show it, not start again in silence.
    spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    spec.visual.map.znear, spec.visual.map.zfar = 0.01, 6.0
    spec.stat.extent = 1.0
    spec.stat.center = [0.4, 0.0, 0.2]
    spec.visual.headlight.ambient = [0.40, 0.40, 0.40]
    spec.visual.headlight.diffuse = [0.22, 0.22, 0.22]
    spec.visual.headlight.specular = [0.05, 0.05, 0.05]
    spec.visual.quality.offsamples = 0  # smoothing of edges doubles the time of software rendering
    spec.visual.quality.shadowsize = 1024
    spec.visual.global_.offwidth, spec.visual.global_.offheight = 1920, 1080


def _check_names(spec: mujoco.MjSpec, profile: RobotProfile) -> None:
    joints = {joint.name for joint in spec.joints}
    bodies = {body.name for body in spec.bodies}
    missing = [name for name in (*profile.joint_names, *FINGER_JOINTS) if name not in joints]
    missing += [name for name in (HAND, *FINGERS) if name not in bodies]
    if missing:
        raise ReinsError(f"the MJCF of '{profile.name}' has no {', '.join(missing)}; the simulator needs them")


def _prepare_bodies(spec: mujoco.MjSpec, parts: ArmParts) -> None:
    """Compensate gravity as the robot's own controller does, and collide with capsules instead of meshes."""
    for body in spec.bodies:
        if body.name == "world":
            continue
        body.gravcomp = 1.0
        for geom in [geom for geom in body.geoms if geom.group == COLLISION_GROUP]:
            if body.name in FINGERS:
                spec.delete(geom)
                continue
            if body.name == HAND and parts.housing is not None:
                geom.type, geom.meshname = mujoco.mjtGeom.mjGEOM_BOX, ""
                geom.size, geom.pos = parts.housing.half, parts.housing.centre
            elif geom.type == mujoco.mjtGeom.mjGEOM_MESH:
                geom.type = mujoco.mjtGeom.mjGEOM_CAPSULE  # fitted to the mesh that the geom names
            near = body.name in parts.near
            geom.contype = ARM_NEAR if near else ARM_FAR
            geom.conaffinity = WORLD if near else WORLD | ARM_NEAR


def _prepare_fingers(spec: mujoco.MjSpec, parts: ArmParts) -> None:
    """Two boxes a finger: its shank, and the rubber pad whose face is the plane y = 0 of the finger's frame."""
    for name in FINGERS:
        body = spec.body(name)
        common = {"type": mujoco.mjtGeom.mjGEOM_BOX, "group": COLLISION_GROUP, "mass": 0.0}
        bits = {"contype": ARM_FAR, "conaffinity": WORLD | ARM_NEAR}
        body.add_geom(size=parts.shank.half, pos=parts.shank.centre, **common, **bits)
        body.add_geom(
            name=f"{name}_pad",
            size=parts.pad.half,
            pos=parts.pad.centre,
            friction=PAD_FRICTION,
            condim=6,
            priority=1,
            solimp=[0.95, 0.99, 0.001, 0.5, 2.0],
            solref=[0.006, 1.0],
            **common,
            **bits,
        )
    for name in FINGER_JOINTS:
        spec.joint(name).armature = FINGER_ARMATURE
        spec.joint(name).frictionloss = 0.0


def _replace_actuators(spec: mujoco.MjSpec, profile: RobotProfile, parts: ArmParts) -> None:
    """A joint's pair: one integrates the reference velocity to a position and pulls there, one damps to that velocity.

    Actuators in order: every joint's position, every joint's velocity, the gripper. Activations: the joints' reference
    positions, the gripper's reference (mean of the fingers).
    """
    for actuator in list(spec.actuators):
        spec.delete(actuator)
    for key in list(spec.keys):
        spec.delete(key)
    for joint, stiffness in zip(profile.joints, parts.stiffness, strict=True):
        target = spec.joint(joint.name)
        target.range = [joint.lower, joint.upper]
        target.actfrclimited = 1
        target.actfrcrange = [-joint.effort, joint.effort]
        target.actgravcomp = 1
        spec.add_actuator(
            name=f"{joint.name}_position",
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            target=joint.name,
            dyntype=mujoco.mjtDyn.mjDYN_INTEGRATOR,
            gaintype=mujoco.mjtGain.mjGAIN_FIXED,
            gainprm=_row(stiffness),
            biastype=mujoco.mjtBias.mjBIAS_AFFINE,
            biasprm=_row(0.0, -stiffness),
            actlimited=1,
            actrange=[joint.lower, joint.upper],
        )
    for joint, damping in zip(profile.joints, parts.damping, strict=True):
        spec.add_actuator(
            name=f"{joint.name}_velocity",
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            target=joint.name,
            gaintype=mujoco.mjtGain.mjGAIN_FIXED,
            gainprm=_row(damping),
            biastype=mujoco.mjtBias.mjBIAS_AFFINE,
            biasprm=_row(0.0, 0.0, -damping),
        )
    spec.add_actuator(
        name="gripper",
        trntype=mujoco.mjtTrn.mjTRN_TENDON,
        target=spec.tendons[0].name,
        dyntype=mujoco.mjtDyn.mjDYN_INTEGRATOR,
        gaintype=mujoco.mjtGain.mjGAIN_FIXED,
        gainprm=_row(FINGER_STIFFNESS),
        biastype=mujoco.mjtBias.mjBIAS_AFFINE,
        biasprm=_row(0.0, -FINGER_STIFFNESS, -FINGER_DAMPING),
        forcelimited=1,
        forcerange=[-2.0 * profile.gripper.max_force, 2.0 * profile.gripper.max_force],
    )


def _row(*values: float) -> FloatArray:
    """(10,) actuator parameters: `values`, then zeros."""
    row = np.zeros(mujoco.mjNGAIN)
    row[: len(values)] = values
    return row


def add_table(spec: mujoco.MjSpec, pretty: bool) -> None:
    """Add the plane that things stand on; if `pretty`, also what it looks like, the floor, the sky and a lamp."""
    world = spec.worldbody
    world.add_geom(
        name="table",
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[1.0, 1.0, 0.1],
        group=COLLISION_GROUP,
        friction=[0.8, 0.005, 0.0001],
        contype=WORLD,
        conaffinity=WORLD,
    )
    if not pretty:
        return
    box = mujoco.mjtGeom.mjGEOM_BOX
    common = {"contype": 0, "conaffinity": 0, "group": VISUAL_GROUP}
    top, wood = [0.40, 0.42, 0.45, 1.0], [0.45, 0.33, 0.22, 1.0]
    world.add_geom(name=TABLE_TOP, type=box, size=[0.60, 0.65, 0.006], pos=[0.35, 0.0, -0.006], rgba=top, **common)
    world.add_geom(type=box, size=[0.60, 0.65, 0.012], pos=[0.35, 0.0, -0.024], rgba=wood, **common)
    for x in (-0.2, 0.9):
        for y in (-0.6, 0.6):
            half = (TABLE_HEIGHT - 0.036) / 2
            world.add_geom(type=box, size=[0.03, 0.03, half], pos=[x, y, -0.036 - half], rgba=wood, **common)
    world.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[4.0, 4.0, 0.1],
        pos=[0.0, 0.0, -TABLE_HEIGHT],
        rgba=[0.74, 0.75, 0.76, 1.0],
        **common,
    )
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=[0.86, 0.90, 0.95],
        rgb2=[0.62, 0.68, 0.76],
        width=64,
        height=64 * 6,
    )
    world.add_light(
        name=LAMP,
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        pos=[0.6, -0.6, 2.2],
        dir=[-0.15, 0.3, -1.0],
        diffuse=[0.44, 0.44, 0.44],
        specular=[0.08, 0.08, 0.08],
        castshadow=True,
    )


def add_camera(spec: mujoco.MjSpec, camera: CameraSpec) -> None:
    """Add one camera, fixed or on the hand."""
    body = spec.worldbody if camera.mount == "table" else spec.body(HAND)
    rotation = np.ascontiguousarray(look_rotation(camera))
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, rotation.ravel())
    body.add_camera(
        name=camera.name,
        pos=camera.position,
        quat=quaternion,
        fovy=camera.fovy,
        resolution=[camera.width, camera.height],
    )


def look_rotation(camera: CameraSpec) -> FloatArray:
    """(3, 3) axes of the camera in the frame of its mount, OpenGL convention: x right, y up, z backwards.

    Raises:
        ReinsError: `up` is along the direction in which it looks.
    """
    back = np.subtract(camera.position, camera.look_at)
    right = np.cross(camera.up, back)
    if np.linalg.norm(right) < 1e-9:
        raise ReinsError(f"camera '{camera.name}': up {camera.up} must not be along the direction in which it looks")
    back, right = back / np.linalg.norm(back), right / np.linalg.norm(right)
    return np.stack([right, np.cross(back, right), back], axis=1)


def _drop_visuals(spec: mujoco.MjSpec) -> None:
    """Remove the robot's visual geometry and the meshes that nothing uses any more: physics then loads in a moment."""
    for geom in list(spec.geoms):
        if geom.group == VISUAL_GROUP and geom.contype == 0:
            spec.delete(geom)
    used = {geom.meshname for geom in spec.geoms}
    for mesh in list(spec.meshes):
        if mesh.name not in used:
            spec.delete(mesh)
