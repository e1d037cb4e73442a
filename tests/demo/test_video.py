"""The video shows the recorded states, in robot time."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.contracts.errors import ReinsError
from reins.demo.recording import Recording
from reins.demo.video import BAND, CAMERA, FRAMES_PER_SECOND, qpos_at, write_video
from reins.hardware.profile import RobotProfile
from reins.sim.world import WorldSpec


@given(share=st.floats(0.0, 1.0))
def test_states_are_interpolated(recording: Recording, share: float) -> None:
    worlds = recording.worlds
    stamps = np.array([world.stamp for world in worlds])
    for before, after in pairwise(worlds):
        between = qpos_at(worlds, stamps, before.stamp + share * (after.stamp - before.stamp))
        assert np.all(between >= np.minimum(before.qpos, after.qpos) - 1e-9)
        assert np.all(between <= np.maximum(before.qpos, after.qpos) + 1e-9)
        assert np.allclose(qpos_at(worlds, stamps, after.stamp), after.qpos)


def test_before_the_first_and_after_the_last_state_it_stands_still(recording: Recording) -> None:
    worlds = recording.worlds
    stamps = np.array([world.stamp for world in worlds])
    assert np.allclose(qpos_at(worlds, stamps, -5.0), worlds[0].qpos)
    assert np.allclose(qpos_at(worlds, stamps, 99.0), worlds[-1].qpos)


def test_the_file_is_h264_as_long_as_the_run(
    recording: Recording, profile: RobotProfile, world: WorldSpec, tmp_path: Path
) -> None:
    path, told = tmp_path / "demo.mp4", []
    write_video(path, recording.worlds, profile, world, lambda t: ("do it", f"{t:.1f} s"), lambda *n: told.append(n))
    length = recording.worlds[-1].stamp - recording.worlds[0].stamp
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(stream)]
        assert stream.codec.name == "h264"
    camera = world.camera(CAMERA)
    assert frames[0].shape == (camera.height + BAND, camera.width, 3)
    assert len(frames) == pytest.approx(length * FRAMES_PER_SECOND, abs=1)
    assert told[-1] == (len(frames), len(frames))
    picture = slice(0, camera.height)
    assert np.abs(frames[0][picture].astype(int) - frames[-1][picture]).max() > 60, "the arm moved"
    assert frames[0][camera.height :].max() > 150, "there is a caption"


def test_one_state_is_no_video(recording: Recording, profile: RobotProfile, world: WorldSpec, tmp_path: Path) -> None:
    short = replace(recording, worlds=recording.worlds[:1])
    with pytest.raises(ReinsError, match="fewer than two"):
        write_video(tmp_path / "x.mp4", short.worlds, profile, world, lambda t: ("", ""), lambda *n: None)
