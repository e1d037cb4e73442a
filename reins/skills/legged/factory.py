"""LeggedFactory: from a skill call to the controller that carries it out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import pi
from typing import Final

from reins.contracts.errors import look_up
from reins.contracts.plan import ArgumentValue, Constraint
from reins.contracts.scene import Scene
from reins.hardware.legged import LeggedState, Posture
from reins.hardware.quadruped import QuadrupedProfile
from reins.skills.legged.controller import LeggedController
from reins.skills.legged.journeys import Follow, GoTo, WalkTo, place_ahead, require_room
from reins.skills.legged.obstacles import Margins, ObstacleMap
from reins.skills.legged.pace import Pace
from reins.skills.legged.route import Ground
from reins.skills.legged.stances import Pause, Pose, Recover, Turn, posture_of
from reins.skills.legged.walk import Walk
from reins.skills.scripted.layout import speed_scale

Values = Mapping[str, ArgumentValue]

ALL_ROUND: Final = 2.0 * pi
"""How far `look_around` turns [rad]."""


@dataclass(frozen=True, slots=True)
class _Begin:
    """What a controller begins with: the robot, its state, what stands about, and how fast it may go."""

    profile: QuadrupedProfile
    state: LeggedState
    around: ObstacleMap
    pace: Pace

    @property
    def walk(self) -> Walk:
        """A new one."""
        return Walk(self.profile, self.around, self.pace)

    def pause(self, duration: float) -> Pause:
        """Stand or sit still for `duration` [s]."""
        return Pause(self.pace, posture_of(self.state, self.profile), duration)


def _walk_to(begin: _Begin, values: Values) -> LeggedController:
    goal = place_ahead(begin.state, float(values["x"]), float(values["y"]))
    require_room(Ground(begin.around.in_the_way, begin.profile.body.footprint), goal)
    return WalkTo(begin.around, begin.walk, begin.pace, goal)


def _go_to(begin: _Begin, values: Values) -> LeggedController:
    name, distance = str(values["object"]), float(values["distance"])
    return GoTo(begin.profile, begin.around, begin.walk, begin.pace, name, distance)


def _follow(begin: _Begin, values: Values) -> LeggedController:
    name, distance, duration = str(values["person"]), float(values["distance"]), float(values["duration"])
    begun = begin.state.stamp
    return Follow(begin.profile, begin.around, begin.walk, begin.pace, name, distance, duration, begun)


BUILDERS: Final[Mapping[str, Callable[[_Begin, Values], LeggedController]]] = {
    "stand": lambda begin, values: Pose(begin.profile, begin.pace, Posture.STAND),
    "sit": lambda begin, values: Pose(begin.profile, begin.pace, Posture.SIT),
    "recover": lambda begin, values: Recover(begin.profile, begin.pace),
    "walk_to": _walk_to,
    "go_to": _go_to,
    "follow": _follow,
    "turn": lambda begin, values: Turn(begin.pace, begin.state, float(values["angle"])),
    "look_around": lambda begin, values: Turn(begin.pace, begin.state, ALL_ROUND),
    "stop": lambda begin, values: begin.pause(0.0),
    "wait": lambda begin, values: begin.pause(float(values["duration"])),
}
"""How each skill is built, by name."""


class LeggedFactory:
    """Makes controllers for one legged robot; implements `reins.skills.legged.controller.LeggedMaker`.

    Args:
        profile: the robot.
        margins: how much room to leave what stands about.
    """

    def __init__(self, profile: QuadrupedProfile, margins: Margins | None = None) -> None:
        self._profile, self._margins = profile, margins or Margins()

    @property
    def skills(self) -> tuple[str, ...]:
        """The skills that it carries out."""
        return tuple(BUILDERS)

    def __call__(
        self,
        skill: str,
        arguments: Values,
        state: LeggedState,
        scene: Scene,
        constraints: Sequence[Constraint],
    ) -> LeggedController:
        """A controller for one call.

        Raises:
            UnknownName: no controller for that skill; lists those that exist.
            ReinsError: the call cannot be carried out in this scene; says why.
        """
        build = look_up("skill of a legged robot", skill, BUILDERS)
        around = ObstacleMap(self._profile, self._margins, constraints)
        around.update(state, scene)
        return build(_Begin(self._profile, state, around, Pace(self._profile, speed_scale(constraints))), arguments)
