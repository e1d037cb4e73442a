"""An arm whose robot is a peer: the real driver on this side of the vendor's protocol, our world on the other."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Protocol

from reins.contracts.errors import ReinsError, look_up
from reins.hardware.profile import RobotProfile
from reins.hardware.real import make_real
from reins.hardware.robot import Robot, RobotSpec, RobotState, SafeCommand, StopCategory
from reins.peers.arm_process import ArmPeer
from reins.peers.franka.process import FrankaPeer
from reins.peers.process import PeerProcess, address_of_its_own
from reins.peers.ur.process import URPeer
from reins.peers.wire import world_from_json
from reins.sim.world import load_world
from reins.sim.world_state import WorldState


class _Start(Protocol):
    """Starts a peer."""

    def __call__(self, *traits: str, profile: str, world: str, seed: int, address: str) -> ArmPeer: ...


@dataclass(frozen=True, slots=True)
class Peering:
    """Which driver speaks to which peer."""

    driver: str
    start: _Start


PEERS: Final[dict[str, Peering]] = {
    "franka_peer": Peering("franka", FrankaPeer),
    "ur_peer": Peering("ur", URPeer),
}
"""Backend name → driver of `reins.hardware.real` and its peer."""


def peer_robot(name: str, profile: RobotProfile, world: str, seed: int) -> "PeerRobot":
    """The driver of a backend, with its peer; neither is started yet.

    Raises:
        UnknownName: no such backend, or no such world.
        ReinsError: the vendor's library is not installed, or the profile does not fit; says what to do.
    """
    peering = look_up("backend", name, PEERS)
    address = address_of_its_own()
    cameras = tuple(camera.name for camera in load_world(world).cameras)
    driver = make_real(peering.driver, profile, address)
    return PeerRobot(
        driver,
        replace(driver.spec, simulated=True, cameras=cameras),
        lambda: peering.start("watched", profile=profile.name, world=world, seed=seed, address=address),
    )


class PeerRobot:
    """Implements `reins.sim.simulators.SimulatedRobot` with the driver of a real arm. Robot time is the clock's.

    Args:
        driver: of the real arm.
        spec: what it says of itself here.
        start: starts the peer at the driver's address.
    """

    def __init__(self, driver: Robot, spec: RobotSpec, start: Callable[[], PeerProcess]) -> None:
        self._driver = driver
        self._spec = spec
        self._start = start
        self._peer: PeerProcess | None = None
        self._began = 0.0

    @property
    def spec(self) -> RobotSpec:
        """The driver's, but simulated and with the world's cameras."""
        return self._spec

    def connect(self) -> None:
        """Start the peer and connect the driver to it.

        Raises:
            ReinsError: the peer does not start, or the driver does not connect.
        """
        self._peer = self._start()
        try:
            self._driver.connect()
        except ReinsError:
            self._peer.close()
            raise

    def read(self) -> RobotState:
        """The newest measured state; its time starts at 0 with each world."""
        state = self._driver.read()
        return replace(state, stamp=state.stamp - self._began)

    def write(self, command: SafeCommand) -> None:
        """As the driver does."""
        self._driver.write(command)

    def step(self, dt: float) -> None:
        """As the driver does; the world goes on by itself."""
        self._driver.step(dt)

    def stop(self, category: StopCategory, reason: str) -> None:
        """As the driver does."""
        self._driver.stop(category, reason)

    def recover(self) -> None:
        """As the driver does."""
        self._driver.recover()

    def world_state(self) -> WorldState:
        """What was true in the world a moment ago.

        Raises:
            ReinsError: the peer has not said so yet.
        """
        said = self._running().world
        if said is None:
            raise ReinsError("the peer has told nothing of its world yet")
        return world_from_json(said)

    def reset(self, seed: int) -> None:
        """Set the table anew, as `seed` has it. The arm stays where it is, as a real one would.

        Raises:
            ReinsError: the peer has ended.
        """
        self._running().ask("set_table", seed=seed)
        self._began = self._driver.read().stamp

    def close(self) -> None:
        """Bring the arm to a stand, and end the peer."""
        self._driver.close()
        if self._peer is not None:
            self._peer.close()

    def _running(self) -> PeerProcess:
        if self._peer is None:
            raise ReinsError("the robot is not connected")
        return self._peer
