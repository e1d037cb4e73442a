"""Text from outside, made plain: what a camera read or a person typed cannot look like part of a prompt.

Prompts are made of marks (lines that begin with "#") and of special words of chat templates such as "<|im_start|>" or
"[INST]". None of the characters that these are made of is left in data, and data never spans lines.

JSON can say half a sign, a lone surrogate, which no file and no message holds; none is left in what is shown.
"""

import unicodedata
from typing import Final

_MARKS: Final = str.maketrans(dict.fromkeys("#<>[]{}|`\\", " "))


def plain_text(text: str, most: int) -> str:
    """Text as one line without characters that marks are made of.

    Args:
        text: anything.
        most: characters that are kept.
    """
    folded = unicodedata.normalize("NFKC", text).translate(_MARKS)
    visible = "".join(" " if unicodedata.category(sign)[0] in "CZ" else sign for sign in folded)
    return " ".join(visible.split())[:most].rstrip()


def quoted(text: str, most: int) -> str:
    """The beginning of a text, on one line and of whole signs, for an error.

    Args:
        text: anything.
        most: characters that are kept.
    """
    line = " ".join(whole_signs(text).split())
    return line if len(line) <= most else f"{line[:most]}…"


def whole_signs(text: str) -> str:
    """A text with a question mark in place of every half sign."""
    return text.encode("utf-8", "replace").decode("utf-8")
