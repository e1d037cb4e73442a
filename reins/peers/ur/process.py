"""Starts the UR peer as a process and asks things of it."""

from reins.peers.process import PeerProcess, address_of_its_own


class URPeer(PeerProcess):
    """A running peer, with the traits that `reins.peers.ur.peer` tells of.

    Implements `reins.hardware.conformance.under_test.Tampering`.

    Args:
        traits: of the robot.
        profile, world, seed: what it simulates.
        address: where it answers; one of its own if it is empty.

    Raises:
        ReinsError: it does not start.
    """

    def __init__(
        self, *traits: str, profile: str = "ur5e", world: str = "tabletop", seed: int = 0, address: str = ""
    ) -> None:
        self.address = address or address_of_its_own()
        super().__init__("UR", ["-m", "reins.peers.ur", self.address, profile, world, str(seed), *traits])

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
