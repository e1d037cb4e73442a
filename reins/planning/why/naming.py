"""Which step a question means: the one whose skill and objects its words name most of, in English or Chinese."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from reins.contracts.plan import SkillCall
from reins.planning.language.guard_chinese import CHINESE_COLOURS, CHINESE_KINDS

_WORD: Final = re.compile(r"[a-z]+")

DEEDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("pick", "picked", "take", "took", "grasp", "grasped", "grab", "grabbed", "lift", "lifted"), "pick"
    ),
    **dict.fromkeys(("place", "placed", "put", "drop", "dropped", "stack", "stacked", "set"), "place"),
    **dict.fromkeys(("push", "pushed", "slide", "slid", "shove", "shoved"), "push"),
    **dict.fromkeys(("move", "moved", "go", "went", "hover", "hovered"), "move"),
    **dict.fromkeys(("open", "opened"), "open"),
    **dict.fromkeys(("close", "closed"), "close"),
    "home": "home",
    **dict.fromkeys(("stood", "rise", "rose"), "stand"),
    **dict.fromkeys(("sat", "lie", "lay"), "sit"),
    **dict.fromkeys(("turned", "rotate", "rotated"), "turn"),
    "walked": "walk",
    "followed": "follow",
    "waited": "wait",
    "stopped": "stop",
    "looked": "look",
}
"""Verbs of people, and the first word of the skill that they mean."""

CHINESE_DEEDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("拿", "抓", "取", "捡", "夹"), "pick"),
    **dict.fromkeys(("放", "叠", "堆"), "place"),
    **dict.fromkeys(("推",), "push"),
    **dict.fromkeys(("移", "去", "到"), "move"),
    **dict.fromkeys(("打开", "张开", "松开"), "open"),
    **dict.fromkeys(("合上", "闭合", "关"), "close"),
    **dict.fromkeys(("回家", "回到初始", "归位"), "home"),
    **dict.fromkeys(("坐", "趴"), "sit"),
    "站": "stand",
    "走": "go",
    "转": "turn",
    "跟": "follow",
    "等": "wait",
    "停": "stop",
    "看": "look",
}

CHINESE_GROUND: Final[Mapping[str, str]] = {"箱": "box", "门": "door", "标记": "marker", "那个人": "person"}
"""What stands about legged robots."""


def named_in(question: str, calls: Sequence[SkillCall], default: int | None = None) -> int:
    """Number of the call that a question means, from 1; of several the last.

    Args:
        question: in words.
        calls: at least one.
        default: what is returned where the question names nothing of any; the last call if None.
    """
    words = _meant(question)
    scores = [len(words & _words(call)) for call in calls]
    best = max(scores)
    if best == 0:
        return len(calls) if default is None else default
    return len(scores) - scores[::-1].index(best)


def _meant(question: str) -> set[str]:
    """The words of a question in the words that calls are made of."""
    words = set(_WORD.findall(question.lower()))
    words |= {DEEDS[word] for word in words if word in DEEDS}
    for signs in (CHINESE_COLOURS, CHINESE_KINDS, CHINESE_GROUND, CHINESE_DEEDS):
        words |= {word for sign, word in signs.items() if sign in question}
    return words


def _words(call: SkillCall) -> set[str]:
    values = " ".join(str(value) for value in call.arguments.values() if isinstance(value, str))
    return {call.skill.partition("_")[0], *_WORD.findall(values)} - {""}
