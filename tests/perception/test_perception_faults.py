"""Images that cannot be believed are left out, told, and change nothing."""

from dataclasses import replace

import numpy as np
import pytest
from conftest import Stage
from numpy.typing import NDArray

from reins.contracts.errors import ReinsError
from reins.contracts.event import Severity
from reins.hardware.profile import RobotProfile
from reins.perception.geometric import GeometricPerception, GeometricSettings
from reins.perception.image import check_image
from reins.sim.camera import CameraImage

FAULTS = {
    "float colours": (lambda i: replace(i, rgb=i.rgb.astype(np.float32)), "uint8"),
    "grey image": (lambda i: replace(i, rgb=i.rgb[..., 0]), "(height, width, 3)"),
    "no array": (lambda i: replace(i, rgb=[1, 2, 3]), "a list"),
    "depth in mm, integers": (lambda i: replace(i, depth=(i.depth * 1000).astype(np.uint16)), "convert millimetres"),
    "depth in mm, floats": (lambda i: replace(i, depth=i.depth * 1000), "millimetres"),
    "depth in m taken for mm": (lambda i: replace(i, depth=i.depth / 1000), "metres that were taken for millimetres"),
    "double depth": (lambda i: replace(i, depth=i.depth.astype(np.float64)), "float32"),
    "depth of another size": (lambda i: replace(i, depth=i.depth[::2, ::2]), "160x120"),
    "intrinsics of another size": (lambda i: replace(i, intrinsics=i.intrinsics * 2), "another resolution"),
    "intrinsics not finite": (lambda i: replace(i, intrinsics=i.intrinsics * np.nan), "pinhole"),
    "flat intrinsics": (lambda i: replace(i, intrinsics=i.intrinsics.ravel()), "(3, 3)"),
    "negative focal length": (lambda i: replace(i, intrinsics=i.intrinsics * [[-1], [1], [1]]), "focal"),
    "all depth NaN": (lambda i: replace(i, depth=np.full_like(i.depth, np.nan)), "empty"),
    "all depth zero": (lambda i: replace(i, depth=np.zeros_like(i.depth)), "empty"),
    "mirrored pose": (lambda i: replace(i, pose=i.pose @ np.diag([1.0, 1.0, -1.0, 1.0])), "not a rotation"),
    "pose not finite": (lambda i: replace(i, pose=np.full((4, 4), np.inf)), "finite (4, 4)"),
    "no time": (lambda i: replace(i, stamp=float("nan")), "time stamp"),
    "tiny": (lambda i: replace(i, rgb=i.rgb[:2, :2].copy(), depth=i.depth[:2, :2].copy()), "2x2"),
}


@pytest.fixture
def good(stage: Stage) -> CameraImage:
    return stage.images("overhead")[0]


def test_a_good_image_passes(good: CameraImage) -> None:
    check_image(good)


@pytest.mark.parametrize("name", FAULTS)
def test_faulty_image_is_told_and_changes_nothing(
    stage: Stage, perception: GeometricPerception, good: CameraImage, name: str
) -> None:
    before = stage.look(perception)
    spoil, words = FAULTS[name]
    bad = spoil(replace(good, stamp=stage.stamp))
    with np.errstate(invalid="ignore"), pytest.raises(ReinsError) as caught:
        check_image(bad)
    assert words in str(caught.value) and "overhead" in str(caught.value)
    after = perception.update([bad], stage.state())
    assert after.objects == before.objects and after.relations == before.relations
    assert [(d.camera, d.severity, d.kind) for d in perception.diagnostics] == [
        ("overhead", Severity.ERROR, "bad_image")
    ]
    stage.stamp += 0.1
    stage.look(perception)
    assert perception.diagnostics == ()


def test_the_other_camera_goes_on(stage: Stage, perception: GeometricPerception) -> None:
    overhead, wrist = stage.images()
    scene = perception.update([overhead, replace(wrist, rgb=np.zeros_like(wrist.rgb))], stage.state())
    assert set(scene.objects) == set(stage.robot.world.by_id)
    assert [d.camera for d in perception.diagnostics] == ["wrist"]


def test_before_any_image(stage: Stage, perception: GeometricPerception) -> None:
    scene = perception.update([], stage.state())
    assert not scene.objects and scene.caption == "Nothing has been seen yet."


def test_repeated_image_is_no_new_sight(stage: Stage, perception: GeometricPerception) -> None:
    images = stage.images()
    first = perception.update(images, stage.state())
    stage.stamp += 0.5
    again = perception.update(images, stage.state())
    assert again.objects == first.objects and again.stamp == first.stamp
    assert perception.diagnostics == ()


def test_frozen_camera_is_told_once_the_arm_moves(stage: Stage, perception: GeometricPerception) -> None:
    stage.arm(0.45, 0.0, 0.3)
    overhead = stage.images("overhead")[0]
    before = perception.update([overhead], stage.state())
    stage.stamp += 0.1
    perception.update([replace(overhead, stamp=stage.stamp)], stage.state())
    assert not perception.diagnostics  # nothing moved: the same image is what a good camera shows
    stage.arm(0.45, 0.2, 0.3)
    stage.stamp += 0.1
    after = perception.update([replace(overhead, stamp=stage.stamp)], stage.state())
    assert [(d.camera, d.kind) for d in perception.diagnostics] == [("overhead", "frozen")]
    assert set(after.objects) == set(before.objects)
    stage.stamp += 0.1
    stage.look(perception, "overhead")
    assert perception.diagnostics == ()


def test_a_frozen_camera_is_told_however_slowly_the_arm_moves(stage: Stage, perception: GeometricPerception) -> None:
    stage.arm(0.45, 0.0, 0.3)
    overhead = stage.images("overhead")[0]
    told = []
    for step in range(6):  # by 5 mm a picture
        stage.arm(0.45, 0.005 * step, 0.3)
        stage.stamp += 0.1
        perception.update([replace(overhead, stamp=stage.stamp)], stage.state())
        told.append([d.kind for d in perception.diagnostics])
    assert told == [[]] * 5 + [["frozen"]], "once it has moved by more than 2 cm"


def test_a_good_camera_is_not_frozen_however_slowly_the_arm_moves(
    stage: Stage, perception: GeometricPerception
) -> None:
    for step in range(12):
        stage.arm(0.45, 0.005 * step, 0.3)
        stage.look(perception)
        assert perception.diagnostics == () and not perception.frozen


def test_frozen_wrist_camera(stage: Stage, perception: GeometricPerception) -> None:
    frozen = stage.images("wrist")[0]
    perception.update([frozen], stage.state())
    stage.arm(0.45, 0.2, 0.3)
    stage.stamp += 0.1
    moved = stage.images("wrist")[0]
    perception.update([replace(moved, rgb=frozen.rgb, depth=frozen.depth)], stage.state())
    assert [(d.camera, d.kind) for d in perception.diagnostics] == [("wrist", "frozen")]


def test_a_frozen_camera_stays_frozen_when_the_arm_comes_back_to_where_it_was(
    stage: Stage, perception: GeometricPerception
) -> None:
    stage.arm(0.45, 0.0, 0.3)
    overhead = stage.images("overhead")[0]
    perception.update([overhead], stage.state())
    for y in (0.2, 0.0, 0.0):
        stage.arm(0.45, y, 0.3)
        stage.stamp += 0.1
        perception.update([replace(overhead, stamp=stage.stamp)], stage.state())
        assert perception.frozen == {"overhead"}
        assert perception.image_stamps == {"overhead": overhead.stamp}, "nothing was seen since"
    stage.put("red_block", 0.5, 0.3, 0.02)
    stage.stamp += 0.1
    stage.look(perception, "overhead")
    assert perception.frozen == set() and perception.diagnostics == ()


@pytest.mark.parametrize(("seconds", "frozen"), [(0.999, False), (1.001, True)])
def test_a_camera_with_noise_is_frozen_when_no_pixel_changes(
    stage: Stage, profile: RobotProfile, seconds: float, frozen: bool
) -> None:
    perception = GeometricPerception(profile, GeometricSettings(frozen_after=1.0))
    first = stage.images("overhead")[0]
    noisy = first.rgb.copy()
    noisy[0, 0] ^= 1

    def see(after: float, rgb: NDArray[np.uint8]) -> bool:
        stage.stamp = after
        perception.update([replace(first, rgb=rgb, stamp=after)], stage.state())
        return bool(perception.frozen)

    assert not see(0.0, first.rgb)
    assert see(seconds, first.rgb) is frozen
    assert not see(2.0, noisy)
    assert not see(2.9, noisy), "it counts from the last change"


def test_an_image_from_before_the_newest_one_is_told_and_left_out(
    stage: Stage, perception: GeometricPerception
) -> None:
    early = stage.images("overhead")[0]
    stage.stamp += 0.5
    scene = stage.look(perception, "overhead")
    again = perception.update([early], stage.state())
    assert [(d.camera, d.severity, d.kind) for d in perception.diagnostics] == [
        ("overhead", Severity.ERROR, "out_of_order")
    ]
    assert again.objects == scene.objects and again.stamp == scene.stamp


@pytest.mark.parametrize(("ahead", "used"), [(0.999, True), (1.001, False), (1.7e9, False)])
def test_an_image_ahead_of_the_robot_s_time_is_told_and_left_out(
    stage: Stage, perception: GeometricPerception, ahead: float, used: bool
) -> None:
    before = stage.look(perception, "overhead")
    image = replace(stage.images("overhead")[0], stamp=stage.stamp + ahead)
    after = perception.update([image], stage.state())
    told = [] if used else [("overhead", Severity.ERROR, "ahead")]
    assert [(d.camera, d.severity, d.kind) for d in perception.diagnostics] == told
    assert (after.stamp == image.stamp) is used and after.objects.keys() == before.objects.keys()


def test_an_image_from_the_future_does_not_keep_the_next_ones_out(
    stage: Stage, perception: GeometricPerception
) -> None:
    stage.look(perception, "overhead")
    perception.update([replace(stage.images("overhead")[0], stamp=1.7e9)], stage.state())
    stage.stamp += 0.1
    stamp = stage.stamp
    scene = stage.look(perception, "overhead")
    assert perception.diagnostics == () and scene.stamp == stamp


def test_old_image_is_told(stage: Stage, perception: GeometricPerception) -> None:
    images = stage.images()
    stage.stamp += 3.0
    perception.update(images, stage.state())
    assert [d.kind for d in perception.diagnostics] == ["stale", "stale"]


def test_before_the_first_robot_state_nothing_is_seen_for_the_arm_would_be_an_object(
    stage: Stage, perception: GeometricPerception
) -> None:
    stage.arm(0.5, 0.0, 0.1)
    scene = perception.update(stage.images("overhead"), None)
    assert scene.objects == {}
    assert [(d.severity, d.kind) for d in perception.diagnostics] == [(Severity.ERROR, "no_state")]
    stage.stamp += 0.1
    assert set(stage.look(perception, "overhead").objects) <= set(stage.robot.world.by_id)
    assert perception.diagnostics == ()


def test_robot_time_starts_again(stage: Stage, perception: GeometricPerception) -> None:
    stage.look(perception, times=30)
    stage.reset(5)
    scene = stage.look(perception)
    assert scene.stamp == 0.0
    assert set(scene.objects) == set(stage.robot.world.by_id)
    assert max(stage.error(scene, name) for name in scene.objects) < 0.005


def test_late_state_is_no_new_start(stage: Stage, perception: GeometricPerception) -> None:
    late = stage.state()
    stage.stamp += 0.3
    scene = stage.look(perception)
    perception.on_state(late)
    assert perception.scene is scene and scene.objects


def test_reset_forgets(stage: Stage, perception: GeometricPerception) -> None:
    stage.look(perception)
    perception.reset()
    assert not perception.scene.objects
    stage.reset(1)
    assert set(stage.look(perception).objects) == set(stage.robot.world.by_id)
