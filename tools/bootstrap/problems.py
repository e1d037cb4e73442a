"""What can go wrong on somebody else's machine, told in a sentence that says what to do."""

import errno
import os
import shutil
from pathlib import Path

TAIL_LINES = 20
FULL_BYTES = 16 * 1024**2  # a disk with less free than this cannot hold the log that would say so
NO_SPACE = ("No space left on device", "Disk quota exceeded")
NO_NETWORK = (
    "Temporary failure in name resolution",
    "Name or service not known",
    "Failed to establish a new connection",
    "NewConnectionError",
    "NameResolutionError",
    "ConnectTimeoutError",
    "ReadTimeoutError",
    "Network is unreachable",
    "Connection refused",
    "ProxyError",
)


class Problem(Exception):
    """Set-up cannot go on; the message says why and what helps."""


class StepFailed(Problem):
    """A command of a step failed. Its log has the details."""

    def __init__(self, title: str, log: Path, returncode: int) -> None:
        text = log.read_text(errors="replace") if log.exists() else ""
        cause = known_cause(title, log, text)
        self.is_explained = cause is not None
        tail = "\n".join(f"    {line}" for line in text.rstrip().splitlines()[-TAIL_LINES:])
        super().__init__(cause or f"{title} failed with exit status {returncode}. The end of {log}:\n{tail}")


def known_cause(title: str, log: Path, text: str) -> str | None:
    """What a person can do about a failed step, where the `text` of its `log` gives the cause away."""
    if any(sign in text for sign in NO_SPACE) or shutil.disk_usage(log.parent).free < FULL_BYTES:
        return disk_full(log.parent)
    if any(sign in text for sign in NO_NETWORK):
        return (
            f"{title}: the package index cannot be reached (details: {log}). "
            "Check the network, and pip's proxy and index settings, then run the same command again."
        )
    return None


def explain_os_error(error: OSError, root: Path) -> str:
    """One sentence for an error of the file system."""
    where = Path(os.fsdecode(error.filename)) if error.filename else root
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return disk_full(where)
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return (
            f"{where} cannot be written. reins keeps its environment in its own checkout: put that where you may write."
        )
    return f"{where}: {error.strerror or error}"


def disk_full(where: Path) -> str:
    """The sentence for a full disk."""
    return (
        f"The disk that holds {where} is full. Free some space, then run the same command again: it goes on from there."
    )
