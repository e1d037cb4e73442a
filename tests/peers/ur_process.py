"""Starts the UR peer as a process and asks things of it."""

from typing import Final

from peer_process import PeerProcess, address_of_its_own

PORTS: Final = (29999, 30003, 30004, 63352)
"""That the driver connects to."""


class URPeer(PeerProcess):  # type: ignore[misc]
    """A running peer on an address of its own, with the traits that `ur_peer.py` tells of.

    Implements `reins.hardware.conformance.subject.Tampering`.
    """

    def __init__(self, *traits: str, profile: str = "ur5e") -> None:
        self.address = address_of_its_own()
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
