"""What must be on the machine before set-up can work, and the line that installs what is missing."""

import ctypes
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bootstrap.problems import Problem

SUPPORTED_ROS = "jazzy"
EGL_PACKAGES = ("libegl1", "libegl-mesa0", "libgl1-mesa-dri", "libopengl0")
EGL_VENDORS = ("/usr/share/glvnd/egl_vendor.d", "/etc/glvnd/egl_vendor.d")
DISK_NEEDED_BYTES = 3 * 1024**3  # the environment takes 1.8 GB, unpacking and building some more


def missing_tools() -> dict[str, str]:
    """What building needs and this machine lacks: what it is, and the Debian package that has it."""
    python = "python{}.{}".format(*sys.version_info[:2])
    missing = {}
    if not _any_command("cc", "gcc", "clang"):
        missing["a C compiler"] = "gcc"
    if not _any_command("c++", "g++", "clang++"):
        missing["a C++ compiler"] = "g++"
    if not _any_command("cmake"):
        missing["cmake"] = "cmake"
    if not _any_command("make", "gmake"):
        missing["make"] = "make"
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        missing["Python's header files"] = f"{python}-dev"
    if not (Path(sysconfig.get_path("stdlib")) / "ensurepip").is_dir():
        missing["Python's venv module"] = f"{python}-venv"
    return missing


def require_tools() -> None:
    """Raise a Problem that names everything that is missing and the line that installs it."""
    missing = missing_tools()
    if missing:
        raise Problem(f"This machine lacks {_listed(missing)}. {install_line(missing.values())}")


def require_disk(folder: Path) -> None:
    """Raise a Problem where the disk of `folder` has too little room for the environment."""
    free = shutil.disk_usage(folder).free
    if free < DISK_NEEDED_BYTES:
        need, have = (f"{size / 1024**3:.1f} GB" for size in (DISK_NEEDED_BYTES, free))
        raise Problem(
            f"Set-up needs about {need} and the disk that holds {folder} has {have} free. Free some space first."
        )


def rendering_backend(env: Mapping[str, str]) -> str | None:
    """MuJoCo's way to draw without a display: what MUJOCO_GL says, else what is installed, else None."""
    if env.get("MUJOCO_GL"):
        return env["MUJOCO_GL"]
    has_vendor = any(any(Path(folder).glob("*.json")) for folder in EGL_VENDORS)
    if has_vendor and _loads("libEGL.so.1") and _loads("libOpenGL.so.0"):
        return "egl"
    if _loads("libOSMesa.so.8") or _loads("libOSMesa.so.6"):
        return "osmesa"
    return None


def rendering_help() -> str:
    """What to say where nothing can draw."""
    return (
        "The cameras are rendered without a display, and this machine has neither EGL nor OSMesa for it. "
        + install_line(EGL_PACKAGES)
        + "\n(or, slower, with libosmesa6 alone)"
    )


def sourced_ros(env: Mapping[str, str]) -> Path | None:
    """The prefix of the ROS 2 that is sourced in `env`, None where there is none.

    Raises:
        Problem: it is one that reins does not support.
    """
    distro = env.get("ROS_DISTRO")
    prefixes = [Path(entry) for entry in env.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if entry]
    prefix = next((prefix for prefix in prefixes if (prefix / "share" / "rclpy").is_dir()), None)
    if not distro or prefix is None:
        return None
    if distro != SUPPORTED_ROS:
        raise Problem(
            f"ROS 2 {distro} is sourced here and reins needs {SUPPORTED_ROS}. Source that in a new shell, "
            "or use a shell where no ROS is sourced: reins then brings its own."
        )
    return prefix


def python_of_sourced_ros(env: Mapping[str, str], candidates: Sequence[str]) -> str:
    """The first of `candidates` that imports the sourced `rclpy`.

    Raises:
        Problem: none does.
    """
    for python in candidates:
        probe = [python, "-c", "import rclpy, colcon_core"]
        try:
            done = subprocess.run(probe, env=dict(env), capture_output=True, timeout=60, check=False)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0:
            return python
    distro = env["ROS_DISTRO"]
    raise Problem(
        f"ROS 2 {distro} is sourced, but none of {', '.join(candidates)} imports its rclpy and colcon. "
        + install_line([f"ros-{distro}-ros-base", "python3-colcon-common-extensions", "python3-venv"])
    )


def install_line(packages: Iterable[str]) -> str:
    """The sentence with the apt-get line for `packages`."""
    names = " ".join(dict.fromkeys(packages))
    if _any_command("apt-get"):
        return f"Install it with:\n    sudo apt-get install -y {names}"
    return f"Install what Debian and Ubuntu call:\n    {names}"


def _listed(names: Mapping[str, str]) -> str:
    *head, last = names
    return f"{', '.join(head)} and {last}" if head else last


def _any_command(*names: str) -> bool:
    return any(shutil.which(name) for name in names)


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True
