"""Where files go, what they are called, which of them stay."""

import os
import stat
import time
from pathlib import Path

import pytest

from reins.blackbox import folder as folders
from reins.blackbox.folder import default_folder, fallback_folder, files_in, name_for, newest, prune, usable
from reins.contracts.errors import ReinsError


def make(folder: Path, name: str, age: float) -> Path:
    path = folder / name
    path.touch()
    os.utime(path, (1e9 - age, 1e9 - age))
    return path


def test_the_folder_is_where_ros_logs_or_at_home() -> None:
    assert default_folder({"ROS_LOG_DIR": "/var/log/ros"}) == Path("/var/log/ros/blackbox")
    assert default_folder({"ROS_HOME": "/srv/ros"}) == Path("/srv/ros/reins/blackbox")
    assert default_folder({}) == Path.home() / ".ros/reins/blackbox"


def test_a_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    assert usable(folder) == ""
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert list(folder.iterdir()) == []


def test_why_a_folder_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "directory" in usable(tmp_path / "file" / "blackbox").lower()
    assert usable(Path("/proc/blackbox"))


def test_names_sort_by_time_and_no_file_is_overwritten(tmp_path: Path) -> None:
    first = name_for(tmp_path, "estop", "", 0.0)
    assert first.name == "blackbox_19700101T000000Z_estop.mcap"
    first.touch()
    assert name_for(tmp_path, "estop", "", 0.0).name == "blackbox_19700101T000000Z_estop-2.mcap"
    assert name_for(tmp_path, "estop", "cell/left", 1.0).name == "blackbox_19700101T000001Z_cell_left_estop.mcap"
    assert first.name < name_for(tmp_path, "estop", "", 1.0).name


@pytest.mark.parametrize(("keep", "stay"), [(1, ["new"]), (2, ["middle", "new"]), (3, ["old", "middle", "new"])])
def test_the_oldest_go_with_their_plots_and_nothing_else(tmp_path: Path, keep: int, stay: list[str]) -> None:
    kinds = ["old", "middle", "new"]
    paths = {
        kind: make(tmp_path, f"blackbox_2026010{day}T000000Z_{kind}.mcap", age)
        for kind, day, age in zip(kinds, (3, 2, 1), (3.0, 2.0, 1.0), strict=True)
    }
    for path in paths.values():
        make(tmp_path, path.with_suffix(".png").name, 9.0)
    others = [make(tmp_path, name, 99.0) for name in ("holiday.mcap", "blackbox_mine.mcap", "notes.png")]
    prune(tmp_path, keep)
    assert files_in(tmp_path) == [paths[kind] for kind in stay]
    for kind, path in paths.items():
        assert path.with_suffix(".png").exists() is (kind in stay)
    assert all(other.exists() for other in others)


@pytest.mark.parametrize(("age", "stays"), [(590.0, True), (610.0, False)])
def test_what_a_writer_that_died_left_goes_in_time(tmp_path: Path, age: float, stays: bool) -> None:
    part = tmp_path / "blackbox_20260101T000000Z_estop.mcap.part"
    part.touch()
    os.utime(part, (time.time() - age, time.time() - age))
    prune(tmp_path, 1)
    assert part.exists() is stays and files_in(tmp_path) == []


def test_a_folder_of_another_user_is_not_used_where_anybody_may_make_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert usable(tmp_path, private=True) == ""
    monkeypatch.setattr(os, "getuid", lambda: tmp_path.stat().st_uid + 1)
    assert usable(tmp_path, private=True) == "it belongs to another user"
    assert usable(tmp_path) == ""


def test_every_name_is_recognised_as_its_own(tmp_path: Path) -> None:
    for kind, namespace in (("estop", ""), ("robot_stopped", "cell/left"), ("saved", "a-b"), ("saved", "a-b")):
        name_for(tmp_path, kind, namespace, 5.0).touch()
    assert len(files_in(tmp_path)) == 4


def test_the_newest_of_both_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, temporary = tmp_path / "home", tmp_path / "temporary"
    monkeypatch.setattr(folders, "default_folder", lambda: home)
    monkeypatch.setattr(folders, "fallback_folder", lambda: temporary)
    with pytest.raises(ReinsError, match=f"no black box file in {home} and {temporary}"):
        newest()
    for place in (home, temporary):
        place.mkdir()
    first = make(home, "blackbox_20260101T000000Z_estop.mcap", 2.0)
    assert newest() == first
    second = make(temporary, "blackbox_20250101T000000Z_estop.mcap", 1.0)
    assert newest() == second


def test_the_fallback_is_of_one_user() -> None:
    assert str(os.getuid()) in str(fallback_folder())
