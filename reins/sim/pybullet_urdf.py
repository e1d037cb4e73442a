"""A robot's URDF made fit for Bullet: simple shapes instead of meshes, no link without a mass, motors' inertia."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from xml.etree.ElementTree import Element, SubElement

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.sim.model import FINGER_JOINTS, FINGERS, HAND
from reins.sim.shapes import Shape, shapes_of

FEATHER: Final = 1e-4
"""Mass of a link that the URDF gives none [kg]; Bullet would make it 1 kg."""


@dataclass(frozen=True, slots=True, eq=False)
class BulletUrdf:
    """The robot for Bullet.

    Attributes:
        text: of the URDF.
        bodies: link of the URDF → body of the MuJoCo model, of all that collides.
        inertia: link → (3,) principal moments [kg·m²] in the axes that the URDF gives; Bullet refuses to read them, for
            with its motor a link is no rigid body that could exist.
    """

    text: str
    bodies: Mapping[str, str]
    inertia: Mapping[str, FloatArray]


def bullet_urdf(profile: RobotProfile, model: mujoco.MjModel) -> BulletUrdf:
    """Rewrite the URDF of a profile.

    Bullet knows no armature: the motor's inertia goes to the link that it drives, about the joint's axis. The gripper's
    motor goes to the fingers as mass, and off the hand's, so that the weight stays.

    Args:
        profile: the robot.
        model: the MuJoCo model of the same robot: its collision shapes and its motors' inertia are taken over.

    Raises:
        ReinsError: the URDF lacks a joint, or its hand is lighter than its motor.
    """
    root = ElementTree.parse(profile.model.path(profile.model.urdf)).getroot()
    links = {link.get("name", ""): link for link in root.findall("link")}
    joints = {joint.get("name", ""): joint for joint in root.findall("joint")}
    names = [*(joint.model_name for joint in profile.joints), *profile.gripper.joints]
    if missing := [name for name in names if name not in joints]:
        raise ReinsError(f"the URDF of '{profile.name}' has no joint {', '.join(missing)}; the simulator needs it")
    bodies = _bodies(profile, model, joints)
    for name, link in links.items():
        for part in (*link.findall("visual"), *link.findall("collision")):
            link.remove(part)
        for shape in shapes_of(model, bodies[name]) if name in bodies else ():
            link.append(_collision(shape))
    inertia = {}
    for joint in profile.joints:
        child = _end(joints[joint.model_name], "child")
        armature = float(model.joint(joint.name).armature[0])
        inertia[child] = _add_armature(links[child], _axis(joints[joint.model_name]), armature)
        _limit(joints[joint.model_name], joint.lower, joint.upper)
    for urdf_name, name in zip(profile.gripper.joints, FINGER_JOINTS, strict=True):
        motor = float(model.joint(name).armature[0])
        _add_mass(links[_end(joints[urdf_name], "child")], motor)
        _add_mass(links[_end(joints[urdf_name], "parent")], -motor)
        _limit(joints[urdf_name], 0.0, profile.gripper.max_width / 2)
    _prune(root)
    return BulletUrdf(ElementTree.tostring(root, encoding="unicode"), bodies, inertia)


def _bodies(profile: RobotProfile, model: mujoco.MjModel, joints: Mapping[str, Element]) -> dict[str, str]:
    """Link → body, found by the joints that move them."""
    found = {}
    for joint in profile.joints:
        body = model.body(model.joint(joint.name).bodyid[0])
        found[_end(joints[joint.model_name], "child")] = body.name
        if joint is profile.joints[0]:
            found[_end(joints[joint.model_name], "parent")] = model.body(body.parentid[0]).name
    for name, finger in zip(profile.gripper.joints, FINGERS, strict=True):
        found[_end(joints[name], "child")] = finger
        found[_end(joints[name], "parent")] = HAND
    return found


def _end(joint: Element, which: str) -> str:
    """Name of the link at one end of a joint, "parent" or "child"."""
    end = joint.find(which)
    return "" if end is None else end.get("link", "")


def _axis(joint: Element) -> FloatArray:
    """(3,) the joint's axis in the frame of its child."""
    axis = joint.find("axis")
    return np.array([float(value) for value in ("1 0 0" if axis is None else axis.get("xyz", "1 0 0")).split()])


def _limit(joint: Element, lower: float, upper: float) -> None:
    """Replace the joint's limits; friction and damping come from elsewhere."""
    for part in (*joint.findall("limit"), *joint.findall("dynamics"), *joint.findall("mimic")):
        joint.remove(part)
    SubElement(joint, "limit", lower=repr(lower), upper=repr(upper), effort="1000", velocity="1000")


def _collision(shape: Shape) -> Element:
    collision = Element("collision")
    collision.append(_origin(shape.position, Rotation.from_quat(shape.quaternion)))
    geometry = SubElement(collision, "geometry")
    if shape.kind == "box":
        SubElement(geometry, "box", size=_words(2.0 * shape.size))
    else:
        radius, half = shape.size[:2].tolist()
        SubElement(geometry, shape.kind, radius=repr(radius), length=repr(2.0 * half))
    return collision


def _add_armature(link: Element, axis: FloatArray, armature: float) -> FloatArray:
    """Add a motor's inertia about `axis`; write the principal axes into the link, return the moments in them."""
    mass, inertial, tensor = link.find("inertial/mass"), link.find("inertial"), link.find("inertial/inertia")
    if mass is None or inertial is None or tensor is None:
        raise ReinsError(f"link '{link.get('name')}' of the URDF has no inertia, though a joint drives it")
    xx, xy, xz, yy, yz, zz = (float(tensor.get(f"i{pair}", "0")) for pair in ("xx", "xy", "xz", "yy", "yz", "zz"))
    centre, turned = _placed(inertial.find("origin"))
    own = turned.as_matrix() @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turned.as_matrix().T
    moments, axes = np.linalg.eigh(own + armature * np.outer(axis, axis))
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] *= -1.0
    link.remove(inertial)
    link.append(_inertial(float(mass.get("value", "0")), centre, Rotation.from_matrix(axes), float(moments.max())))
    return moments


def _add_mass(link: Element, change: float) -> None:
    mass = link.find("inertial/mass")
    now = 0.0 if mass is None else float(mass.get("value", "0")) + change
    if mass is None or now <= 0.0:
        raise ReinsError(f"link '{link.get('name')}' of the URDF has too little mass for the gripper's motor")
    mass.set("value", repr(now))


def _placed(origin: Element | None) -> tuple[FloatArray, Rotation]:
    """Translation [m] and rotation of an <origin>."""
    given = {} if origin is None else origin.attrib
    xyz, rpy = ([float(value) for value in given.get(name, "0 0 0").split()] for name in ("xyz", "rpy"))
    return np.array(xyz), Rotation.from_euler("xyz", rpy)


def _origin(position: FloatArray, rotation: Rotation) -> Element:
    return Element("origin", xyz=_words(position), rpy=_words(rotation.as_euler("xyz")))


def _inertial(mass: float, centre: FloatArray, axes: Rotation, moment: float) -> Element:
    """An <inertial> with the same moment about all its axes."""
    inertial = Element("inertial")
    inertial.append(_origin(centre, axes))
    SubElement(inertial, "mass", value=repr(mass))
    moments = {"ixx": moment, "iyy": moment, "izz": moment, "ixy": 0.0, "ixz": 0.0, "iyz": 0.0}
    SubElement(inertial, "inertia", {name: repr(value) for name, value in moments.items()})
    return inertial


def _prune(root: Element) -> None:
    """Drop massless links that nothing hangs on, and give the others next to no mass."""
    while True:
        parents = {_end(joint, "parent") for joint in root.findall("joint")}
        bare = {link.get("name", ""): link for link in root.findall("link") if link.find("inertial") is None}
        ends = [joint for joint in root.findall("joint") if _end(joint, "child") in bare.keys() - parents]
        if not ends:
            break
        for joint in ends:
            root.remove(bare[_end(joint, "child")])
            root.remove(joint)
    for link in bare.values():
        link.append(_inertial(FEATHER, np.zeros(3), Rotation.identity(), FEATHER * 1e-2))


def _words(values: FloatArray) -> str:
    return " ".join(repr(float(value)) for value in values)
