"""Random pictures: the same for a seed, true to what they say, held out from training where they should be."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from reins.contracts.errors import ReinsError, UnknownName
from reins.contracts.relations import is_in, is_on
from reins.hardware.profile import RobotProfile, load_profile
from reins.sim.camera import CameraImage
from reins.training.renders.arrangement import free_distance, outline
from reins.training.renders.composition import is_held_out
from reins.training.renders.disturbances import KINDS, load_disturbances
from reins.training.renders.generate import Pictures, make_painter
from reins.training.renders.mujoco_painter import MujocoPainter
from reins.training.renders.picture import NOTHING, Picture
from reins.training.renders.randomisation import load_render_randomisation

SEEDS = range(40)


@pytest.fixture(scope="module")
def profile() -> RobotProfile:
    return load_profile("franka")


@pytest.fixture(scope="module")
def pictures(profile: RobotProfile) -> list[Picture]:
    source = Pictures(profile, load_render_randomisation("held_out"))
    return [source.draw(seed) for seed in SEEDS]


@pytest.fixture(scope="module")
def painter(profile: RobotProfile) -> Iterator[MujocoPainter]:
    made = MujocoPainter(profile)
    yield made
    made.close()


def test_a_seed_is_a_picture(profile: RobotProfile, pictures: list[Picture], painter: MujocoPainter) -> None:
    again = Pictures(profile, load_render_randomisation("held_out")).draw(3)
    assert again.world == pictures[3].world and again.distractors == pictures[3].distractors
    for one, other in zip(painter.paint(again, 0.0), painter.paint(pictures[3], 0.0), strict=True):
        assert np.array_equal(one.image.rgb, other.image.rgb) and np.array_equal(one.owner, other.owner)


@pytest.mark.parametrize("name, held_out", [("training", False), ("held_out", True)])
def test_training_never_sees_what_is_held_out(profile: RobotProfile, name: str, held_out: bool) -> None:
    source = Pictures(profile, load_render_randomisation(name))
    for seed in SEEDS:
        things = [item.model_dump() for item in source.draw(seed).world.objects]
        assert is_held_out(things) is held_out


def test_surfaces_lamps_and_distractors_are_held_out_too() -> None:
    training, held_out = (load_render_randomisation(name) for name in ("training", "held_out"))
    assert not set(training.table_pattern.words) & set(held_out.table_pattern.words)
    assert not set(training.distractor.words) & set(held_out.distractor.words)
    assert training.lamp_side.high <= held_out.lamp_side.low and held_out.lamp_height.high <= training.lamp_height.low


def test_nothing_stands_in_anything_else(pictures: list[Picture]) -> None:
    for picture in pictures:
        truth = picture.truth(0.0).objects
        standing = [
            name for name, item in truth.items() if item.position[2] == pytest.approx(item.size[2] / 2, abs=1e-9)
        ]
        spots = picture.arrangement.spots
        corners = {
            name: outline(picture.world.by_id[name], spots[name].x, spots[name].y, spots[name].yaw)
            for name in standing
            if name != picture.arrangement.held
        }
        assert all(free_distance(corners[a], corners[b]) > 0.0 for a, b in combinations(corners, 2))


def test_what_does_not_stand_on_the_table_is_in_or_on_something(pictures: list[Picture]) -> None:
    stacked = 0
    for picture in pictures:
        truth = picture.truth(0.0)
        for name, item in truth.objects.items():
            if name == truth.held or item.position[2] == pytest.approx(item.size[2] / 2, abs=1e-9):
                continue
            assert any(is_in(item, other) or is_on(item, other) for other in truth.objects.values() if other != item)
            stacked += 1
    assert stacked > 10


def test_owners_and_shares_agree(pictures: list[Picture], painter: MujocoPainter) -> None:
    for picture in pictures[:4]:
        names = list(picture.world.by_id)
        for shot in painter.paint(picture, 0.0):
            shown = {names[index] for index in np.unique(shot.owner) if index != NOTHING}
            assert {name for name, share in shot.visible.items() if share > 0.0} <= shown
            assert all(0.0 <= share <= 1.0 for share in shot.visible.values())


def test_a_thing_alone_is_wholly_visible_and_one_out_of_sight_is_not(
    profile: RobotProfile, pictures: list[Picture], painter: MujocoPainter
) -> None:
    picture = pictures[5]
    name = next(iter(picture.arrangement.spots))
    spot = replace(picture.arrangement.spots[name], x=0.5, y=0.0)
    home = np.array(profile.home)
    alone = replace(picture.arrangement, spots={name: spot}, held=None, joints=home)
    overhead = painter.paint(replace(picture, arrangement=alone, distractors=()), 0.0)[0]
    assert overhead.visible[name] > 0.93
    beside = replace(alone, spots={name: replace(spot, y=3.0)})
    assert painter.paint(replace(picture, arrangement=beside, distractors=()), 0.0)[0].visible[name] == 0.0


def test_both_renderers_show_the_same(profile: RobotProfile, pictures: list[Picture], painter: MujocoPainter) -> None:
    pytest.importorskip("pybullet")
    other = make_painter("pybullet", profile)
    for a, b in zip(painter.paint(pictures[2], 0.0), other.paint(pictures[2], 0.0), strict=True):
        assert (a.owner == b.owner).mean() > 0.99
        assert np.median(np.abs(a.image.depth - b.image.depth)) < 0.002
        assert not np.array_equal(a.image.rgb, b.image.rgb)
    other.close()
    other.close()


@pytest.fixture(scope="module")
def image(pictures: list[Picture], painter: MujocoPainter) -> CameraImage:
    return painter.paint(pictures[1], 0.0)[0].image


class TestDisturbances:
    @pytest.mark.parametrize("kind", KINDS)
    def test_changes_what_it_says_and_nothing_else(self, image: CameraImage, kind: str) -> None:
        before: list[NDArray[Any]] = [image.rgb.copy(), image.depth.copy(), image.pose.copy()]
        made = load_disturbances("standard").disturb(kind, image, np.random.default_rng(0))
        after: list[NDArray[Any]] = [image.rgb, image.depth, image.pose]
        assert all(map(np.array_equal, before, after)), "the image that it was given is as it was"
        assert made.rgb.dtype == np.uint8 and made.depth.dtype == np.float32
        changed = {
            "rgb": not np.array_equal(made.rgb, image.rgb),
            "depth": not np.array_equal(made.depth, image.depth),
            "pose": not np.array_equal(made.pose, image.pose),
        }
        part = {"depth_noise": "depth", "depth_holes": "depth", "calibration": "pose"}.get(kind, "rgb")
        assert [name for name, is_so in changed.items() if is_so] == [part]

    def test_a_shifted_camera_is_shifted_by_as_much(self, image: CameraImage) -> None:
        made = load_disturbances("standard").disturb("calibration", image, np.random.default_rng(3))
        assert 0.0005 <= np.linalg.norm(made.pose[:3, 3] - image.pose[:3, 3]) <= 0.002
        assert np.allclose(made.pose[:3, :3] @ made.pose[:3, :3].T, np.eye(3))


@pytest.mark.parametrize("load", [load_render_randomisation, load_disturbances])
def test_unknown_and_broken_files_are_told(load: object, tmp_path: Path) -> None:
    assert callable(load)
    with pytest.raises(UnknownName):
        load("nowhere")
    path = tmp_path / "mine.yaml"
    path.write_text("name: mine\n", encoding="utf-8")
    with pytest.raises(ReinsError, match="title"):
        load(str(path))


def test_unknown_renderer(profile: RobotProfile) -> None:
    with pytest.raises(UnknownName, match="pybullet"):
        make_painter("bullet", profile)
