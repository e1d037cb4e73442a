"""Traces: one JSON line for everything that happens in a task, one file for each task.

Every line has `at`, the system time [s], and `kind`:

- `task`: the instruction, the planner.
- `call`: one reply of a language model: prompt, reply, tokens, times [s], what was wrong with it.
- `trouble`: why there was no reply, or no plan by the model.
- `cache`: the plan was remembered; hits and misses so far.
- `plan`: a plan, why it was made, the scene that it is for, what others hold the robot to, what the verifier found.
- `doubt`: what came in place of a plan that may run while all went well, told like a `plan`; the plan at hand went on.
- `advice`: what the planner would do in the middle of a step, told like a `plan`: the step goes on, or why it ended.
- `ask`: the plan waits for an operator; why a person should look at it, or the planner's question.
- `answer`: approve, edit, reword, reject, reply, leave, or none; who said so, the reason, the words or the new plan.
- `why`: somebody asked why while the task ran, and was answered.
- `run`, `step`: a skill begins; how it ended, as it was judged.
- `end`: how the task ended; how many of its plans were remembered, and how many were not.
"""

import json
import os
import re
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TextIO

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint, Plan
from reins.contracts.scene import Scene
from reins.planning.tracing.notebook import Notebook

FOLDER: Final = "traces"
SUFFIX: Final = ".jsonl"

_WORD: Final = re.compile(r"[^A-Za-z0-9]+")
_OWN: Final = re.compile(rf"trace_\d{{8}}T\d{{6}}Z(_\w+)?(-\d+)?{re.escape(SUFFIX)}")
_LONGEST: Final = 40  # characters of the instruction in a file's name


class Trace(Protocol):
    """Whatever takes the entries of a task."""

    def write(self, kind: str, **entry: Any) -> None:
        """One entry. Called from several threads; never raises, for a task does not end because of its record."""
        ...


class Untraced:
    """Takes the entries and forgets them."""

    def write(self, kind: str, **entry: Any) -> None:
        """Nothing."""


UNTRACED: Final = Untraced()


class TraceFolder:
    """Writes each task into a file of its own: `trace_<UTC>_<words of the instruction>.jsonl`.

    Args:
        folder: where; made if need be.
        keep: files that stay; older ones are removed when a task begins.

    Attributes:
        notebook: the newest task in memory, also where nothing can be written.
    """

    def __init__(self, folder: Path, keep: int) -> None:
        self.notebook: Final = Notebook()
        self._folder, self._keep = folder, keep
        self._lock = threading.Lock()
        self._file: TextIO | None = None
        self._trouble = ""

    def begin(self, instruction: str, planner: str) -> None:
        """A task begins; the one before is over."""
        self.close()
        self.notebook.clear()
        with self._lock:
            self._trouble = ""
            try:
                self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._file = _new_name(self._folder, instruction).open(
                    "x", encoding="utf-8", errors="replace", buffering=1
                )
            except OSError as error:
                self._trouble = f"no trace is written to {self._folder}: {error.strerror or error}"
            prune(self._folder, self._keep)
        self.write("task", instruction=instruction, planner=planner)

    def write(self, kind: str, **entry: Any) -> None:
        """One line, with a question mark for every half sign. Where it cannot be written, the rest is not either."""
        self.notebook.write(kind, **entry)
        line = json.dumps({"at": round(time.time(), 3), "kind": kind, **entry}, ensure_ascii=False, default=str)
        with self._lock:
            if self._file is None:
                return
            try:
                self._file.write(f"{line}\n")
            except OSError as error:
                self._trouble = f"the trace of this task has no end: {error.strerror or error}"
                self._shut()

    def close(self) -> None:
        """The file is whole."""
        with self._lock:
            self._shut()

    def take_trouble(self) -> str:
        """Why the task is not written, or not to its end; empty if it is, and once that was told."""
        with self._lock:
            trouble, self._trouble = self._trouble, ""
        return trouble

    def _shut(self) -> None:
        if self._file is None:
            return
        try:
            self._file.close()
        except OSError as error:
            self._trouble = self._trouble or f"the trace of this task may have no end: {error.strerror or error}"
        self._file = None


def default_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """`$ROS_LOG_DIR/traces`, or `~/.ros/reins/traces` where that is not set."""
    if logs := environment.get("ROS_LOG_DIR"):
        return Path(logs) / FOLDER
    return Path(environment.get("ROS_HOME") or Path.home() / ".ros") / "reins" / FOLDER


def traces_in(folder: Path) -> list[Path]:
    """The traces in a folder, oldest first; none where there is no such folder."""
    try:
        return sorted(path for path in folder.iterdir() if _OWN.fullmatch(path.name))
    except OSError:
        return []


def newest(folder: Path) -> Path:
    """The newest trace in a folder.

    Raises:
        ReinsError: there is none.
    """
    if found := traces_in(folder):
        return found[-1]
    raise ReinsError(f"no trace in {folder}; every task writes one, or give a FILE")


def prune(folder: Path, keep: int) -> None:
    """Remove the oldest traces beyond `keep`, with the pages beside them."""
    for path in traces_in(folder)[:-keep]:
        for old in (path, path.with_suffix(".html")):
            with suppress(OSError):  # another process has removed it, or it must stay
                old.unlink()


def scene_entry(scene: Scene) -> dict[str, Any]:
    """A scene as plain data: the place of every object, and the relations that say more than coordinates."""
    return {
        "stamp": scene.stamp,
        "source": scene.source,
        "objects": {
            item.id: {"label": item.label, "colour": item.colour, "position": [round(x, 3) for x in item.position]}
            for item in scene.objects.values()
        },
        "relations": sorted(
            f"{relation.subject} {relation.predicate} {relation.object}"
            for relation in scene.relations
            if relation.predicate in ("in", "on", "held")
        ),
    }


def plan_entry(plan: Plan) -> dict[str, Any]:
    """A plan as plain data, without what it does not say."""
    return plan.model_dump(mode="json", exclude_defaults=True)


def write_plan(
    trace: Trace,
    plan: Plan,
    scene: Scene,
    because: str,
    problems: Sequence[str],
    standing: Sequence[Constraint],
    kind: Literal["plan", "doubt", "advice"] = "plan",
) -> None:
    """A plan goes into a trace.

    Args:
        trace: takes it.
        plan: what is to be done.
        scene: that it is for.
        because: why it was made although there was one before; empty for the first.
        problems: what is wrong with it.
        standing: what others hold the robot to.
        kind: of the entry.
    """
    trace.write(
        kind,
        t=scene.stamp,
        scene=scene_entry(scene),
        plan=plan_entry(plan),
        problems=list(problems),
        because=because,
        held_to=[str(rule) for rule in standing],
    )


def _new_name(folder: Path, instruction: str) -> Path:
    words = _WORD.sub("_", instruction)[:_LONGEST].strip("_")
    stem = "_".join(filter(None, ("trace", time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()), words)))
    path, count = folder / f"{stem}{SUFFIX}", 1
    while path.exists():
        count += 1
        path = folder / f"{stem}-{count}{SUFFIX}"
    return path
