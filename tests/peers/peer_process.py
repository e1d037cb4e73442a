"""A peer as a process: one line of JSON on its stdin is one request, one on its stdout the answer."""

import itertools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from typing_extensions import Self

_NUMBERS: Final = itertools.count(1)


def address_of_its_own() -> str:
    """An address of this machine that no other peer has."""
    return f"127.{os.getpid() // 250 % 250 + 2}.{os.getpid() % 250 + 1}.{next(_NUMBERS) % 250 + 1}"


class PeerProcess:
    """Runs one of the scripts beside this file until it is closed.

    Args:
        script: name of the file.
        arguments: of the script.
    """

    def __init__(self, script: str, *arguments: str) -> None:
        command = [sys.executable, str(Path(__file__).with_name(script)), *arguments]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._answer()

    def ask(self, what: str, **more: Any) -> dict[str, Any]:
        """Have it done; what the peer tells of its state."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": what, **more}) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def freeze(self) -> None:
        """The robot's computer hangs."""
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """It goes on."""
        self._process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        """End the process."""
        self._process.send_signal(signal.SIGCONT)
        self._process.kill()
        self._process.communicate()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the peer has ended"
        answer: dict[str, Any] = json.loads(line)
        return answer
