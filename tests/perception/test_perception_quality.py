"""Pictures that show nothing are told apart from good ones: both sides of every limit, and no false alarm."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import cv2
import numpy as np
import pytest
from conftest import Stage
from numpy.typing import NDArray

from reins.hardware.profile import RobotProfile
from reins.perception.geometric import GeometricPerception, GeometricSettings
from reins.perception.image import check_image
from reins.perception.quality import BadPicture, PictureLimits, blur_of, check_picture, near_share, white_share
from reins.sim.camera import CameraImage
from reins.training.renders.disturbances import KINDS, load_disturbances
from reins.training.renders.generate import Pictures
from reins.training.renders.mujoco_painter import MujocoPainter
from reins.training.renders.randomisation import load_render_randomisation

SEEDS = range(7_000_000, 7_000_006)

NEVER = PictureLimits(black_level=0, overexposed_share=1.0, blur_share=1.0, blocked_distance=0.0)


def blurred(image: CameraImage, sigma: float) -> CameraImage:
    """Out of focus; the sensor's noise comes after the lens."""
    soft = cv2.GaussianBlur(image.rgb, (0, 0), sigma) + np.random.default_rng(0).normal(0.0, 3.0, image.rgb.shape)
    return replace(image, rgb=np.clip(soft, 0, 255).astype(np.uint8))


def covered(image: CameraImage, share: float, distance: float) -> CameraImage:
    """Something before the upper `share` of the lens, at `distance`."""
    rows = round(share * image.depth.shape[0])
    rgb, depth = image.rgb.copy(), image.depth.copy()
    rgb[:rows], depth[:rows] = (190, 150, 130), distance
    return replace(image, rgb=rgb, depth=depth)


SPOIL: dict[str, Callable[[CameraImage], CameraImage]] = {
    "black": lambda i: replace(i, rgb=(i.rgb // 25).astype(np.uint8)),
    "overexposed": lambda i: replace(i, rgb=np.clip(i.rgb * 6.0, 0, 255).astype(np.uint8)),
    "blurred": lambda i: blurred(i, 6.0),
    "blocked": lambda i: covered(i, 0.6, 0.02),
}


@pytest.mark.parametrize("camera", ["overhead", "wrist"])
@pytest.mark.parametrize("kind", SPOIL)
def test_a_picture_that_shows_nothing_is_told_left_out_and_changes_nothing(
    stage: Stage, perception: GeometricPerception, kind: str, camera: str
) -> None:
    before = stage.look(perception)
    bad = SPOIL[kind](replace(stage.images(camera)[0], stamp=stage.stamp))
    after = perception.update([bad], stage.state())
    assert [(d.camera, d.kind) for d in perception.diagnostics] == [(camera, kind)]
    assert after.objects == before.objects and after.stamp == before.stamp
    check_image(bad, NEVER)


@pytest.mark.parametrize("camera", ["overhead", "wrist"])
def test_a_colour_lens_that_is_covered_is_told_by_what_the_depth_shows(stage: Stage, camera: str) -> None:
    stage.arm(0.5, 0.0, 0.25)
    good = stage.images(camera)[0]
    taped = np.full_like(good.rgb, 120)
    with pytest.raises(BadPicture, match="one plain surface") as caught:
        check_image(replace(good, rgb=taped))
    assert caught.value.kind == "blocked"
    check_image(replace(good, rgb=taped, depth=np.full_like(good.depth, 1.0)))  # a plain table looks like this


@pytest.mark.parametrize("camera", ["overhead", "wrist"])
@pytest.mark.parametrize("measured", [True, False])
def test_a_finger_on_the_lens_is_told_with_and_without_depth(stage: Stage, camera: str, measured: bool) -> None:
    stage.arm(0.5, 0.0, 0.25)
    image = stage.images(camera)[0]
    image = image if measured else replace(image, depth=np.zeros_like(image.depth))
    check_image(image, needs_depth=measured)
    with pytest.raises(BadPicture, match="one plain surface") as caught:
        check_image(replace(image, rgb=skin(*image.depth.shape)), needs_depth=measured)
    assert caught.value.kind == "blocked"


def skin(height: int, width: int) -> NDArray[np.uint8]:
    """What a camera sees of a finger on its lens: light that shines through from one side, and much noise."""
    light = np.linspace(40.0, 130.0, width)[None, :, None] * [1.0, 0.5, 0.4]
    noise = np.random.default_rng(0).normal(0.0, 6.0, (height, width, 3))
    return np.clip(light + noise, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("shape", [(4, 4000), (4000, 4), (4, 4)])
def test_pictures_of_odd_shapes_break_nothing(shape: tuple[int, int]) -> None:
    assert judged(np.full((*shape, 3), 120, np.uint8), np.ones(shape, np.float32)) == ""


def test_perception_uses_the_limits_that_it_is_given(stage: Stage, profile: RobotProfile) -> None:
    tolerant = GeometricPerception(profile, GeometricSettings(limits=NEVER))
    tolerant.update([SPOIL["blurred"](stage.images("overhead")[0])], stage.state())
    assert not tolerant.diagnostics


@pytest.fixture(scope="module")
def good_images(profile: RobotProfile) -> Iterator[list[CameraImage]]:
    """Randomised pictures, as they are and with every disturbance that a camera has on a normal day."""
    painter = MujocoPainter(profile)
    usual = load_disturbances("standard")
    images: list[CameraImage] = []
    for name in ("training", "held_out"):
        source = Pictures(profile, load_render_randomisation(name))
        for seed in SEEDS:
            random = np.random.default_rng(seed)
            for shot in painter.paint(source.draw(seed), 0.0):
                images += [shot.image, *(usual.disturb(kind, shot.image, random) for kind in KINDS)]
    yield images
    painter.close()


def test_no_randomised_picture_is_refused(good_images: list[CameraImage]) -> None:
    assert len(good_images) == 2 * len(SEEDS) * 2 * (1 + len(KINDS))
    for image in good_images:
        check_image(image)


def test_good_pictures_are_far_from_the_limits(good_images: list[CameraImage]) -> None:
    limits = PictureLimits()
    assert max(white_share(image.rgb) for image in good_images) < limits.overexposed_share / 2
    assert max(near_share(image.depth, limits.blocked_distance) for image in good_images) < limits.blocked_share / 2
    blurs = [blur for image in good_images if (blur := blur_of(image.rgb)) is not None]
    assert max(blurs) < limits.blur_share / 2


def picture(value: int) -> NDArray[np.uint8]:
    return np.full((48, 64, 3), value, np.uint8)


FAR = np.ones((48, 64), np.float32)


@pytest.mark.parametrize(("level", "passes"), [(11, False), (12, True)])
def test_exactly_at_black(level: int, passes: bool) -> None:
    assert judged(picture(level), FAR) == ("" if passes else "black")


@pytest.mark.parametrize(("rows", "passes"), [(24, True), (28, False)])
def test_half_may_be_white(rows: int, passes: bool) -> None:
    rgb = picture(120)
    rgb[:rows] = 255
    assert judged(rgb, FAR) == ("" if passes else "overexposed")


@pytest.mark.parametrize(("rows", "passes"), [(24, True), (28, False)])
def test_half_may_be_near(rows: int, passes: bool) -> None:
    depth = FAR.copy()
    depth[:rows] = 0.05
    rgb = picture(120)
    rgb[:rows] = 60
    assert judged(rgb, depth) == ("" if passes else "blocked")


def judged(rgb: NDArray[np.uint8], depth: NDArray[np.float32]) -> str:
    try:
        check_picture("camera 'x'", rgb, depth, replace(PictureLimits(), blur_share=1.0))
    except BadPicture as error:
        return error.kind
    return ""


@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize("sigma", [2.0, 4.0])
def test_blur_is_measured_whatever_the_resolution(width: int, sigma: float) -> None:
    edge = np.full((width * 3 // 4, width, 3), 60, np.uint8)
    edge[:, width // 2 :] = 180
    soft = np.asarray(cv2.GaussianBlur(edge, (0, 0), sigma * width / 320), np.uint8)
    assert blur_of(soft) == pytest.approx(sigma / 320, rel=0.15)


def test_without_edges_there_is_nothing_to_measure_blur_by() -> None:
    assert blur_of(picture(120)) is None
