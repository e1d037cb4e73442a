"""The stages of bring-up at the robot node: who may ask for which, and who is told."""

from collections.abc import Callable
from typing import Any, Final

from sensor_msgs.msg import JointState
from std_msgs.msg import String

from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile
from reins.hardware.profile_base import Profile
from reins.hardware.robot import Robot, RobotState
from reins.hardware.stages import MEANS, Stage, StagedArm, next_stage, require_step, start_stage
from reins.nodes.base import ManagedNode
from reins.nodes.qos import CONTROL, LATCHED

STAGE: Final = "robot/stage"
"""Topic of the stage's name."""

MEASURED: Final = "robot/measured"
"""Topic of what the arm measured in a dry run, when its other states are those of the twin."""


def stage_arm(robot: Robot, profile: Profile, asked: str) -> StagedArm | None:
    """An arm's driver behind the stage that the parameter asks for; a legged robot has none.

    Raises:
        ReinsError: a stage is asked for that is none of this robot's.
    """
    if isinstance(profile, RobotProfile):
        return StagedArm(robot, profile, start_stage(asked, robot.spec.simulated))
    if asked not in ("auto", Stage.FULL.value):
        raise ReinsError(f"stage '{asked}' is for arms, and robot '{profile.name}' is a {profile.kind}")
    return None


class Stages:
    """Announces the stage of one arm and judges what is asked for.

    Args:
        node: the owner.
        arm: whose stage it is.
    """

    def __init__(self, node: ManagedNode[Any], arm: StagedArm) -> None:
        self._arm = arm
        self._names = node.create_publisher(String, STAGE, LATCHED)
        self._measured = node.create_publisher(JointState, MEASURED, CONTROL)
        self._tell()

    def require(self, wanted: str, armed: bool) -> None:
        """Make sure that the operator may go on to this stage now.

        Raises:
            ReinsError: a stage would be left out, or the robot is armed; says what to do first.
        """
        if wanted == "auto":
            raise ReinsError("stage 'auto' is one to start in; name the one to enter")
        require_step(self._arm.stage, Stage(wanted))
        if armed:
            raise ReinsError("the stage stays while the robot is armed; disarm it first: `reins arm --off`")

    def enter(self, wanted: str) -> None:
        """Go on to it; in the control thread."""
        self._arm.enter(Stage(wanted))
        self._tell()

    def require_armable(self) -> None:
        """Raise ReinsError in a stage in which nothing is armed; names the next."""
        stage = self._arm.stage
        if stage is Stage.UNARMED:
            following = next_stage(stage) or stage
            raise ReinsError(
                f"not armed: in stage '{stage.value}' {MEANS[stage]}; "
                f"ask for the next one: `reins stage {following.value}`"
            )

    def tell_measured(self, fill: Callable[[RobotState], JointState]) -> None:
        """In a dry run, tell where the arm is."""
        if self._arm.stage is Stage.DRY_RUN:
            self._measured.publish(fill(self._arm.measured()))

    def _tell(self) -> None:
        self._names.publish(String(data=self._arm.stage.value))
