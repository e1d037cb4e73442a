"""The legged robot behind the monitor: gate, motion, surroundings and people as a `Mover`."""

import math
from collections.abc import Collection, Mapping

import numpy as np

from reins.contracts.plan import ConstraintKind
from reins.contracts.scene import Scene
from reins.hardware.legged import BodyCommand, LeggedState, Posture, SafeBodyCommand
from reins.hardware.quadruped import QuadrupedProfile
from reins.safety.constraints import ConstraintSet
from reins.safety.legged.gate import BodyGate
from reins.safety.legged.motion import LeggedMotion
from reins.safety.legged.people import nearest_person, separation_of, top_speed
from reins.safety.legged.settings import LeggedSettings
from reins.safety.legged.surroundings import LeggedSurroundings
from reins.safety.legged.validate import check_legged_state
from reins.safety.settings import SafetySettings
from reins.safety.validate import Rejection
from reins.safety.verdict import Limit

_NOTHING = BodyCommand("", 0, 0.0, 0.0, np.zeros(3), 0.0, Posture.SIT)
"""What is wanted while nobody wants anything."""


class LeggedMover:
    """What the methods do is said in `Mover`.

    Args:
        profile: the robot.
        settings: the monitor's.
        legged: the filter's.
        constraints: those in force.

    Raises:
        ReinsError: the rule for people makes no sense.
    """

    def __init__(
        self, profile: QuadrupedProfile, settings: SafetySettings, legged: LeggedSettings, constraints: ConstraintSet
    ) -> None:
        self._profile = profile
        self._motion = LeggedMotion(profile, legged)
        self._surroundings = LeggedSurroundings(profile, legged, constraints)
        self._wanted = _NOTHING
        self.gate = BodyGate(settings)
        self.separation = separation_of(profile, settings)
        self.top_speed = top_speed(profile)
        self.nearest_person = math.inf
        self.kept: Collection[ConstraintKind] = ("avoid", "keep_out", "speed")
        """Its filter knows of no torque that a payload would change."""
        self.keeps_distances = True

    @property
    def standing(self) -> bool:
        """Whether the body is told to stand still."""
        return self._motion.standing

    @property
    def at_rest(self) -> bool:
        """A legged robot that stands still and is told to sit is."""
        return self._motion.sitting

    @property
    def wants_motion(self) -> bool:
        """Whether the body was to move."""
        return bool(self._wanted.velocity.any())

    @property
    def faults(self) -> Mapping[tuple[str, str], str]:
        """Hazards: tilt, height, feet, joints, battery, heat."""
        return self._motion.faults

    @property
    def seen(self) -> Collection[str]:
        """What the surroundings know."""
        return self._surroundings.seen

    def objection_to(self, state: LeggedState) -> Rejection | None:
        """See `check_legged_state`."""
        return check_legged_state(state, self._profile)

    def see(self, state: LeggedState) -> None:
        """For the hazards, and where the robot is among people and keep-outs."""
        self._motion.see(state)
        self._surroundings.follow(state)
        place, footprint = state.odometry.position[:2], self._profile.body.footprint
        self.nearest_person = nearest_person(place, self._surroundings.people, footprint)

    def see_scene(self, scene: Scene) -> str:
        """What stands around the robot, and who."""
        complaint = self._surroundings.see(scene)
        self._motion.surround(self._surroundings.keep_outs)
        return complaint

    def lagging(self, state: LeggedState) -> str:
        """About a driver that applies no command."""
        return self._motion.lagging(state)

    def rebase(self, jump: float) -> None:
        """The velocity's time."""
        self._motion.rebase(jump)

    def start(self, state: LeggedState, now: float) -> None:
        """Stand still, or go on sitting; it rises for the next command."""
        self._motion.start(now)

    def take_over(self, state: LeggedState) -> None:
        """Nothing to do: the velocity goes on, and changes within the acceleration limits whoever asks."""

    def want(self, command: BodyCommand) -> None:
        """Velocity and posture."""
        self._wanted = command

    def forget(self) -> None:
        """Neither velocity nor posture."""
        self._wanted = _NOTHING

    def periods_since_last(self, now: float) -> float:
        """Of the velocity."""
        return self._motion.periods_since_last(now)

    def drive(self, scale: float, now: float, stamp: float, trace_ns: int) -> tuple[SafeBodyCommand, tuple[Limit, ...]]:
        """Through the filter, with the surroundings as they are."""
        if self._surroundings.changed():
            self._motion.surround(self._surroundings.keep_outs)
        return self._motion.drive(self._wanted, scale, now, stamp, trace_ns)

    def brake(self, now: float, stamp: float, rest: bool) -> SafeBodyCommand:
        """A legged robot rests by sitting down."""
        return self._motion.brake(now, stamp, rest)
