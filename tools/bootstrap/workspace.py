"""Builds `ros2_ws` with colcon, and links the result so that `.venv/bin/python` finds it with no environment set."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from bootstrap.console import Console
from bootstrap.layout import Layout

COLCON = "import sys; from colcon_core.command import main; sys.argv[0] = 'colcon'; sys.exit(main())"
LINKS = "reins_workspace.pth"
OPTIMISATION = "-O1 -DNDEBUG"  # generated glue between Python and DDS: -O3 doubles the build and gains nothing to see


def build_interfaces(layout: Layout, console: Console, env: Mapping[str, str]) -> None:
    """Build `reins_msgs`, from nothing: a message that is gone must not stay behind in the old build."""
    clear(layout, "reins_msgs")
    options = ["--cmake-args", "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF", "--no-warn-unused-cli"]
    options += [f"-DCMAKE_{language}_FLAGS_RELEASE={OPTIMISATION}" for language in ("C", "CXX")]
    options += [f"-DPython3_EXECUTABLE={layout.python}"]
    _build(layout, console, "building the messages", "reins_msgs", options, env)
    for library in (layout.interfaces / "lib").glob("lib*.so"):
        _link(layout.venv / "lib" / library.name, library)
    pythonpath = [layout.root, layout.workspace / "build" / "reins", *interface_modules(layout)]
    (layout.site / LINKS).write_text("".join(f"{folder}\n" for folder in pythonpath))


def build_package(layout: Layout, console: Console, env: Mapping[str, str]) -> None:
    """Install `reins` itself: its nodes and launch files, linked to the checkout, and the command `reins`."""
    clear(layout, "reins")
    _build(layout, console, "installing the reins package", "reins", [], env)
    _link(layout.venv / "bin" / "reins", layout.package / "lib" / "reins" / "reins")


def clear(layout: Layout, package: str) -> None:
    """Remove what an earlier build of `package` left."""
    for folder in ("build", "install"):
        shutil.rmtree(layout.workspace / folder / package, ignore_errors=True)


def interface_modules(layout: Layout) -> list[Path]:
    """The folder that holds the Python module `reins_msgs`; none before it is built."""
    return [found.parent for found in sorted(layout.interfaces.glob("**/*-packages/reins_msgs"))]


def has_interfaces(layout: Layout) -> bool:
    """Whether what building the messages leaves is still there."""
    return (
        (layout.interfaces / "share" / "reins_msgs" / "package.xml").exists()
        and (layout.interfaces / "lib" / "libreins_msgs__rosidl_typesupport_c.so").exists()
        and (layout.site / LINKS).exists()
    )


def has_package(layout: Layout) -> bool:
    """Whether what installing the reins package leaves is still there."""
    return (
        (layout.package / "share" / "reins" / "package.xml").exists()
        and (layout.package / "lib" / "reins" / "reins").exists()
        and (layout.venv / "bin" / "reins").exists()
    )


def _build(
    layout: Layout, console: Console, title: str, package: str, options: list[str], env: Mapping[str, str]
) -> None:
    command: list[str | Path] = [layout.python, "-c", COLCON, "--log-base", "log", "build", "--symlink-install"]
    command += ["--base-paths", f"src/{package}", *options]
    console.run(title, f"colcon-{package}", command, env, layout.workspace)


def _link(link: Path, target: Path) -> None:
    link.unlink(missing_ok=True)
    link.symlink_to(target)
