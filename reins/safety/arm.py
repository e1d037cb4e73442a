"""The arm behind the monitor: gate, motion and surroundings of one arm as a `Mover`."""

import math
from collections.abc import Collection, Mapping
from typing import get_args

import numpy as np

from reins.contracts.plan import ConstraintKind
from reins.contracts.scene import Scene
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import JointCommand, RobotState, SafeCommand
from reins.safety.constraints import ConstraintSet
from reins.safety.gate import Gate
from reins.safety.motion import FilterMaker, Motion
from reins.safety.separation import Separation
from reins.safety.settings import SafetySettings
from reins.safety.surroundings import Surroundings
from reins.safety.validate import Rejection, check_state
from reins.safety.verdict import Limit


class ArmMover:
    """What the methods do is said in `Mover`.

    Args:
        profile: the robot.
        settings: the monitor's.
        constraints: those in force.
        make_filter: makes the filter.

    Raises:
        ReinsError: the robot's model cannot be loaded, or the rule for people makes no sense.
    """

    def __init__(
        self, profile: RobotProfile, settings: SafetySettings, constraints: ConstraintSet, make_filter: FilterMaker
    ) -> None:
        self._profile = profile
        self._motion = Motion(profile, settings, make_filter)
        self._surroundings = Surroundings(profile, constraints)
        self._wanted = np.zeros(len(profile.joints))
        self.gate = Gate(profile, settings)
        self.separation = Separation.of(settings)
        self.top_speed = profile.workspace.tool_speed
        self.nearest_person = math.inf
        """An arm's scenes are of what lies on its table; people are told by their sensors."""
        self.kept: Collection[ConstraintKind] = get_args(ConstraintKind)
        self.keeps_distances = False
        """One margin holds for every keep-out of the arm."""
        self.faults: Mapping[tuple[str, str], str] = {}
        """None: what an arm measures says nothing against moving but its own fault, which the monitor looks at."""

    @property
    def standing(self) -> bool:
        """Whether the reference stands still."""
        return self._motion.standing

    @property
    def at_rest(self) -> bool:
        """An arm that stands still is."""
        return self._motion.standing

    @property
    def wants_motion(self) -> bool:
        """Whether a joint was to move."""
        return bool(self._wanted.any())

    @property
    def seen(self) -> Collection[str]:
        """What the surroundings know."""
        return self._surroundings.seen

    def objection_to(self, state: RobotState) -> Rejection | None:
        """See `check_state`."""
        return check_state(state, self._profile)

    def see(self, state: RobotState) -> None:
        """For the reference, and where the tool is."""
        self._motion.see(state)
        self._surroundings.follow(state)

    def see_scene(self, scene: Scene) -> str:
        """What to avoid, and what the hand holds."""
        complaint = self._surroundings.see(scene)
        self._motion.surround(self._surroundings)
        return complaint

    def lagging(self, state: RobotState) -> str:
        """About a joint that does not follow the reference."""
        return self._motion.lagging(state)

    def rebase(self, jump: float) -> None:
        """The reference's time."""
        self._motion.rebase(jump)

    def start(self, state: RobotState, now: float) -> None:
        """Hold the measured position."""
        self._motion.start(state, now)

    def take_over(self, state: RobotState) -> None:
        """From the measured position, or from where the reference is."""
        self._motion.take_over(state)

    def want(self, command: JointCommand) -> None:
        """Joint velocity, and perhaps a gripper target."""
        self._wanted = np.array(command.velocity, dtype=np.float64)
        self._motion.want_gripper(command.gripper)

    def forget(self) -> None:
        """Neither velocity nor gripper target."""
        self._wanted = np.zeros_like(self._wanted)
        self._motion.forget_gripper()

    def periods_since_last(self, now: float) -> float:
        """Of the reference."""
        return self._motion.periods_since_last(now)

    def drive(self, scale: float, now: float, stamp: float, trace_ns: int) -> tuple[SafeCommand, tuple[Limit, ...]]:
        """Through the filter, with the surroundings as they are."""
        if self._surroundings.changed():
            self._motion.surround(self._surroundings)
        command, verdict = self._motion.drive(self._wanted, scale, now, stamp, trace_ns)
        return command, verdict.limits

    def brake(self, now: float, stamp: float, rest: bool) -> SafeCommand:
        """An arm rests by holding its position, with its fingers where they are."""
        return self._motion.brake(now, stamp, rest)
