"""The shape of a legged robot's skill controller: `reins.skills.controller` for a body instead of joints."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from reins.contracts.plan import ArgumentValue, Constraint
from reins.contracts.scene import Scene
from reins.hardware.legged import AS_USUAL, Gait, LeggedState, Posture
from reins.hardware.robot import FloatArray
from reins.skills.controller import Status


@dataclass(frozen=True, slots=True, eq=False)
class BodyOutput:
    """One step of a controller.

    Attributes:
        velocity: (3,) velocity of the body wanted until the next step [m/s, m/s, rad/s].
        posture: on its legs, or sitting.
        status: running, succeeded or failed.
        phase: where it is, e.g. "walk"; for feedback.
        progress: 0 … 1, for feedback.
        reason: why it failed, one sentence; empty otherwise.
        gait: how the body is carried.
    """

    velocity: FloatArray
    posture: Posture
    status: Status
    phase: str
    progress: float
    reason: str = ""
    gait: Gait = AS_USUAL


class LeggedController(Protocol):
    """Carries out one skill call. Owns no thread and reads no clock: time is `state.stamp`. While safety holds the
    robot, time goes on, but it is not asked."""

    def step(self, state: LeggedState, scene: Scene) -> BodyOutput:
        """The command for the next control period. `scene` is the newest known; it may be older than `state`."""
        ...


class LeggedMaker(Protocol):
    """Makes a controller for one call; raises ReinsError when the call cannot be carried out."""

    def __call__(
        self,
        skill: str,
        arguments: Mapping[str, ArgumentValue],
        state: LeggedState,
        scene: Scene,
        constraints: Sequence[Constraint],
    ) -> LeggedController: ...
