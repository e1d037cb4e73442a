"""Shows each step with its time while it runs: a live line on a terminal, plain lines elsewhere."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from bootstrap.problems import StepFailed

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
TICK_S = 0.1
PLAIN_EVERY_S = 15.0
TAIL_BYTES = 400


class Console:
    """Runs named steps. Their output goes to log files, their progress to `stream`."""

    def __init__(self, logs: Path, stream: TextIO = sys.stderr) -> None:
        self.logs = logs
        self.stream = stream
        self.live = stream.isatty()

    def say(self, line: str) -> None:
        """A line that stays."""
        self.stream.write(line + "\n")
        self.stream.flush()

    def run(self, title: str, name: str, command: Sequence[str | Path], env: Mapping[str, str], cwd: Path) -> None:
        """Run `command` as the step `title`, logging to `name`.log.

        Raises:
            StepFailed: it exited with another status than 0.
        """
        with self.beside(title, name, command, env, cwd):
            pass

    @contextmanager
    def beside(
        self, title: str, name: str, command: Sequence[str | Path], env: Mapping[str, str], cwd: Path
    ) -> Iterator[None]:
        """Run `command` beside the block, whose end waits for it, and shows it while it waits.

        Raises:
            StepFailed: it exited with another status than 0.
        """
        self.logs.mkdir(parents=True, exist_ok=True)
        log = self.logs / f"{name}.log"
        started = time.monotonic()
        with log.open("wb") as output:
            process = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=dict(env),
                cwd=cwd,
            )
            try:
                yield
                self._watch(process, title, log, started)
            except BaseException:
                process.terminate()
                process.wait()
                self._clear()
                raise
        if process.returncode != 0:
            self._finish("✗", title, started)
            raise StepFailed(title, log, process.returncode)
        self._finish("✓", title, started)

    def _watch(self, process: subprocess.Popen[bytes], title: str, log: Path, started: float) -> None:
        if not self.live:
            self.say(f"· {title} …")
        shown = frame = 0
        while True:
            try:
                process.wait(TICK_S)
                return
            except subprocess.TimeoutExpired:
                elapsed = time.monotonic() - started
            if self.live:
                frame += 1
                self._draw(f"{FRAMES[frame % len(FRAMES)]} {title} {elapsed:5.1f} s", last_line(log))
            elif elapsed >= (shown + 1) * PLAIN_EVERY_S:
                shown = int(elapsed / PLAIN_EVERY_S)
                self.say(f"· {title} … {elapsed:.0f} s")

    def _draw(self, text: str, detail: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        room = max(0, width - len(text) - 2)
        self.stream.write(f"\r\x1b[2K{text[:width]}  \x1b[2m{detail[:room]}\x1b[0m")
        self.stream.flush()

    def _clear(self) -> None:
        if self.live:
            self.stream.write("\r\x1b[2K")
            self.stream.flush()

    def _finish(self, mark: str, title: str, started: float) -> None:
        self._clear()
        self.say(f"{mark} {title} {time.monotonic() - started:.1f} s")


def last_line(log: Path) -> str:
    """The last line written to `log` so far, printable."""
    with log.open("rb") as handle:
        handle.seek(0, os.SEEK_END)
        handle.seek(max(0, handle.tell() - TAIL_BYTES))
        lines = handle.read().decode(errors="replace").replace("\r", "\n").split("\n")
    return next(("".join(filter(str.isprintable, line)) for line in reversed(lines) if line.strip()), "")
