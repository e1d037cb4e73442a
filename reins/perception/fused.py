"""Two backends as one: what carries a tag is what its tag says, everything else is what the depth images show."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from math import hypot

from reins.contracts.scene import Scene, SceneObject
from reins.hardware.profile import Workspace
from reins.hardware.robot import RobotState
from reins.perception.caption import caption_of
from reins.perception.geometric import GeometricPerception
from reins.perception.image import CameraImage, Diagnostic
from reins.perception.relations import relations_of
from reins.perception.tags import TagPerception


class FusedPerception:
    """The geometric backend, and tagged objects in the place of what it makes of them.

    Args:
        geometric: finds what has no tag.
        tags: finds what has one.
    """

    source = "geometric, apriltag"

    def __init__(self, geometric: GeometricPerception, tags: TagPerception) -> None:
        self._geometric, self._tags = geometric, tags
        self._scene = self._fused()

    @property
    def scene(self) -> Scene:
        """The newest scene."""
        return self._scene

    @property
    def image_stamps(self) -> Mapping[str, float]:
        """Robot time of each camera's newest image that could be used [s]."""
        return self._geometric.image_stamps

    @property
    def frozen(self) -> Set[str]:
        """Cameras whose image has not changed though it should have; each until it changes."""
        return self._geometric.frozen

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was wrong with the last update; empty if nothing was."""
        return tuple(dict.fromkeys((*self._geometric.diagnostics, *self._tags.diagnostics)))

    def reset(self) -> None:
        """Forget every object, image and state."""
        self._geometric.reset()
        self._tags.reset()
        self._scene = self._fused()

    def on_state(self, state: RobotState) -> None:
        """Remember a robot state."""
        self._geometric.on_state(state)
        self._tags.on_state(state)

    def update(self, images: Sequence[CameraImage], state: RobotState | None) -> Scene:
        """The scene after these images: at most one per camera, all of about one time; see `geometric`."""
        self._geometric.update(images, state)
        self._tags.update(images, state)
        self._scene = self._fused()
        return self._scene

    def _fused(self) -> Scene:
        seen, tagged = self._geometric.scene, self._tags.scene
        if not tagged.objects:
            return replace(seen, source=self.source)
        return replace(fuse(seen, tagged, self._geometric.workspace), source=self.source)


def fuse(seen: Scene, tagged: Scene, workspace: Workspace | None = None) -> Scene:
    """A scene with the tagged objects of another in the place of what is seen there.

    An object at another place that has a tagged one's name gets a number. What is held is the tagged one if both are.
    """
    rest = [item for item in seen.objects.values() if not any(_same(item, other) for other in tagged.objects.values())]
    objects = dict(tagged.objects)
    renamed: dict[str, str] = {}
    for item in rest:
        name, number = item.id, 1
        while name in objects:
            number += 1
            name = f"{item.id}_{number}"
        renamed[item.id] = name
        objects[name] = replace(item, id=name)
    held = tagged.held() or renamed.get(seen.held() or "")
    now = max(seen.stamp, tagged.stamp)
    relations = relations_of(objects.values(), held, now, workspace)
    return Scene(now, seen.source, objects, relations, caption_of(objects, relations), seen.stale)


def _same(item: SceneObject, tagged: SceneObject) -> bool:
    """Whether a thing is where a tagged one is."""
    x, y, z = (a - b for a, b in zip(item.position, tagged.position, strict=True))
    return hypot(x, y) < max(tagged.size[:2]) / 2 and abs(z) < (item.size[2] + tagged.size[2]) / 2
