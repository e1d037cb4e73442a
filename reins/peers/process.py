"""A peer as a process: one line of JSON on its stdin is one request, one on its stdout the answer.

A peer with a world also tells what is true in it, in lines of their own, as it goes on.
"""

import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from queue import Empty, Queue
from threading import Thread
from types import TracebackType
from typing import Any, Final

from typing_extensions import Self

from reins.contracts.errors import ReinsError

WORLD: Final = "world"
"""Key of a line that tells the world's truth."""

START: Final = 60.0
"""How long a peer may take to start [s]: it builds a simulation."""

ANSWER: Final = 10.0
"""How long it may take to answer [s]."""

_NUMBERS: Final = itertools.count(1)


def address_of_its_own() -> str:
    """An address of this machine that no other peer has."""
    return f"127.{os.getpid() // 250 % 250 + 2}.{os.getpid() % 250 + 1}.{next(_NUMBERS) % 250 + 1}"


class PeerProcess:
    """Runs a peer until it is closed.

    Args:
        name: of the peer, for sentences.
        arguments: of the Python interpreter.

    Raises:
        ReinsError: it does not start; what it wrote is on stderr.
    """

    def __init__(self, name: str, arguments: Sequence[str]) -> None:
        self._name = name
        self._process = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # what interrupts its client on a terminal is not meant for it
        )
        self._answers: Queue[dict[str, Any] | None] = Queue()
        self._world: dict[str, Any] | None = None
        self._reader = Thread(target=self._read, name=f"{name}-peer", daemon=True)
        self._reader.start()
        try:
            self._answer(START)
        except ReinsError:
            self.close()
            raise

    @property
    def world(self) -> dict[str, Any] | None:
        """The newest truth of its world, if it told any."""
        return self._world

    def ask(self, what: str, **more: Any) -> dict[str, Any]:
        """Have it done; what the peer tells of its state.

        Raises:
            ReinsError: the peer has ended, or does not answer.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"do": what, **more}) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise ReinsError(f"the {self._name} peer has ended") from None
        return self._answer(ANSWER)

    def wait(self) -> None:
        """Until the peer ends by itself."""
        self._reader.join()

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
        self._process.wait()
        self._reader.join()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read(self) -> None:
        """The reader's thread, until the peer ends."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            said: dict[str, Any] = json.loads(line)
            if WORLD in said:
                self._world = said[WORLD]
            else:
                self._answers.put(said)
        self._answers.put(None)

    def _answer(self, seconds: float) -> dict[str, Any]:
        try:
            answer = self._answers.get(timeout=seconds)
        except Empty:
            raise ReinsError(f"the {self._name} peer does not answer within {seconds:.0f} s") from None
        if answer is None:
            self._answers.put(None)  # for whoever asks again
            raise ReinsError(f"the {self._name} peer has ended; what it wrote before says why")
        return answer
