"""place_in, place_on, place_beside: carry the held object over everything, lower it, let go, get out of the way."""

from collections.abc import Callable

from reins.contracts.scene import TABLE, Scene
from reins.hardware.kinematics import ToolPose
from reins.hardware.robot import GripperCommand, RobotState
from reins.skills.scripted.arm import Arm
from reins.skills.scripted.hand import pointing_down
from reins.skills.scripted.held import Held, held_object
from reins.skills.scripted.layout import Layout, seen
from reins.skills.scripted.phases import Grip, MoveTool, PhaseSequence, Verify
from reins.skills.scripted.spots import RELEASE_OPENING, Spot, SpotFinder
from reins.skills.scripted.travel import clear_view, lift, raised

PutDown = Callable[[Arm, Layout, Held, Spot], PhaseSequence]
"""How the held object is put down at a spot."""


class Descent:
    """Poses of the tool on the way down to a spot.

    Args:
        layout: the table.
        held: what is put down.
        spot: where.
    """

    def __init__(self, layout: Layout, held: Held, spot: Spot) -> None:
        self._layout, self._held, self._spot = layout, held, spot
        self.centre = (0.0, 0.0)
        """Of the spot, as it was when `at` was asked last [m]."""
        grip = layout.profile.gripper
        self.released = GripperCommand(min(min(held.size[:2]) + RELEASE_OPENING, grip.max_width), grip.grasp_force)
        """The fingers just let go, so that they touch nothing beside."""

    def over(self, _: RobotState, scene: Scene) -> ToolPose:
        """High over it."""
        x, y = self._spot.centre(scene)
        hanging, underside = self._held.hanging, self._spot.underside
        height = max(self._layout.travel_height(scene, hanging), underside + hanging)
        return pointing_down(x, y, height, self._spot.yaw)

    def at(self, _: RobotState, scene: Scene) -> ToolPose:
        """Where the object stands."""
        self.centre = x, y = self._spot.centre(scene)
        return pointing_down(x, y, self._spot.underside + self._held.hanging, self._spot.yaw)

    def let_go(self, state: RobotState, _: Scene) -> str:
        """Why it is not let go of; empty if it is."""
        return f"{self._held.id} stuck to the gripper" if state.gripper_holding else ""


def by_script(arm: Arm, layout: Layout, held: Held, spot: Spot) -> PhaseSequence:
    """Straight down until it touches, let go, straight up."""
    descent = Descent(layout, held, spot)
    return PhaseSequence(
        arm,
        [
            lift(arm, layout),
            MoveTool("carry", arm, descent.over, follow=True, weight=2.0, guard=held.lost),
            MoveTool("lower", arm, descent.at, scale=0.6, weight=1.3, until_contact=True, guard=held.lost),
            Grip("release", arm, descent.released),
            MoveTool("retreat", arm, raised(arm, layout), scale=0.8),
            Verify("check", arm, descent.let_go),
            clear_view(arm),
        ],
        retreat=[MoveTool("retreat", arm, raised(arm, layout))],
    )


def place_in(
    arm: Arm, layout: Layout, container: str, state: RobotState, scene: Scene, put_down: PutDown = by_script
) -> PhaseSequence:
    """Put the held object into a container. Raises ReinsError where there is no room or no reach."""
    held = held_object(state, scene)
    spot = SpotFinder(arm, layout, held, state, scene).inside(seen(scene, container))
    return put_down(arm, layout, held, spot)


def place_on(
    arm: Arm, layout: Layout, support: str, state: RobotState, scene: Scene, put_down: PutDown = by_script
) -> PhaseSequence:
    """Put the held object on another one, or on a free place of the table. Raises ReinsError where there is none."""
    held = held_object(state, scene)
    finder = SpotFinder(arm, layout, held, state, scene)
    return put_down(arm, layout, held, finder.table() if support == TABLE else finder.on(seen(scene, support)))


def place_beside(
    arm: Arm,
    layout: Layout,
    object_id: str,
    side: str,
    state: RobotState,
    scene: Scene,
    put_down: PutDown = by_script,
) -> PhaseSequence:
    """Put the held object on the table beside another one. Raises ReinsError where there is no free place."""
    held = held_object(state, scene)
    spot = SpotFinder(arm, layout, held, state, scene).beside(seen(scene, object_id), side)
    return put_down(arm, layout, held, spot)
