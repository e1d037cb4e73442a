"""A robot that stands somewhere on a ground and looks through its head's camera, without physics."""

from collections.abc import Sequence

import numpy as np
from scipy.spatial.transform import Rotation
from typing_extensions import Self

from reins.contracts.scene import Scene
from reins.hardware.legged import LeggedState, Odometry
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.quadruped_build import HEAD
from reins.perception.legs.geometric import GeometricOnLegs
from reins.sim.camera import CameraImage
from reins.sim.legged.ground import GroundSpec, Thing
from reins.sim.legged.head import HeadCamera
from reins.sim.legged.outlook import scene_of

GO2 = load_profile("go2", QuadrupedProfile)
HEIGHT = 0.29
PERIOD = 0.2
"""Between two looks [s]."""


def ground_with(*things: Thing) -> GroundSpec:
    return GroundSpec(name="test", title="A test", things=things)


def thing(label: str, colour: str, size: Sequence[float], at: Sequence[float], yaw: float = 0.0) -> Thing:
    return Thing.model_validate({"label": label, "colour": colour, "size": size, "at": at, "yaw": yaw})


def somebody(x: float, y: float, colour: str = "orange") -> Thing:
    return thing("person", colour, (0.45, 0.45, 1.75), (x, y))


class Walker:
    """It is put where it looks from; time goes on by PERIOD with every look.

    Args:
        ground: what stands about.

    Attributes:
        core: the perception.
        stamp: robot time [s].
    """

    def __init__(self, ground: GroundSpec) -> None:
        self.core = GeometricOnLegs(GO2)
        self.stamp = 0.0
        self.ground, self._camera = ground, HeadCamera(GO2, ground)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._camera.close()

    def change(self, ground: GroundSpec) -> None:
        """Something moved while nobody looked."""
        self._camera.close()
        self.ground, self._camera = ground, HeadCamera(GO2, ground)

    def state(
        self, x: float = 0.0, y: float = 0.0, yaw: float = 0.0, pitch: float = 0.0, roll: float = 0.0
    ) -> LeggedState:
        """A state there and now; `pitch` is nose down, `roll` right side down [rad]."""
        heading = Rotation.from_euler("ZYX", [yaw, pitch, roll]).as_quat()
        odometry = Odometry(np.array([x, y, HEIGHT]), heading, np.zeros(3), np.zeros(3))
        n, contact = len(GO2.joints), np.ones(4, dtype=bool)
        return LeggedState(self.stamp, heading, GO2.home, np.zeros(n), np.zeros(n), contact, 1.0, odometry, HEIGHT)

    def image(self, state: LeggedState) -> CameraImage:
        """What it sees."""
        odometry = state.odometry
        qpos = np.concatenate([odometry.position, odometry.orientation[[3, 0, 1, 2]], GO2.home])
        return self._camera.render(HEAD, qpos, state.stamp)

    def look(self, x: float = 0.0, y: float = 0.0, yaw: float = 0.0, pitch: float = 0.0, roll: float = 0.0) -> Scene:
        """Look once."""
        self.stamp += PERIOD
        state = self.state(x, y, yaw, pitch, roll)
        return self.core.update([self.image(state)], state)

    def look_around(self, x: float = 0.0, y: float = 0.0, looks: int = 24) -> Scene:
        """Look once in every direction; the last one is along x."""
        for number in range(looks):
            scene = self.look(x, y, 2.0 * np.pi * (number + 1) / looks)
        return scene

    def truth(self, x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> Scene:
        """What stands about, as seen from there."""
        return scene_of(self.ground, self.state(x, y, yaw), GO2)
