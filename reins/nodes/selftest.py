"""Do two processes hear each other? `python -m reins.nodes.selftest` starts a second one, listens, and exits 0 or 1."""

import os
import subprocess
import sys
import time
from typing import Final

import rclpy
from rclpy.node import Node
from std_msgs.msg import String

LIMIT: Final = 10.0
"""How long the other process may take to be heard [s]."""

PERIOD: Final = 0.1
"""Time between two words of the other process [s]."""


def talk(topic: str) -> None:
    """Say something on `topic` for LIMIT seconds."""
    node = Node("reins_selftest_talker")
    publisher = node.create_publisher(String, topic, 1)
    for _ in range(round(LIMIT / PERIOD)):
        publisher.publish(String(data="hello"))
        time.sleep(PERIOD)


def listen(topic: str) -> bool:
    """Whether something is heard on `topic` within LIMIT seconds."""
    node = Node("reins_selftest_listener")
    heard: list[String] = []
    node.create_subscription(String, topic, heard.append, 1)
    end = time.monotonic() + LIMIT
    while not heard and time.monotonic() < end:
        rclpy.spin_once(node, timeout_sec=0.2)
    return bool(heard)


def main() -> int:
    """Exit status: 0 heard, 1 not."""
    rclpy.init(args=[])
    if len(sys.argv) > 1:
        talk(sys.argv[1])
        return 0
    topic = f"reins_selftest_{os.getpid()}"
    with subprocess.Popen([sys.executable, "-m", "reins.nodes.selftest", topic]) as talker:
        try:
            heard = listen(topic)
        finally:
            talker.kill()
    if not heard:
        print(f"nothing heard within {LIMIT:g} s", file=sys.stderr)
    return 0 if heard else 1


if __name__ == "__main__":
    sys.exit(main())
