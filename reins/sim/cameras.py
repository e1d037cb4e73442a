"""The cameras of a simulated world, whoever carries them: an arm's beside and above its table, or one in a head."""

from collections.abc import Sequence
from typing import Protocol

from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile
from reins.hardware.profile_base import Profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.sim.camera import CameraImage, Renderer
from reins.sim.legged.ground import load_ground
from reins.sim.legged.head import HeadCamera
from reins.sim.world import load_world


class Cameras(Protocol):
    """Renders cameras. The thread that renders first is the one that renders and closes."""

    @property
    def names(self) -> Sequence[str]:
        """Of the cameras."""
        ...

    def render(self, name: str, qpos: FloatArray, stamp: float) -> CameraImage:
        """What camera `name` sees at a generalised position, as in WorldState, at robot time `stamp` [s].

        Raises:
            UnknownName: no such camera.
            ReinsError: qpos has the wrong length.
        """
        ...

    def warm_up(self) -> None:
        """Draw once, so that the first picture that counts is as quick as the others."""

    def close(self) -> None:
        """Free the graphics context. Safe to call twice."""


def open_cameras(profile: Profile, world: str) -> Cameras:
    """The cameras of a world, or of a robot on a ground, by its name or the path of a YAML file.

    Raises:
        UnknownName: no such world or ground; lists those that exist.
        ReinsError: neither EGL nor OSMesa works; names the Debian packages.
    """
    if isinstance(profile, QuadrupedProfile):
        return HeadCamera(profile, load_ground(world))
    if isinstance(profile, RobotProfile):
        return Renderer(profile, load_world(world))
    raise ReinsError(f"arms and quadrupeds have simulated cameras, and '{profile.name}' is a {profile.kind}")
