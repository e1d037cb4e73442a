"""A trace as a page: an annotated timeline that opens in any browser, with nothing fetched from elsewhere."""

import json
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from reins.planning.tracing.reading import Entry, Story

_TITLES: Final = {
    "task": "Asked",
    "call": "Model replied",
    "trouble": "Model failed",
    "cache": "Remembered",
    "refused": "Refused unasked",
    "plan": "Plan",
    "doubt": "Doubt",
    "advice": "Advice",
    "ask": "Operator asked",
    "answer": "Operator said",
    "why": "Asked why",
    "run": "Skill begins",
    "step": "Skill ended",
    "end": "End",
}


def write_page(story: Story, path: Path) -> None:
    """Write the page. Everything in it that comes from the trace is escaped, for models and people wrote it."""
    environment = Environment(
        loader=PackageLoader("reins.planning.tracing"),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    rows = [_row(entry, story.begin) for entry in story.entries]
    page = environment.get_template("trace.html.j2").render(story=story, rows=rows, figures=story.figures())
    path.write_text(page, encoding="utf-8")


def _row(entry: Entry, begin: float) -> dict[str, Any]:
    """One row of the timeline: when, what, whether it went well, a line, and what can be unfolded."""
    kind = entry["kind"]
    return {
        "at": f"{entry['at'] - begin:.2f}",
        "kind": kind,
        "title": _TITLES.get(kind, kind),
        "good": _went_well(entry),
        "line": line_of(entry),
        "details": _details(entry),
    }


def line_of(entry: Entry) -> str:
    """An entry in a line."""
    match entry:
        case {"kind": "task", "instruction": instruction}:
            return f"“{instruction}” ({entry.get('planner', '')})"
        case {"kind": "call"}:
            tokens = f"{entry.get('prompt_tokens', 0)} + {entry.get('reply_tokens', 0)} tokens"
            verdict = "; ".join(entry.get("verdict") or ()) or "passes"
            return f"{entry.get('model', '')}: {tokens}, {entry.get('seconds', 0.0):.2f} s; {verdict}"
        case {"kind": "cache"}:
            return f"no model was asked; {entry.get('hits', 0)} hits, {entry.get('misses', 0)} misses so far"
        case {"kind": "plan", "plan": plan}:
            because = f" (because {entry['because']})" if entry.get("because") else ""
            return _plan_line(plan, entry.get("problems") or ()) + because
        case {"kind": "doubt"}:
            return f"{entry.get('because', '')}; the plan at hand goes on"
        case {"kind": "advice", "plan": plan}:
            return f"{entry.get('because', '')}: {_plan_line(plan, ())}"
        case {"kind": "ask", "question": question}:
            return f"question {entry.get('number', '')}: {question}"
        case {"kind": "ask"}:
            risks = entry.get("risks") or ()
            return f"question {entry.get('number', '')}: may this plan run? {'; '.join(map(str, risks))}".strip()
        case {"kind": "answer"}:
            return _answer_line(entry)
        case {"kind": "why"}:
            return f"“{entry.get('question', '')}” {entry.get('answer', '')}"
        case {"kind": "run", "call": call}:
            return str(call)
        case {"kind": "step", "call": call}:
            return f"{call}: {'done' if entry.get('success') else entry.get('reason') or 'failed'}"
        case {"kind": "end", "outcome": outcome}:
            return f"{outcome}: {entry.get('reason', '')}{_remembered(entry)}"
    return str(entry.get("why", ""))


def _answer_line(entry: Entry) -> str:
    """Who said what to which question."""
    plan, text = entry.get("plan"), entry.get("text")
    said = _plan_line(plan, ()) if plan is not None else str(text or "")
    who = f"{entry['by']}: " if "by" in entry else ""
    return f"question {entry.get('number', '')}: {who}{entry.get('verdict', '')}" + (f": {said}" if said else "")


def _remembered(entry: Entry) -> str:
    """How many plans were remembered, at the end of a task whose planner remembers any."""
    if "cache_hits" not in entry:
        return ""
    hits, misses = int(entry["cache_hits"]), int(entry.get("cache_misses", 0))
    return f"; {hits} of {hits + misses} plans were remembered"


def _plan_line(plan: Any, problems: Any) -> str:
    if not isinstance(plan, dict):
        return ""
    said = plan.get("question") or plan.get("refusal")
    steps = " → ".join(_step_line(step) for step in plan.get("steps") or ()) or "nothing left to do"
    return "; ".join((str(said or steps), *(f"turned down: {problem}" for problem in problems)))


def _step_line(step: Any) -> str:
    arguments = step.get("arguments") or {}
    return " ".join((str(step.get("skill", "")), *map(str, arguments.values())))


def _went_well(entry: Entry) -> bool | None:
    match entry["kind"]:
        case "call":
            return not entry.get("verdict")
        case "plan":
            return not entry.get("problems")
        case "step":
            return bool(entry.get("success"))
        case "end":
            return bool(entry.get("outcome") == "succeeded")
        case "trouble" | "refused":
            return False
        case "answer":
            return entry.get("verdict") in ("approve", "edit", "reply")
    return None


def _details(entry: Entry) -> list[tuple[str, str]]:
    """What can be unfolded: long texts as they are, data as JSON."""
    texts = {name: str(entry[name]) for name in ("prompt", "reply") if name in entry}
    data = {name: json.dumps(entry[name], indent=1, ensure_ascii=False) for name in ("plan", "scene") if name in entry}
    return [*texts.items(), *data.items()]
