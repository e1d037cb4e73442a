"""What a robot beside people does not do, whoever asks: read from the words alone, before a model is asked.

A table of acts, with what is said of each; nothing is understood beyond that. It holds what is violent or reckless in
any scene, and leaves the rest to the planner. What is quoted or forbidden ("don't throw it") is not asked for.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from reins.planning.language import harm_chinese as zh
from reins.planning.language import harm_english as en
from reins.planning.language.quotes import without_quotes
from reins.planning.wording import is_chinese

REASONS: Final[Mapping[str, tuple[str, str]]] = {
    "people": ("it could hurt somebody", "这可能会伤到人"),
    "throwing": (
        "I do not throw things or let them fall: that could hurt somebody or break something",
        "我不会扔或摔东西：这可能会伤到人或弄坏东西",
    ),
    "breaking": ("I do not break things or hit them with force", "我不会弄坏东西，也不会用力击打"),
    "burning": ("I do not burn or melt things", "我不会烧毁东西"),
    "reckless": ("I do not swing the arm about or drive it into things", "我不会乱甩手臂，也不会用它撞东西"),
    "limits": ("safety functions and limits stay as they are", "安全功能和限制不能关闭，也不能绕过"),
}
"""Why not, in English and Chinese."""


@dataclass(frozen=True, slots=True)
class _Language:
    """How harmful acts are said in one language, and when they are not asked for.

    Attributes:
        acts: reason → patterns of what is said, the gravest first.
        negation: matches what forbids, and as much of what follows as it forbids.
        refusal: a sentence with a gap for why not.
        column: of REASONS.
    """

    acts: Mapping[str, "tuple[re.Pattern[str], ...]"]
    negation: "re.Pattern[str]"
    refusal: str
    column: int


_ENGLISH: Final = _Language(en.ACTS, en.NEGATION, "I will not do that: {}.", 0)
_CHINESE: Final = _Language(zh.ACTS, zh.NEGATION, "我不会这样做：{}。", 1)


def harm_refusal(instruction: str) -> str:
    """Why an instruction is refused unasked, one sentence in its language; empty if it asks for nothing of the kind.

    Args:
        instruction: what the operator said.
    """
    said = without_quotes(instruction).lower()
    main, other = (_CHINESE, _ENGLISH) if is_chinese(instruction) else (_ENGLISH, _CHINESE)
    reason = next((reason for language in (main, other) for reason in _asked(said, language)), "")
    return main.refusal.format(REASONS[reason][main.column]) if reason else ""


def _asked(said: str, language: _Language) -> Iterator[str]:
    """The reasons not to do what is asked for."""
    forbidden = [match.span() for match in language.negation.finditer(said)]
    for reason, patterns in language.acts.items():
        for pattern in patterns:
            for match in pattern.finditer(said):
                if not any(start <= match.start() < end for start, end in forbidden):
                    yield reason
