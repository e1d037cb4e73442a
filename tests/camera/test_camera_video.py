"""Pictures of a real video file by the stream's thread: in order, again from the beginning, and back after a loss."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from video_files import HEIGHT, PICTURES, RATE, WIDTH, write_video

from reins.hardware.camera import video as video_module
from reins.hardware.camera.video import FIRST_PAUSE, STOP_WITHIN, Picture, VideoSettings, VideoStream

SOON = 20.0


class Watcher:
    """What a stream told."""

    def __init__(self, settings: VideoSettings) -> None:
        self.levels: list[int] = []
        self.times: list[float] = []
        self.shapes: set[tuple[int, ...]] = set()
        self.told: list[tuple[str, bool]] = []
        self.stream = VideoStream(settings, self._on_picture, lambda *what: self.told.append(what))
        self.stream.start()

    def _on_picture(self, picture: Picture, arrived: float) -> None:
        self.levels.append(round(float(picture.mean()) / 20) - 1)
        self.times.append(arrived)
        self.shapes.add(picture.shape)

    def until(self, count: int) -> None:
        end = time.monotonic() + SOON
        while len(self.levels) < count:
            assert time.monotonic() < end, self.told
            time.sleep(0.01)


@pytest.fixture
def video(tmp_path: Path) -> Path:
    return write_video(tmp_path / "video.avi")


@pytest.fixture
def watch() -> Iterator[dict[str, Watcher]]:
    watchers: dict[str, Watcher] = {}
    yield watchers
    for watcher in watchers.values():
        watcher.stream.close()


def test_every_picture_comes_in_order_and_then_they_begin_anew(video: Path, watch: dict[str, Watcher]) -> None:
    watcher = watch["it"] = Watcher(VideoSettings(str(video)))
    watcher.until(2 * PICTURES + 1)
    assert watcher.levels[: 2 * PICTURES] == [*range(PICTURES)] * 2
    assert watcher.shapes == {(HEIGHT, WIDTH, 3)}
    assert watcher.told[0] == (f"'{video}' gives pictures of {WIDTH}x{HEIGHT}", True)
    assert np.median(np.diff(watcher.times[:PICTURES])) > 0.5 / RATE, "a file is played at its own rate"


def test_a_file_that_is_played_once_ends(video: Path, watch: dict[str, Watcher]) -> None:
    watcher = watch["it"] = Watcher(VideoSettings(str(video), loop=False))
    end = time.monotonic() + SOON
    while (f"'{video}' has ended", False) not in watcher.told:
        assert time.monotonic() < end, watcher.told
        time.sleep(0.01)
    assert watcher.levels == [*range(PICTURES)]


def test_what_is_not_there_yet_is_opened_once_it_is(tmp_path: Path, watch: dict[str, Watcher]) -> None:
    path = tmp_path / "late.avi"
    watcher = watch["it"] = Watcher(VideoSettings(str(path)))
    end = time.monotonic() + SOON
    while not watcher.told:
        assert time.monotonic() < end
        time.sleep(0.01)
    assert watcher.told[0] == (
        f"'{path}' cannot be opened or gives no picture; tried again in {FIRST_PAUSE:g} s",
        False,
    )
    write_video(tmp_path / "ready.avi").rename(path)
    watcher.until(1)
    assert watcher.told[-1][1], "it says that pictures come"


def test_closing_does_not_wait_for_a_pause_to_end(tmp_path: Path) -> None:
    watcher = Watcher(VideoSettings(str(tmp_path / "none.avi")))
    time.sleep(0.2)
    begin = time.monotonic()
    assert watcher.stream.close()
    assert time.monotonic() - begin < STOP_WITHIN


class HangingCapture:
    """A camera whose driver gives its picture only when it is let."""

    def __init__(self) -> None:
        self.reading, self.let, self.released = threading.Event(), threading.Event(), threading.Event()

    def read(self) -> tuple[bool, Picture]:
        self.reading.set()
        self.let.wait(SOON)
        return True, np.zeros((HEIGHT, WIDTH, 3), np.uint8)

    def release(self) -> None:
        self.released.set()


def test_a_picture_that_comes_after_closing_is_not_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    capture = HangingCapture()
    monkeypatch.setattr(video_module, "STOP_WITHIN", 0.1)
    monkeypatch.setattr(VideoStream, "_open", lambda _: capture)
    watcher = Watcher(VideoSettings("0"))
    assert capture.reading.wait(SOON)
    assert not watcher.stream.close(), "it says that the thread is left behind"
    capture.let.set()
    assert capture.released.wait(SOON)
    assert not watcher.levels and not watcher.told


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("rtsp://anna:s3cret@10.0.0.7:554/live?x=a@b", "rtsp://10.0.0.7:554/live?x=a@b"),
        ("rtsp://anna:p@ss@10.0.0.7/live", "rtsp://10.0.0.7/live"),
        ("rtsp://10.0.0.7/live", "rtsp://10.0.0.7/live"),
        ("/dev/video0", "/dev/video0"),
    ],
)
def test_a_password_is_not_shown(source: str, shown: str) -> None:
    assert VideoSettings(source).shown == shown
