"""What the truth of a simulated ground becomes as a scene of a robot that walks, and which backends serve it."""

import math

import numpy as np
import pytest

from reins.contracts.errors import ReinsError
from reins.contracts.scene import ROBOT, SITTING, STANDING, Relation
from reins.hardware.legged import LeggedState, Odometry
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.perception.caption import caption_around
from reins.perception.factory import BACKENDS, make_perception
from reins.perception.state import StatePerception
from reins.sim.legged.ground import load_ground
from reins.sim.legged.outlook import scene_of, things_of
from reins.sim.world_state import WorldState

LEGGED = ("geometric", "state")
GO2 = load_profile("go2", QuadrupedProfile)
YARD = load_ground("yard")


def state_at(x: float, y: float, yaw: float, height: float) -> LeggedState:
    heading, n = np.array([0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)]), len(GO2.joints)
    odometry = Odometry(np.array([x, y, height]), heading, np.zeros(3), np.zeros(3))
    contact = np.ones(4, dtype=bool)
    return LeggedState(2.5, heading, GO2.home, np.zeros(n), np.zeros(n), contact, 1.0, odometry, height)


def truth_at(state: LeggedState) -> WorldState:
    things = things_of(YARD, state.odometry.position, state.odometry.orientation)
    return WorldState(state.stamp, YARD.name, 1, {item.id: item for item in things}, None, np.empty(0))


def perception() -> StatePerception:
    made = make_perception("state", GO2)
    assert isinstance(made, StatePerception)
    return made


@pytest.mark.parametrize(
    ("state", "posture", "at"),
    [
        (state_at(3.5, 1.0, 0.7, 0.3), STANDING, "red_door"),
        (state_at(-2.5, -1.5, -2.0, 0.08), SITTING, "purple_marker"),
    ],
)
def test_it_is_the_scene_that_the_rig_sees(state: LeggedState, posture: str, at: str) -> None:
    core = perception()
    core.on_state(state)
    scene, rigs = core.update_from_truth(truth_at(state)), scene_of(YARD, state, GO2)
    assert {Relation(ROBOT, "is", posture), Relation(ROBOT, "at", at)} <= scene.relations
    assert (scene.objects, scene.relations, scene.stamp, scene.source) == (
        rigs.objects,
        rigs.relations,
        rigs.stamp,
        rigs.source,
    )


def test_the_posture_is_not_guessed_before_the_first_state() -> None:
    scene = perception().update_from_truth(truth_at(state_at(0.0, 0.0, 0.0, 0.3)))
    assert scene.objects and not any(relation.predicate == "is" for relation in scene.relations)


def test_its_words_name_what_stands_about() -> None:
    scene = perception().update_from_truth(truth_at(state_at(0.0, 0.0, 0.0, 0.3)))
    assert scene.caption.startswith("There are ") and scene.caption.endswith(" about.")
    assert "a red door" in scene.caption and "a person" in scene.caption and "table" not in scene.caption
    assert caption_around({}) == "Nothing stands about."


@pytest.mark.parametrize("name", [name for name in BACKENDS if name not in LEGGED])
def test_what_looks_at_tables_is_refused_by_name(name: str) -> None:
    with pytest.raises(ReinsError, match=rf"the {name} backend looks at tables, and 'go2' is a quadruped; geometric"):
        make_perception(name, GO2)
