"""A planner that is asked for plans, and what each of them cost."""

import time
from dataclasses import dataclass
from typing import Any

from reins.bench.bare_llama import BareLlama
from reins.bench.planner_figures import KeptTrace
from reins.contracts.errors import ReinsError
from reins.contracts.plan import Plan
from reins.contracts.scene import Scene
from reins.planning.factory import make_planner
from reins.planning.language.planner import LanguagePlanner
from reins.planning.language.settings import LanguageSettings
from reins.planning.planner import History, Planner, memory_of
from reins.planning.tracing.reading import Entry
from reins.skills.library import SKILLS


@dataclass(frozen=True, slots=True)
class Cost:
    """What some plans cost.

    Attributes:
        fine: nobody complained; the planner did without no model.
        seconds: per plan, in the order in which they were made.
        bare_seconds: what llama.cpp alone takes for as many tokens, per plan; empty for other backends.
        entries: of the trace.
        hits, misses: plans that were remembered, and those that were not.
    """

    fine: bool
    seconds: tuple[float, ...]
    bare_seconds: tuple[float, ...]
    entries: tuple[Entry, ...]
    hits: int
    misses: int

    def figures(self) -> dict[str, Any]:
        """As an episode has them."""
        calls = [entry for entry in self.entries if entry["kind"] == "call"]
        return {
            "seconds": self.seconds,
            "bare_seconds": self.bare_seconds,
            "model_calls": len(calls),
            "prompt_tokens": sum(int(call["prompt_tokens"]) for call in calls),
            "reply_tokens": sum(int(call["reply_tokens"]) for call in calls),
            "without_model": sum(entry["kind"] == "trouble" for entry in self.entries),
            "cache_hits": self.hits,
            "cache_misses": self.misses,
        }


class Asked:
    """A planner, its times, and its complaints.

    Args:
        name: of the planner.
        settings: of language models.

    Raises:
        UnknownName: no such planner.
        ModelError: its language model does not load.
    """

    def __init__(self, name: str, settings: LanguageSettings) -> None:
        self._complaints: list[str] = []
        self._seconds: list[float] = []
        self._bare_seconds: list[float] = []
        self._entries: list[Entry] = []
        self._trace = KeptTrace()
        self.planner: Planner = make_planner(name, SKILLS, settings, self._complaints.append, self._trace)
        if isinstance(self.planner, LanguagePlanner):
            self.planner.load()
        self._memory = memory_of(self.planner)
        self._bare = BareLlama(settings) if name == "llama_cpp" else None

    def plan(self, instruction: str, scene: Scene, history: History) -> tuple[Plan | None, str]:
        """The plan, or None and why there is none; what it costs is kept until `take`."""
        plan, why = None, ""
        begun = time.perf_counter()
        try:
            plan = self.planner.plan(instruction, scene, history)
        except ReinsError as error:
            why = str(error)
            self._complaints.append(why)
        self._seconds.append(time.perf_counter() - begun)
        entries = self._trace.take()
        self._entries += entries
        if self._bare is not None:
            calls = (entry for entry in entries if entry["kind"] == "call")
            self._bare_seconds.append(self._bare.work(calls).wall)
        return plan, why

    def take(self) -> Cost:
        """What the plans since last time cost."""
        before, self._memory = self._memory, memory_of(self.planner)
        hits, misses = (now - then for now, then in zip(self._memory, before, strict=True))
        times = tuple(self._seconds), tuple(self._bare_seconds)
        cost = Cost(not self._complaints, *times, tuple(self._entries), hits, misses)
        for kept in (self._complaints, self._seconds, self._bare_seconds, self._entries):
            kept.clear()
        return cost

    def close(self) -> None:
        """Give the model back."""
        if isinstance(self.planner, LanguagePlanner):
            self.planner.close()
        if self._bare is not None:
            self._bare.close()
