"""The object in the gripper: which one, how big, how far it hangs below the tool."""

from dataclasses import dataclass

from reins.contracts.errors import ReinsError
from reins.contracts.scene import Scene, Vector3
from reins.hardware.robot import RobotState
from reins.skills.scripted.layout import Layout, grasp_above_underside


@dataclass(frozen=True, slots=True)
class Held:
    """What the gripper holds.

    Attributes:
        id: of the object.
        size: its full extents [m].
        hanging: how far it reaches below the tool centre point [m].
    """

    id: str
    size: Vector3
    hanging: float

    def lost(self, state: RobotState) -> str:
        """Why it counts as lost; empty while the gripper holds it."""
        return "" if state.gripper_holding else f"{self.id} slipped out of the gripper"


def held_object(state: RobotState, scene: Scene) -> Held:
    """The object in the gripper.

    Raises:
        ReinsError: the gripper holds nothing, or nothing that was seen.
    """
    object_id = scene.held()
    if not state.gripper_holding:
        raise ReinsError("the gripper holds nothing to put down")
    if object_id is None or object_id not in scene.objects:
        raise ReinsError("the gripper holds something that was never seen; put it down by hand")
    size = scene.objects[object_id].size
    return Held(object_id, size, grasp_above_underside(size[2]))


def hanging_below(layout: Layout, state: RobotState, scene: Scene) -> float:
    """How far the hand, or what it holds, reaches below the tool centre point [m]."""
    held = scene.held()
    if held is None or not state.gripper_holding or held not in scene.objects:
        return layout.hand.fingertip
    return max(layout.hand.fingertip, grasp_above_underside(scene.objects[held].size[2]))
