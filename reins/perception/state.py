"""The `state` backend: the scene from a simulator's truth. A baseline for benchmarks, never for a robot."""

from collections.abc import Mapping
from typing import Protocol

from reins.contracts.scene import Quaternion, Scene, SceneObject, Vector3
from reins.perception.caption import caption_of
from reins.perception.image import Diagnostic
from reins.perception.relations import relations_of


class TrueObject(Protocol):
    """One object as a simulator has it: as in SceneObject, without doubt."""

    @property
    def id(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def colour(self) -> str: ...
    @property
    def position(self) -> Vector3: ...
    @property
    def orientation(self) -> Quaternion: ...
    @property
    def size(self) -> Vector3: ...


class TrueWorld(Protocol):
    """What a simulator says of its world."""

    @property
    def stamp(self) -> float: ...
    @property
    def objects(self) -> Mapping[str, TrueObject]: ...
    @property
    def held(self) -> str | None: ...


class StatePerception:
    """Turns a simulator's truth into a scene with the same relations and words as the other backends."""

    source = "state"

    def __init__(self) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = ()
        """Always empty: the truth has no faults."""
        self._scene = Scene(stamp=0.0, source=self.source, caption="Nothing has been seen yet.")

    @property
    def scene(self) -> Scene:
        """The newest scene."""
        return self._scene

    def reset(self) -> None:
        """Forget the last scene."""
        self._scene = Scene(stamp=0.0, source=self.source, caption="Nothing has been seen yet.")

    def update_from_truth(self, world: TrueWorld) -> Scene:
        """The scene of this world state."""
        objects = {
            item.id: SceneObject(
                item.id, item.label, item.colour, item.position, item.orientation, item.size, 1.0, world.stamp
            )
            for item in world.objects.values()
        }
        held = world.held if world.held in objects else None
        relations = relations_of(objects.values(), held)
        self._scene = Scene(world.stamp, self.source, objects, relations, caption_of(objects, relations))
        return self._scene
