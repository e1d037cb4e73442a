"""Where things are in a checkout, and the environment that programs run in."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SUPPORTED: tuple[tuple[int, int], ...] = ((3, 10), (3, 11), (3, 12), (3, 13))


@dataclass(frozen=True)
class Layout:
    """The paths of one checkout, set up for one Python version."""

    root: Path
    python_version: tuple[int, int] = (sys.version_info.major, sys.version_info.minor)

    @property
    def venv(self) -> Path:
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        return self.venv / "bin" / "python"

    @property
    def site(self) -> Path:
        return self.venv / "lib" / "python{}.{}".format(*self.python_version) / "site-packages"

    @property
    def stamp(self) -> Path:
        return self.venv / "reins-setup.json"

    @property
    def logs(self) -> Path:
        return self.venv / "setup-log"

    @property
    def wheels(self) -> Path:
        """What was compiled here, until it is installed again or anew."""
        return self.venv / "wheels"

    @property
    def requirements(self) -> Path:
        return self.root / "requirements"

    @property
    def workspace(self) -> Path:
        return self.root / "ros2_ws"

    @property
    def interfaces(self) -> Path:
        """Where colcon installs `reins_msgs`."""
        return self.workspace / "install" / "reins_msgs"

    @property
    def package(self) -> Path:
        """Where colcon installs `reins`."""
        return self.workspace / "install" / "reins"


def build_environment(layout: Layout, base: Mapping[str, str], *, wheels: bool) -> dict[str, str]:
    """The environment to build `ros2_ws` in: the venv first, ROS 2 from wheels where `wheels`, else as sourced."""
    env = dict(base)
    env["VIRTUAL_ENV"] = str(layout.venv)
    env.pop("PYTHONHOME", None)
    prepend(env, "PATH", [layout.venv / "bin"])
    if wheels:
        prepend(env, "AMENT_PREFIX_PATH", [layout.venv])
        prepend(env, "CMAKE_PREFIX_PATH", [layout.venv])
        prepend(env, "LD_LIBRARY_PATH", [layout.venv / "lib", *sorted(layout.site.glob("ros_*.libs"))])
        env["_ROS_WHEELS_BOOTSTRAP_COMPLETE"] = "1"  # the wheels start Python again to set LD_LIBRARY_PATH: done here
    return env


def run_environment(layout: Layout, base: Mapping[str, str], *, wheels: bool) -> dict[str, str]:
    """The environment to run reins in: ROS 2, the built workspace, headless rendering, writable logs."""
    env = build_environment(layout, base, wheels=wheels)
    prepend(env, "AMENT_PREFIX_PATH", [layout.package, layout.interfaces])
    prepend(env, "CMAKE_PREFIX_PATH", [layout.interfaces])
    prepend(env, "LD_LIBRARY_PATH", [layout.interfaces / "lib"])
    env.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    home = Path(env.get("HOME", "/nonexistent"))
    if not os.access(home, os.W_OK):
        scratch = writable_scratch(layout)
        env.setdefault("ROS_HOME", str(scratch / "ros"))
        env.setdefault("MPLCONFIGDIR", str(scratch / "matplotlib"))
        env.setdefault("XDG_CACHE_HOME", str(scratch / "cache"))
    return env


def writable_scratch(layout: Layout) -> Path:
    """A folder for logs and caches where the home folder cannot hold them."""
    if os.access(layout.venv, os.W_OK):
        return layout.venv / "home"
    return Path(os.environ.get("TMPDIR", "/tmp")) / f"reins-{os.getuid()}"


def prepend(env: dict[str, str], name: str, folders: list[Path]) -> None:
    """Put `folders` first in the path variable `name`, each entry once."""
    entries = [str(folder) for folder in folders] + [entry for entry in env.get(name, "").split(os.pathsep) if entry]
    env[name] = os.pathsep.join(dict.fromkeys(entries))
