"""Qualities of service, one name per kind of topic."""

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

CONTROL = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Commands and states: only the newest counts, and a slow listener must not hold up the one who publishes, as the
acknowledgements and repairs of a reliable writer can."""

STANDARD = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
"""What other people's nodes subscribe to with their defaults, e.g. joint_states."""

LATCHED = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
"""What those who come later must still hear."""

EVERY_CHANGE = QoSProfile(depth=50, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
"""As LATCHED, but deep: for listeners that may be late, and must not miss a stop that a standstill or a reset
follows."""

EVENTS = QoSProfile(depth=50, reliability=ReliabilityPolicy.RELIABLE)
"""None may be lost."""

IMAGES = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Large, and the next one comes soon."""

HEARTBEAT = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Many nodes on one topic; a lost beat is followed by another."""
