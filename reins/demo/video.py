"""The video: what the viewer camera would have seen, rendered after the run from the recorded simulation states."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final

import av
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.sim.camera import Renderer
from reins.sim.world import WorldSpec
from reins.sim.world_state import WorldState

FRAMES_PER_SECOND: Final = 20
CAMERA: Final = "viewer"
CRF: Final = "24"
"""x264's constant rate factor: 24 keeps edges clean at about 1 MB a minute."""

BAND: Final = 44
"""Height of the caption's band under the picture [pixels]."""

TEXT_SIZE: Final = 15
MARGIN: Final = 12


def qpos_at(worlds: Sequence[WorldState], stamps: FloatArray, t: float) -> FloatArray:
    """Simulation state at robot time `t` [s], between the recorded ones.

    Linear in every coordinate: also in those of quaternions, which the renderer normalises. That is exact enough for
    recordings at 10 Hz and more.
    """
    right = int(np.clip(np.searchsorted(stamps, t), 1, len(worlds) - 1))
    before, after = worlds[right - 1], worlds[right]
    share = float(np.clip((t - before.stamp) / (after.stamp - before.stamp), 0.0, 1.0))
    return before.qpos + share * (after.qpos - before.qpos)


def write_video(
    path: Path,
    worlds: Sequence[WorldState],
    profile: RobotProfile,
    world: WorldSpec,
    caption: Callable[[float], tuple[str, str]],
    on_frame: Callable[[int, int], None],
) -> None:
    """Render an mp4 (H.264) in robot time.

    Args:
        path: of the file.
        worlds: recorded truth, in order of time.
        profile, world: what was simulated.
        caption: two lines for a robot time [s].
        on_frame: told the number of frames done and of all frames.

    Raises:
        ReinsError: fewer than two recorded states, or no way to render here.
    """
    if len(worlds) < 2:
        raise ReinsError("no video: fewer than two states of the simulation were recorded")
    stamps = np.array([state.stamp for state in worlds])
    times = np.arange(stamps[0], stamps[-1], 1.0 / FRAMES_PER_SECOND)
    camera = world.camera(CAMERA)
    renderer = Renderer(profile, world)
    font = ImageFont.load_default(TEXT_SIZE)
    try:
        with av.open(str(path), "w", options={"movflags": "faststart"}) as container:
            stream = container.add_stream("libx264", rate=Fraction(FRAMES_PER_SECOND), options={"crf": CRF})
            stream.width, stream.height, stream.pix_fmt = camera.width, camera.height + BAND, "yuv420p"
            for number, t in enumerate(times, start=1):
                picture = renderer.render(CAMERA, qpos_at(worlds, stamps, float(t)), float(t)).rgb
                frame = with_caption(picture, *caption(float(t)), font)
                container.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="rgb24")))
                on_frame(number, len(times))
            container.mux(stream.encode(None))
    finally:
        renderer.close()


def with_caption(
    picture: NDArray[np.uint8], first: str, second: str, font: ImageFont.ImageFont | ImageFont.FreeTypeFont
) -> NDArray[np.uint8]:
    """The picture (h, w, 3) with a dark band of two lines under it: (h + BAND, w, 3)."""
    height, width, _ = picture.shape
    canvas = Image.new("RGB", (width, height + BAND), "#15181c")
    canvas.paste(Image.fromarray(picture), (0, 0))
    draw = ImageDraw.Draw(canvas)
    draw.text((MARGIN, height + 4), first, fill="#ffffff", font=font)
    draw.text((MARGIN, height + 23), second, fill="#9fb3c8", font=font)
    return np.asarray(canvas)
