"""The cameras of a simulated world, rendered in a process of their own so that no control loop waits for a picture."""

import time

from geometry_msgs.msg import PoseStamped
from pydantic import Field
from rclpy.publisher import Publisher
from reins_msgs import msg as ros
from sensor_msgs.msg import CameraInfo, Image

from reins.contracts.errors import ReinsError, UnknownName
from reins.hardware.profile import load_profile
from reins.hardware.profile_base import Profile
from reins.nodes.base import ManagedNode
from reins.nodes.control_loop import Inbox
from reins.nodes.convert import time_from_msg
from reins.nodes.convert_scene import BASE_FRAME
from reins.nodes.convert_sensors import (
    colour_to_msg,
    depth_to_msg,
    info_to_msg,
    pose_to_msg,
)
from reins.nodes.parameters import Settings
from reins.nodes.qos import CONTROL, IMAGES
from reins.nodes.running import run
from reins.sim.camera import CameraImage
from reins.sim.cameras import Cameras, open_cameras


class SimCamerasSettings(Settings):
    """Parameters of the simulated cameras."""

    robot: str = Field("franka", description="robot profile, the same as the robot node's")
    world: str = Field("tabletop", description="world, the same as the robot node's")
    cameras: list[str] = Field(
        ["overhead", "wrist"], description="which of the world's cameras are rendered; a quadruped has one, head"
    )
    rate: float = Field(5.0, gt=0.0, le=60.0, description="pictures per second of each camera [Hz]")


class _Publishers:
    """The topics of one camera."""

    def __init__(self, node: ManagedNode[SimCamerasSettings], name: str) -> None:
        self.frame = f"{name}_optical"
        topic = f"camera/{name}"
        self.colour: Publisher = node.create_publisher(Image, f"{topic}/color", IMAGES)
        self.depth: Publisher = node.create_publisher(Image, f"{topic}/depth", IMAGES)
        self.info: Publisher = node.create_publisher(CameraInfo, f"{topic}/camera_info", IMAGES)
        self.pose: Publisher = node.create_publisher(PoseStamped, f"{topic}/pose", IMAGES)

    def publish(self, image: CameraImage) -> None:
        height, width = image.depth.shape
        self.pose.publish(pose_to_msg(image.pose, image.stamp, BASE_FRAME))
        self.info.publish(info_to_msg(image.intrinsics, width, height, image.stamp, self.frame))
        self.depth.publish(depth_to_msg(image.depth, image.stamp, self.frame))
        self.colour.publish(colour_to_msg(image.rgb, image.stamp, self.frame))


class SimCamerasNode(ManagedNode[SimCamerasSettings]):
    """Renders the newest world state at a fixed rate. Renderer and timer share the executor's one thread, as OpenGL
    asks."""

    niceness = 10

    def __init__(self) -> None:
        super().__init__("sim_cameras", SimCamerasSettings)
        self._renderer: Cameras | None = None

    def configure(self) -> None:
        """Build the world's model once more, for rendering, and draw one picture to see that it works."""
        self._renderer = open_cameras(load_profile(self.settings.robot, Profile), self.settings.world)
        for name in self.settings.cameras:
            if name not in self._renderer.names:
                raise UnknownName("camera", name, self._renderer.names)
        self._renderer.warm_up()
        self._truth = Inbox(self, ros.WorldState, "sim/world_state", CONTROL)
        self._cameras = {name: _Publishers(self, name) for name in self.settings.cameras}

    def activate(self) -> None:
        """Start rendering."""
        self._truth.drain()
        self._timer = self.create_timer(1.0 / self.settings.rate, self._render)

    def deactivate(self) -> None:
        """Stop rendering."""
        self.destroy_timer(self._timer)

    def cleanup(self) -> None:
        """Free the graphics contexts."""
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None

    def _render(self) -> None:
        messages = self._truth.drain()
        if not messages or self._renderer is None:
            return
        truth = messages[-1]
        stamp = time_from_msg(truth.header.stamp)
        begin = time.monotonic()
        try:
            for name, publishers in self._cameras.items():
                publishers.publish(self._renderer.render(name, truth.qpos, stamp))
        except ReinsError as error:
            self.get_logger().error(f"cannot render: {error}", throttle_duration_sec=5.0)
        spent = time.monotonic() - begin
        if spent > 1.0 / self.settings.rate:
            self.get_logger().warning(
                f"rendering {len(self._cameras)} cameras takes {spent * 1e3:.0f} ms: "
                f"{self.settings.rate:.0f} Hz cannot be kept",
                throttle_duration_sec=30.0,
            )


def main() -> int:
    """Run the simulated cameras."""
    return run(SimCamerasNode, shared_memory=True)
