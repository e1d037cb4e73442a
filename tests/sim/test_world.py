"""World files and the random poses drawn from them."""

from math import hypot
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from reins.contracts.errors import ReinsError, UnknownName
from reins.hardware.profile import RobotProfile
from reins.sim.placement import footprint, place
from reins.sim.world import WorldSpec, known_worlds, load_world

WORLDS = known_worlds()
LOADED = {name: load_world(name) for name in WORLDS}
HALF_HAND = 0.103
"""Half of the width of the hand, which hangs over its neighbours when it grasps a block [m]."""


def write(folder: Path, **changes: object) -> str:
    """A copy of the tabletop world with some fields changed."""
    data = load_world("tabletop").model_dump(mode="json")
    data.update(changes)
    path = folder / "world.yaml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("name", WORLDS)
def test_every_world_that_ships_is_whole(name: str, profile: RobotProfile) -> None:
    world = load_world(name)
    assert world.name == name
    assert {"overhead", "wrist", "viewer"} <= {camera.name for camera in world.cameras}
    lower, upper = world.placement.lower, world.placement.upper
    assert profile.workspace.lower[0] < lower[0] and upper[0] < profile.workspace.upper[0]
    assert profile.workspace.lower[1] < lower[1] and upper[1] < profile.workspace.upper[1]
    assert world.goal


def test_the_default_world() -> None:
    world = load_world("tabletop")
    assert list(world.by_id) == [
        "red_block",
        "green_block",
        "blue_block",
        "yellow_block",
        "blue_bowl",
        "white_plate",
    ]


@given(name=st.sampled_from(WORLDS), seed=st.integers(0, 2**32 - 1))
def test_objects_stand_apart_and_inside(name: str, seed: int) -> None:
    world = LOADED[name]
    poses = place(world, seed)
    assert list(poses) == list(world.by_id)
    for one, pose in poses.items():
        assert world.placement.lower[0] <= pose.x <= world.placement.upper[0]
        assert world.placement.lower[1] <= pose.y <= world.placement.upper[1]
        for other, place_ in poses.items():
            if other != one:
                apart = hypot(pose.x - place_.x, pose.y - place_.y)
                assert apart >= footprint(world.by_id[one]) + footprint(world.by_id[other]) + world.placement.gap - 1e-9
                if world.by_id[one].label == "block":
                    assert apart - footprint(world.by_id[other]) >= HALF_HAND


@given(seed=st.integers(0, 2**32 - 1))
def test_same_seed_same_poses(seed: int) -> None:
    world = LOADED["tabletop"]
    assert place(world, seed) == place(world, seed)


def test_seeds_differ() -> None:
    world = load_world("tabletop")
    assert len({place(world, seed)["red_block"] for seed in range(50)}) == 50
    ys = [place(world, seed)["red_block"].y for seed in range(200)]
    assert min(ys) < -0.2 and max(ys) > 0.2 and abs(np.mean(ys)) < 0.05


def test_a_second_object_of_a_kind_is_numbered(tmp_path: Path) -> None:
    objects = [{"label": "block", "colour": "red", "size": [0.04, 0.04, 0.04], "count": 3}]
    world = load_world(write(tmp_path, objects=objects, goal=[["on", "red_block_2", "red_block"]]))
    assert list(world.by_id) == ["red_block", "red_block_2", "red_block_3"]


def test_what_does_not_fit_is_told(tmp_path: Path) -> None:
    placement = {"lower": [0.4, 0.0], "upper": [0.5, 0.1], "clearance": 0.11, "gap": 0.03}
    world = load_world(write(tmp_path, placement=placement))
    with pytest.raises(ReinsError, match="do not fit"):
        place(world, 0)


def test_an_unknown_world_lists_those_that_exist() -> None:
    with pytest.raises(UnknownName, match=r"did you mean 'tabletop'.*blocks, tabletop, tableware"):
        load_world("tabeltop")


@pytest.mark.parametrize(
    "changes, complaint",
    [
        (
            {"placement": {"lower": [0.6, 0.0], "upper": [0.5, 0.1], "clearance": 0.1, "gap": 0.03}},
            "placement.*not below",
        ),
        (
            {"objects": [{"label": "block", "colour": "beige", "size": [0.04, 0.04, 0.04]}], "goal": []},
            "no colour 'beige'",
        ),
        ({"objects": [{"label": "cup", "colour": "red", "size": [0.04, 0.04, 0.04]}], "goal": []}, "objects.0.label"),
        ({"objects": [{"label": "bowl", "colour": "red", "size": [0.1, 0.2, 0.05]}], "goal": []}, "round"),
        ({"objects": [{"label": "block", "colour": "red", "size": [0.04, 0.04, -1]}], "goal": []}, "objects.0.size.2"),
        ({"goal": [["in", "red_block", "green_bowl"]]}, "no object 'green_bowl'"),
        ({"cameras": []}, "cameras"),
        ({"weather": "fine"}, "weather"),
    ],
)
def test_a_bad_world_file_names_the_field(tmp_path: Path, changes: dict[str, object], complaint: str) -> None:
    with pytest.raises(ReinsError, match=complaint):
        load_world(write(tmp_path, **changes))


def test_a_file_that_is_not_there_or_not_yaml(tmp_path: Path) -> None:
    with pytest.raises(ReinsError, match="no world file"):
        load_world(str(tmp_path / "nothing.yaml"))
    bad = tmp_path / "bad.yaml"
    bad.write_text("name: [", encoding="utf-8")
    with pytest.raises(ReinsError, match="not valid YAML"):
        load_world(str(bad))


def test_a_camera_cannot_look_along_its_up(tmp_path: Path, profile: RobotProfile) -> None:
    from reins.sim.model import build_model

    camera: dict[str, object] = {
        "name": "bad",
        "mount": "table",
        "position": [0, 0, 1],
        "look_at": [0, 0, 0],
        "up": [0, 0, 1],
    }
    camera |= {"fovy": 40.0, "width": 64, "height": 48}
    world: WorldSpec = load_world(write(tmp_path, cameras=[camera]))
    with pytest.raises(ReinsError, match="camera 'bad'"):
        build_model(profile, world, pretty=False)
