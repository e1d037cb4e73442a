"""The truth of a simulated world, for benchmarks, for the state baseline of perception and for renderers."""

from collections.abc import Mapping
from dataclasses import dataclass

from reins.contracts.errors import look_up
from reins.contracts.scene import Quaternion, Vector3
from reins.hardware.robot import FloatArray


@dataclass(frozen=True, slots=True)
class TruthObject:
    """One object as physics has it.

    Attributes:
        id, label, colour: as in the world file.
        position: centre of its bounding box [m], base frame.
        orientation: x y z w.
        size: full extents along its own axes [m].
        touched: some part of the robot, or something that it held, was in contact with it since the last reset.
    """

    id: str
    label: str
    colour: str
    position: Vector3
    orientation: Quaternion
    size: Vector3
    touched: bool


@dataclass(frozen=True, slots=True, eq=False)
class WorldState:
    """Everything that is true at one time.

    Attributes:
        stamp: robot time [s].
        world: name of the world.
        seed: seed of the poses at the last reset.
        objects: by id.
        held: id of the object in contact with both fingers, or None.
        qpos: (nq,) generalised position of the whole simulation; a renderer of the same world shows exactly this.
    """

    stamp: float
    world: str
    seed: int
    objects: Mapping[str, TruthObject]
    held: str | None
    qpos: FloatArray

    def find(self, object_id: str) -> TruthObject:
        """The object of that id.

        Raises:
            UnknownName: no such object; lists those that exist.
        """
        return look_up("object", object_id, self.objects)
