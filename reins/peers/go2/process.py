"""Starts the Go2 peer as a process and asks things of it."""

from typing import Any, Final

from reins.contracts.errors import ReinsError
from reins.hardware.quadruped import QuadrupedProfile
from reins.peers.process import PeerProcess

ADDRESS: Final = "127.0.0.1"
"""DDS finds others by its domain, so that peers need no addresses of their own."""

FAILING: Final = 3
"""Number of the motor that `raise_fault` switches off: the left front hip, in the SDK's order."""


def on_domain(profile: QuadrupedProfile, domain: int) -> QuadrupedProfile:
    """The same robot on another domain of DDS, that of a peer.

    Raises:
        ReinsError: the profile has no part `unitree`.
    """
    if profile.unitree is None:
        raise ReinsError(f"profile '{profile.name}' has no part 'unitree', which says how a Go2's motors are reached")
    return profile.model_copy(update={"unitree": profile.unitree.model_copy(update={"domain": domain})})


class Go2Peer(PeerProcess):
    """A running peer on a DDS domain, with the traits that `robot.py` tells of.

    Implements `reins.hardware.conformance.under_test.Tampering`.

    Args:
        domain: of DDS; nobody else may be on it.
        traits: of the robot.
        profile: the robot: a name, or the path of a YAML file.
        ground: what it lies on.
    """

    def __init__(self, domain: int, *traits: str, profile: str = "go2", ground: str = "flat") -> None:
        self.address, self.domain = ADDRESS, domain
        super().__init__("Go2", ["-m", "reins.peers.go2.robot", ADDRESS, str(domain), profile, ground, *traits])

    @property
    def told(self) -> dict[str, Any]:
        """The truth that it told last, as `ask("look")` gives it; `ask("tell", value=True)` has it tell every 18 ms."""
        world = self.world
        return self.ask("look") if world is None else world

    def cut_network(self) -> None:
        """Nothing passes any more."""
        self.ask("cut", value=True)

    def restore_network(self) -> None:
        """As before, and with motors that are all on."""
        self.ask("cut", value=False)
        self.ask("off", motor=None)

    def raise_fault(self) -> str:
        """A motor switches itself off."""
        self.ask("off", motor=FAILING)
        return "FL_hip_joint"
