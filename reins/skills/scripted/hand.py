"""The hand that points down: its pose, the room that it takes, and how far that is from what stands around."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import atan2, cos, hypot, sin
from typing import Final

import numpy as np

from reins.contracts.scene import SceneObject
from reins.hardware.kinematics import ToolPose
from reins.hardware.profile import RobotProfile
from reins.skills.scripted.footprint import Disc, Rectangle, footprint_of, gap


@dataclass(frozen=True, slots=True)
class HandShape:
    """Outer sizes of a two-finger hand, relative to the tool centre point between its fingertips [m].

    The tool's z axis points out of the hand, the fingers open along its y axis.

    Attributes:
        fingertip: how far the fingertips reach beyond the tool centre point.
        finger_width: of a finger across the opening direction.
        tip_depth: of a finger along the opening direction, near its tip.
        shoulder_height: distance from the tool centre point back to where the fingers get thicker.
        finger_depth: of a finger along the opening direction, from there on.
        palm_height: distance from the tool centre point back to the palm.
        palm_length, palm_width: extents of the palm along and across the opening direction.
    """

    fingertip: float
    finger_width: float
    tip_depth: float
    shoulder_height: float
    finger_depth: float
    palm_height: float
    palm_length: float
    palm_width: float


FRANKA_HAND: Final = HandShape(
    fingertip=0.010,
    finger_width=0.021,
    tip_depth=0.016,
    shoulder_height=0.014,
    finger_depth=0.027,
    palm_height=0.034,
    palm_length=0.208,
    palm_width=0.066,
)
"""Source: collision meshes of franka_description's Franka Hand, and its hand_tcp."""

ROBOTIQ_2F85: Final = HandShape(
    fingertip=0.012,
    finger_width=0.028,
    tip_depth=0.014,
    shoulder_height=0.025,
    finger_depth=0.036,
    palm_height=0.060,
    palm_length=0.156,
    palm_width=0.096,
)
"""Source: Robotiq, 2F-85 instruction manual; with the knuckles, which fold out to the sides as the fingers open."""


def hand_of(profile: RobotProfile) -> HandShape:
    """The hand that a profile's arm carries: UR arms have a Robotiq 2F-85."""
    return FRANKA_HAND if profile.ur is None else ROBOTIQ_2F85


def pointing_down(x: float, y: float, z: float, yaw: float) -> ToolPose:
    """Tool pose at (x, y, z) [m] with its z axis straight down and its x axis at `yaw` from the base's x axis [rad]."""
    c, s = cos(yaw), sin(yaw)
    rotation = np.array([[c, s, 0.0], [s, -c, 0.0], [0.0, 0.0, -1.0]])
    return ToolPose(np.array([x, y, z]), rotation)


def tool_yaw(pose: ToolPose) -> float:
    """Yaw of a tool that points down, more or less [rad]; inverse of `pointing_down`."""
    return atan2(float(pose.rotation[1, 0]), float(pose.rotation[0, 0]))


def fingers(hand: HandShape, pose: ToolPose, opening: float, depth: float) -> tuple[Rectangle, Rectangle]:
    """Footprints of the two fingers, `opening` [m] apart, where they are `depth` [m] thick."""
    x, y, yaw = float(pose.position[0]), float(pose.position[1]), tool_yaw(pose)
    away = opening / 2 + depth / 2
    along_x, along_y = sin(yaw), -cos(yaw)
    return (
        Rectangle(x + away * along_x, y + away * along_y, hand.finger_width / 2, depth / 2, yaw),
        Rectangle(x - away * along_x, y - away * along_y, hand.finger_width / 2, depth / 2, yaw),
    )


def parts_below(hand: HandShape, pose: ToolPose, opening: float, top: float) -> list[Rectangle]:
    """Footprints of those parts of the hand that reach lower than `top` [m]."""
    height = float(pose.position[2])
    parts: list[Rectangle] = []
    if top > height - hand.fingertip:
        parts += fingers(hand, pose, opening, hand.tip_depth)
    if top > height + hand.shoulder_height:
        parts += fingers(hand, pose, opening, hand.finger_depth)
    if top > height + hand.palm_height:
        x, y = float(pose.position[0]), float(pose.position[1])
        parts.append(Rectangle(x, y, hand.palm_width / 2, hand.palm_length / 2, tool_yaw(pose)))
    return parts


def clearance(hand: HandShape, pose: ToolPose, opening: float, items: Iterable[SceneObject]) -> float:
    """Least free distance [m] between the hand at `pose` and the objects as high as its parts; inf if none is."""
    gaps = (gap(part, footprint_of(item)) for item in items for part in parts_below(hand, pose, opening, item.top))
    return min(gaps, default=float("inf"))


def room_inside(hand: HandShape, pose: ToolPose, opening: float, wall: Disc) -> float:
    """Least distance from the fingertips' corners to the round wall around them [m]; negative outside."""
    tips = fingers(hand, pose, opening, hand.tip_depth)
    farthest = max(hypot(x - wall.x, y - wall.y) for tip in tips for x, y in tip.corners())
    return wall.radius - farthest
