"""Where ROS packages and their executables are: the ament index of every prefix in AMENT_PREFIX_PATH."""

import os
from pathlib import Path

from reins.contracts.errors import ReinsError, UnknownName

_INDEX = Path("share/ament_index/resource_index/packages")


def prefixes() -> list[Path]:
    """The install prefixes, first one first."""
    return [Path(entry) for entry in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if entry]


def package_prefix(package: str) -> Path:
    """The prefix that holds a package.

    Raises:
        ReinsError: no prefix holds it, or none is set at all.
    """
    if not prefixes():
        raise ReinsError("AMENT_PREFIX_PATH is not set: source ROS 2 and the workspace, or start through ./run")
    for prefix in prefixes():
        if (prefix / _INDEX / package).is_file():
            return prefix
    where = os.pathsep.join(str(prefix) for prefix in prefixes())
    raise ReinsError(f"no ROS package '{package}' in AMENT_PREFIX_PATH ({where}): build the workspace and source it")


def share_directory(package: str) -> Path:
    """`<prefix>/share/<package>`. Raises like `package_prefix`."""
    return package_prefix(package) / "share" / package


def executable(package: str, name: str) -> Path:
    """`<prefix>/lib/<package>/<name>`.

    Raises:
        UnknownName: the package has no such executable.
        ReinsError: like `package_prefix`.
    """
    folder = package_prefix(package) / "lib" / package
    path = folder / name
    if path.is_file() and os.access(path, os.X_OK):
        return path
    known = [entry.name for entry in folder.iterdir() if os.access(entry, os.X_OK)] if folder.is_dir() else []
    raise UnknownName(f"executable of the ROS package '{package}'", name, known)
