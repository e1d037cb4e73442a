"""Relations of a scene. What they mean is in `reins.contracts.relations`, shared with the truth of simulated worlds."""

from collections.abc import Iterable

from reins.contracts.relations import relations_between
from reins.contracts.scene import Relation, SceneObject


def relations_of(objects: Iterable[SceneObject], held: str | None) -> frozenset[Relation]:
    """Every relation between `objects`, those with the table included.

    Args:
        objects: all objects of the scene.
        held: id of the one in the gripper, or None.
    """
    return relations_between(objects, held)
