"""Packages that an interrupted install left half done are found; the ROS wheels' CMake files are made local."""

import sys
from pathlib import Path

import pytest

from bootstrap import packages
from bootstrap.console import Console
from bootstrap.layout import Layout


def add_package(site: Path, name: str, files: dict[str, str], record: bool = True) -> Path:
    """Put a package with `files` (path to content) into `site`, as pip does."""
    info = site / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    for path, content in files.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(content)
    if record:
        rows = [f"{path},sha256=x,{len(content)}" for path, content in files.items()]
        (info / "RECORD").write_text("\n".join([*rows, f"{info.name}/RECORD,,", f"{name}/__pycache__/a.pyc,,"]) + "\n")
    return info


class TestDamaged:
    def test_a_whole_package_is_fine(self, tmp_path: Path) -> None:
        add_package(tmp_path, "whole", {"whole/__init__.py": "x = 1"})
        assert packages.damaged(tmp_path) == []

    def test_a_package_without_a_record_was_interrupted(self, tmp_path: Path) -> None:
        info = add_package(tmp_path, "half", {"half/__init__.py": "x = 1"}, record=False)
        assert packages.damaged(tmp_path) == [info]

    def test_a_missing_file_is_noticed(self, tmp_path: Path) -> None:
        info = add_package(tmp_path, "holed", {"holed/__init__.py": "", "holed/part.py": "x = 1"})
        (tmp_path / "holed" / "part.py").unlink()
        assert packages.damaged(tmp_path) == [info]

    def test_a_file_cut_short_is_noticed(self, tmp_path: Path) -> None:
        info = add_package(tmp_path, "cut", {"cut/__init__.py": "x = 1"})
        (tmp_path / "cut" / "__init__.py").write_text("x")
        assert packages.damaged(tmp_path) == [info]

    def test_a_file_that_two_packages_bring_may_be_either(self, tmp_path: Path) -> None:
        add_package(tmp_path, "one", {"shared/__init__.py": "x = 1"})
        add_package(tmp_path, "two", {"shared/__init__.py": "longer = 1"})
        assert packages.damaged(tmp_path) == []

    @pytest.mark.slow
    def test_the_environment_of_this_test_is_whole(self) -> None:
        site = Path(sys.prefix, "lib", f"python{sys.version_info.major}.{sys.version_info.minor}", "site-packages")
        assert packages.damaged(site) == []


def test_cmake_files_point_at_this_python_afterwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = Layout(tmp_path)
    monkeypatch.setattr(Layout, "python", Path(sys.executable))
    cmake = layout.venv / "share" / "std_msgs" / "cmake" / "std_msgsExport.cmake"
    cmake.parent.mkdir(parents=True)
    builder = "/opt/python/cp311-cp311"
    cmake.write_text(
        f'"{builder}/include/python3.11;{builder}/lib/python3.11/site-packages/numpy/_core/include;${{_PREFIX}}/include"'
    )
    assert packages.relocate(layout) == 1
    python_include, numpy_include, prefix = cmake.read_text().strip('"').split(";")
    assert (Path(python_include) / "Python.h").exists()
    assert (Path(numpy_include) / "numpy" / "arrayobject.h").exists()
    assert prefix == "${_PREFIX}/include"
    assert packages.relocate(layout) == 0


def test_mending_takes_damaged_packages_and_pips_leftovers_out(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    add_package(layout.site, "pip", {"pip/__main__.py": ""})
    broken = add_package(layout.site, "broken", {"broken/__init__.py": ""}, record=False)
    leftover = layout.site / "~umpy"
    leftover.mkdir()
    packages.mend(layout, Console(layout.logs), {})
    assert not broken.exists()
    assert not leftover.exists()
    assert (layout.site / "pip-1.0.dist-info").exists()


def test_what_must_come_without_its_dependencies_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(Console, "run", lambda _self, *arguments: commands.append([str(a) for a in arguments[2]]))
    layout = Layout(tmp_path)
    layout.venv.mkdir()
    packages.install(layout, Console(tmp_path), ["runtime", "go2", "dev"], {})
    whole, bare = (" ".join(command) for command in commands)
    assert "runtime.txt" in whole and "dev.txt" in whole and "--no-deps" not in whole
    assert "go2.txt" in bare and "--no-deps" in bare and "runtime.txt" not in bare
