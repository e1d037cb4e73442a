"""What a Chinese instruction says must not be touched, and how careful to be, read without a model.

Things are known by colour, kind and id. They may be named after "do not touch" (不要碰黄色方块) or before
it (黄色方块别碰). Exceptions ("nothing but the red one") are left to the model.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from reins.contracts.plan import Constraint
from reins.contracts.scene import Scene, SceneObject
from reins.planning.language.plain import NAME
from reins.planning.language.quotes import MARK

CHINESE_COLOURS: Final = {
    **{"红": "red", "绿": "green", "蓝": "blue", "黄": "yellow", "白": "white", "黑": "black", "青": "cyan"},
    **{"橙": "orange", "紫": "purple", "粉": "pink", "棕": "brown", "灰": "grey"},
}
CHINESE_KINDS: Final = {
    **{"方块": "block", "积木块": "block", "积木": "block", "木块": "block", "大碗": "bowl", "碗": "bowl"},
    **{"盘子": "plate", "盘": "plate", "碟子": "plate", "碟": "plate"},
}
_CARE: Final = {"小心": 0.5, "轻轻": 0.5, "轻一点": 0.5, "慢慢": 0.3, "慢一点": 0.3, "缓慢": 0.3}


def _any(words: Mapping[str, str]) -> str:
    """Matches one of the words, the longest that fits."""
    return "|".join(sorted(words, key=len, reverse=True))


_COLOUR: Final = re.compile(_any(CHINESE_COLOURS))
_KIND: Final = re.compile(_any(CHINESE_KINDS))
_POINTER: Final = r"(?:[那这]?[一两三四几些]?[个块只]?|所有的?|全部的?|任何|每一?个)"
_KNOWN: Final = rf"(?:{_COLOUR.pattern})色?的?{_POINTER}(?:{_KIND.pattern})?|(?:{_KIND.pattern})"
_THING: Final = rf"(?:{_POINTER}(?:{_KNOWN})|[a-z]+(?:_[a-z0-9]+)+)"
"""The name of a thing and nothing else: 那个黄色的方块, 碗, yellow_block."""
_ID: Final = re.compile(r"[a-z0-9]*(?:[a-z]_|_[a-z]|[a-z][0-9])[a-z0-9_]*")
_JOIN: Final = r"\s*[和或与、跟及]\s*"
_THINGS: Final = rf"\s*{_THING}(?:{_JOIN}{_THING})*\s*"
_ONLY_THINGS: Final = re.compile(_THINGS)

_NOT: Final = (
    r"(?:(?<!要)不要|(?<!能)不能|(?<!可)不可以?|(?<![应该])不(?:应该|该)|不许|不准|不得|(?<![特分级区类差])别|勿|禁止|"
    r"(?<!动)不(?=[碰动触接靠撞]))"
)
_TOUCH: Final = r"(?:再|去)*(?:碰到|碰着|碰|触碰|触摸|移动|挪动|推动|动到|动|推|拿|抓|摸|撞到|撞|接触|靠近|接近)"
_CLAUSE: Final = r"[^，。；：！？,.;:!?\n]*"
_BARE_END: Final = re.compile(r"(?:它们?|一下|了|啊|哦|吧|哈|呀|哟)*\s*")
_FORBIDDING: Final = re.compile(rf"(?P<before>{_CLAUSE}?){_NOT}{_TOUCH}(?P<after>{_CLAUSE})")
_AWAY: Final = rf"(?:避开|避免{_TOUCH}|远离|绕开|绕过|躲开)"
_CARE_ABOUT: Final = r"(?:小心|当心|注意|留神|留意)(?:碰到|碰着|撞到|碰|撞)?"
_KEEPING_OFF: Final = re.compile(
    rf"(?:{_AWAY}|(?<!得)离(?={_CLAUSE}?(?:远一?[点些]|太近)(?!儿?的)))(?P<after>{_CLAUSE})"
)
_MINDING: Final = re.compile(rf"{_CARE_ABOUT}(?P<after>{_CLAUSE})")
_LEAD: Final = r"(?:但是|但|不过|可是|而且|并且|而|还有|另外|同时|记住|记得|注意|请|然后|再|也|还|让|保持|好的?)*"
_EMPHASIS: Final = r"(?:千万|绝对|一定|最好|都|也|请|就|可|保持|绝)*"
_NAMED_FIRST: Final = re.compile(rf"\s*{_LEAD}(?P<things>{_THINGS}){_EMPHASIS}\s*")
_REST: Final = re.compile(
    r"[把将拿抓放推叠堆摞搭移挪举提夹并而让就再时]|然后|同时|的(?:情况|前提|话)|远一?[点些]|太近|地(?!板|面)"
)
"""Where what follows a name is about something else."""
_SPOT: Final = re.compile(r"的(?:地方|位置|一?[边侧])")

_FORBIDS_NEXT: Final = re.compile(rf"(?:{_NOT}{_TOUCH}|{_AWAY}|{_CARE_ABOUT}|离)\s*{_POINTER}\s*(?:{_THINGS}{_JOIN})?$")
_FORBIDS_LAST: Final = re.compile(
    rf"\s*(?:{_JOIN}{MARK}?{_THINGS}{MARK}?)?{_EMPHASIS}\s*{_NOT}{_TOUCH}{_BARE_END.pattern}(?=\W|$)"
)


def chinese_constraints(said: str, scene: Scene) -> list[Constraint]:
    """The rules that a text sets in Chinese.

    Args:
        said: in small letters, without what is quoted.
        scene: the scene in which it was said.
    """
    named = [name for part in _forbidden(said) for name in _meant(part, scene)]
    rules = [Constraint(kind="avoid", object=name) for name in dict.fromkeys(named)]
    return rules + [Constraint(kind="speed", scale=scale) for word, scale in _CARE.items() if word in said]


def is_chinese_name(text: str) -> bool:
    """Whether a text names things and does nothing else."""
    return _ONLY_THINGS.fullmatch(text) is not None


def forbids_next(text: str) -> bool:
    """Whether what comes right after a text is what it says must not be touched."""
    return _FORBIDS_NEXT.search(text) is not None


def forbids_last(text: str) -> bool:
    """Whether a text begins by saying that what comes right before it must not be touched."""
    return _FORBIDS_LAST.match(text) is not None


def _forbidden(said: str) -> Iterator[str]:
    """The names of what must not be touched, each with all that is said of it."""
    for match in _FORBIDDING.finditer(said):
        after = match["after"]
        if "除" in match[0]:
            continue
        if _BARE_END.fullmatch(after):
            first = _NAMED_FIRST.fullmatch(match["before"])
            yield from re.split(_JOIN, first["things"]) if first else ()
        else:
            yield from re.split(_JOIN, _REST.split(after)[0])
    for match in _KEEPING_OFF.finditer(said):
        if "除" not in match[0] and not _SPOT.search(match["after"]):
            yield from re.split(_JOIN, _REST.split(match["after"])[0])
    for match in _MINDING.finditer(said):
        if _ONLY_THINGS.fullmatch(match["after"]):
            yield from re.split(_JOIN, match["after"])


def _meant(text: str, scene: Scene) -> list[str]:
    """Ids of what a phrase names by id, else by its colour, or by its kind without any colour.

    An id that is no plain name, or looks like a word, does not count: it may be text that somebody put there.
    """
    said = {word for word in _ID.findall(text) if NAME.fullmatch(word)}
    if ids := [name for name in scene.objects if name.lower() in said]:
        return ids
    colours = {CHINESE_COLOURS[sign] for sign in _COLOUR.findall(text)}
    kinds = {CHINESE_KINDS[sign] for sign in _KIND.findall(text)}
    return [item.id for item in scene.objects.values() if _is_one(item, colours, kinds)] if colours or kinds else []


def _is_one(item: SceneObject, colours: set[str], kinds: set[str]) -> bool:
    return item.colour in (colours or {item.colour}) and item.label in (kinds or {item.label})
