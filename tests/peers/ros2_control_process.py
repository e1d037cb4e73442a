"""Starts the ros2_control peer as a process and asks things of it."""

from pathlib import Path

from reins.peers.process import PeerProcess


class Ros2ControlPeer(PeerProcess):
    """A running peer of the kind and with the traits that `ros2_control_peer.py` tells of.

    Implements `reins.hardware.conformance.under_test.Tampering`.
    """

    def __init__(self, kind: str, *traits: str) -> None:
        super().__init__("ros2_control", [str(Path(__file__).with_name("ros2_control_peer.py")), kind, *traits])

    def cut_network(self) -> None:
        """Neither joint states nor setpoints pass any more."""
        self.ask("cut")

    def restore_network(self) -> None:
        """As before."""
        self.ask("restore")

    def raise_fault(self) -> str:
        """The hardware says nothing good for a moment."""
        self.ask("fault")
        return "not finite"
