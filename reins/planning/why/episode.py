"""A task as its trace tells it, put together again: plans, why each was made, what was done of them and how it went."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from reins.contracts.errors import ReinsError
from reins.contracts.facts import Fact, with_derived
from reins.contracts.plan import Plan, SkillCall
from reins.planning.actions import Outcome
from reins.planning.scripted import parse_calls
from reins.planning.simulation import SymbolicState
from reins.planning.tracing.reading import Entry, Story


@dataclass(slots=True)
class Planned:
    """A plan.

    Attributes:
        plan: what was to be done.
        because: why it was made although there was one before; empty for the first.
        state: what the scene showed then.
        held_to: constraints that others had set, in words.
        problems: why it did not run; empty if nothing was wrong with it.
        answer: what an operator said to it; empty if nobody was asked.
        risks: why they were asked.
    """

    plan: Plan
    because: str
    state: SymbolicState
    held_to: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    answer: str = ""
    risks: tuple[str, ...] = ()


@dataclass(slots=True)
class Done:
    """A step that ran.

    Attributes:
        call: what ran.
        planned: the plan that it is of.
        index: its place in that plan, from 0; None if it only cleared the view.
        success: how it ended; None while it runs, and where that was never judged.
        reason: why it failed.
    """

    call: SkillCall
    planned: Planned
    index: int | None
    success: bool | None = None
    reason: str = ""


@dataclass(slots=True)
class Episode:
    """A task so far.

    Attributes:
        instruction: what is to be done now; what an operator said in other words replaces the first one.
        plans, steps: in order.
        outcome, reason: how it ended; empty while it runs.
        waits: a plan waits for an answer.
    """

    instruction: str
    plans: list[Planned] = field(default_factory=list)
    steps: list[Done] = field(default_factory=list)
    outcome: str = ""
    reason: str = ""
    waits: bool = False


def read_episode(story: Story) -> Episode:
    """Put a trace together again.

    Raises:
        ReinsError: an entry is not as the executor writes it.
    """
    episode = Episode(story.instruction)
    for entry in story.entries:
        try:
            _take(entry, episode)
        except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
            raise ReinsError(
                f"the trace has an entry of kind '{entry['kind']}' that cannot be read: {error}"
            ) from error
    return episode


def _take(entry: Entry, episode: Episode) -> None:
    match entry["kind"]:
        case "plan":
            episode.plans.append(_planned(entry))
        case "ask":
            episode.plans[-1].risks, episode.waits = tuple(entry["risks"]), True
        case "answer":
            episode.waits = False
            _answered(entry, episode)
        case "run":
            (call,) = parse_calls(entry["call"])
            episode.steps.append(Done(call, episode.plans[-1], entry.get("step")))
        case "step":
            episode.steps[-1].success, episode.steps[-1].reason = bool(entry["success"]), str(entry["reason"])
        case "end":
            if entry["outcome"] not in get_args(Outcome):
                raise ValueError(f"no task ends in '{entry['outcome']}'")
            episode.outcome, episode.reason = entry["outcome"], str(entry["reason"])


def _planned(entry: Entry) -> Planned:
    return Planned(
        Plan.model_validate(entry["plan"]),
        str(entry.get("because", "")),
        _state(entry["scene"]),
        tuple(entry.get("held_to", ())),
        tuple(entry.get("problems", ())),
    )


def _answered(entry: Entry, episode: Episode) -> None:
    """An operator's answer belongs to the plan that waited."""
    waited, by = episode.plans[-1], entry.get("by", "an operator")
    match entry["verdict"]:
        case "approve":
            waited.answer = f"{by} approved it"
        case "edit":
            own = Plan.model_validate(entry["plan"])
            episode.plans.append(Planned(own, f"{by} wrote this plan in place of mine", waited.state, waited.held_to))
        case "reword":
            waited.answer = f"{by} said it in other words"
            episode.instruction = str(entry["text"])
        case "reject":
            waited.answer = f"{by} turned it down" + (f": {entry['text']}" if entry.get("text") else "")
        case "reply":
            waited.answer = f"{by} answered “{entry['text']}”"
        case "leave":
            waited.answer = "nobody was there to answer"
        case _:
            waited.answer = str(entry.get("text", ""))


def _state(scene: Mapping[str, Any]) -> SymbolicState:
    """The facts that a scene in a trace tells."""
    labels = {name: str(item["label"]) for name, item in scene["objects"].items()}
    seen: set[Fact] = set()
    for relation in scene["relations"]:
        subject, predicate, other = str(relation).split(" ")
        seen.add(("holding", subject) if predicate == "held" else (predicate, subject, other))
    return SymbolicState(with_derived(seen, labels), labels)
