"""The `state` backend: the scene from a simulator's truth. A baseline for benchmarks, and what a simulated robot that
walks sees without its camera; never for a real one."""

from collections.abc import Mapping
from typing import Any, Protocol

from reins.contracts.around import nearness, posture_relation
from reins.contracts.footprints import Posed
from reins.contracts.scene import Relation, Scene, SceneObject
from reins.hardware.legged import LeggedState
from reins.hardware.profile import RobotProfile, Workspace
from reins.hardware.profile_base import Profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.perception.caption import caption_around, caption_of
from reins.perception.image import Diagnostic
from reins.perception.relations import occluded_of, relations_of

Objects = Mapping[str, SceneObject]


class TrueObject(Posed, Protocol):
    """One object as a simulator has it: as in SceneObject, without doubt."""

    @property
    def colour(self) -> str: ...


class TrueWorld(Protocol):
    """What a simulator says of its world."""

    @property
    def stamp(self) -> float: ...
    @property
    def objects(self) -> Mapping[str, TrueObject]: ...
    @property
    def held(self) -> str | None: ...


class Setting(Protocol):
    """What the things in a scene have to do with each other and with the robot, and words for it."""

    def on_state(self, state: Any) -> None:
        """The newest state of the robot."""

    def relations(self, objects: Objects, held: str | None) -> frozenset[Relation]:
        """Every relation between the objects, of which the gripper may hold one."""
        ...

    def caption(self, objects: Objects, relations: frozenset[Relation]) -> str:
        """The scene in a sentence or two."""
        ...


class AtTable:
    """The setting of an arm.

    Args:
        workspace: where it works; None where that is not asked.
    """

    def __init__(self, workspace: Workspace | None = None) -> None:
        self._workspace = workspace

    def on_state(self, state: Any) -> None:
        """Where the arm is changes nothing."""

    def relations(self, objects: Objects, held: str | None) -> frozenset[Relation]:
        """Those between things on a table. The truth sees everything, so nothing is occluded from it."""
        return relations_of(objects.values(), held, workspace=self._workspace)

    def caption(self, objects: Objects, relations: frozenset[Relation]) -> str:
        """What stands on the table."""
        return caption_of(objects, relations)


class OnTheGround:
    """The setting of a robot that walks.

    Args:
        profile: the robot.
    """

    def __init__(self, profile: QuadrupedProfile) -> None:
        self._profile = profile
        self._posture: frozenset[Relation] = frozenset()  # not known before the first state

    def on_state(self, state: LeggedState) -> None:
        """Whether it is on its legs, sits, or has fallen."""
        self._posture = frozenset(
            {posture_relation(self._profile.is_up(state.height), self._profile.has_fallen(state.orientation))}
        )

    def relations(self, objects: Objects, held: str | None, now: float = 0.0) -> frozenset[Relation]:
        """The robot's posture, what it is at, and what the cameras do not see at robot time `now` [s]."""
        near = nearness(objects.values(), self._profile.body.footprint)
        return self._posture | near | occluded_of(objects.values(), now)

    def caption(self, objects: Objects, relations: frozenset[Relation]) -> str:
        """What stands about."""
        return caption_around(objects, relations)


def setting_of(profile: Profile) -> Setting:
    """That of a robot."""
    if isinstance(profile, QuadrupedProfile):
        return OnTheGround(profile)
    return AtTable(profile.workspace if isinstance(profile, RobotProfile) else None)


class StatePerception:
    """Turns a simulator's truth into a scene with the same relations and words as the other backends.

    Args:
        setting: of the robot; that of an arm, wherever it works, by default.
    """

    source = "state"

    def __init__(self, setting: Setting | None = None) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = ()
        """Always empty: the truth has no faults."""
        self._setting = setting or AtTable()
        self._scene = Scene(stamp=0.0, source=self.source, caption="Nothing has been seen yet.")

    @property
    def scene(self) -> Scene:
        """The newest scene."""
        return self._scene

    def reset(self) -> None:
        """Forget the last scene."""
        self._scene = Scene(stamp=0.0, source=self.source, caption="Nothing has been seen yet.")

    def on_state(self, state: Any) -> None:
        """The newest state of the robot."""
        self._setting.on_state(state)

    def update_from_truth(self, world: TrueWorld) -> Scene:
        """The scene of this world state."""
        objects = {
            item.id: SceneObject(
                item.id, item.label, item.colour, item.position, item.orientation, item.size, 1.0, world.stamp
            )
            for item in world.objects.values()
        }
        held = world.held if world.held in objects else None
        relations = self._setting.relations(objects, held)
        self._scene = Scene(world.stamp, self.source, objects, relations, self._setting.caption(objects, relations))
        return self._scene
