"""What stands in quotes: text that somebody refers to, such as a sign or a caption."""

import re
from typing import Final

QUOTED: Final = re.compile(
    r"“[^”]*”|\"[^\"]*\"|«[^»]*»|‘[^’]*’|「[^」]*」|『[^』]*』|"
    r"(?<![a-zA-Z0-9])'(?:[^']|(?<=[a-zA-Z])'(?=[a-zA-Z]))*'(?![a-zA-Z0-9])"
)
"""A quotation with its marks."""

MARK: Final = r"[“”\"«»‘’「」『』']"
"""One mark, for a pattern."""

_APOSTROPHE: Final = re.compile(r"(?<=\w)’(?=\w)")


def straight(text: str) -> str:
    """The text with curly apostrophes within words made straight, so that none of them looks like a closing mark."""
    return _APOSTROPHE.sub("'", text)


def without_quotes(text: str) -> str:
    """The text with a blank in place of each quotation."""
    return QUOTED.sub(" ", straight(text))
