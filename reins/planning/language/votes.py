"""Replies to one prompt, and which of them counts: the one that most others agree with."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from reins.contracts.plan import Plan
from reins.language_models.model import Cancelled, ModelError

FEW: Final = 0.6
"""Share of the votes below which a plan is doubtful, though it has the most of them."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A reply: as it came, as a plan if it is one, and what is wrong with it."""

    text: str
    plan: Plan | None
    problems: tuple[str, ...]


def counted(votes: Iterable[Proposal]) -> tuple[list[Proposal], str]:
    """The replies that come, and why the rest does not. A model may fail in the middle: what passed before that counts.

    Raises:
        ModelError: it fails, and no reply before that passes; Cancelled.
    """
    proposals: list[Proposal] = []
    try:
        for proposal in votes:
            proposals.append(proposal)
    except Cancelled:
        raise
    except ModelError as error:
        if all(proposal.problems for proposal in proposals):
            raise
        return proposals, str(error)
    return proposals, ""


def most_frequent(proposals: list[Proposal]) -> Proposal | None:
    """The proposal that most others agree with; of several the first. Wording does not matter, what is done does."""
    count = Counter(map(_meaning, proposals))
    return max(proposals, key=lambda proposal: count[_meaning(proposal)], default=None)


def agreement(best: Proposal, proposals: Sequence[Proposal], asked: int) -> str:
    """How few of the replies that were asked for say what the best one says; empty if enough do.

    Args:
        best: of the proposals.
        proposals: the replies that came.
        asked: how many were asked for.
    """
    same = sum(_meaning(proposal) == _meaning(best) for proposal in proposals)
    return f"only {same} of {asked} replies of the model agree on it" if same < FEW * asked else ""


def with_doubt(plan: Plan, doubt: str) -> Plan:
    """The plan, and why a person should look at it."""
    return plan.model_copy(update={"doubts": (*plan.doubts, doubt)}) if doubt and plan.steps else plan


def _meaning(proposal: Proposal) -> str:
    plan = proposal.plan
    if plan is None:
        return "unreadable"
    if plan.steps is None:
        return "question" if plan.question is not None else "refusal"
    rules = sorted(str(rule) for rule in plan.constraints)
    return "; ".join((*map(str, plan.steps), *rules))
