"""`reins up` of a robot with legs in a process of its own, and a client that steers and watches."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from geometry_msgs.msg import Twist
from patience import patient
from reins_msgs import msg as ros

from reins.demo.session import free_domain
from reins.hardware.legged import LeggedState
from reins.nodes import convert_legged as convert
from reins.nodes.client import GraphClient
from reins.nodes.qos import CONTROL, LATCHED

START, SOON, PERIOD = 120.0, 30.0, 0.05
"""How long a graph may take to start, whatever a test waits for, and time between two looks [s]."""


class Go2Graph:
    """One launch, with deadlines for a busy machine.

    Args:
        log: where it writes.
        launch: which one.
        arguments: of it.
    """

    def __init__(self, log: Path, launch: str, **arguments: str) -> None:
        os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
        domain = free_domain()
        words = [f"{name}:={value}" for name, value in (patient("go2") | arguments).items()]
        words.append(f"blackbox_folder:={log.parent}")
        self._log = log.open("w")
        self.log = log
        self.process = subprocess.Popen(
            [sys.executable, "-m", "reins.cli", "up", launch, *words],
            env=os.environ | {"ROS_DOMAIN_ID": str(domain)},
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )
        self.client = GraphClient(domain=domain)
        self.states: list[LeggedState] = []
        self.armed, self.modes = False, [""]
        self.client.listen(ros.LeggedState, "robot_state", CONTROL, self._on_state)
        self.client.listen(ros.SafetyState, "safety/state", LATCHED, lambda state: self.modes.append(state.mode_name))
        self._steer = self.client.node.create_publisher(Twist, "cmd_vel", 10)

    def _on_state(self, message: ros.LeggedState) -> None:
        self.states.append(convert.legged_state_from_msg(message))
        self.armed = message.armed

    def until(self, so: Callable[[], bool], what: str, seconds: float = SOON, forward: float | None = None) -> None:
        """Take messages, steering forward [m/s] where that is asked, until something is so."""
        end = time.monotonic() + seconds
        while not so():
            assert time.monotonic() < end, f"{what}: not in {seconds:.0f} s; {self.modes[-3:]}; {self.log.read_text()}"
            if forward is not None:
                twist = Twist()
                twist.linear.x = forward
                self._steer.publish(twist)
            self.client.spin(PERIOD)

    @property
    def height(self) -> float:
        """Of its base above the ground [m]."""
        return self.states[-1].height or 0.0

    def way_from(self, begin: np.ndarray) -> float:
        """How far its base is over the ground from there [m]."""
        return float(np.hypot(*(self.states[-1].odometry.position - begin)[:2]))

    def kill(self, node: str) -> None:
        """End the process of a node at once."""
        pid = re.search(rf"/{node} started, pid (\d+)", self.log.read_text())
        assert pid is not None
        os.kill(int(pid[1]), signal.SIGKILL)

    def close(self) -> None:
        self.client.close()
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(SOON)
        finally:
            self.process.kill()
            self._log.close()
