"""What the oldest supported Python does not have is not used, whichever Python the tests run on."""

import re
import subprocess
import sys
from pathlib import Path

from bootstrap.layout import SUPPORTED

ROOT = Path(__file__).parents[2]
OLDEST = "{}.{}".format(*SUPPORTED[0])
MISSING = re.compile(r'.+: error: (Module "(?P<module>[^"]+)" has no attribute|Cannot find .+ named "(?P<name>[^"]+)")')


def missing_in_oldest(*paths: Path, cwd: Path) -> list[str]:
    """Where code imports from the standard library what the oldest supported Python has not."""
    options = (
        f"--config-file= --python-version {OLDEST} --follow-imports=skip --explicit-package-bases --cache-dir=/dev/null"
    )
    command = [sys.executable, "-m", "mypy", *options.split(), *map(str, paths)]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = [match for line in done.stdout.splitlines() if (match := MISSING.match(line))]
    return [
        match.group()
        for match in found
        if (match["module"] or match["name"]).partition(".")[0] in sys.stdlib_module_names | {"tomllib"}
    ]


def test_names_that_came_after_the_oldest_supported_python_are_found(tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text(
        "import tomllib\nfrom enum import Enum, StrEnum\nfrom typing import Final, Never\n"
    )
    places = [found.partition(": ")[0] for found in missing_in_oldest(Path("late.py"), cwd=tmp_path)]
    assert places == ["late.py:1", "late.py:2", "late.py:3"]


def test_the_code_uses_only_what_the_oldest_supported_python_has() -> None:
    assert missing_in_oldest(*(ROOT / name for name in ("reins", "tools", "tests")), cwd=ROOT) == []
