"""A trace read back: its entries in order, and what they add up to."""

import codecs
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from reins.contracts.errors import ReinsError

Entry = dict[str, Any]

PLANS: Final = ("plan", "doubt", "advice")
"""Kinds of the entries that tell what a planner answered."""


def remembered_share(hits: int, misses: int) -> float:
    """Share of the questions to a planner that were answered from memory; 0 where none was asked."""
    return hits / max(hits + misses, 1)


@dataclass(frozen=True, slots=True)
class Story:
    """A task as its trace tells it.

    Attributes:
        entries: in order, at least one.
    """

    entries: Sequence[Entry]

    @property
    def instruction(self) -> str:
        """What was asked."""
        return str(self.entries[0].get("instruction", ""))

    @property
    def begin(self) -> float:
        """System time of the first entry [s]."""
        return float(self.entries[0]["at"])

    @property
    def is_whole(self) -> bool:
        """Whether it tells how the task ended; if not, it was killed or still runs."""
        return self._end is not None

    @property
    def outcome(self) -> str:
        """How the task ended, or "unknown"."""
        return str(self._end["outcome"]) if self._end is not None else "unknown"

    @property
    def reason(self) -> str:
        """Why it ended so."""
        return str(self._end.get("reason", "")) if self._end is not None else "the trace does not tell the end"

    @property
    def _end(self) -> Entry | None:
        """What tells the end; somebody may have asked why after that."""
        return next((entry for entry in self.entries if entry["kind"] == "end"), None)

    def figures(self) -> dict[str, float]:
        """Counts and sums: duration [s], plans, steps, failures, model calls, tokens, time of the model [s].

        Misses of the cache are told at the end.
        """
        calls = [entry for entry in self.entries if entry["kind"] == "call"]
        steps = [entry for entry in self.entries if entry["kind"] == "step"]
        hits = sum(entry["kind"] == "cache" for entry in self.entries)
        misses = int((self._end or {}).get("cache_misses", 0))
        return {
            "duration_s": round(float(self.entries[-1]["at"]) - self.begin, 3),
            "plans": sum(entry["kind"] in PLANS for entry in self.entries),
            "steps": len(steps),
            "failed_steps": sum(not entry.get("success") for entry in steps),
            "model_calls": len(calls),
            "cache_hits": hits,
            "cache_misses": misses,
            "cache_rate": round(remembered_share(hits, misses), 3),
            "turned_down": sum(bool(entry.get("verdict")) for entry in calls),
            "prompt_tokens": sum(int(entry.get("prompt_tokens", 0)) for entry in calls),
            "reply_tokens": sum(int(entry.get("reply_tokens", 0)) for entry in calls),
            "model_s": round(sum(float(entry.get("seconds", 0.0)) for entry in calls), 3),
        }


def read_trace(path: Path) -> Story:
    """Read a file.

    The last line may be cut off, for the process may have been killed while it wrote.

    Raises:
        ReinsError: no such file, or it is no trace; names the line.
    """
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(path.read_bytes())  # its last sign may be cut off, too
    except FileNotFoundError:
        raise ReinsError(f"there is no file {path}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ReinsError(f"{path} cannot be read: {error}") from error
    lines = text.split("\n")  # not at U+2028 and its like, which an entry may hold
    if not lines[-1]:
        lines.pop()
    entries: list[Entry] = []
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            if not isinstance(entry, dict) or not isinstance(entry["kind"], str):
                raise TypeError("it is no entry")
            entry["at"] = float(entry["at"])
        except (json.JSONDecodeError, KeyError, TypeError, ValueError) as error:
            if number == len(lines) and entries and isinstance(error, json.JSONDecodeError):
                break
            raise ReinsError(f"{path} is no trace: line {number}: {error}") from error
        entries.append(entry)
    if not entries:
        raise ReinsError(f"{path} is empty")
    return Story(entries)
