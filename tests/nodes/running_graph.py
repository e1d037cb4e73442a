"""A launched graph to test: `reins up` in a process of its own, what it printed, and what it says on its topics."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray
from patience import patient
from reins_msgs import msg as ros
from std_msgs.msg import String
from typing_extensions import Self

from reins.nodes.client import GraphClient
from reins.nodes.qos import CONTROL, EVENTS, LATCHED
from reins.nodes.teleop import KEYS, KEYS_TOPIC

START = 120.0
"""A graph is up within this time, also on a machine that is busy with other tests [s]."""

SOON = 20.0
"""Whatever a test waits for otherwise [s]."""


class RunningGraph:
    """One `reins up sim`, and a client in its namespace.

    Args:
        domain: ROS domain, the same for graphs that could hear each other.
        arguments: for the launch file.
    """

    def __init__(self, domain: int, **arguments: str) -> None:
        os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
        environment = dict(os.environ) | {"ROS_DOMAIN_ID": str(domain), "COLUMNS": "300"}
        words = [f"{name}:={value}" for name, value in (patient() | arguments).items()]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "reins.cli", "up", "sim", *words],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.text = ""
        self.states: list[ros.RobotState] = []
        self.modes: list[str] = []
        self.events: list[ros.SafetyEvent] = []
        self._namespace, self._domain = arguments.get("namespace", ""), domain
        self._client: GraphClient | None = None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._client is not None:
            self._client.close()
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(SOON)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(SOON)
        self._reader.join(SOON)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.text += line

    def _on_mode(self, message: ros.SafetyState) -> None:
        self.modes.append(message.mode_name)

    @property
    def client(self) -> GraphClient:
        """A client in the graph's namespace, listening to states, modes and events."""
        if self._client is None:
            self._client = GraphClient(self._namespace, domain=self._domain)
            node = self._client.node
            node.create_subscription(ros.RobotState, "robot_state", self.states.append, CONTROL)
            node.create_subscription(ros.SafetyState, "safety/state", self._on_mode, LATCHED)
            node.create_subscription(ros.SafetyEvent, "safety/events", self.events.append, EVENTS)
            self._keys = node.create_publisher(String, KEYS_TOPIC, KEYS)
        return self._client

    def printed(self, pattern: str, seconds: float = SOON) -> re.Match[str]:
        """Wait until the graph has printed `pattern`."""
        end = time.monotonic() + seconds
        while (match := re.search(pattern, self.text)) is None:
            assert time.monotonic() < end, f"no {pattern!r} within {seconds:.0f} s in:\n{self.text[-4000:]}"
            assert self.process.poll() is None or self._reader.is_alive(), f"ended without {pattern!r}:\n{self.text}"
            time.sleep(0.02)
        return match

    def up(self) -> Self:
        """Wait until all nodes are active and the robot is armed."""
        self.printed(r"supervisor\]: up: ", START)
        return self

    def until(self, condition: Callable[[], bool], what: str, seconds: float = SOON) -> None:
        """Take messages until `condition` holds."""
        client, end = self.client, time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, (
                f"{what}: not within {seconds:.0f} s; modes {self.modes}:\n{self.text[-4000:]}"
            )
            client.spin(0.02)

    def mode(self, name: str) -> None:
        """Wait until the safety monitor is in this mode."""
        self.until(lambda: self.modes[-1:] == [name], f"safety mode {name}")

    def ended(self, seconds: float = SOON) -> int:
        """Wait for the end of the launch; its exit status."""
        code = self.process.wait(seconds)
        self._reader.join(SOON)
        return code

    def pid(self, node: str) -> int:
        """Process id of a node."""
        return int(self.printed(rf"/{node} started, pid (\d+)").group(1))

    def kill(self, node: str) -> None:
        """SIGKILL for one node."""
        os.kill(self.pid(node), signal.SIGKILL)

    def processes(self) -> list[psutil.Process]:
        """The nodes that live."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def press(self, key: str, seconds: float) -> None:
        """Hold a key of the teleop keyboard."""
        client, end = self.client, time.monotonic() + seconds
        while time.monotonic() < end:
            self._keys.publish(String(data=key))
            client.spin(0.03)

    def drive(self) -> None:
        """Drive by hand until the arm moves; keep pressing afterwards to keep it moving."""
        self.until(lambda: self._keys.get_subscription_count() > 0, "a teleop node that listens")
        self.until(lambda: bool(self.states and self.modes), "robot states and a safety mode")
        end = time.monotonic() + SOON
        while self.speed() < 0.03 or self.modes[-1] != "active_teleop":
            assert time.monotonic() < end, f"the arm does not move; modes {self.modes}:\n{self.text[-4000:]}"
            self.press("w", 0.2)

    def speed(self) -> float:
        """Fastest joint in the newest state [rad/s]."""
        return float(np.abs(self.states[-1].velocity).max()) if self.states else 0.0

    def position(self) -> NDArray[np.float64]:
        """(n,) joint positions in the newest state [rad]."""
        return np.array(self.states[-1].position)

    def next_message(self, kind: Any, topic: str, qos: Any) -> Any:
        """The next message of a topic."""
        heard: list[Any] = []
        subscription = self.client.node.create_subscription(kind, topic, heard.append, qos)
        self.until(lambda: bool(heard), f"a message on {topic}")
        self.client.node.destroy_subscription(subscription)
        return heard[-1]
