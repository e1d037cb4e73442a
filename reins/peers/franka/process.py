"""Starts the Franka peer as a process and asks things of it."""

from reins.peers.arm_process import ArmPeer


class FrankaPeer(ArmPeer):
    """A running peer, with the traits that `reins.peers.franka.peer` tells of.

    Implements `reins.hardware.conformance.under_test.Tampering`.

    Args:
        traits: of the robot.
        profile, world, seed: what it simulates.
        address: where it answers; one of its own if it is empty.

    Raises:
        ReinsError: it does not start.
    """

    def __init__(
        self, *traits: str, profile: str = "franka", world: str = "tabletop", seed: int = 0, address: str = ""
    ) -> None:
        super().__init__(
            "Franka", "reins.peers.franka", *traits, profile=profile, world=world, seed=seed, address=address
        )

    def raise_fault(self) -> str:
        """A collision."""
        self.ask("reflex", name="joint_reflex")
        return "joint_reflex"
