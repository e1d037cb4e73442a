"""Which cameras see: one that is frozen, or whose newest picture is old, makes the robot blind until it is mended."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

NEW: Final = "camera_new"
"""A camera that has given no picture yet, and still has time to."""


@dataclass(frozen=True, slots=True)
class SightChange:
    """A camera began to see or ceased to.

    Attributes:
        camera: its name.
        kind: "camera_frozen", "camera_stale" or "camera_back".
        text: one sentence.
    """

    camera: str
    kind: str
    text: str


class Sight:
    """Watches the cameras that perception looks through.

    A scene that leaves one of them out would look fresh and be old where only that one looks.

    Args:
        cameras: their names.
        limit: a camera whose newest good picture is older than this does not see [s, robot time].
    """

    def __init__(self, cameras: Iterable[str], limit: float) -> None:
        self._limit = limit
        self._blind: dict[str, str | None] = dict.fromkeys(cameras, NEW)  # kind of trouble; None if it sees
        self._words: dict[str, str] = {}
        self._begun: float | None = None

    @property
    def is_clear(self) -> bool:
        """Whether every camera sees."""
        return not any(self._blind.values())

    @property
    def blind(self) -> Mapping[str, str]:
        """Why each camera that does not see does not, in words, by its name; none that still has time to begin."""
        return {name: self._words[name] for name, kind in self._blind.items() if kind is not None and kind != NEW}

    def judge(
        self,
        stamps: Mapping[str, float],
        frozen: Iterable[str],
        now: float | None,
        reasons: Mapping[str, str] | None = None,
    ) -> list[SightChange]:
        """What changed at robot time `now` [s].

        Args:
            stamps: robot time of each camera's newest good picture [s].
            frozen: cameras whose pictures do not change though they should.
            now: robot time [s]; None before it is known, and the cameras' time to begin starts then.
            reasons: what was wrong with the newest pictures of cameras that were left out, by their names.
        """
        if now is None:
            return []
        if self._begun is None or now < self._begun:
            self._begun = now
        stuck = set(frozen)
        why = reasons or {}
        told = [self._judge_one(name, stamps.get(name), name in stuck, now, why.get(name)) for name in self._blind]
        return [change for change in told if change is not None]

    def _judge_one(
        self, name: str, stamp: float | None, stuck: bool, now: float, why: str | None
    ) -> SightChange | None:
        before = self._blind[name]
        if stuck:
            kind, text = "camera_frozen", "shows the same picture though it should have changed"
        elif (age := now - (self._begun or 0.0 if stamp is None else stamp)) > self._limit:
            kind, text = "camera_stale", f"has given no good picture for {age:.1f} s" + (f" ({why})" if why else "")
        elif stamp is None:
            return None
        else:
            self._blind[name] = None
            if before is None or before == NEW:
                return None
            return SightChange(name, "camera_back", f"camera '{name}' sees again")
        self._blind[name], self._words[name] = kind, f"camera '{name}' {text}"
        if before == kind:
            return None
        return SightChange(name, kind, f"{self._words[name]}: no scene until it sees again")
