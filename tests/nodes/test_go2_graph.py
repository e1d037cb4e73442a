"""The launched graph of a simulated Go2: it rises and walks where cmd_vel says, and sits when safety's process dies."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from geometry_msgs.msg import Twist
from patience import patient
from reins_msgs import msg as ros

from reins.demo.session import free_domain
from reins.hardware.legged import LeggedState
from reins.nodes import convert_legged as convert
from reins.nodes.client import GraphClient
from reins.nodes.qos import CONTROL, LATCHED

pytestmark = [pytest.mark.ros, pytest.mark.slow, pytest.mark.timeout(240)]

START, SOON, PERIOD = 120.0, 30.0, 0.05


class Go2Graph:
    """`reins up go2_sim` in a process of its own, and a client that steers and watches."""

    def __init__(self, log: Path) -> None:
        os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
        domain = free_domain()
        words = [f"{name}:={value}" for name, value in patient("go2").items()]
        words.append(f"blackbox_folder:={log.parent}")
        self._log = log.open("w")
        self.log = log
        self.process = subprocess.Popen(
            [sys.executable, "-m", "reins.cli", "up", "go2_sim", *words],
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

    def close(self) -> None:
        self.client.close()
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(SOON)
        finally:
            self.process.kill()
            self._log.close()


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[Go2Graph]:
    running = Go2Graph(tmp_path / "log")
    yield running
    running.close()


def test_it_walks_where_it_is_steered_and_sits_when_safety_dies(graph: Go2Graph) -> None:
    graph.until(lambda: bool(graph.states) and graph.armed and graph.modes[-1] == "ready", "an armed robot", START)
    begin = graph.states[-1].odometry.position
    assert graph.height < 0.12

    def way() -> float:
        return float(np.hypot(*(graph.states[-1].odometry.position - begin)[:2]))

    graph.until(lambda: way() > 0.5, "half a metre", 2 * SOON, forward=0.4)
    assert graph.height > 0.2
    pid = re.search(r"/safety started, pid (\d+)", graph.log.read_text())
    assert pid is not None
    os.kill(int(pid[1]), signal.SIGKILL)
    graph.until(lambda: bool(graph.states[-1].fault), "a fault", forward=0.4)
    graph.until(lambda: graph.height < 0.12, "a robot that lies", forward=0.4)
