"""Text in the person's own editor."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from reins.contracts.errors import ReinsError

EDITORS: Final = ("editor", "nano", "vim", "vi")
"""What is tried where neither $VISUAL nor $EDITOR names one."""


def edit_text(text: str, name: str) -> str:
    """The text as the person leaves it; waits until their editor ends.

    Args:
        text: to begin with.
        name: of the file, whose ending tells the editor what it is.

    Raises:
        ReinsError: there is no editor, it fails, or what it leaves is no text.
    """
    with TemporaryDirectory(prefix="reins_") as folder:
        file = Path(folder) / name
        file.write_text(text, encoding="utf-8")
        try:
            subprocess.run([*_command(), str(file)], check=True)
            return file.read_text(encoding="utf-8")
        except subprocess.CalledProcessError as error:
            raise ReinsError(f"the editor ended with status {error.returncode}; nothing was changed") from None
        except (OSError, UnicodeDecodeError) as error:
            raise ReinsError(f"the editor does not run: {error}; name one in $EDITOR") from None


def _command() -> list[str]:
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if named:
        try:
            return shlex.split(named)
        except ValueError as error:
            raise ReinsError(f"$EDITOR is '{named}', which is no command: {error}") from None
    found = next((path for name in EDITORS if (path := shutil.which(name))), None)
    if found is None:
        raise ReinsError(
            "no editor is found; name one in $EDITOR, or give the plan as a file: `reins plan edit --file`"
        )
    return [found]
