"""A robot on paper: a body that follows velocities with its lag, among boxes and people that it sees now and then."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from reins.contracts.plan import Constraint, SkillCall
from reins.contracts.scene import Scene, SceneObject, by_id
from reins.hardware.legged import BodyCommand, LeggedState, Odometry, Posture
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.skills.controller import Status
from reins.skills.legged.controller import BodyOutput
from reins.skills.legged.factory import LeggedFactory
from reins.skills.legged.library import LEGGED_SKILLS
from reins.skills.legged.runner import LeggedRunner

PROFILE: QuadrupedProfile = load_profile("go2", QuadrupedProfile)
PERIOD = 1.0 / PROFILE.rates.command
UP, DOWN = 0.29, 0.08
"""Heights of the base, standing and lying [m]."""

LOOK = 10
"""Control periods between two scenes."""


@dataclass(frozen=True)
class Thing:
    """Something on the ground: at (x, y), turned by yaw, of these extents [m, rad]; not seen since `seen` [s]."""

    id: str
    x: float
    y: float
    size: tuple[float, float, float] = (0.5, 0.5, 0.5)
    yaw: float = 0.0
    label: str = "box"
    seen: float | None = None

    def edge(self, point: FloatArray) -> float:
        """Distance of (2,) from its edge [m]: of a person's disc, or of a box whose boundary is sampled."""
        if self.label == "person":
            return float(np.hypot(point[0] - self.x, point[1] - self.y)) - math.hypot(*self.size[:2]) / 2.0
        along = np.linspace(-0.5, 0.5, 101)
        sides = [np.stack([along, np.full(101, side)], axis=1) for side in (-0.5, 0.5)]
        outline = np.vstack([*sides, *(side[:, ::-1] for side in sides)]) * self.size[:2]
        cos, sin = math.cos(self.yaw), math.sin(self.yaw)
        outline = outline @ np.array([[cos, sin], [-sin, cos]]) + [self.x, self.y]
        return float(np.hypot(*(outline - point).T).min())


def disc(name: str, x: float, y: float, radius: float) -> Thing:
    """A person whose disc has this radius."""
    side = radius * math.sqrt(2.0)
    return Thing(name, x, y, (side, side, 1.75), label="person")


class PaperWalker:
    """Runs skills of a body on paper.

    Attributes:
        things: what stands on the ground now; whoever wants it to move, moves it.
        path: (2,) places so far.
        commands: so far.
        on_step: called before each control period with the time.
        roll: how it is turned about its own x axis [rad]; it turns back where it is told to recover, and can.
        can_turn_over: whether it can.
    """

    def __init__(self, things: Sequence[Thing] = (), up: bool = True, yaw: float = 0.0) -> None:
        self.things = list(things)
        self.factory = LeggedFactory(PROFILE)
        self.runner = LeggedRunner(LEGGED_SKILLS, dict.fromkeys(self.factory.skills, self.factory), PROFILE)
        self.place, self.yaw, self.height = np.zeros(2), yaw, UP if up else DOWN
        self.roll, self.can_turn_over = 0.0, True
        self.velocity = np.zeros(3)
        self.time, self.ticks = 0.0, 0
        self.path: list[FloatArray] = []
        self.commands: list[BodyCommand] = []
        self.on_step: Callable[[float], None] = lambda _time: None
        self.scene = self.look()

    def state(self) -> LeggedState:
        """As measured now."""
        heading = np.array([0.0, 0.0, math.sin(self.yaw / 2), math.cos(self.yaw / 2)])
        cos, sin = math.cos(self.roll / 2), math.sin(self.roll / 2)
        turned = np.array([heading[3] * sin, heading[2] * sin, heading[2] * cos, heading[3] * cos])
        linear, angular = np.array([*self.velocity[:2], 0.0]), np.array([0.0, 0.0, self.velocity[2]])
        n = len(PROFILE.joints)
        return LeggedState(
            stamp=self.time,
            orientation=turned,
            position=PROFILE.home.copy(),
            velocity=np.zeros(n),
            effort=np.zeros(n),
            contact=np.ones(len(PROFILE.feet), dtype=bool),
            battery=1.0,
            odometry=Odometry(np.append(self.place, self.height), heading, linear, angular),
            height=self.height,
        )

    def look(self) -> Scene:
        """What stands on the ground, in the base frame of now."""
        cos, sin = math.cos(self.yaw), math.sin(self.yaw)
        objects = []
        for thing in self.things:
            x, y = thing.x - self.place[0], thing.y - self.place[1]
            turn = (thing.yaw - self.yaw) / 2.0
            position = (cos * x + sin * y, cos * y - sin * x, thing.size[2] / 2.0 - self.height)
            quaternion = (0.0, 0.0, math.sin(turn), math.cos(turn))
            seen = self.time if thing.seen is None else thing.seen
            objects.append(SceneObject(thing.id, thing.label, "blue", position, quaternion, thing.size, 1.0, seen))
        return Scene(self.time, "paper", by_id(objects))

    def run(
        self, skill: str, constraints: Sequence[Constraint] = (), longest: float = 120.0, **arguments: str | float
    ) -> BodyOutput:
        """Carry out one skill to its end."""
        self.runner.start(SkillCall(skill=skill, arguments=arguments), constraints, self.state(), self.scene)
        end = self.time + longest
        while self.time < end:
            output = self.tick()
            if output.status is not Status.RUNNING:
                return output
        raise AssertionError(f"{skill} has not ended after {longest:g} s, at {self.place}, {output.phase}")

    def tick(self) -> BodyOutput:
        """One control period."""
        self.on_step(self.time)
        if self.ticks % LOOK == 0:
            self.scene = self.look()
        command, output = self.runner.step(self.state(), self.scene)
        self.commands.append(command)
        self._move(command)
        return output

    def _move(self, command: BodyCommand) -> None:
        goal = UP if command.posture is Posture.STAND else DOWN
        self.height += float(np.clip(goal - self.height, -0.3 * PERIOD, 0.3 * PERIOD))
        if command.posture is Posture.RECOVER and self.can_turn_over:
            self.roll -= float(np.clip(self.roll, -1.5 * PERIOD, 1.5 * PERIOD))
        told = command.velocity if self.height >= PROFILE.height.lowest else np.zeros(3)
        self.velocity += (told - self.velocity) * -math.expm1(-PERIOD / PROFILE.body.response)
        cos, sin = math.cos(self.yaw), math.sin(self.yaw)
        x, y, turn = self.velocity * PERIOD
        self.place = self.place + np.array([cos * x - sin * y, sin * x + cos * y])
        self.yaw += float(turn)
        self.path.append(self.place)
        self.ticks += 1
        self.time = round(self.time + PERIOD, 9)

    def nearest(self, thing: Thing) -> float:
        """Least free distance between the footprint and a thing on the path [m]."""
        return min(thing.edge(place) for place in self.path[::5]) - PROFILE.body.footprint
