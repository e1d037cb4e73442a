"""A peer of an arm as a process: a robot at an address, in a world of ours."""

from abc import abstractmethod

from reins.peers.process import PeerProcess, address_of_its_own


class ArmPeer(PeerProcess):
    """A running peer of an arm; implements `reins.hardware.conformance.under_test.Tampering`.

    Args:
        name: of the peer, for sentences.
        module: that runs it.
        traits: of the robot.
        profile, world, seed: what it simulates.
        address: where it answers; one of its own if it is empty.

    Raises:
        ReinsError: it does not start.
    """

    def __init__(self, name: str, module: str, *traits: str, profile: str, world: str, seed: int, address: str) -> None:
        self.address = address or address_of_its_own()
        super().__init__(name, ["-m", module, self.address, profile, world, str(seed), *traits])

    def cut_network(self) -> None:
        """Nothing passes any more."""
        self.ask("cut")

    def restore_network(self) -> None:
        """As before."""
        self.ask("restore")

    @abstractmethod
    def raise_fault(self) -> str:
        """The robot stops as on a collision; a word that its driver's fault then contains."""
