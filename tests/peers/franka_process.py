"""Starts the Franka peer as a process and asks things of it."""

import itertools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Final

HOME: Final = (0.0, -0.7854, 0.0, -2.3562, 0.0, 1.5708, 0.7854)

_NUMBERS = itertools.count(1)


class FrankaPeer:
    """A running peer on an address of its own, with the traits that `franka_peer.py` tells of.

    Implements `reins.hardware.conformance.subject.Tampering`.
    """

    def __init__(self, *traits: str) -> None:
        self.address = f"127.{os.getpid() // 250 % 250 + 2}.{os.getpid() % 250 + 1}.{next(_NUMBERS) % 250 + 1}"
        command = [
            sys.executable,
            str(Path(__file__).with_name("franka_peer.py")),
            self.address,
            json.dumps(HOME),
            *traits,
        ]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._answer()

    def ask(self, what: str, **more: Any) -> dict[str, Any]:
        """Have it done; what the peer tells of its state."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": what, **more}) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def cut_network(self) -> None:
        """Nothing passes any more."""
        self.ask("cut")

    def restore_network(self) -> None:
        """As before."""
        self.ask("restore")

    def raise_fault(self) -> str:
        """A collision."""
        self.ask("reflex", name="joint_reflex")
        return "joint_reflex"

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

    def __enter__(self) -> "FrankaPeer":
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
