"""The perception node with cameras that freeze, repeat themselves, fall silent or lie: no scene, and it says why."""

import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from fake_cameras import CAMERAS, HEIGHT, WIDTH, FakeCameras, perception_with_cameras

from reins.hardware.profile import load_profile
from reins.nodes.convert import fill_time

pytestmark = pytest.mark.ros

OK, ERROR = 0, 2


@pytest.fixture
def cameras() -> Iterator[FakeCameras]:
    with perception_with_cameras() as fake:
        yield fake


FAULTS = {"frozen": "camera_frozen", "stuck": "camera_stale", "silent": "camera_stale"}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("camera", CAMERAS)
def test_a_camera_that_does_not_see_stops_the_scenes_until_it_is_mended(
    cameras: FakeCameras, fault: str, camera: str
) -> None:
    faulty: set[str] = getattr(cameras, fault)
    faulty.add(camera)
    cameras.until(lambda: (FAULTS[fault], camera) in cameras.kinds(), FAULTS[fault])
    cameras.until(lambda: camera in cameras.scenes[-1].stale, "the last scene is marked")
    good = cameras.good_scenes
    time.sleep(1.0)
    assert cameras.good_scenes == good, "no scene while a camera does not see"
    cameras.until(lambda: cameras.level(camera) == ERROR, "diagnostics")
    assert cameras.kinds().count((FAULTS[fault], camera)) == 1
    faulty.clear()
    cameras.until(lambda: ("camera_back", camera) in cameras.kinds(), "camera_back")
    cameras.until(lambda: cameras.good_scenes > good + 2 and not cameras.scenes[-1].stale, "scenes again")
    cameras.until(lambda: cameras.level(camera) == OK, "well again")


def test_slow_cameras_are_looked_through_at_their_pace(cameras: FakeCameras) -> None:
    cameras.every = 0.6
    time.sleep(1.0)
    before = len(cameras.scenes)
    time.sleep(6.0)
    assert 8 <= len(cameras.scenes) - before <= 11


@pytest.mark.parametrize("cameras_too", [False, True])
def test_time_goes_on_when_the_robot_falls_silent(cameras: FakeCameras, cameras_too: bool) -> None:
    cameras.robot_is_silent = True
    cameras.silent = set(CAMERAS) if cameras_too else set()
    for camera in CAMERAS:
        cameras.until(lambda camera=camera: ("camera_stale", camera) in cameras.kinds(), "camera_stale")
    cameras.until(lambda: all(camera in cameras.scenes[-1].stale for camera in CAMERAS), "the last scene is marked")
    cameras.robot_is_silent, cameras.silent = False, set()
    cameras.until(lambda: not cameras.scenes[-1].stale, "scenes again")


def black(messages: dict[str, Any]) -> None:
    messages["color"].data = bytes(len(messages["color"].data))


def grey(messages: dict[str, Any]) -> None:
    messages["color"].encoding = "mono8"


def other_size(messages: dict[str, Any]) -> None:
    messages["camera_info"].width *= 2


def other_camera(messages: dict[str, Any]) -> None:
    for topic in ("color", "depth", "camera_info"):
        messages[topic].header.frame_id = "door_optical"


def millimetres(messages: dict[str, Any]) -> None:
    depth = np.full(HEIGHT * WIDTH, 1000.0, np.float32)
    messages["depth"].data = depth.tobytes()


def unmeasured(messages: dict[str, Any]) -> None:
    messages["depth"].data = np.full(HEIGHT * WIDTH, np.nan, np.float32).tobytes()


def no_depth(messages: dict[str, Any]) -> None:
    del messages["depth"]


LIES: dict[Callable[[dict[str, Any]], None], str] = {
    black: "the colour image is black",
    grey: "colour image encoded as 'mono8'; understood are rgb8, bgr8, rgba8, bgra8",
    other_size: "camera_info is for 128x48",
    other_camera: "those before were of 'wrist_optical'",
    millimetres: "these look like millimetres",
    unmeasured: "the depth image is empty",
    no_depth: "its color comes without depth",
}


def test_what_a_camera_says_wrongly_is_told_with_the_reason_and_the_last_scene_marked(cameras: FakeCameras) -> None:
    for lie, words in LIES.items():
        name = lie.__name__
        cameras.spoil["wrist"] = lie
        cameras.until(lambda: "wrist" in cameras.scenes[-1].stale, name)
        stale = cameras.scenes[-1]
        assert words in stale.stale, name
        assert words in cameras.events[-1].reason
        cameras.until(partial(cameras.says, "wrist", words), name)
        assert cameras.level("wrist") == ERROR, name
        cameras.until(lambda: cameras.level("overhead") == OK, "the other camera is well")
        assert cameras.scenes[-1].header.stamp == stale.header.stamp, "and yet there is no newer scene"
        cameras.spoil.clear()
        cameras.until(lambda: not cameras.scenes[-1].stale, "a scene again")
    told = [kind for kind, source in cameras.kinds() if source == "wrist"]
    assert told == ["camera_stale", "camera_back"] * len(LIES), "each trouble and its end once"


def by_another_driver(messages: dict[str, Any]) -> None:
    """Stamps in ROS time, and nobody says where the camera is."""
    del messages["pose"]
    for message in messages.values():
        fill_time(message.header.stamp, time.time())


def test_pictures_of_another_driver_are_used_by_the_profile_and_the_clocks_difference(tmp_path: Path) -> None:
    document = load_profile("franka").model_dump(mode="json")
    above: dict[str, object] = {"xyz": [0.5, 0.0, 1.0], "rpy": [3.14159, 0.0, -1.5708]}
    document["cameras"] = [
        {"name": "overhead", "mount": "base", **above},
        {"name": "wrist", "mount": "tool", "xyz": [0.05, 0.0, -0.05], "rpy": [0.0, 0.0, 1.5708]},
    ]
    (tmp_path / "robot.yaml").write_text(yaml.safe_dump(document))
    parameters = (f"robot:={tmp_path / 'robot.yaml'}", "camera_clock:=ros")
    with perception_with_cameras(*parameters, spoil=by_another_driver) as cameras:
        assert cameras.scenes[-1].header.stamp.sec < 1000, "in robot time"
        cameras.until(lambda: cameras.level("wrist") == cameras.level("overhead") == OK, "both see")
        assert not cameras.events


class LateDepth:
    """Depth that is worked out for so long that three newer pictures are there before it."""

    def __init__(self) -> None:
        self._waiting: defaultdict[str, deque[Any]] = defaultdict(deque)

    def __call__(self, messages: dict[str, Any]) -> None:
        depth = messages.pop("depth")
        waiting = self._waiting[depth.header.frame_id]
        waiting.append(depth)
        if len(waiting) > 3:
            messages["depth"] = waiting.popleft()


def test_depth_may_come_after_the_next_pictures() -> None:
    with perception_with_cameras(spoil=LateDepth()) as cameras:
        seen = cameras.good_scenes
        cameras.until(lambda: cameras.good_scenes > seen + 5, "scenes go on")
        cameras.until(lambda: cameras.level("wrist") == cameras.level("overhead") == OK, "both see")


def test_tags_need_no_depth() -> None:
    with perception_with_cameras("backend:=apriltag", "tags:=blocks", spoil=no_depth) as cameras:
        assert cameras.scenes[-1].source == "apriltag"
        cameras.until(lambda: cameras.level("wrist") == cameras.level("overhead") == OK, "both see")
