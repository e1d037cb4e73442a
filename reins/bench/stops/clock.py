"""Robot time that steps back or forth: somebody else publishes robot states of another time."""

import copy
import time
from typing import Final

from reins_msgs import msg as ros

from reins.bench.stops.fault import shifted
from reins.bench.stops.moving import MovingGraph

KNOWN: Final = 0.1
"""How long listeners may take to know a publisher that knows them [s]; until then they hear nothing of it."""

DISCOVERY: Final = 5.0
"""How long that publisher may take to know them [s]."""

TOLD: Final = 3
"""How often a robot state of another time is sent: readers keep the newest alone, and a true one may follow at once."""


def step_clock(seconds: int, graph: MovingGraph) -> None:
    """Let robot time jump by some seconds, and back with the next true state."""
    rogue, node = graph.add_rogue(ros.RobotState, "robot_state"), graph.node
    topic = rogue.topic_name
    listeners = lambda: node.count_subscribers(topic)  # noqa: E731 - what it counts changes
    graph.until(lambda: rogue.get_subscription_count() >= listeners(), "listener of robot_state", DISCOVERY)
    time.sleep(KNOWN)
    wrong = copy.deepcopy(graph.states[-1][1])
    wrong.header.stamp = shifted(wrong.header.stamp, seconds)
    graph.injected = graph.now()
    for _ in range(TOLD):
        rogue.publish(wrong)
        time.sleep(0.002)
