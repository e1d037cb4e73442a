"""What commands that work for long have in common: a bar, a pause by Ctrl-C, and a processor that does not dawdle."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from reins.cli.console import err

if TYPE_CHECKING:
    from reins.training.limits import OnPart, Tell


@contextmanager
def quick_torch(threads: int) -> Iterator[None]:
    """Within the block, PyTorch has this many threads, and numbers too small to matter are 0: they cost a hundred times
    what others do."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)
        torch.set_num_threads(before)


@contextmanager
def progress_bar(name: str, steps: int) -> Iterator[tuple[Progress, TaskID]]:
    """A bar with the time that is left, on the error stream."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err) as progress:
        yield progress, progress.add_task(name, total=steps)


@contextmanager
def part_bar(name: str) -> Iterator[tuple["Tell", "OnPart"]]:
    """A bar for one part of a run after the other, with the time that is left of it at most, and where lines go."""
    with progress_bar(name, 1) as (progress, bar):
        now = ""

        def tell(line: str) -> None:
            progress.console.print(escape(line))

        def on_part(part: str, done: int, most: int) -> None:
            nonlocal now
            if part != now:
                now = part
                progress.reset(bar, total=most, description=f"{name}: {part}")
            progress.update(bar, completed=done)

        yield tell, on_part


@contextmanager
def interruptible() -> Iterator[list[int]]:
    """Ctrl-C asks for a pause; pressed again, it ends at once. What is given holds the signals that came."""
    came: list[int] = []

    def ask(number: int, _frame: FrameType | None) -> None:
        if came:
            raise KeyboardInterrupt
        came.append(number)
        err.print("saving a checkpoint; Ctrl-C again to stop without")

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
