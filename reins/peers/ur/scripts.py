"""Where clients of the UR peer send their programs."""

from typing import Final

from reins.peers.ur.arm import Arm
from reins.peers.ur.dashboard import Dashboard
from reins.peers.ur.line_server import Link
from reins.peers.ur.program import Program

MARK: Final = "RTDE Control Script"
"""In the text of the one script that the peer can stand in for."""


class ScriptServer:
    """Takes programs, and starts the one it knows."""

    def __init__(self, dashboard: Dashboard, arm: Arm, program: Program) -> None:
        self._dashboard = dashboard
        self._arm = arm
        self._program = program

    def opened(self, link: Link) -> None:
        """Nothing to say."""

    def received(self, link: Link) -> None:
        """Start a program once all of it is there."""
        text = link.buffer.decode(errors="replace")
        if not text.endswith("\nend\n"):
            return
        link.buffer.clear()
        if MARK in text and self._dashboard.remote and self._arm.able:
            self._program.end()
            self._program.start()

    def closed(self, link: Link) -> None:
        """A program goes on without its sender."""
