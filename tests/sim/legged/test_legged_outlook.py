"""Scenes of what stands about a simulated legged robot: names, places as seen from it, posture and nearness."""

import math

import numpy as np
import pytest

from reins.contracts.around import AT
from reins.contracts.scene import ROBOT, SITTING, STANDING, Relation
from reins.hardware.legged import LeggedState, Odometry
from reins.hardware.quadruped import QuadrupedProfile
from reins.sim.legged.ground import GroundSpec, Thing
from reins.sim.legged.outlook import edge_distance, named, scene_of


def ground(*things: tuple[str, str, tuple[float, float]], yaw: float = 0.0) -> GroundSpec:
    size = (1.0, 0.2, 0.5)
    made = [{"label": label, "colour": colour, "size": size, "at": at, "yaw": yaw} for label, colour, at in things]
    return GroundSpec.model_validate({"name": "test", "title": "test", "things": made})


def state_at(
    profile: QuadrupedProfile, x: float, y: float, yaw: float, height: float | None, base: float = 0.3
) -> LeggedState:
    heading, n = np.array([0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)]), len(profile.joints)
    odometry = Odometry(np.array([x, y, base]), heading, np.zeros(3), np.zeros(3))
    contact = np.ones(4, dtype=bool)
    return LeggedState(2.5, heading, profile.home, np.zeros(n), np.zeros(n), contact, 1.0, odometry, height)


def test_names_say_colour_and_kind_and_count_on_but_people_are_people() -> None:
    spec = ground(
        *[("box", "red", (1.0, 0.0)), ("box", "red", (2.0, 0.0)), ("box", "blue", (3.0, 0.0))],
        *[("person", "red", (4.0, 0.0)), ("person", "blue", (5.0, 0.0))],
    )
    assert [name for name, _ in named(spec)] == ["red_box", "red_box_2", "blue_box", "person", "person_2"]


def test_things_are_seen_from_the_base(go2: QuadrupedProfile) -> None:
    spec = ground(("box", "red", (3.0, 2.0)), yaw=0.5)
    seen = scene_of(spec, state_at(go2, 1.0, 2.0, math.pi / 2, 0.3), go2)
    box = seen.objects["red_box"]
    assert box.position == pytest.approx((0.0, -2.0, 0.25 - 0.3))
    assert 2.0 * math.atan2(box.orientation[2], box.orientation[3]) == pytest.approx(0.5 - math.pi / 2)
    assert (seen.stamp, box.last_seen, box.size) == (2.5, 2.5, (1.0, 0.2, 0.5))


@pytest.mark.parametrize(("height", "posture"), [(0.3, STANDING), (0.05, SITTING), (None, SITTING)])
def test_the_posture_is_that_of_the_height(go2: QuadrupedProfile, height: float | None, posture: str) -> None:
    seen = scene_of(ground(), state_at(go2, 0.0, 0.0, 0.0, height), go2)
    assert seen.relations == {Relation(ROBOT, "is", posture)}


@pytest.mark.parametrize(("beyond", "at"), [(-0.01, True), (0.01, False)])
def test_a_robot_is_at_what_is_near(go2: QuadrupedProfile, beyond: float, at: bool) -> None:
    spec = ground(("door", "red", (0.5 + go2.body.footprint + AT + beyond, 0.0)))
    seen = scene_of(spec, state_at(go2, 0.0, 0.0, 0.0, 0.3), go2)
    assert (Relation(ROBOT, "at", "red_door") in seen.relations) is at


@pytest.mark.parametrize(
    ("label", "point", "distance"),
    [
        ("box", (0.8, 0.0), 0.3),
        ("box", (0.0, -0.4), 0.3),
        ("box", (0.8, 0.5), 0.5),
        ("box", (0.45, 0.0), -0.05),
        ("person", (0.0, 1.5), 1.0),
        ("person", (0.1, 0.0), -0.4),
    ],
)
def test_distances_count_from_the_edge(label: str, point: tuple[float, float], distance: float) -> None:
    thing = Thing.model_validate(
        {"label": label, "colour": "red", "size": (1.0, 0.2, 0.5), "at": (2.0, 1.0), "yaw": math.pi / 2}
    )
    x, y = point
    assert edge_distance(thing, np.array([2.0 - y, 1.0 + x])) == pytest.approx(distance)
