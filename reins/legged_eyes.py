"""Where the scenes of a legged rig come from: the camera in the robot's head, or the simulator's truth."""

from dataclasses import dataclass
from typing import Final, Protocol

from reins.contracts.errors import UnknownName
from reins.contracts.scene import Scene
from reins.hardware.legged import LeggedState
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.quadruped_build import HEAD
from reins.perception.factory import make_perception
from reins.perception.seeing import Seeing
from reins.perception.state import StatePerception
from reins.sim.legged.ground import GroundSpec
from reins.sim.legged.head import HeadCamera
from reins.sim.legged.outlook import scene_of
from reins.sim.legged.walker import SimulatedWalker

STATE: Final = "state"
GEOMETRIC: Final = "geometric"

BACKENDS: Final = (STATE, GEOMETRIC)
"""Perception backends that serve robots which walk."""


class LeggedEyes(Protocol):
    """Where scenes come from."""

    def follow(self, state: LeggedState) -> None:
        """Told every state of the robot."""

    def look(self, robot: SimulatedWalker, state: LeggedState) -> Scene:
        """What is seen now."""
        ...

    def close(self) -> None:
        """Release what is open."""


@dataclass(frozen=True, slots=True)
class _Truth:
    """Scenes from the simulator's truth, for baselines."""

    profile: QuadrupedProfile
    ground: GroundSpec

    def follow(self, state: LeggedState) -> None:
        """Truth needs no robot state."""

    def look(self, robot: SimulatedWalker, state: LeggedState) -> Scene:
        return scene_of(self.ground, state, self.profile)

    def close(self) -> None:
        """Nothing is open."""


@dataclass(frozen=True, slots=True)
class _Head:
    """Scenes from rendered pictures."""

    perception: Seeing
    camera: HeadCamera

    def follow(self, state: LeggedState) -> None:
        self.perception.on_state(state)

    def look(self, robot: SimulatedWalker, state: LeggedState) -> Scene:
        image = self.camera.render(HEAD, robot.world_state().qpos, state.stamp)
        return self.perception.update([image], state)

    def close(self) -> None:
        self.camera.close()


def open_legged_eyes(backend: str, profile: QuadrupedProfile, ground: GroundSpec) -> LeggedEyes:
    """Eyes by the name of the perception backend.

    Raises:
        UnknownName: no such backend for robots that walk; lists those that exist.
        ReinsError: pictures cannot be rendered here; says what to install.
    """
    if backend not in BACKENDS:
        raise UnknownName("perception backend of legged robots", backend, BACKENDS)
    perception = make_perception(backend, profile)
    if isinstance(perception, StatePerception):
        return _Truth(profile, ground)
    return _Head(perception, HeadCamera(profile, ground))
