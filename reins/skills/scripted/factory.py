"""ScriptedFactory: from a skill call to the phases that carry it out."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from reins.contracts.errors import UnknownName
from reins.contracts.plan import ArgumentValue, Constraint
from reins.contracts.scene import Scene
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import GripperCommand, RobotState
from reins.skills.controller import SkillController
from reins.skills.scripted.arm import Arm
from reins.skills.scripted.grasp import pick
from reins.skills.scripted.layout import Layout, avoided_by, speed_scale
from reins.skills.scripted.phases import Grip, PhaseSequence
from reins.skills.scripted.place import place_beside, place_in, place_on
from reins.skills.scripted.push import push
from reins.skills.scripted.travel import home, move_to

Values = Mapping[str, ArgumentValue]
Builder = Callable[[Arm, Layout, Values, RobotState, Scene], PhaseSequence]


def _move_gripper(arm: Arm, layout: Layout, width: float, name: str) -> PhaseSequence:
    command = GripperCommand(width, layout.profile.gripper.grasp_force)
    return PhaseSequence(arm, [Grip(name, arm, command)])


BUILDERS: Final[Mapping[str, Builder]] = {
    "move_to": lambda arm, layout, values, state, scene: move_to(
        arm, layout, str(values["target"]), float(values["height"]), state, scene
    ),
    "pick": lambda arm, layout, values, state, scene: pick(arm, layout, str(values["object"]), state, scene),
    "place_in": lambda arm, layout, values, state, scene: place_in(arm, layout, str(values["container"]), state, scene),
    "place_on": lambda arm, layout, values, state, scene: place_on(arm, layout, str(values["support"]), state, scene),
    "place_beside": lambda arm, layout, values, state, scene: place_beside(
        arm, layout, str(values["object"]), str(values["side"]), state, scene
    ),
    "push": lambda arm, layout, values, state, scene: push(
        arm, layout, str(values["object"]), str(values["direction"]), float(values["distance"]), state, scene
    ),
    "home": lambda arm, layout, values, state, scene: home(arm, layout),
    "open_gripper": lambda arm, layout, values, state, scene: _move_gripper(
        arm, layout, layout.profile.gripper.max_width, "open"
    ),
    "close_gripper": lambda arm, layout, values, state, scene: _move_gripper(arm, layout, 0.0, "close"),
}
"""How each skill is built, by name."""


class ScriptedFactory:
    """Makes scripted controllers for one robot.

    Args:
        profile: the robot.
    """

    def __init__(self, profile: RobotProfile) -> None:
        self._profile = profile

    @property
    def skills(self) -> tuple[str, ...]:
        """The skills that it carries out."""
        return tuple(BUILDERS)

    def __call__(
        self,
        skill: str,
        arguments: Mapping[str, ArgumentValue],
        state: RobotState,
        scene: Scene,
        constraints: Sequence[Constraint],
    ) -> SkillController:
        """A controller for one call.

        Raises:
            UnknownName: no scripted controller for that skill; lists those that exist.
            ReinsError: the call cannot be carried out in this scene; says why.
        """
        if skill not in BUILDERS:
            raise UnknownName("scripted skill", skill, BUILDERS)
        arm = Arm(self._profile, speed_scale(constraints))
        layout = Layout(self._profile, avoided_by(constraints))
        return BUILDERS[skill](arm, layout, arguments, state, scene)
