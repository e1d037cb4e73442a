"""Questions about what was done, told from instructions: in English and in Chinese.

What begins as such a question is one, whatever follows: the robot then answers and does not move. "Why don't you …" is
how people ask for something, and is left to the planners.
"""

import re
from enum import Enum
from typing import Final

_LEAD: Final = (
    r"(?:(?:so|and|but|ok|okay|well|hey|now|please|wait|hm+|robot|reins|tell me|explain(?: to me)?|"
    r"(?:can|could|would) you (?:please )?(?:tell me|explain|say)|do you know)[\s,:]+)*"
)
_WHY: Final = r"(?:why|how come|what for|for what reason|what made you|what was the reason|what is the reason)\b"
_WISH: Final = r"(?!\s*(?:not|don['’]?t (?:you|we|i)|do (?:you|we|i) not|wouldn['’]?t you)\s+\w)"
_WHAT: Final = (
    r"what(?:\s+exactly)?\s+(?:(?:did|have|had|were|are) you (?:just |been |really )*(?:do|done|doing|thinking)\b|"
    r"(?:just )?happened\b|went wrong\b|was that\b|is going on\b)"
)
_EXPLAIN: Final = r"explain\s+(?:yourself|that|this|it|your|what you|(?:the )?(?:last )?step)\b"
_ENGLISH: Final = re.compile(rf"{_LEAD}(?:{_WHY}{_WISH}|{_WHAT}|{_EXPLAIN})", re.IGNORECASE)
_CHINESE: Final = re.compile(
    r"[^。！？!?；;，,]{0,12}?(?:为什么|为甚么|为何|为啥|凭什么|干嘛|怎么(?:回事|了|没|不|会|又|停|还)|"
    r"(?:做|干)了(?:什么|啥|些什么|哪些)|在(?:做|干)(?:什么|啥)|(?:发生|出)了什么|解释一?下?(?:你|刚才|刚刚|这|那|上一步))"
)
_SENTENCE: Final = re.compile(r"[?!.;。！？；\n]+")
_STEP: Final = re.compile(r"\bstep\s+(\d{1,3})\b|第\s*(\d{1,3})\s*步", re.IGNORECASE)


class Topic(Enum):
    """What a question is about."""

    STEP = "a step: why it was done"
    STORY = "the whole: what was done, what happened"
    END = "why it stopped, failed, refused or asked"
    AGAIN = "why it planned again"
    SPEED = "why so slowly"
    LEFT_OUT = "why something was not done or not touched"
    WAITING = "why it waits"


_TOPICS: Final = {
    Topic.STORY: r"\bwhat\b.*(?:you\b|happened|going on|was that)|了(?:什么|啥|些什么|哪些)|在[做干]|怎么(?:回事|了)",
    Topic.WAITING: r"\bwait|\basking\b|\bask(?:ed)?\b.*\b(?:me|first|approv)|在?等|批准",
    Topic.SPEED: r"\bslow|\bspeed|\bcareful|\bgentl|慢|速度|小心",
    Topic.AGAIN: r"\bagain\b|\breplan|\bchange|\btwice\b|\banother plan|重新|又|再|改",
    Topic.END: r"\b(?:stop|fail|refus|g[ai]ve up|ask|cancel|end(?:ed)?\b)|went wrong|停|失败|拒绝|放弃|取消|问",
    Topic.LEFT_OUT: r"n['’]t\b|\bnot\b|\bnever\b|\bavoid|\bleave\b|\bleft\b.*\balone|没|不|别",
}
_COMPILED: Final = {topic: re.compile(pattern, re.IGNORECASE) for topic, pattern in _TOPICS.items()}


def is_about_the_past(text: str) -> bool:
    """Whether a text asks what the robot did, or why, instead of telling it what to do."""
    plain = " ".join(text.split())
    return bool(_ENGLISH.match(plain) or _CHINESE.match(plain))


def topic_of(question: str) -> Topic:
    """What a question is about; a step if nothing says otherwise."""
    first = _SENTENCE.split(question.strip(), maxsplit=1)[0]
    return next((topic for topic, pattern in _COMPILED.items() if pattern.search(first)), Topic.STEP)


def step_asked(question: str) -> int | None:
    """The number of the step that a question names, from 1; None if it names none."""
    found = _STEP.search(question)
    return int(found[1] or found[2]) if found else None


def says_more(question: str) -> bool:
    """Whether something follows the question, which is not read."""
    return len([part for part in _SENTENCE.split(question) if part.strip()]) > 1
