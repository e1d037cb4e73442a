"""Chinese text to characters, and Chinese numbers to numbers."""

import re
import unicodedata
from typing import Final

from reins.planning.phrasebook import DIGITS

_WORD: Final = re.compile(rf"{DIGITS.pattern}|[a-z][a-z0-9_]*|\S")
_QUOTES: Final = str.maketrans("", "", '"“”‘’「」『』')

_DIGITS: Final = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_ONE_TO_NINE: Final = "[一二两三四五六七八九]"
_NUMERAL: Final = re.compile(
    rf"(?:(?P<hundreds>{_ONE_TO_NINE})百)?零?(?:(?P<tens>{_ONE_TO_NINE}?)(?P<ten>十))?(?P<ones>{_ONE_TO_NINE}?|零)"
    r"(?:点(?P<tenths>[零一二三四五六七八九]+))?"
)
_LONGEST: Final = 10
"""No number that anybody needs has more characters."""


def split(text: str) -> list[str]:
    """The words of a Chinese text: characters, numbers in digits, Latin words. Full-width letters and signs are as good
    as narrow ones, and white space and quotation marks say nothing."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).translate(_QUOTES).lower())


def numeral(words: list[str], position: int) -> tuple[float, int] | None:
    """The longest number that begins there, in digits or in characters up to 九百九十九, and how many words it has."""
    if DIGITS.fullmatch(words[position]):
        return float(words[position]), 1
    text = "".join(word if len(word) == 1 else " " for word in words[position : position + _LONGEST])
    match = _NUMERAL.match(text)
    if match is None or match[0].partition("点")[0] == "":
        return None
    ones = _DIGITS[match["ones"]] if match["ones"] else 0
    tens = _DIGITS[match["tens"] or "一"] if match["ten"] else 0
    if match["hundreds"] and match["ones"] and not match["ten"] and "零" not in match[0]:
        tens, ones = ones, 0  # 一百五 is 150
    hundreds = _DIGITS[match["hundreds"]] if match["hundreds"] else 0
    return float(f"{100 * hundreds + 10 * tens + ones}.{_fraction(match['tenths'])}"), match.end()


def _fraction(digits: str | None) -> str:
    return "".join(str(_DIGITS[digit]) for digit in digits or "零")
