"""Where the rig's scenes come from: rendered images, or the simulator's truth."""

from dataclasses import dataclass
from typing import Any, Final, Protocol

from reins.contracts.scene import Scene
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import RobotState
from reins.perception.factory import make_perception
from reins.perception.seeing import Seeing
from reins.perception.state import StatePerception
from reins.perception.vision_language.hybrid import HybridPerception
from reins.perception.vision_language.settings import VisionSettings
from reins.perception.vision_language.speaker import Speaker
from reins.perception.vision_language.vlm import VlmPerception
from reins.sim.camera import Renderer
from reins.sim.simulators import SimulatedRobot
from reins.sim.world import WorldSpec

EYES: Final = VisionSettings(describe_period=1e-6)
"""Every look is described, for the rig's time is not the clock's."""

CAMERAS: Final = ("overhead", "wrist")
"""Cameras that perception sees through."""


class Eyes(Protocol):
    """Where scenes come from."""

    def follow(self, state: RobotState) -> None:
        """Told every state of the robot."""

    def look(self, robot: SimulatedRobot, state: RobotState) -> Scene:
        """What is seen now."""

    def close(self) -> None:
        """Release what is open."""


@dataclass(frozen=True, slots=True)
class _Cameras:
    """Scenes from rendered images. A model that describes them is waited for, so that the same seed sees the same."""

    perception: Seeing
    renderer: Renderer
    speaker: Speaker[Any, Any] | None

    def follow(self, state: RobotState) -> None:
        self.perception.on_state(state)

    def look(self, robot: SimulatedRobot, state: RobotState) -> Scene:
        qpos = robot.world_state().qpos
        images = [self.renderer.render(name, qpos, state.stamp) for name in CAMERAS]
        scene = self.perception.update(images, state)
        if self.speaker is None:
            return scene
        self.speaker.settle(EYES.answer_limit)
        return self.perception.update([], None)

    def close(self) -> None:
        if self.speaker is not None:
            self.speaker.close()
        self.renderer.close()


@dataclass(frozen=True, slots=True)
class _Truth:
    """Scenes from the simulator's truth, for baselines."""

    perception: StatePerception

    def follow(self, state: RobotState) -> None:
        """Truth needs no robot state."""

    def look(self, robot: SimulatedRobot, state: RobotState) -> Scene:
        return self.perception.update_from_truth(robot.world_state())

    def close(self) -> None:
        """Nothing is open."""


def open_eyes(backend: str, profile: RobotProfile, world: WorldSpec) -> Eyes:
    """Eyes by the name of the perception backend.

    Raises:
        UnknownName: no such backend; lists those that exist.
    """
    perception = make_perception(backend, profile, vision=EYES)
    if isinstance(perception, StatePerception):
        return _Truth(perception)
    speaker = perception.speaker if isinstance(perception, VlmPerception | HybridPerception) else None
    return _Cameras(perception, Renderer(profile, world), speaker)
