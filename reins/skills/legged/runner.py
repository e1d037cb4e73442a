"""LeggedRunner: the runner of a legged robot's skills."""

from collections.abc import Mapping
from typing import Final

import numpy as np

from reins.contracts.scene import Scene
from reins.hardware.legged import AS_USUAL, BodyCommand, LeggedState, Posture
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.skills.controller import Status
from reins.skills.legged.controller import BodyOutput, LeggedMaker
from reins.skills.legged.library import RECOVER, SIT, STOP, WAIT
from reins.skills.legged.stances import lies_on, posture_of
from reins.skills.registry import SkillRegistry, SkillSpec
from reins.skills.runner import SOURCE, Runner

LYING_DOWN: Final = frozenset(spec.name for spec in (RECOVER, SIT, STOP, WAIT))
"""Skills that a robot can begin that has fallen."""


class LeggedRunner(Runner[LeggedState, BodyOutput, BodyCommand]):
    """Runs skills of one legged robot.

    Args:
        registry: the skills that exist.
        factories: which factory makes the controller of which skill.
        profile: the robot.
    """

    def __init__(
        self, registry: SkillRegistry, factories: Mapping[str, LeggedMaker], profile: QuadrupedProfile
    ) -> None:
        super().__init__(registry, factories, profile, profile.acceleration)
        self._quadruped = profile
        self._posture = Posture.SIT

    def _objection(self, spec: SkillSpec, state: LeggedState, scene: Scene) -> str:
        """Of a robot that has fallen and does not begin with turning over; whoever sits stands up first. The posture of
        now is what a skill that never got going keeps."""
        self._posture = posture_of(state, self._quadruped)
        if spec.name in LYING_DOWN or not self._quadruped.has_fallen(state.orientation):
            return ""
        return f"the robot has fallen and lies on its {lies_on(state)}; run '{RECOVER.name}' first"

    def _without_holds(self, state: LeggedState, held: float) -> LeggedState:
        """As it is: where scenes were seen is found by the time of states."""
        return state

    def _output(
        self, velocity: FloatArray, status: Status, phase: str, progress: float, reason: str, last: BodyOutput | None
    ) -> BodyOutput:
        posture, gait = (last.posture, last.gait) if last else (self._posture, AS_USUAL)
        return BodyOutput(velocity, posture, status, phase, progress, reason, gait)

    def _command(self, state: LeggedState, output: BodyOutput) -> BodyCommand:
        self._sequence += 1
        return BodyCommand(
            source=SOURCE,
            sequence=self._sequence,
            stamp=state.stamp,
            period=self._period,
            velocity=np.asarray(output.velocity),
            activation=self._began,
            posture=output.posture,
            gait=output.gait,
        )
