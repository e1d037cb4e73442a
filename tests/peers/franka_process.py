"""Starts the Franka peer as a process and asks things of it."""

import json
from typing import Final

from peer_process import PeerProcess, address_of_its_own

HOME: Final = (0.0, -0.7854, 0.0, -2.3562, 0.0, 1.5708, 0.7854)


class FrankaPeer(PeerProcess):  # type: ignore[misc]
    """A running peer on an address of its own, with the traits that `franka_peer.py` tells of.

    Implements `reins.hardware.conformance.subject.Tampering`.
    """

    def __init__(self, *traits: str) -> None:
        self.address = address_of_its_own()
        super().__init__("franka_peer.py", self.address, json.dumps(HOME), *traits)

    def cut_network(self) -> None:
        """Nothing passes any more."""
        self.ask("cut")

    def restore_network(self) -> None:
        """As before."""
        self.ask("restore")

    def raise_fault(self) -> str:
        """A collision."""
        self.ask("reflex", name="joint_reflex")
        return "joint_reflex"
