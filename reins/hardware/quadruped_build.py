"""How a four-legged robot is built: masses, lengths, drives. Part of its profile; simulators are made from it.

Figures are those of the left front leg in the axes of the body (REP 103); the other legs are its mirror images.
"""

from typing import Annotated, Final

import numpy as np
from pydantic import Field

from reins.hardware.profile_base import Finite, Part, Positive, Triple
from reins.hardware.robot import FloatArray

NotNegative = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]
Six = tuple[Positive, Positive, Positive, Finite, Finite, Finite]

HEAD: Final = "head"
"""Name of the camera in the head."""

SIDES: Final = ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0))
"""Signs of x and y of every leg: left front, right front, left rear, right rear."""


class Mass(Part):
    """A rigid body: its mass [kg], centre of mass [m] and inertia about it: xx, yy, zz, xy, xz, yz [kg·m²]."""

    mass: Positive
    centre: Triple
    inertia: Six

    def mirrored(self, x: float, y: float) -> "Mass":
        """Its mirror image, with these signs of x and y."""
        xx, yy, zz, xy, xz, yz = self.inertia
        centre = (x * self.centre[0], y * self.centre[1], self.centre[2])
        return Mass(mass=self.mass, centre=centre, inertia=(xx, yy, zz, x * y * xy, x * xz, y * yz))

    @property
    def tensor(self) -> FloatArray:
        """(3, 3) inertia about its centre of mass [kg·m²]."""
        xx, yy, zz, xy, xz, yz = self.inertia
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


class Legs(Part):
    """Lengths of a leg [m].

    Attributes:
        along, across: of the hip's axis in front of and left of the base's origin.
        sideways: from the hip's axis to the plane in which thigh and calf move.
        thigh, calf: from hip to knee, and from knee to the middle of the foot.
        foot: radius of the foot, a ball.
    """

    along: Positive
    across: Positive
    sideways: Positive
    thigh: Positive
    calf: Positive
    foot: Positive


class Motor(Part):
    """The drive of one kind of joint.

    Attributes:
        stiffness, damping: of the joint's own control loop [N·m/rad, N·m·s/rad].
        armature: inertia of the motor behind its gear [kg·m²].
        viscous, friction: what the gear takes [N·m·s/rad, N·m].
    """

    stiffness: Positive
    damping: Positive
    armature: NotNegative
    viscous: NotNegative
    friction: NotNegative


class Camera(Part):
    """The camera in the head: where it is in the base frame [m], how far it looks down [rad], its vertical field of
    view [degrees] and the size of its image [pixels]."""

    position: Triple
    down: Finite
    fovy: Annotated[float, Field(gt=1.0, lt=170.0)]
    width: Annotated[int, Field(ge=16, le=1920)]
    height: Annotated[int, Field(ge=16, le=1080)]

    @property
    def pose(self) -> FloatArray:
        """(4, 4) of its optical frame (x right, y down, z forward) in the base frame [m]."""
        sin, cos = np.sin(self.down), np.cos(self.down)
        pose = np.eye(4)
        pose[:3, :3] = [[0.0, -sin, cos], [-1.0, 0.0, 0.0], [0.0, -cos, -sin]]
        pose[:3, 3] = self.position
        return pose


class Build(Part):
    """The robot as a set of rigid bodies.

    Attributes:
        trunk, hip, thigh, calf, foot: its bodies, in the frame of the joint that moves them; a foot about its middle.
        legs: their lengths.
        box: half extents of the trunk [m].
        motors: drives of hip, thigh and calf.
        folded: positions of hip, thigh and calf of a leg that lies on the ground [rad].
        imu: where the inertial sensor is in the base frame [m].
        camera: in the head.
    """

    trunk: Mass
    hip: Mass
    thigh: Mass
    calf: Mass
    foot: Mass
    legs: Legs
    box: tuple[Positive, Positive, Positive]
    motors: tuple[Motor, Motor, Motor]
    folded: Triple
    imu: Triple
    camera: Camera

    @property
    def mass(self) -> float:
        """Of the whole robot [kg]."""
        return self.trunk.mass + 4.0 * sum(part.mass for part in (self.hip, self.thigh, self.calf, self.foot))
