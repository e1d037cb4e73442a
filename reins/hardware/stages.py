"""The stages in which an arm is brought up, and an arm that keeps to the one it is in.

Nothing of a robot may move because a program was started. Each stage is asked for by the operator, one after the other.
"""

from enum import Enum
from typing import Final

import numpy as np

from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import ROUNDING, Robot, RobotSpec, RobotState, SafeCommand, StopCategory
from reins.hardware.twin import Twin


class Stage(str, Enum):
    """In the order in which they are entered."""

    UNARMED = "unarmed"
    DRY_RUN = "dry_run"
    REDUCED = "reduced"
    FULL = "full"


MEANS: Final = {
    Stage.UNARMED: "the robot is only listened to, and cannot be armed",
    Stage.DRY_RUN: "commands are computed and shown, and a twin follows them; none is sent to the robot",
    Stage.REDUCED: "the robot moves, at no more than a tenth of its speed limits",
    Stage.FULL: "the robot moves within its limits",
}
"""What holds in each stage, for people."""

REDUCED_SHARE: Final = 0.1
"""Share of the joints' speed limits in the reduced stage."""

ORDER: Final = tuple(Stage)


def start_stage(asked: str, simulated: bool) -> Stage:
    """The stage to start in; "auto" is the last one for what is known to be a simulation, else the first."""
    if asked != "auto":
        return Stage(asked)
    return Stage.FULL if simulated else Stage.UNARMED


def next_stage(stage: Stage) -> Stage | None:
    """The one after it; None after the last."""
    place = ORDER.index(stage) + 1
    return ORDER[place] if place < len(ORDER) else None


def require_step(now: Stage, wanted: Stage) -> None:
    """Make sure that no stage is left out on the way up; down, any may be.

    Raises:
        ReinsError: one is; names the next.
    """
    following = next_stage(now)
    if ORDER.index(wanted) > ORDER.index(now) and wanted is not following:
        assert following is not None
        raise ReinsError(
            f"stage '{wanted.value}' is not entered from '{now.value}': one step at a time, and '{following.value}' is "
            f"next: {MEANS[following]}"
        )


class StagedArm:
    """An arm in one of the stages; implements `reins.hardware.robot.Robot`. What stops a robot is in no stage held up.

    Args:
        robot: the arm's driver.
        profile: the arm.
        stage: where it starts.
    """

    def __init__(self, robot: Robot, profile: RobotProfile, stage: Stage) -> None:
        self._robot = robot
        self._names = profile.joint_names
        self._slow = ROUNDING * REDUCED_SHARE * profile.velocity
        self._twin = Twin(profile)
        self._stage = stage

    @property
    def spec(self) -> RobotSpec:
        """The driver's."""
        return self._robot.spec

    @property
    def stage(self) -> Stage:
        """The stage that it is in."""
        return self._stage

    def enter(self, stage: Stage) -> None:
        """Go on to another stage. Only while nothing commands the arm.

        Raises:
            ReinsError: a stage would be left out.
        """
        require_step(self._stage, stage)
        self._twin.recover()
        self._stage = stage

    def connect(self) -> None:
        """Connect the driver. Raises ReinsError with the reason."""
        self._robot.connect()

    def read(self) -> RobotState:
        """What the arm measured; in a dry run, with the twin in its place."""
        state = self._robot.read()
        return self._twin.state(state) if self._stage is Stage.DRY_RUN else state

    def measured(self) -> RobotState:
        """What the arm measured, in a dry run too."""
        return self._robot.read()

    def write(self, command: SafeCommand) -> None:
        """Have the stage's share of it done.

        Raises:
            ReinsError: it is no command for this robot.
        """
        if self._stage is Stage.DRY_RUN:
            self._twin.write(command, self._robot.read())
        elif why := self._objection(command):
            self.stop(StopCategory.CONTROLLED, why)
        else:
            self._robot.write(command)

    def _objection(self, command: SafeCommand) -> str:
        """Why the command must not reach the robot in this stage; empty if it may."""
        if self._stage is Stage.UNARMED:
            return f"a command came in stage '{self._stage.value}', where {MEANS[self._stage]}"
        velocity = command.velocity
        if self._stage is Stage.FULL or len(velocity) != len(self._names) or not np.isfinite(velocity).all():
            return ""  # what is no command the driver says itself
        over = np.abs(velocity) / self._slow
        worst = int(over.argmax())
        if over[worst] <= 1.0:
            return ""
        return (
            f"{self._names[worst]} was told to move with {abs(velocity[worst]):.3f} rad/s, and "
            f"{self._slow[worst]:.3f} is the most in stage '{self._stage.value}'; set `reins speed {REDUCED_SHARE:g}`"
        )

    def step(self, dt: float) -> None:
        """Let robot time pass."""
        self._robot.step(dt)
        if self._stage is Stage.DRY_RUN:
            self._twin.step(dt)

    def stop(self, category: StopCategory, reason: str) -> None:
        """Stop now, from any state; in a dry run the twin, and the robot, which stands."""
        self._robot.stop(category, reason)
        self._twin.stop(reason)

    def recover(self) -> None:
        """Clear the fault; the twin is where the arm is again."""
        self._robot.recover()
        self._twin.recover()

    def close(self) -> None:
        """Let go of the robot."""
        self._robot.close()
