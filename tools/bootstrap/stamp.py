"""What set-up has done so far, kept in `.venv/reins-setup.json`, so that a later call can tell what is left."""

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from bootstrap.layout import Layout

INTERFACE_KINDS: Final = ("msg", "srv", "action")
PACKAGE_FILES: Final = ("setup.py", "setup.cfg", "package.xml")


@dataclass
class Stamp:
    """The finished parts of a set-up. A part that is not in it has to be done (again)."""

    root: str = ""
    python: str = ""
    ros: str = ""
    groups: dict[str, str] = field(default_factory=dict)
    installed: list[str] = field(default_factory=list)
    interfaces: str = ""
    package: str = ""

    @classmethod
    def load(cls, path: Path) -> "Stamp":
        """The stamp at `path`; an empty one where there is none or it cannot be read."""
        try:
            return cls(**json.loads(path.read_text()))
        except (OSError, ValueError, TypeError):
            return cls()

    def save(self, path: Path) -> None:
        """Write it whole or not at all."""
        draft = path.with_suffix(".new")
        draft.write_text(json.dumps(asdict(self), indent=1))
        draft.replace(path)


def fingerprint(files: Iterable[Path], *words: str) -> str:
    """A digest of names and contents of `files`, and of `words`."""
    digest = hashlib.sha256()
    for word in words:
        digest.update(word.encode() + b"\0")
    for path in files:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def group_fingerprint(layout: Layout, group: str) -> str:
    """Changes with the pins of a requirement group."""
    return fingerprint([layout.requirements / f"{group}.txt", layout.requirements / "constraints.txt"])


def interfaces_fingerprint(layout: Layout, base: str) -> str:
    """Changes with the messages, how they are built, and what they are built against (`base`)."""
    source = layout.workspace / "src" / "reins_msgs"
    files = [path for kind in INTERFACE_KINDS for path in sorted((source / kind).glob(f"*.{kind}"))]
    return fingerprint([*files, source / "CMakeLists.txt", source / "package.xml"], base)


def package_fingerprint(layout: Layout, base: str) -> str:
    """Changes with what is installed of `reins`. Python code is linked, so it needs no new build."""
    launch_files = sorted(path.name for path in (layout.root / "launch").glob("*.launch.xml"))
    return fingerprint((layout.root / name for name in PACKAGE_FILES), base, *launch_files)


def entries(folder: Path) -> set[str]:
    """The names in `folder`; none where it is not there."""
    try:
        return set(os.listdir(folder))
    except OSError:
        return set()
