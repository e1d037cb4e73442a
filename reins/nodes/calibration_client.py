"""Records pictures of a board from a running graph, with where the arm was when each was taken."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from rclpy.qos import QoSProfile, ReliabilityPolicy
from reins_msgs import msg as ros
from sensor_msgs.msg import CameraInfo, Image

from reins.calibration.folder import INTRINSICS
from reins.calibration.recording import STILL, Recorder
from reins.contracts.errors import ReinsError
from reins.hardware.camera.mount import CameraMount
from reins.hardware.camera.poses import CameraPoses, RobotClock
from reins.hardware.profile import RobotProfile
from reins.nodes.camera_lens import intrinsics_from_msg
from reins.nodes.client import GraphClient
from reins.nodes.convert import from_sequence, time_from_msg
from reins.nodes.convert_sensors import colour_from_msg
from reins.nodes.qos import IMAGES

STATES: Final = QoSProfile(depth=200, reliability=ReliabilityPolicy.BEST_EFFORT)

PATIENCE: Final = 10.0
"""How long states and pictures may take to come at first [s]."""

TOOL: Final = CameraMount(name="tool", mount="tool", xyz=(0.0, 0.0, 0.0), rpy=(0.0, 0.0, 0.0))
"""A camera in the tool's own frame: its pose is the tool's."""


class Recording:
    """Gives a recorder what a graph's camera sees.

    Args:
        client: of the graph.
        profile: of the robot.
        camera: name of the camera.
        clock: of the pictures' stamps: the robot's, or ROS time, as drivers of cameras have it.
        recorder: takes the pictures.
        on_change: told what became of the newest picture, whenever that changes.
    """

    def __init__(
        self,
        client: GraphClient,
        profile: RobotProfile,
        camera: str,
        clock: Literal["robot", "ros"],
        recorder: Recorder,
        on_change: Callable[[str], None],
    ) -> None:
        self._client, self._camera, self._recorder, self._on_change = client, camera, recorder, on_change
        self._poses = CameraPoses(profile.model_copy(update={"cameras": (TOOL,)}))
        self._clock = RobotClock() if clock == "ros" else None
        self._pictures = self._states = 0
        self._info: CameraInfo | None = None
        self._said = ""
        topic = f"camera/{camera}"
        self._taps = [
            client.listen(ros.RobotState, "robot_state", STATES, self._on_state),
            client.listen(CameraInfo, f"{topic}/camera_info", IMAGES, self._on_info),
            client.listen(Image, f"{topic}/color", IMAGES, self._on_picture),
        ]

    def run(self, count: int, limit: float) -> None:
        """Record until `count` pictures are taken, at most `limit` [s]; ends early by KeyboardInterrupt.

        Raises:
            ReinsError: no robot states or no pictures come.
        """
        begin = time.monotonic()
        while self._recorder.count < count and time.monotonic() < begin + limit:
            self._client.step(0.1)
            if time.monotonic() > begin + PATIENCE:
                self._check_heard()
        for tap in self._taps:
            self._client.ignore(tap)

    def write_intrinsics(self, folder: Path, rectified: bool) -> bool:
        """Write the camera's own calibration into the folder; False if it has none.

        Args:
            folder: of the pictures.
            rectified: whether they have no distortion any more, whatever the camera says of its lens.

        Raises:
            ReinsError: it is none that is understood; names the camera.
        """
        info = self._info
        if info is None or not np.any(info.k):
            return False
        lens = intrinsics_from_msg(info, self._camera, info.width, info.height, rectified)
        lens.write(folder / INTRINSICS)
        return True

    def _check_heard(self) -> None:
        if not self._pictures:
            raise ReinsError(f"no picture comes on camera/{self._camera}/color; is the camera up, and its name right?")
        if not self._states:
            raise ReinsError("no robot_state comes; is the robot node up? `reins status` shows it")

    def _on_state(self, message: Any) -> None:
        self._states += 1
        stamp = time_from_msg(message.header.stamp)
        if self._clock is not None:
            self._clock.note(stamp, time.time())
        self._poses.note(stamp, from_sequence(message.position))

    def _on_info(self, message: CameraInfo) -> None:
        self._info = message

    def _on_picture(self, message: Image) -> None:
        self._pictures += 1
        stamp: float | None = time_from_msg(message.header.stamp)
        if self._clock is not None and stamp is not None:
            stamp = self._clock.robot_time(stamp)
        tool = None if stamp is None else self._poses.at(TOOL.name, stamp)
        before = None if stamp is None else self._poses.at(TOOL.name, stamp - STILL)
        if tool is None or before is None:
            said = "no robot state of the picture's time; do camera and robot use one clock? (--clock)"
        else:
            said = self._recorder.offer(colour_from_msg(message), tool, before)
        if said != self._said:
            self._said = said
            self._on_change(said)
