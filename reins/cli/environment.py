"""What the environment needs before ROS and matplotlib start, where the home folder cannot be written."""

import os
import tempfile
from pathlib import Path


def prepare() -> None:
    """Send logs and caches to a temporary folder when the home folder is read-only; what is set already stays."""
    if _writable(Path.home()):
        return
    shelter = Path(tempfile.gettempdir()) / f"reins-{os.getuid()}"
    shelter.mkdir(mode=0o700, exist_ok=True)
    if "ROS_HOME" not in os.environ:
        os.environ.setdefault("ROS_LOG_DIR", str(shelter))
    os.environ.setdefault("MPLCONFIGDIR", str(shelter))


def _writable(folder: Path) -> bool:
    return folder.is_dir() and os.access(folder, os.W_OK)
