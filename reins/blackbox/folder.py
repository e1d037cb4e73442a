"""Where the files are: which folder, their names, how many stay."""

import os
import re
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from reins.contracts.errors import ReinsError

PREFIX: Final = "blackbox"
SUFFIX: Final = ".mcap"
PARTIAL: Final = ".part"
"""Added to the name of a file that is still being written."""

DEAD: Final = 600 * 1_000_000_000
"""A file that was begun this long ago and has not its name yet never will [ns]."""

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
    return Path(tempfile.gettempdir()) / f"reins-{PREFIX}-{os.getuid()}"


def usable(folder: Path, private: bool = False) -> str:
    """Make the folder if need be. Empty when files can be written there, else why not.

    Args:
        folder: which.
        private: it must be this user's own; for places where anybody may make one of that name.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if private and folder.lstat().st_uid != os.getuid():
            return "it belongs to another user"
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
    return sorted(found, key=lambda path: (_changed(path), path.name))


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:  # another process has just removed it
        return 0


def prune(folder: Path, keep: int) -> None:
    """Remove the oldest files beyond `keep`, with the plots beside them, and what writers that died left."""
    left = [path for path in folder.glob(f"{PREFIX}_*{PARTIAL}") if _changed(path) < time.time_ns() - DEAD]
    old = files_in(folder)[:-keep]
    for path in (*left, *old, *(path.with_suffix(".png") for path in old)):
        with suppress(OSError):  # another process has removed it, or it must stay
            path.unlink()


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
    return max(found, key=_changed)
