"""The shape of a skill controller: passive, stepped once per control period by the node or the rig."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from reins.contracts.plan import ArgumentValue, Constraint
from reins.contracts.scene import Scene
from reins.hardware.robot import FloatArray, GripperCommand, RobotState


class Status(Enum):
    """How a skill stands."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, eq=False)
class ControlOutput:
    """One step of a controller.

    Attributes:
        velocity: (n,) joint velocity wanted until the next step [rad/s]; zero once it is not RUNNING.
        gripper: gripper target, or None to leave it.
        status: running, succeeded or failed.
        phase: where it is, e.g. "approach"; for feedback.
        progress: 0 … 1, for feedback.
        reason: why it failed, one sentence; empty otherwise.
    """

    velocity: FloatArray
    gripper: GripperCommand | None
    status: Status
    phase: str
    progress: float
    reason: str = ""


class SkillController(Protocol):
    """Carries out one skill call. Owns no thread and reads no clock: time is `state.stamp`."""

    def step(self, state: RobotState, scene: Scene) -> ControlOutput:
        """The command for the next control period. `scene` is the newest known; it may be older than `state`."""
        ...


class ControllerFactory(Protocol):
    """Makes a controller for one call; raises ReinsError when the call cannot be carried out."""

    def __call__(
        self,
        skill: str,
        arguments: Mapping[str, ArgumentValue],
        state: RobotState,
        scene: Scene,
        constraints: Sequence[Constraint],
    ) -> SkillController: ...
