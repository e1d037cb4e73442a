"""A closed loop for tests: skill runner → one period of delay → simulated robot, with the true scene.

It stands where the safety monitor and the driver host stand in the real thing: it integrates velocities to positions
and passes on everything, so that what a skill commands can be looked at unfiltered.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from reins.contracts.plan import Constraint, SkillCall
from reins.contracts.relations import relations_between
from reins.contracts.scene import Scene, SceneObject
from reins.hardware.kinematics import Kinematics
from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.robot import JointCommand, RobotState, SafeCommand
from reins.sim.mujoco_robot import MujocoRobot
from reins.sim.world import load_world
from reins.sim.world_state import WorldState
from reins.skills.controller import ControlOutput, Status
from reins.skills.factory import make_factories
from reins.skills.library import SKILLS
from reins.skills.runner import SkillRunner

SEEN_EVERY = 0.5
"""How often the scene is looked at [s]."""


def true_scene(world: WorldState, noise: float = 0.0, seed: int = 0) -> Scene:
    """The scene as it truly is, or with normally distributed errors of `noise` [m] in its positions."""
    random = np.random.default_rng(seed)
    things = [
        SceneObject(
            id=item.id,
            label=item.label,
            colour=item.colour,
            position=tuple((np.array(item.position) + random.normal(0.0, noise, 3) * [1.0, 1.0, 0.3]).tolist()),
            orientation=item.orientation,
            size=item.size,
            confidence=1.0,
            last_seen=world.stamp,
        )
        for item in world.objects.values()
    ]
    return Scene(world.stamp, "state", {thing.id: thing for thing in things}, relations_between(things, world.held))


@dataclass
class Loop:
    """One robot in one world, and the commands that were sent to it."""

    world: str = "tabletop"
    seed: int = 0
    skills: str = "scripted"
    noise: float = 0.0
    commands: list[JointCommand] = field(default_factory=list)
    states: list[RobotState] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.profile: RobotProfile = load_profile("franka")
        self.kinematics = Kinematics(self.profile)
        self.robot = MujocoRobot(self.profile, load_world(self.world), self.seed)
        self.robot.connect()
        self.runner = SkillRunner(SKILLS, make_factories(self.skills, self.profile), self.profile)
        self._period = 1.0 / self.profile.rates.command
        self._sequence = 0
        self._pending: SafeCommand | None = None
        self._reference = self.robot.read().position
        self.look()

    def look(self) -> Scene:
        """See the scene anew."""
        self.scene = true_scene(self.robot.world_state(), self.noise, self.seed)
        return self.scene

    def start(self, skill: str, constraints: Sequence[Constraint] = (), **arguments: str | float) -> None:
        """Begin a skill, from the measured position as safety does."""
        state = self.robot.read()
        self.runner.start(SkillCall(skill=skill, arguments=arguments), constraints, state, self.look())
        self._reference = state.position

    def tick(self) -> ControlOutput:
        """One control period."""
        state = self.robot.read()
        if state.stamp - self.scene.stamp >= SEEN_EVERY:
            self.look()
        command, output = self.runner.step(state, self.scene)
        self.commands.append(command)
        self.states.append(state)
        if self._pending is not None:
            self.robot.write(self._pending)
        self._sequence += 1
        self._pending = SafeCommand(
            self._sequence, state.stamp, self._period, self._reference, command.velocity, command.gripper
        )
        self._reference = self._reference + command.velocity * self._period
        self.robot.step(self._period)
        return output

    def run(
        self,
        skill: str,
        constraints: Sequence[Constraint] = (),
        on_tick: Callable[[ControlOutput], None] | None = None,
        **arguments: str | float,
    ) -> ControlOutput:
        """Carry out one skill to its end and let things come to rest."""
        self.start(skill, constraints, **arguments)
        output = self.tick()
        while output.status is Status.RUNNING:
            output = self.tick()
            if on_tick is not None:
                on_tick(output)
        self.rest()
        return output

    def rest(self, duration: float = 0.3) -> None:
        """Stand still for a while."""
        for _ in range(round(duration / self._period)):
            self._sequence += 1
            if self._pending is not None:
                self.robot.write(self._pending)
            self._pending = SafeCommand(
                self._sequence, self.robot.read().stamp, self._period, self._reference, np.zeros(len(self._reference))
            )
            self.robot.step(self._period)
        self.look()
