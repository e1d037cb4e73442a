"""A video file that OpenCV wrote: every picture has a brightness of its own."""

from pathlib import Path

import cv2
import numpy as np

WIDTH, HEIGHT, PICTURES, RATE = 160, 120, 10, 50.0


def write_video(path: Path) -> Path:
    """PICTURES pictures of WIDTH x HEIGHT, the n-th of them all of brightness 20 (n + 1)."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), RATE, (WIDTH, HEIGHT))
    assert writer.isOpened()
    for index in range(PICTURES):
        writer.write(np.full((HEIGHT, WIDTH, 3), 20 * (index + 1), np.uint8))
    writer.release()
    return path
