"""Pictures from seeds: the same seed and randomisation always give the same picture, whoever paints it."""

from typing import Final

import numpy as np

from reins.contracts.errors import look_up
from reins.hardware.profile import RobotProfile
from reins.sim.simulators import require_simulator
from reins.sim.world import load_world
from reins.training.renders.arrangement import Arranger
from reins.training.renders.composition import compose
from reins.training.renders.distractors import scatter
from reins.training.renders.look import draw_look
from reins.training.renders.picture import Painter, Picture
from reins.training.renders.randomisation import RenderRandomisation

BASE_WORLD: Final = "tabletop"
"""The world whose cameras are shifted about, and on whose table things lie."""


class Pictures:
    """Draws pictures.

    Args:
        profile: the robot.
        ranges: what changes.
    """

    def __init__(self, profile: RobotProfile, ranges: RenderRandomisation) -> None:
        self._ranges = ranges
        self._base = load_world(BASE_WORLD)
        self._arranger = Arranger(profile)

    def draw(self, seed: int) -> Picture:
        """The picture of this seed."""
        random = np.random.default_rng(seed)
        world = compose(self._base, self._ranges, random)
        arrangement = self._arranger.arrange(world, self._ranges, random)
        distractors = scatter(arrangement, world.placement, self._ranges, random)
        return Picture(seed, world, arrangement, distractors, draw_look(world, self._ranges, random))


def _mujoco(profile: RobotProfile) -> Painter:
    from reins.training.renders.mujoco_painter import MujocoPainter

    return MujocoPainter(profile)


def _pybullet(profile: RobotProfile) -> Painter:
    from reins.training.renders.bullet_painter import BulletPainter

    return BulletPainter(profile)


PAINTERS = {"mujoco": _mujoco, "pybullet": _pybullet}
"""Renderers by the name of their simulator."""


def make_painter(name: str, profile: RobotProfile) -> Painter:
    """The renderer of a simulator.

    Raises:
        UnknownName: no such simulator; lists those that exist.
        ReinsError: it is not installed, or nothing renders without a display.
    """
    make = look_up("renderer", name, PAINTERS)
    require_simulator(name)
    return make(profile)
