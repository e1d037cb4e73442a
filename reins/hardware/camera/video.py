"""Pictures from whatever OpenCV opens: a device, a file, an address. A thread of its own reads, and opens again."""

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

CREDENTIALS: Final = re.compile(r"://[^/?#]*@")
"""Name and password of an address, as in rtsp://name:password@host/path."""

Picture = NDArray[np.uint8]

FIRST_PAUSE: Final = 0.5
"""Before a camera that could not be opened, or broke off, is opened again [s]."""

LONGEST_PAUSE: Final = 10.0
"""The pause doubles up to this [s]: often enough to notice a plug that is put back, seldom enough for the log."""

STOP_WITHIN: Final = 2.0
"""How long `close` waits for the thread [s]; one that hangs in a driver is left behind, and ends with the process."""


@dataclass(frozen=True, slots=True)
class VideoSettings:
    """What to open, and how.

    Attributes:
        source: number or path of a device, path of a video file, or an address such as rtsp://…
        width, height: asked of a device [pixels]; 0 leaves it as it is.
        rate: pictures a second asked of a device, and at which a file is played; 0 leaves it as it is.
        timeout: longest time to open, and to wait for a picture [s].
        loop: play a file again from its beginning; otherwise it ends.
    """

    source: str
    width: int = 0
    height: int = 0
    rate: float = 0.0
    timeout: float = 5.0
    loop: bool = True

    @property
    def is_file(self) -> bool:
        """Whether it is a video file, which is played at its own rate."""
        return not self.source.isdigit() and "://" not in self.source and Path(self.source).is_file()

    @property
    def shown(self) -> str:
        """The source for people and logs: without the name and password of an address."""
        return CREDENTIALS.sub("://", self.source)


class VideoStream:
    """Reads pictures until it is closed. Every wait has a bound.

    Args:
        settings: what to open.
        on_picture: called in the thread with each picture (height, width, 3; blue, green, red) and the steady time at
            which it was there [s].
        on_change: called in the thread with what happened, in words, and whether pictures come.
    """

    def __init__(
        self,
        settings: VideoSettings,
        on_picture: Callable[[Picture, float], None],
        on_change: Callable[[str, bool], None],
    ) -> None:
        self._settings, self._on_picture, self._on_change = settings, on_picture, on_change
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="video", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def close(self) -> bool:
        """Read no more; whether the thread has ended within STOP_WITHIN."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join(STOP_WITHIN)
        return not self._thread.is_alive()

    def _run(self) -> None:
        pause = FIRST_PAUSE
        while not self._stop.is_set():
            capture = self._open()
            came = 0
            if capture is not None:
                came = self._read(capture)
                capture.release()
            if self._stop.is_set():
                return
            if came and self._settings.is_file:
                if not self._settings.loop:
                    self._on_change(f"'{self._settings.shown}' has ended", False)
                    return
                continue
            pause = FIRST_PAUSE if came else pause
            trouble = "gives no more pictures" if came else "cannot be opened or gives no picture"
            self._on_change(f"'{self._settings.shown}' {trouble}; tried again in {pause:g} s", False)
            self._stop.wait(pause)
            pause = min(2.0 * pause, LONGEST_PAUSE)

    def _open(self) -> Any | None:
        """The capture, or None. FFmpeg keeps the bounds itself; drivers of devices have one of their own."""
        settings = self._settings
        if settings.source.isdigit() or settings.source.startswith("/dev/"):
            device = int(settings.source) if settings.source.isdigit() else settings.source
            capture = cv2.VideoCapture(device, cv2.CAP_V4L2)
            for what, value in (
                (cv2.CAP_PROP_FRAME_WIDTH, settings.width),
                (cv2.CAP_PROP_FRAME_HEIGHT, settings.height),
                (cv2.CAP_PROP_FPS, settings.rate),
                (cv2.CAP_PROP_BUFFERSIZE, 1),
            ):
                if value:
                    capture.set(what, value)
        else:
            limit = max(1, round(settings.timeout * 1e3))
            bounds = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, limit, cv2.CAP_PROP_READ_TIMEOUT_MSEC, limit]
            capture = cv2.VideoCapture(settings.source, cv2.CAP_FFMPEG, bounds)
        if capture.isOpened():
            return capture
        capture.release()
        return None

    def _read(self, capture: Any) -> int:
        """Pass pictures on until there are no more; how many there were."""
        count, due = 0, time.monotonic()
        period = self._period(capture)
        while not self._stop.is_set():
            good, picture = capture.read()
            if not good or picture is None or self._stop.is_set():  # a read that hung may end after `close`
                break
            if not count:
                height, width = picture.shape[:2]
                self._on_change(f"'{self._settings.shown}' gives pictures of {width}x{height}", True)
            count += 1
            self._on_picture(picture, time.monotonic())
            if period:
                due = max(due + period, time.monotonic() - period)
                self._stop.wait(max(0.0, due - time.monotonic()))
        return count

    def _period(self, capture: Any) -> float:
        """Time between two pictures of a file [s]; 0 for what comes at its own pace."""
        if not self._settings.is_file:
            return 0.0
        rate = self._settings.rate or float(capture.get(cv2.CAP_PROP_FPS))
        return 1.0 / rate if rate > 0.0 else 0.0
