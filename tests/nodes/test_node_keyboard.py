"""Driving a launched graph from a terminal, as a person does."""

import os
import pty
import select
import sys

import pytest
from running_graph import RunningGraph

from reins.demo.session import free_domain

pytestmark = [pytest.mark.ros, pytest.mark.timeout(200)]


class Terminal:
    """`reins teleop keyboard` in a pseudo-terminal."""

    def __init__(self, domain: int) -> None:
        self.pid, self._descriptor = pty.fork()
        if self.pid == 0:
            os.environ["ROS_DOMAIN_ID"] = str(domain)
            os.execv(sys.executable, [sys.executable, "-m", "reins.cli", "teleop", "keyboard"])
        self.text = ""

    def press(self, key: str) -> None:
        os.write(self._descriptor, key.encode())

    def read(self) -> None:
        """Take what it has printed."""
        while select.select([self._descriptor], [], [], 0.0)[0]:
            self.text += os.read(self._descriptor, 65536).decode(errors="replace")


@pytest.mark.slow
def test_holding_a_key_drives_and_letting_go_holds() -> None:
    domain = free_domain()
    with RunningGraph(domain, cameras="false", heartbeat_timeout="2.0") as graph:
        graph.up()
        terminal = Terminal(domain)

        def mode_is(name: str, key: str = "") -> bool:
            terminal.read()
            if key and "w/s" in terminal.text:
                terminal.press(key)
                graph.client.spin(0.03)
            return graph.modes[-1:] == [name]

        graph.until(lambda: mode_is("active_teleop", key="w"), "driving while the key is held")
        graph.until(lambda: mode_is("hold"), "holding once it is let go")
        terminal.press(" ")
        graph.until(lambda: mode_is("estop"), "an emergency stop by the space bar")
        terminal.press("\x03")
        _pid, status = os.waitpid(terminal.pid, 0)
        assert os.waitstatus_to_exitcode(status) in (0, 130)
