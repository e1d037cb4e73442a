"""Domain randomisation, declared in YAML: a range and a reason for everything that changes from episode to episode."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from reins.contracts.documents import Shelf
from reins.training.envs.view import ViewErrors
from reins.training.ranges import Part, Range

SHELF: Final = Shelf("randomisation", "reins.training", "randomisation")
"""The randomisations that ship with reins."""


@dataclass(frozen=True, slots=True)
class Draw:
    """What was drawn for one episode.

    Attributes:
        mass, friction, grip, damping, stiffness, size: factors of the nominal values.
        latency: command periods that every command is late beyond the one that it always is.
        noise: standard deviation of the errors of the tool's measured position [m] and velocity [m/s].
        view: errors of the object's pose.
    """

    mass: float
    friction: float
    grip: float
    damping: float
    stiffness: float
    size: float
    latency: int
    noise: float
    view: ViewErrors


class Randomisation(Part):
    """Everything that changes from episode to episode.

    Attributes:
        name, title: of the file.
        mass, friction, size: of the objects, as factors.
        grip: friction of the fingers' pads, as a factor.
        damping, stiffness: of the joints' drives, as factors.
        latency: command periods beyond the one that every command takes.
        noise: of the measured tool position [m] and velocity [m/s].
        camera_bias, camera_noise, camera_yaw_bias, camera_yaw_noise, camera_size: standard deviations of what
            perception says of the object [m, rad].
    """

    name: str
    title: str
    mass: Range
    friction: Range
    grip: Range
    damping: Range
    stiffness: Range
    size: Range
    latency: Range
    noise: Range
    camera_bias: Range
    camera_noise: Range
    camera_yaw_bias: Range
    camera_yaw_noise: Range
    camera_size: Range

    def draw(self, random: np.random.Generator) -> Draw:
        """What holds for the next episode."""
        view = ViewErrors(
            bias=self.camera_bias.draw(random),
            yaw_bias=self.camera_yaw_bias.draw(random),
            noise=self.camera_noise.draw(random),
            yaw_noise=self.camera_yaw_noise.draw(random),
            size=self.camera_size.draw(random),
        )
        return Draw(
            mass=self.mass.draw(random),
            friction=self.friction.draw(random),
            grip=self.grip.draw(random),
            damping=self.damping.draw(random),
            stiffness=self.stiffness.draw(random),
            size=self.size.draw(random),
            latency=round(self.latency.draw(random)),
            noise=self.noise.draw(random),
            view=view,
        )


def load_randomisation(name_or_path: str) -> Randomisation:
    """Load a randomisation by name, or by the path of a YAML file.

    Raises:
        UnknownName: no such randomisation; lists those that exist.
        ReinsError: the file is not valid; names the field.
    """
    return SHELF.load(name_or_path, Randomisation)
