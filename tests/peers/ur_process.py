"""Starts the UR peer as a process and asks things of it."""

import itertools
import os
from typing import Final

from peer_process import PeerProcess

PORTS: Final = (29999, 30003, 30004, 63352)
"""That the driver connects to."""

_NUMBERS = itertools.count(1)


class URPeer(PeerProcess):  # type: ignore[misc]
    """A running peer on an address of its own, with the traits that `ur_peer.py` tells of.

    Implements `reins.hardware.conformance.subject.Tampering`.
    """

    def __init__(self, *traits: str, profile: str = "ur5e") -> None:
        self.address = f"127.{os.getpid() // 250 % 250 + 2}.{os.getpid() % 250 + 1}.{next(_NUMBERS) % 250 + 1}"
        super().__init__("ur_peer.py", self.address, profile, *traits)

    def cut_network(self) -> None:
        """Nothing passes any more."""
        self.ask("cut")

    def restore_network(self) -> None:
        """As before."""
        self.ask("restore")

    def raise_fault(self) -> str:
        """A collision."""
        self.ask("protective_stop")
        return "PROTECTIVE_STOP"
