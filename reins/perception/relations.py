"""Relations of a scene. What they mean is in `reins.contracts.relations`, shared with the truth of simulated worlds."""

from collections.abc import Iterable
from typing import Final

from reins.contracts.relations import contacts_between, relations_between
from reins.contracts.scene import CAMERAS, OCCLUDED, REACHABLE, ROBOT, Relation, SceneObject
from reins.hardware.profile import Workspace

UNSEEN: Final = 1.0
"""A thing that no camera has seen for longer is occluded [s]: it is remembered to be there."""


def relations_of(
    objects: Iterable[SceneObject], held: str | None, now: float = 0.0, workspace: Workspace | None = None
) -> frozenset[Relation]:
    """Every relation between `objects`, those with the table, the robot and the cameras included.

    Args:
        objects: all objects of the scene.
        held: id of the one in the gripper, or None.
        now: robot time of the scene [s].
        workspace: where the robot works; None where that is not asked.
    """
    every = list(objects)
    resting = [item for item in every if item.id != held]
    reachable = {
        Relation(item.id, REACHABLE, ROBOT) for item in resting if workspace is not None and _is_within(item, workspace)
    }
    return relations_between(every, held) | contacts_between(every, held) | occluded_of(resting, now) | reachable


def occluded_of(objects: Iterable[SceneObject], now: float) -> frozenset[Relation]:
    """Which of these are only remembered at robot time `now` [s]."""
    return frozenset(Relation(item.id, OCCLUDED, CAMERAS) for item in objects if now - item.last_seen > UNSEEN)


def _is_within(item: SceneObject, workspace: Workspace) -> bool:
    """Whether the centre of a thing is where the tool may be, but for the height: a skill grasps things from above."""
    place = zip(workspace.lower[:2], item.position[:2], workspace.upper[:2], strict=True)
    return all(low <= value <= high for low, value, high in place) and item.position[2] <= workspace.upper[2]
