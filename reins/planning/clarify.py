"""What an instruction means once the operator has answered the questions about it: the same sentence, put clearly.

An answer is put where it belongs. Words that could mean several things become the id of the one that is meant; a part
that was left open ("Where shall I put it?") is added; an answer that is a whole sentence takes the place of one that is
not understood. Where an answer has no place, the instruction stays as it is. What comes out is read like any
instruction, so nothing is understood here that is not understood there.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from reins.contracts.scene import Scene
from reins.planning.answers import CannotDo, Unclear
from reins.planning.goals import Task
from reins.planning.planner import Exchange, History
from reins.skills.registry import SkillSpec

Reading = Callable[[str, Scene, Mapping[str, SkillSpec]], Task]
"""From an instruction, the scene in which it was given and the skills to what it means; raises CannotDo or Unclear."""

Choosing = Callable[[str, Sequence[str], Scene], tuple[str, ...]]
"""From an answer, the objects that are asked about (any if there are none named) and what was seen then to the ids of
those that are meant; raises CannotDo or Unclear where the answer names none."""

_LEAD: Final = re.compile(
    r"(?:(?:no|yes|yeah|well|um|oh|ok|okay|sorry|please|i mean|i meant|i want|that's|that is|it's|it is|that would be|"
    r"use|choose|rather|嗯|哦|好的|我说的是|我是说|我要|是)(?![a-z])[\s,.:，。：]*)+",
    re.IGNORECASE,
)
"""What may stand before an answer and says nothing."""

_END: Final = " \t.!?。！？"
_BOUNDARY: Final = re.compile(r"\s*(?:[,;，；]|\b(?:and|but|then|while|without)\b|然后|再)", re.IGNORECASE)
"""Where a part of a sentence may end."""

_IT: Final = re.compile(r"\s+(?:it|them|that|this)$|它$", re.IGNORECASE)
_DO_IT: Final = re.compile(r"\w+(?:\s+(?:up|down))?\s+(?:it|them)\b\s*", re.IGNORECASE)
"""The beginning of "put it in the bowl", as an answer to where."""

_LET_BE: Final = re.compile(
    r"(?:never ?mind|forget (?:it|about it|that)|let it be|do nothing|stop|cancel(?: (?:it|that|the task))?|abort|quit|"
    r"neither|(?:neither|none) of (?:them|these|those|the two)|don't bother|"
    r"算了(?:吧)?|不用了|取消|停下?|停止|没事了?|都不要?)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Clear:
    """An instruction with what was answered.

    Attributes:
        text: the instruction as it is meant.
        lost: the newest answer, if it has no place in it and is needed; else empty.
        is_sure: whether every answer has its place, so that the text says all that was said.
    """

    text: str
    lost: str = ""
    is_sure: bool = True


def lets_be(answer: str) -> bool:
    """Whether an answer takes the instruction back: "never mind"."""
    return _LET_BE.fullmatch(plain(answer)) is not None


def plain(answer: str) -> str:
    """An answer without what may stand before and behind it: "No, the red one, please!" is "the red one"."""
    said = re.sub(r"[\s,，]*(?:please|thanks|thank you|吧)?[\s.!?。！？]*$", "", " ".join(answer.split()), flags=re.I)
    return _LEAD.sub("", said, count=1) or said


def clarified(
    instruction: str, history: History, registry: Mapping[str, SkillSpec], read: Reading, choose: Choosing
) -> Clear:
    """The instruction as the answers of the task say that it is meant.

    Args:
        instruction: what the operator said.
        history: the task so far.
        registry: the skills' declarations.
        read: understands instructions.
        choose: understands answers to "which one?".
    """
    clear = Clear(instruction)
    for exchange in history.exchanges:
        clear = _with(clear, exchange, lambda text: _problem(text, history.initial, registry, read), choose)
    return clear


def _problem(text: str, scene: Scene, registry: Mapping[str, SkillSpec], read: Reading) -> CannotDo | Unclear | None:
    """What keeps a text from being understood."""
    try:
        read(text, scene, registry)
    except (CannotDo, Unclear) as problem:
        return problem
    return None


def _with(
    clear: Clear, exchange: Exchange, problem_of: Callable[[str], CannotDo | Unclear | None], choose: Choosing
) -> Clear:
    """The instruction with one more answer."""
    answer, problem = plain(exchange.answer), problem_of(clear.text)
    if not isinstance(problem, Unclear):
        if problem_of(answer) is None:
            return Clear(answer, is_sure=False)
        return replace(clear, is_sure=False)
    if problem.phrase and (named := _named(clear.text, problem, answer, exchange.scene, choose)):
        return replace(clear, text=named, lost="")
    better = ""
    for form in _forms(clear.text, problem.phrase, answer):
        found = problem_of(form)
        if found is None:
            return replace(clear, text=form, lost="")
        if isinstance(found, Unclear) and str(found) != str(problem):
            better = better or form
    return replace(clear, text=better, lost="") if better else replace(clear, lost=exchange.answer, is_sure=False)


def _named(text: str, problem: Unclear, answer: str, scene: Scene, choose: Choosing) -> str:
    """The text with ids in place of the words that were unclear; empty if the answer names nothing."""
    for choices in dict.fromkeys((problem.choices, ())):  # the ones that were asked about, then any
        try:
            names = choose(answer, choices, scene)
        except (CannotDo, Unclear):
            continue
        ids = (" and " if text.isascii() else "、").join(names).replace("\\", "")
        return re.sub(_pattern(problem.phrase), ids, text, count=1, flags=re.IGNORECASE)
    return ""


def _pattern(phrase: str) -> str:
    """Matches the words of a phrase, whatever stands between them."""
    return rf"(?<![A-Za-z0-9_]){r'[^A-Za-z0-9]+'.join(map(re.escape, phrase.split()))}(?![A-Za-z0-9_])"


def _forms(text: str, phrase: str, answer: str) -> Iterator[str]:
    """Sentences that text and answer may make together, the likeliest first."""
    text = text.strip(_END)
    if phrase:  # "to the block", and the answer is "on" or "beside it"
        relation = _IT.sub("", answer)
        yield re.sub(rf"\w+\s+({_pattern(phrase)})", lambda found: f"{relation} {found[1]}", text, count=1, flags=re.I)
    for part in dict.fromkeys((answer, _DO_IT.sub("", answer, count=1))):
        yield f"{text} {part}"
        yield f"{text} to {part}"
        for end in _BOUNDARY.finditer(text):
            yield f"{text[: end.start()]} {part}{text[end.start() :]}"
    yield answer
    yield f"{text}; {answer}"
