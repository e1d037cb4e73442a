"""What the black box records, and how it listens."""

from typing import Final, NamedTuple

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from reins_msgs import msg as ros
from sensor_msgs.msg import Joy, Range

from reins.blackbox.schemas import schema_text
from reins.blackbox.writing import Topic
from reins.launching.packages import share_directory
from reins.nodes.qos import EVENTS

BULK: Final = QoSProfile(depth=500, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Best effort, as the control path is: nobody waits for this reader. Deep, for it comes seldom and yields to others."""

EVERY_CHANGE: Final = QoSProfile(
    depth=50, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)
"""As LATCHED, but deep: when this thread is late, a stop must not be overtaken by the standstill that follows it."""


class Recorded(NamedTuple):
    """A topic on record."""

    name: str
    message: type
    qos: QoSProfile


TOPICS: Final = (
    Recorded("robot_state", ros.RobotState, BULK),
    Recorded("command/skill", ros.JointCommand, BULK),
    Recorded("command/teleop", ros.JointCommand, BULK),
    Recorded("command/safe", ros.SafeCommand, BULK),
    Recorded("heartbeat", ros.Heartbeat, BULK),
    Recorded("scene", ros.Scene, BULK),
    Recorded("joy", Joy, BULK),
    Recorded("safety/human_distance", Range, BULK),
    Recorded("plan", ros.Plan, EVERY_CHANGE),
    Recorded("safety/state", ros.SafetyState, EVERY_CHANGE),
    Recorded("safety/events", ros.SafetyEvent, EVENTS),
)
"""Camera images are not among them: they are too large, and the scene says what was made of them. Nor is safety/estop:
a button that publishes once and goes waits for one listener, and that must be safety; its events tell of the stop."""

IN_FORCE: Final = ("scene", "plan", "safety/state")
"""Topics whose last message holds until the next, however long ago it came."""


def described(message: type) -> Topic:
    """A message's type and definition. Raises ReinsError when a definition is missing."""
    kind = f"{message.__module__.split('.')[0]}/msg/{message.__name__}"
    return Topic(kind, schema_text(kind, share_directory))
