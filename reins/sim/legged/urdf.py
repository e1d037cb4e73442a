"""The URDF of a legged robot, for engines that have no MJCF of their own; from the same description as the MJCF.

A motor's inertia is no part of it: whoever loads it adds that to the links.
"""

import xml.etree.ElementTree as ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from scipy.spatial.transform import Rotation

from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.sim.legged.description import Link, Shape, links_of


def walker_urdf(profile: QuadrupedProfile) -> str:
    """Text of the URDF; links and joints have the names of the description and the profile."""
    root = Element("robot", name=profile.name)
    for link in links_of(profile):
        _add_link(root, link)
        if link.parent:
            _add_joint(root, link)
    ElementTree.indent(root)  # Bullet breaks lines that are too long, in the middle of a word
    return ElementTree.tostring(root, encoding="unicode")


def _add_link(root: Element, link: Link) -> None:
    element = SubElement(root, "link", name=link.name)
    inertial = SubElement(element, "inertial")
    SubElement(inertial, "origin", xyz=_words(link.mass.centre), rpy="0 0 0")
    SubElement(inertial, "mass", value=repr(link.mass.mass))
    xx, yy, zz, xy, xz, yz = link.mass.inertia
    moments = {"ixx": xx, "iyy": yy, "izz": zz, "ixy": xy, "ixz": xz, "iyz": yz}
    SubElement(inertial, "inertia", {name: repr(value) for name, value in moments.items()})
    collision = SubElement(element, "collision")
    _add_shape(collision, link.shape)


def _add_joint(root: Element, link: Link) -> None:
    drive = link.drive
    name = f"{link.name}_joint" if drive is None else drive.limits.name
    joint = SubElement(root, "joint", name=name, type="fixed" if drive is None else "revolute")
    SubElement(joint, "parent", link=link.parent)
    SubElement(joint, "child", link=link.name)
    SubElement(joint, "origin", xyz=_words(link.place), rpy="0 0 0")
    if drive is not None:
        limits = drive.limits
        SubElement(joint, "axis", xyz=_words(drive.axis))
        SubElement(
            joint,
            "limit",
            lower=repr(limits.lower),
            upper=repr(limits.upper),
            effort=repr(limits.effort),
            velocity=repr(limits.velocity),
        )


def _add_shape(collision: Element, shape: Shape) -> None:
    begin, end = np.array(shape.begin), np.array(shape.end)
    along = end - begin
    length = float(np.linalg.norm(along))
    turn = Rotation.align_vectors(along[None], [[0.0, 0.0, 1.0]])[0] if length else Rotation.identity()
    SubElement(collision, "origin", xyz=_words((begin + end) / 2.0), rpy=_words(turn.as_euler("xyz")))
    geometry = SubElement(collision, "geometry")
    if shape.kind == "box":
        SubElement(geometry, "box", size=_words(2.0 * np.array(shape.half)))
    elif shape.kind == "capsule":
        SubElement(geometry, "capsule", radius=repr(shape.half[0]), length=repr(length))
    else:
        SubElement(geometry, "sphere", radius=repr(shape.half[0]))


def _words(values: "tuple[float, ...] | FloatArray") -> str:
    return " ".join(repr(float(value)) for value in values)
