"""Where the files are: which folder, their names, how many stay."""

import os
import re
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from reins.contracts.errors import ReinsError

PREFIX: Final = "blackbox"
SUFFIX: Final = ".mcap"
PARTIAL: Final = ".part"
"""Added to the name of a file that is still being written."""

_WORD = re.compile(r"[^A-Za-z0-9]+")
_OWN = re.compile(rf"{PREFIX}_\d{{8}}T\d{{6}}Z(_\w+)?(-\d+)?{re.escape(SUFFIX)}")
"""Names that `name_for` gives: only these files are ever removed."""


def default_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """`$ROS_LOG_DIR/blackbox`, or `~/.ros/reins/blackbox` where that is not set."""
    if logs := environment.get("ROS_LOG_DIR"):
        return Path(logs) / PREFIX
    return Path(environment.get("ROS_HOME") or Path.home() / ".ros") / "reins" / PREFIX


def fallback_folder() -> Path:
    """Where files go when the folder cannot be written: in the system's folder for temporary files, one per user."""
    return Path(tempfile.gettempdir()) / f"reins-{os.getuid()}" / PREFIX


def usable(folder: Path) -> str:
    """Make the folder if need be. Empty when files can be written there, else why not."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        return f"{error.strerror or error}"
    return ""


def name_for(folder: Path, kind: str, namespace: str, now: float) -> Path:
    """A name that no file has: `blackbox_<UTC>_<namespace>_<kind>.mcap`, so that names sort by time.

    Args:
        folder: where.
        kind: of the stop.
        namespace: of the robot; empty for none.
        now: system time [s].
    """
    words = [_WORD.sub("_", word).strip("_") for word in (namespace, kind)]
    stem = "_".join([PREFIX, time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now)), *(word for word in words if word)])
    path = folder / f"{stem}{SUFFIX}"
    count = 1
    while path.exists():
        count += 1
        path = folder / f"{stem}-{count}{SUFFIX}"
    return path


def files_in(folder: Path) -> list[Path]:
    """The black box's files in a folder, oldest first; none where there is no such folder."""
    try:
        found = [path for path in folder.iterdir() if _OWN.fullmatch(path.name)]
    except OSError:
        return []
    return sorted(found, key=lambda path: (path.stat().st_mtime_ns, path.name))


def prune(folder: Path, keep: int) -> list[Path]:
    """Remove the oldest files beyond `keep`, with the plots beside them; those that were removed."""
    removed = files_in(folder)[:-keep]
    for path in removed:
        path.unlink(missing_ok=True)
        path.with_suffix(".png").unlink(missing_ok=True)
    return removed


def newest() -> Path:
    """The newest file of the default folder and of the fallback.

    Raises:
        ReinsError: there is none; says where it looked.
    """
    folders = (default_folder(), fallback_folder())
    found = [path for folder in folders for path in files_in(folder)]
    if not found:
        where = " and ".join(str(folder) for folder in folders)
        raise ReinsError(f"no black box file in {where}; one is written at every stop, or give a FILE")
    return max(found, key=lambda path: path.stat().st_mtime_ns)
