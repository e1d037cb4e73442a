"""place_in, place_on, place_beside: carry the held object over everything, lower it, let go, get out of the way."""

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


def place_in(arm: Arm, layout: Layout, container: str, state: RobotState, scene: Scene) -> PhaseSequence:
    """Put the held object into a container. Raises ReinsError where there is no room or no reach."""
    held = held_object(state, scene)
    spot = SpotFinder(arm, layout, held, state, scene).inside(seen(scene, container))
    return _put_down(arm, layout, held, spot)


def place_on(arm: Arm, layout: Layout, support: str, state: RobotState, scene: Scene) -> PhaseSequence:
    """Put the held object on another one, or on a free place of the table. Raises ReinsError where there is none."""
    held = held_object(state, scene)
    finder = SpotFinder(arm, layout, held, state, scene)
    return _put_down(arm, layout, held, finder.table() if support == TABLE else finder.on(seen(scene, support)))


def place_beside(arm: Arm, layout: Layout, object_id: str, side: str, state: RobotState, scene: Scene) -> PhaseSequence:
    """Put the held object on the table beside another one. Raises ReinsError where there is no free place."""
    held = held_object(state, scene)
    spot = SpotFinder(arm, layout, held, state, scene).beside(seen(scene, object_id), side)
    return _put_down(arm, layout, held, spot)


def _put_down(arm: Arm, layout: Layout, held: Held, spot: Spot) -> PhaseSequence:
    """The phases that put the held object down at `spot`."""

    def over(state: RobotState, scene: Scene) -> ToolPose:
        x, y = spot.centre(scene)
        height = max(layout.travel_height(scene, held.hanging), spot.underside + held.hanging)
        return pointing_down(x, y, height, spot.yaw)

    def at(state: RobotState, scene: Scene) -> ToolPose:
        x, y = spot.centre(scene)
        return pointing_down(x, y, spot.underside + held.hanging, spot.yaw)

    def let_go(state: RobotState, _: Scene) -> str:
        return f"{held.id} stuck to the gripper" if state.gripper_holding else ""

    released = GripperCommand(
        min(min(held.size[:2]) + RELEASE_OPENING, layout.profile.gripper.max_width), layout.profile.gripper.grasp_force
    )
    return PhaseSequence(
        arm,
        [
            lift(arm, layout),
            MoveTool("carry", arm, over, follow=True, weight=2.0, guard=held.lost),
            MoveTool("lower", arm, at, scale=0.6, weight=1.3, until_contact=True, guard=held.lost),
            Grip("release", arm, released),
            MoveTool("retreat", arm, raised(arm, layout), scale=0.8),
            Verify("check", arm, let_go),
            clear_view(arm),
        ],
        retreat=[MoveTool("retreat", arm, raised(arm, layout))],
    )
