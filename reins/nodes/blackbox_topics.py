"""What the black box records, and how it listens."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from rclpy.qos import QoSProfile, ReliabilityPolicy
from reins_msgs import msg as ros
from sensor_msgs.msg import Joy, Range

from reins.blackbox.schemas import schema_text
from reins.blackbox.writing import Topic
from reins.hardware.profile_base import Profile
from reins.launching.packages import share_directory
from reins.nodes.qos import EVENTS, EVERY_CHANGE
from reins.nodes.wires import wire_of

BULK: Final = QoSProfile(depth=500, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Best effort, as the control path is: nobody waits for this reader. Deep, for it comes seldom and yields to others."""


class Recorded(NamedTuple):
    """A topic on record."""

    name: str
    message: type
    qos: QoSProfile


def topics_of(profile: Profile) -> Sequence[Recorded]:
    """What is recorded of a robot.

    Camera images are not among it: they are too large, and the scene says what was made of them. Nor is safety/estop: a
    button that publishes once and goes waits for one listener, and that must be safety; its events tell of the stop.
    Nor is cmd_vel, whose type is its publisher's choice; command/teleop has what teleop made of it.
    """
    wire = wire_of(profile)
    return (
        Recorded("robot_state", wire.state, BULK),
        Recorded("command/skill", wire.command, BULK),
        Recorded("command/teleop", wire.command, BULK),
        Recorded("command/safe", wire.safe, BULK),
        Recorded("heartbeat", ros.Heartbeat, BULK),
        Recorded("scene", ros.Scene, BULK),
        Recorded("joy", Joy, BULK),
        Recorded("safety/human_distance", Range, BULK),
        Recorded("plan", ros.Plan, EVERY_CHANGE),
        Recorded("planner/question", ros.PlanQuestion, EVERY_CHANGE),
        Recorded("safety/state", ros.SafetyState, EVERY_CHANGE),
        Recorded("safety/events", ros.SafetyEvent, EVENTS),
    )


IN_FORCE: Final = ("scene", "plan", "planner/question", "safety/state")
"""Topics whose last message holds until the next, however long ago it came."""


def described(message: type) -> Topic:
    """A message's type and definition. Raises ReinsError when a definition is missing."""
    kind = f"{message.__module__.split('.')[0]}/msg/{message.__name__}"
    return Topic(kind, schema_text(kind, share_directory))
