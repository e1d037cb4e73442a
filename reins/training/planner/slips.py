"""How people type: capital letters and full stops or none, slips of the pen, signs of another alphabet."""

import re
from random import Random
from typing import Final

_WORD: Final = re.compile(r"(?<![\w])[a-z]{4,}(?![\w])")
_ARTICLE: Final = re.compile(r"\ba (?=[aeiou])")

_NEAR: Final = {
    **dict(zip("qwertyuiop", ("wa", "qes", "wrd", "etf", "ryg", "tuh", "yij", "uok", "ipl", "ol"), strict=True)),
    **dict(zip("asdfghjkl", ("qsz", "adw", "sfe", "dgr", "fht", "gjy", "hku", "jli", "kop"), strict=True)),
    **dict(zip("zxcvbnm", ("xa", "zcs", "xvd", "cbf", "vng", "bmh", "nj"), strict=True)),
}
"""Keys that lie beside each other."""

_CHINESE: Final = {
    "蓝": "篮兰",
    "绿": "录緑",
    "黄": "簧",
    "橙": "澄",
    "紫": "子",
    "块": "快筷",
    "碗": "晚",
    "盘": "盆",
    "积": "集",
    "木": "目",
    "放": "方访",
    "到": "道",
    "在": "再",
    "拿": "那",
    "推": "退",
    "里": "理",
    "然": "燃",
    "最": "罪",
    "的": "得地",
    "叠": "跌",
}
"""Signs that sound or look alike."""


def tidy(text: str, rng: Random, chinese: bool, asked: bool = False) -> str:
    """A sentence as it is typed: with or without a capital letter, a full stop, or a question mark where it `asked`."""
    text = " ".join(text.split()).replace(" ,", ",").replace(" .", ".").replace(" ?", "?")
    if chinese:
        text = re.sub(r"(?<=[一-鿿，。]) (?=[一-鿿，。])", "", text)
        text = text.replace("，，", "，").replace("在在", "在")
        if rng.random() < 0.15:
            text = text.replace("，", rng.choice((",", " ")))
        return text + rng.choice(("？", "？", "") if asked else ("。", "！", "", "", ""))
    text = _ARTICLE.sub("an ", text)
    if rng.random() < 0.5:
        text = re.sub(r"(^|[.] )([a-z])", lambda found: found.group(1) + found.group(2).upper(), text)
    if rng.random() < 0.4:
        text += "?" if asked else rng.choice((".", ".", ".", "!"))
    return text.upper() if rng.random() < 0.01 else text


def slip(text: str, rng: Random, chinese: bool) -> str:
    """The text with one or two slips; ids, numbers and short words are left as they are."""
    for _ in range(rng.choice((1, 1, 2))):
        text = _chinese_slip(text, rng) if chinese else _english_slip(text, rng)
    return text


def _english_slip(text: str, rng: Random) -> str:
    words = list(_WORD.finditer(text))
    if not words:
        return text
    found = rng.choice(words)
    word, at = found.group(), rng.randrange(1, len(found.group()) - 1)
    kind = rng.randrange(4)
    if kind == 0:
        wrong = word[:at] + word[at + 1 :]
    elif kind == 1:
        wrong = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    elif kind == 2:
        wrong = word[:at] + word[at] + word[at:]
    else:
        wrong = word[:at] + rng.choice(_NEAR[word[at]]) + word[at + 1 :]
    return text[: found.start()] + wrong + text[found.end() :]


def _chinese_slip(text: str, rng: Random) -> str:
    places = [index for index, sign in enumerate(text) if sign in _CHINESE]
    if not places:
        return text
    at = rng.choice(places)
    return text[:at] + rng.choice(_CHINESE[text[at]]) + text[at + 1 :]
