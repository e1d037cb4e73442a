"""What is missing on a machine is named, with the line that installs it."""

from pathlib import Path

import pytest

from bootstrap import machine
from bootstrap.problems import Problem


@pytest.fixture
def bare_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with nothing but apt-get on it."""
    add_program(tmp_path, "apt-get")
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def add_program(folder: Path, name: str) -> None:
    program = folder / name
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)


def test_missing_build_tools_are_named_with_the_line_that_installs_them(bare_path: Path) -> None:
    with pytest.raises(Problem) as problem:
        machine.require_tools()
    text = str(problem.value)
    assert "a C compiler" in text
    assert "a C++ compiler" in text
    assert "sudo apt-get install -y gcc g++ cmake make" in text


def test_what_is_there_is_not_asked_for(bare_path: Path) -> None:
    for name in ("cc", "c++", "make"):
        add_program(bare_path, name)
    with pytest.raises(Problem, match="lacks cmake") as problem:
        machine.require_tools()
    assert "g++" not in str(problem.value)


def test_without_apt_get_the_packages_are_named_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "apt-get" not in machine.install_line(["cmake"])
    assert "cmake" in machine.install_line(["cmake"])


def test_a_full_disk_is_told_before_anything_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "DISK_NEEDED_BYTES", 2**62)
    with pytest.raises(Problem, match="Free some space"):
        machine.require_disk(tmp_path)


@pytest.mark.parametrize(
    "libraries, backend",
    [
        ({"libEGL.so.1", "libOpenGL.so.0", "libOSMesa.so.8"}, "egl"),
        ({"libEGL.so.1"}, None),
        ({"libOSMesa.so.8"}, "osmesa"),
        (set(), None),
    ],
)
def test_rendering_takes_egl_then_osmesa(
    libraries: set[str], backend: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "50_mesa.json").touch()
    monkeypatch.setattr(machine, "EGL_VENDORS", (str(tmp_path),))
    monkeypatch.setattr(machine, "_loads", libraries.__contains__)
    assert machine.rendering_backend({}) == backend


def test_rendering_needs_an_egl_vendor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "EGL_VENDORS", (str(tmp_path),))
    monkeypatch.setattr(machine, "_loads", {"libEGL.so.1", "libOpenGL.so.0"}.__contains__)
    assert machine.rendering_backend({}) is None


def test_the_users_choice_of_rendering_stands() -> None:
    assert machine.rendering_backend({"MUJOCO_GL": "glfw"}) == "glfw"


class TestSourcedRos:
    @pytest.fixture
    def prefix(self, tmp_path: Path) -> Path:
        (tmp_path / "share" / "rclpy").mkdir(parents=True)
        return tmp_path

    def test_is_found_behind_overlays(self, prefix: Path) -> None:
        env = {"ROS_DISTRO": "jazzy", "AMENT_PREFIX_PATH": f"/some/overlay:{prefix}"}
        assert machine.sourced_ros(env) == prefix

    def test_is_not_taken_from_a_workspace_alone(self, prefix: Path) -> None:
        assert machine.sourced_ros({"AMENT_PREFIX_PATH": str(prefix)}) is None

    def test_of_another_distribution_is_refused_by_name(self, prefix: Path) -> None:
        env = {"ROS_DISTRO": "humble", "AMENT_PREFIX_PATH": str(prefix)}
        with pytest.raises(Problem, match=r"humble is sourced .* reins needs jazzy"):
            machine.sourced_ros(env)

    def test_without_a_python_that_imports_it_says_what_to_install(self, prefix: Path) -> None:
        env = {"ROS_DISTRO": "jazzy", "AMENT_PREFIX_PATH": str(prefix)}
        with pytest.raises(Problem, match="python3-colcon-common-extensions"):
            machine.python_of_sourced_ros(env, [str(prefix / "no-python")])
