"""The phrases of a language, and what is held out of training: YAML, validated on load."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reins.contracts.documents import Shelf
from reins.contracts.errors import ReinsError

Phrase = str | list[str]
Families = dict[str, Phrase]

SHELF: Final = Shelf("language", "reins.training.planner", "phrases")
"""The languages that the model is trained in."""

LANGUAGES: Final = ("en", "zh")
"""Their names."""


class Phrases(BaseModel):
    """How things are said in one language.

    In a phrase {a|b} is a choice, [a] is said or not, and <name> is filled in. Words are by their key; of nouns, acts
    and the rest every key is a family of paraphrases.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    language: str
    colours: dict[str, Phrase]
    labels: dict[str, Phrase]
    plurals: dict[str, Phrase]
    ranks: dict[str, Phrase]
    rank_words: dict[str, Phrase]
    rank_places: dict[str, Phrase]
    numbers: dict[int, Phrase]
    counts: dict[int, Phrase]
    relations: dict[str, Phrase]
    directions: dict[str, Phrase]
    amounts: dict[int, Phrase]
    lengths: dict[str, Phrase]
    nouns: dict[str, Families]
    acts: dict[str, Families]
    statements: dict[str, Families]
    frames: Families
    closings: Families
    together: Families
    then: Families
    avoid: Families
    rules: Families
    paces: dict[str, Families]
    conditions: dict[str, Families]
    provisos: Families
    alternatives: Families
    answers: dict[str, str]

    def families(self) -> list[str]:
        """The names of all families: "en.acts.in.put"."""
        names = []
        for section, value in self._sections():
            for key, entry in value.items():
                if isinstance(entry, Mapping):
                    names += [f"{self.language}.{section}.{key}.{family}" for family in entry]
                else:
                    names.append(f"{self.language}.{section}.{key}")
        return names

    def _sections(self) -> list[tuple[str, Mapping[str, Any]]]:
        nested = ("nouns", "acts", "statements", "paces", "conditions")
        flat = ("frames", "closings", "together", "then", "avoid", "rules", "provisos", "alternatives")
        return [(name, getattr(self, name)) for name in (*nested, *flat)]


class HeldOut(BaseModel):
    """What training never sees.

    Attributes:
        families: names of families of phrases.
        pairs: (colour, label) of things.
        compositions: see `Meaning.composition`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    families: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    compositions: frozenset[str] = Field(default=frozenset())


@cache
def load_phrases(language: str) -> Phrases:
    """The phrases of a language.

    Raises:
        UnknownName: no such language; lists those that there are.
        ReinsError: the file is not valid; names the field.
    """
    return SHELF.load(language, Phrases)


@cache
def load_held_out() -> HeldOut:
    """What is held out.

    Raises:
        ReinsError: the file is not valid, or it names a family that does not exist.
    """
    path = Path(str(files("reins.training.planner"))) / "held_out.yaml"
    try:
        held_out = HeldOut.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        raise ReinsError(f"{path.name}: {error.errors()[0]['msg']}") from error
    known = {name for language in LANGUAGES for name in load_phrases(language).families()}
    if unknown := sorted(held_out.families - known):
        raise ReinsError(f"{path.name} names families that do not exist: {', '.join(unknown)}")
    return held_out
