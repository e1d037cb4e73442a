"""From a camera's topics to whole frames: colour, depth, intrinsics and pose of one time."""

from collections import deque
from dataclasses import dataclass, replace
from typing import Any, Final

from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import CameraInfo, Image

from reins.contracts.errors import ReinsError
from reins.hardware.camera.poses import Mounts, RobotClock
from reins.nodes.camera_lens import Lens
from reins.nodes.control_loop import Inbox
from reins.nodes.convert import time_from_msg
from reins.nodes.convert_scene import BASE_FRAME
from reins.nodes.convert_sensors import CameraFrame, frame_from_msgs, pose_to_msg
from reins.nodes.qos import IMAGES

SLACK: Final = 0.02
"""Stamps of depth and pose may differ from the picture's by this much [s]."""

KEPT: Final = 5
"""Messages of each topic that wait for their partners."""

SMALL: Final = QoSProfile(depth=KEPT, reliability=ReliabilityPolicy.BEST_EFFORT)


@dataclass(frozen=True, slots=True, eq=False)
class _Partners:
    """What belongs to a picture: depth if the camera has it, calibration, pose, and its stamp in robot time [s]."""

    depth: Image | None
    info: CameraInfo
    pose: PoseStamped
    stamp: float


class CameraInbox:
    """One camera's topics.

    Args:
        node: the owner.
        name: of the camera; its topics are below camera/<name>.
        with_depth: whether a frame needs a depth image.
        clock: of the camera's stamps, where that is not the robot's.
        mounts: cameras whose poses follow from the robot's profile; of others the topic `pose` tells it.
        rectified: whether the pictures have no distortion any more, whatever `camera_info` says of the lens.
    """

    def __init__(
        self,
        node: Node,
        name: str,
        with_depth: bool,
        clock: RobotClock | None,
        mounts: Mounts | None,
        rectified: bool,
    ) -> None:
        topic = f"camera/{name}"
        self.name, self._clock, self._lens = name, clock, Lens(rectified)
        self._mounts = mounts if mounts is not None and name in mounts.names else None
        self.colour = Inbox(node, Image, f"{topic}/color", IMAGES)
        self.depth = Inbox(node, Image, f"{topic}/depth", IMAGES) if with_depth else None
        self._infos = Inbox(node, CameraInfo, f"{topic}/camera_info", SMALL)
        self._poses = Inbox(node, PoseStamped, f"{topic}/pose", SMALL) if self._mounts is None else None
        self._colours: deque[Image] = deque(maxlen=KEPT)
        self._depths: deque[Image] = deque(maxlen=KEPT)
        self._pose: deque[PoseStamped] = deque(maxlen=KEPT)
        self._info: CameraInfo | None = None
        self._frame: str | None = None

    @property
    def lacking(self) -> str:
        """What keeps the newest picture from being a frame, in words; empty if nothing does."""
        if not self._colours:
            return ""
        stamp = time_from_msg(self._colours[-1].header.stamp)
        missing = [] if self.depth is None or _nearest(self._depths, stamp) else ["depth"]
        if self._info is None:
            missing.append("camera_info")
        if self._pose_at(stamp) is None:
            missing.append("pose" if self._mounts is None else "robot_state (do camera and robot use one clock?)")
        return f"its color comes without {' and '.join(missing)} of its time" if missing else ""

    def forget(self) -> None:
        """Take whatever camera comes next for this one."""
        self._frame = None

    def on_colour(self, message: Image) -> CameraFrame | None:
        """A picture came; the whole frame, if its partners are there."""
        self._colours.append(message)
        return self._pair()

    def on_depth(self, message: Image) -> CameraFrame | None:
        """A depth image came; the whole frame, if its partners are there."""
        self._depths.append(message)
        return self._pair()

    def _pair(self) -> CameraFrame | None:
        """The frame of the newest picture whose partners are there, once: depth may come when the next picture has.

        Raises:
            ReinsError: its images cannot be read, or are of another camera than those before.
        """
        if self._poses is not None:
            self._pose.extend(self._poses.drain())
        self._info = next(reversed(self._infos.drain()), self._info)
        for index in reversed(range(len(self._colours))):
            if (partners := self._partners(time_from_msg(self._colours[index].header.stamp))) is not None:
                colour, later = self._colours[index], list(self._colours)[index + 1 :]
                self._colours = deque(later, KEPT)
                return self._frame_of(colour, partners)
        return None

    def _partners(self, stamp: float) -> _Partners | None:
        """What belongs to a picture of this stamp [s]; None while something is missing."""
        depth = _nearest(self._depths, stamp)
        if self._info is None or (depth is None and self.depth is not None):
            return None
        pose, robot_stamp = self._pose_at(stamp), self._robot_time(stamp)
        return None if pose is None or robot_stamp is None else _Partners(depth, self._info, pose, robot_stamp)

    def _frame_of(self, colour: Image, partners: _Partners) -> CameraFrame:
        self._check_camera(colour.header.frame_id)
        frame = frame_from_msgs(self.name, colour, partners.depth, partners.info, partners.pose)
        frame = self._lens.pinhole(frame, partners.info)
        return frame if self._clock is None else replace(frame, stamp=partners.stamp)

    def _pose_at(self, stamp: float) -> PoseStamped | None:
        """Where the camera was at a stamp of its own clock [s]; None where that is not known yet."""
        if self._mounts is None:
            nearest: PoseStamped | None = _nearest(self._pose, stamp)
            return nearest
        robot_stamp = self._robot_time(stamp)
        pose = None if robot_stamp is None else self._mounts.at(self.name, robot_stamp)
        return None if pose is None else pose_to_msg(pose, stamp, BASE_FRAME)

    def _robot_time(self, stamp: float) -> float | None:
        """Robot time at a stamp of the camera's clock [s]."""
        return stamp if self._clock is None else self._clock.robot_time(stamp)

    def _check_camera(self, frame: str) -> None:
        if self._frame is None:
            self._frame = frame
        if frame != self._frame:
            raise ReinsError(
                f"camera '{self.name}': a picture of frame '{frame}' came, and those before were of '{self._frame}'; "
                "does another camera publish on its topics? If it was exchanged, call perception/reset"
            )


def _nearest(messages: "deque[Any]", stamp: float) -> Any:
    """The message nearest in time, or None if it is more than SLACK away."""
    ages = [(abs(time_from_msg(message.header.stamp) - stamp), index) for index, message in enumerate(messages)]
    age, index = min(ages, default=(float("inf"), -1))
    return messages[index] if age <= SLACK else None
