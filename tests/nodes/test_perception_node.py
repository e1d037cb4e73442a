"""The perception node with cameras that freeze, repeat themselves, fall silent or lie: no scene, and it says why."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from fake_cameras import CAMERAS, HEIGHT, WIDTH, FakeCameras, perception_with_cameras

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
    time.sleep(0.3)  # what is on its way arrives
    count = len(cameras.scenes)
    time.sleep(1.0)
    assert len(cameras.scenes) == count, "no scene while a camera does not see"
    assert camera in cameras.scenes[-1].stale and not cameras.scenes[0].stale
    assert cameras.level(camera) == ERROR
    assert cameras.kinds().count((FAULTS[fault], camera)) == 1
    faulty.clear()
    cameras.until(lambda: ("camera_back", camera) in cameras.kinds(), "camera_back")
    cameras.until(lambda: len(cameras.scenes) > count + 2, "scenes again")
    assert not cameras.scenes[-1].stale
    cameras.until(lambda: cameras.level(camera) == OK, "well again")


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
    grey: "colour image encoded as 'mono8'; rgb8 and bgr8 are understood",
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
    assert cameras.kinds() == [("camera_stale", "wrist"), ("camera_back", "wrist")] * len(LIES)
