"""Names that others chose, in a sentence: a scene may have thousands of objects, and a name any length."""

from collections.abc import Sequence
from typing import Final

MOST_NAMED: Final = 3
"""Names that are told; the others are counted."""

LONGEST_NAME: Final = 40
"""Characters of a name that are told."""


def listed(names: Sequence[str]) -> str:
    """The first few names, and how many there are besides."""
    told = ", ".join(name[:LONGEST_NAME] for name in names[:MOST_NAMED])
    return f"{told} (and {len(names) - MOST_NAMED} others)" if len(names) > MOST_NAMED else told
