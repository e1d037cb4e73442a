"""A ROS package of shell scripts in an ament prefix of its own: launch files run for real, without ROS."""

from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPTS = {
    "talker": "echo hello from $NAME; echo args: $@; exec sleep 60",
    "deaf": "trap '' INT TERM; echo deaf; while true; do sleep 0.1; done",
    "parent": "sleep 61 & echo child $!; exec sleep 60",
    "failing": "echo about to fail; exit 3",
    "states": "echo \"[INFO] [1.0] [supervisor]: node 'talker' is active\"; exec sleep 60",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package `toys` with the executables of SCRIPTS; gives its share folder."""
    prefix = tmp_path / "prefix"
    (prefix / "share/ament_index/resource_index/packages").mkdir(parents=True)
    (prefix / "share/ament_index/resource_index/packages/toys").touch()
    (prefix / "share/toys").mkdir()
    (prefix / "lib/toys").mkdir(parents=True)
    for name, body in SCRIPTS.items():
        path = prefix / "lib/toys" / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(prefix))
    return prefix / "share/toys"


@pytest.fixture
def launch_file(tmp_path: Path) -> Callable[..., Path]:
    """Writes a launch file with this body; gives its path."""

    def write(body: str, name: str = "test.launch.xml") -> Path:
        path = tmp_path / name
        path.write_text(f"<launch>\n{body}\n</launch>\n")
        return path

    return write
