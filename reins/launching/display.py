"""What the operator sees: every node's output behind its name, and on a terminal a table of who is up."""

import time
from collections.abc import Iterable
from typing import Final

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from reins.launching.process import Child, describe_exit

_COLOURS: Final = (
    "cyan",
    "green",
    "magenta",
    "yellow",
    "blue",
    "bright_cyan",
    "bright_green",
    "bright_magenta",
)
_STATE_STYLES: Final = {
    "active": "green",
    "inactive": "yellow",
    "unconfigured": "yellow",
    "started": "yellow",
}


class Display:
    """Prints lines as they come; keeps the table below them when the console is a terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, auto_refresh=False, transient=True) if console.is_terminal else None
        self._colours: dict[str, str] = {}
        self._start = time.monotonic()

    def __enter__(self) -> "Display":
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._live is not None:
            self._live.stop()

    def line(self, name: str, text: str) -> None:
        """One line of output of a node."""
        colour = self._colours.setdefault(name, _COLOURS[len(self._colours) % len(_COLOURS)])
        self._console.print(Text(f"[{name}] ", style=colour) + Text.from_ansi(text), soft_wrap=True)

    def say(self, text: str, style: str = "bold") -> None:
        """A line of the runner itself."""
        self._console.print(Text(text, style=style), soft_wrap=True)

    def table(self, children: Iterable[Child], states: dict[Child, str]) -> None:
        """Who is up, now."""
        if self._live is None:
            return
        table = Table(box=None, padding=(0, 2, 0, 0))
        for heading in ("node", "state", "pid"):
            table.add_column(heading, style="dim" if heading == "pid" else "")
        for child in children:
            ended = child.returncode is not None
            state = describe_exit(child.returncode) if child.returncode is not None else states.get(child, "started")
            style = "red" if ended else _STATE_STYLES.get(state, "yellow")
            table.add_row(
                full_name(child),
                Text(state, style=style),
                "" if ended else str(child.pid),
            )
        self._live.update(table, refresh=True)


def full_name(child: Child) -> str:
    """Name with namespace, as ROS tools print it."""
    return f"{child.node.namespace.rstrip('/')}/{child.node.name}"
