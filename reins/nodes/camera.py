"""A camera of this computer, or of the network: pictures by OpenCV, with calibration and pose, in robot time."""

import threading
import time
from pathlib import Path
from typing import Any, Final, Literal

import cv2
import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from pydantic import Field
from sensor_msgs.msg import CameraInfo, Image

from reins.contracts.errors import ReinsError
from reins.contracts.event import Severity
from reins.hardware.camera.intrinsics import Intrinsics, Rectifier, load_intrinsics
from reins.hardware.camera.poses import CameraPoses, RobotClock
from reins.hardware.camera.video import Picture, VideoSettings, VideoStream
from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.profile_base import Profile
from reins.nodes.base import ManagedNode
from reins.nodes.convert import from_sequence, time_from_msg
from reins.nodes.convert_scene import BASE_FRAME
from reins.nodes.convert_sensors import colour_to_msg, info_to_msg, pose_to_msg
from reins.nodes.parameters import Settings
from reins.nodes.qos import CONTROL, IMAGES
from reins.nodes.running import run
from reins.nodes.wires import wire_of

EVERY: Final = 1.0
"""Time between two diagnostics [s]."""

COMPLAINT: Final = 5.0
"""Time between two log lines about the same trouble [s]."""


class CameraSettings(Settings):
    """Parameters of a camera."""

    camera: str = Field("overhead", description="name of the camera: its topics are below camera/<name>")
    source: str = Field(
        "0", description="number or path of a device, path of a video file, or an address such as rtsp://…"
    )
    calibration: str = Field(
        "", description="calibration file in the format of ROS; empty: camera_info says that there is none"
    )
    robot: str = Field("franka", description="robot profile, whose part 'cameras' says where the camera is mounted")
    clock: Literal["robot", "ros"] = Field(
        "robot", description="whose time stamps are; robot: of the robot's states, as perception needs; ros: the node's"
    )
    width: int = Field(0, ge=0, le=16384, description="asked of a device [pixels]; 0 leaves it as it is")
    height: int = Field(0, ge=0, le=16384, description="asked of a device [pixels]; 0 leaves it as it is")
    rate: float = Field(
        10.0, gt=0.0, le=120.0, description="pictures per second that are published at most, and asked of a device [Hz]"
    )
    delay: float = Field(
        0.0,
        ge=0.0,
        le=2.0,
        description="how long a picture takes from the shutter to here [s]; stamps are earlier by it",
    )
    timeout: float = Field(5.0, ge=0.5, le=60.0, description="longest time to open, and to wait for a picture [s]")
    loop: bool = Field(True, description="play a video file again and again")


class CameraNode(ManagedNode[CameraSettings]):
    """Executor: states and diagnostics. Thread of the video stream: pictures out."""

    niceness = 10

    def __init__(self) -> None:
        super().__init__("camera", CameraSettings)
        self._stream: VideoStream | None = None

    def configure(self) -> None:
        """Read calibration and mount; make topics. The device is opened when the node is activated."""
        settings = self.settings
        self._video = VideoSettings(
            settings.source, settings.width, settings.height, settings.rate, settings.timeout, settings.loop
        )
        profile = load_profile(settings.robot, Profile)
        self._poses = CameraPoses(profile) if isinstance(profile, RobotProfile) else None
        self._calibration = load_intrinsics(Path(settings.calibration)) if settings.calibration else None
        self._rectifier = None if self._calibration is None else Rectifier(self._calibration)
        self._lock = threading.Lock()
        self._clock_of_robot = RobotClock()
        self._say(DiagnosticStatus.WARN, "is not opened yet")
        self._newest = float("-inf")
        self._due = float("-inf")
        topic = f"camera/{settings.camera}"
        self._colour = self.create_publisher(Image, f"{topic}/color", IMAGES)
        self._infos = self.create_publisher(CameraInfo, f"{topic}/camera_info", IMAGES)
        self._pose = self.create_publisher(PoseStamped, f"{topic}/pose", IMAGES)
        self._diagnostics = self.create_publisher(DiagnosticArray, "diagnostics", 10)
        self.create_subscription(wire_of(profile).state, "robot_state", self._on_state, CONTROL)
        if self._poses is not None and settings.camera not in self._poses.names:
            self.get_logger().warning(
                f"profile '{profile.name}' does not say where camera '{settings.camera}' is mounted, so no pose is "
                "published; measure it with `reins calibrate hand-eye`, and add it to 'cameras' of the profile"
            )

    def activate(self) -> None:
        """Open the source, and go on trying."""
        self._newest = time.monotonic()
        self._stream = VideoStream(self._video, self._on_picture, self._on_change)
        self._stream.start()
        self._timer = self.create_timer(EVERY, self._diagnose)

    def deactivate(self) -> None:
        """Let go of the source."""
        if self._stream is not None:
            self.destroy_timer(self._timer)
            if not self._stream.close():
                self.get_logger().error(f"'{self._video.shown}' hangs in its driver and is left behind")
            self._stream = None

    def _on_state(self, message: Any) -> None:
        stamp = time_from_msg(message.header.stamp)
        with self._lock:
            self._clock_of_robot.note(stamp, time.monotonic())
            if self._poses is not None:
                self._poses.note(stamp, from_sequence(message.position))

    def _on_change(self, what: str, good: bool) -> None:
        """In the thread of the stream: it was opened, or it broke off."""
        self._say(DiagnosticStatus.OK if good else DiagnosticStatus.ERROR, what)
        self.log(Severity.INFO if good else Severity.ERROR, f"camera '{self.settings.camera}': {what}")

    def _on_picture(self, picture: Picture, arrived: float) -> None:
        """In the thread of the stream: publish a picture, if one is due."""
        with self._lock:
            self._newest = arrived
        if arrived < self._due:
            return
        self._due = max(self._due + 1.0 / self.settings.rate, arrived - 1.0 / self.settings.rate)
        try:
            stamp = self._stamp(arrived - self.settings.delay)
            rgb = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB), np.uint8)
            self._publish(rgb if self._rectifier is None else self._rectifier.rectified(rgb), stamp)
        except ReinsError as error:
            self._say(DiagnosticStatus.ERROR, str(error))
            self.get_logger().error(f"camera '{self.settings.camera}': {error}", throttle_duration_sec=COMPLAINT)

    def _stamp(self, moment: float) -> float:
        """Time of a moment on the steady clock [s], as `clock` wants it.

        Raises:
            ReinsError: no robot state has come.
        """
        if self.settings.clock == "ros":
            now = self.get_clock().now().nanoseconds * 1e-9
            return float(now - (time.monotonic() - moment))
        with self._lock:
            stamp = self._clock_of_robot.robot_time(moment)
        if stamp is None:
            raise ReinsError("no robot_state has come, so robot time is not known; is the robot node up?")
        return stamp

    def _publish(self, rgb: Picture, stamp: float) -> None:
        frame = f"{self.settings.camera}_optical"
        with self._lock:
            known = self._poses is not None and self.settings.camera in self._poses.names
            pose = self._poses.at(self.settings.camera, stamp) if known and self._poses is not None else None
        if pose is not None:
            self._pose.publish(pose_to_msg(pose, stamp, BASE_FRAME))
        self._infos.publish(_info(self._calibration, rgb, stamp, frame))
        self._colour.publish(colour_to_msg(rgb, stamp, frame))
        self._say(DiagnosticStatus.OK, "gives pictures")

    def _say(self, level: bytes, words: str) -> None:
        """What the next diagnostics tell; from any thread."""
        with self._lock:
            self._status = level, words

    def _diagnose(self) -> None:
        with self._lock:
            silent = time.monotonic() - self._newest
            level, words = self._status
        if level == DiagnosticStatus.OK and silent > self.settings.timeout:
            level, words = DiagnosticStatus.ERROR, f"'{self._video.shown}' has given no picture for {silent:.0f} s"
        message = DiagnosticArray()
        message.header.stamp = self.get_clock().now().to_msg()
        name = self.settings.camera
        message.status = [
            DiagnosticStatus(name=f"camera: {name}", hardware_id=self._video.shown, level=level, message=words)
        ]
        self._diagnostics.publish(message)


def _info(calibration: Intrinsics | None, rgb: Picture, stamp: float, frame: str) -> CameraInfo:
    """Of the rectified picture; all zero where there is no calibration, as ROS has it."""
    height, width = rgb.shape[:2]
    if calibration is not None:
        return info_to_msg(calibration.matrix, width, height, stamp, frame)
    message = info_to_msg(np.zeros((3, 3)), width, height, stamp, frame)
    message.distortion_model, message.d = "", []
    message.r = np.zeros(9)
    return message


def main() -> int:
    """Run a camera."""
    return run(CameraNode, shared_memory=True)
