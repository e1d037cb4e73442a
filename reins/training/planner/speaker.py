"""From a meaning to a sentence: one family of phrases after the other, each chosen at random and noted by name."""

from collections.abc import Mapping
from random import Random
from typing import Final

from reins.training.planner.meanings import Act, Meaning, Proviso
from reins.training.planner.phrases_file import Families, Phrases
from reins.training.planner.references import Ref
from reins.training.planner.slips import slip, tidy
from reins.training.planner.wording import spoken

STATED: Final = 0.2
"""Share of single acts that are stated as a wish and not as an order."""

FRAMED: Final = 0.5
"""Share of orders with something polite around them."""

_LINKS: Final = ("and_then", "then", "again", "next", "comma", "and")
"""Families by which more than two acts are put in a row."""

_FRAMELESS: Final = ("before ", "in case ", "start by ", "在")
"""How sentences begin that nothing polite goes before."""

_ASKING: Final = ("en.frames.could", "en.frames.could_please", "zh.frames.can")
"""Families that make a question of a sentence."""

FAVOURED: Final = 0.6
"""How often a favoured family is taken where there is one."""


class Speaker:
    """Says meanings in one language.

    Args:
        phrases: of the language.
        rng: of everything random.
        without: names of families that are not used.
        favour: names of families that are used where they can be, most of the time.
        slips: share of sentences with slips of the pen.
    """

    def __init__(
        self,
        phrases: Phrases,
        rng: Random,
        without: frozenset[str] = frozenset(),
        favour: frozenset[str] = frozenset(),
        slips: float = 0.1,
    ) -> None:
        self._phrases = phrases
        self._rng = rng
        self._without = without
        self._favour = favour
        self._slips = slips
        self._chinese = phrases.language == "zh"
        self.used: set[str] = set()
        """Families of the last sentence."""

    def say(self, meaning: Meaning) -> str:
        """A sentence, or a few, that means it."""
        self.used = set()
        section = "avoid" if meaning.acts else "rules"
        rule = str(self._family(section, getattr(self._phrases, section))) if meaning.avoid else "<s>"
        text = self._body(meaning, framed=meaning.proviso is None and rule.startswith("<s>"))
        if meaning.proviso is not None:
            text = self._proviso(meaning.proviso, text)
        avoid = self._listed([self._ref(ref) for ref in meaning.avoid], "or")
        text = spoken(rule, self._rng, {"s": text, "avoid": avoid})
        if self._rng.random() < FRAMED and not set(".;。；") & set(text):
            text = self._one("closings", self._phrases.closings, {"s": text})
        asked = any(name in self.used for name in _ASKING)
        text = tidy(text, self._rng, self._chinese, asked)
        return slip(text, self._rng, self._chinese) if self._rng.random() < self._slips else text

    def answer(self, meaning: Meaning) -> str:
        """The question or the refusal that answers it."""
        answers = self._phrases.answers
        about = meaning.about
        if meaning.topic in ("absent", "immovable", "unfit"):
            about = self._kind_words(about)
        values = {"names": answers["or"].join(meaning.offers), "about": about}
        return spoken(answers[meaning.topic], self._rng, values) if meaning.topic else ""

    def _kind_words(self, kind: str) -> str:
        """ "purple block" in this language, always in the same words."""
        if not self._chinese:
            return kind
        colour, _, label = f" {kind}".rpartition(" ")
        words = [_first(self._phrases.colours.get(colour.strip(), "")), _first(self._phrases.labels.get(label, label))]
        return f"{words[0]}色的{words[1]}" if words[0] else words[1]

    def _body(self, meaning: Meaning, framed: bool) -> str:
        """What is to be done, and how, with something polite around it."""
        acts = meaning.acts
        plain = len(acts) == 1 and not meaning.pace and meaning.proviso is None
        if plain and acts[0].wishes and acts[0].kind in self._phrases.statements and self._rng.random() < STATED:
            return self._stated(acts[0])
        text = self._joined(acts, "then" if meaning.ordered else "together")
        if meaning.pace:
            text = self._one(f"paces.{meaning.pace}", self._phrases.paces[meaning.pace], {"s": text})
        if not text or not framed or self._rng.random() > FRAMED or text.startswith(_FRAMELESS):
            return text
        return self._one("frames", self._phrases.frames, {"s": text})

    def _joined(self, acts: tuple[Act, ...], section: str) -> str:
        """The acts in their order."""
        if not acts:
            return ""
        families: Families = getattr(self._phrases, section)
        backwards = any(ref.form in ("it", "other") for act in acts[1:] for ref in act.refs)
        text = self._act(acts[-1])
        for index in reversed(range(len(acts) - 1)):
            simple = {name: families[name] for name in families if name in _LINKS and len(acts) > 2}
            usable = {name: families[name] for name in families if not (backwards and name == "before")}
            text = self._one(section, simple or usable, {"a": self._act(acts[index]), "b": text})
        return text

    def _stated(self, act: Act) -> str:
        return self._one(f"statements.{act.kind}", self._phrases.statements[act.kind], self._values(act))

    def _act(self, act: Act) -> str:
        return self._one(f"acts.{act.kind}", self._phrases.acts[act.kind], self._values(act))

    def _proviso(self, proviso: Proviso, text: str) -> str:
        act = Act(proviso.kind, theme=proviso.theme, place=proviso.place)
        values = {
            "s": text,
            "if": self._one(f"conditions.{act.kind}", self._phrases.conditions[act.kind], self._values(act)),
        }
        if proviso.otherwise is None:
            return self._one("provisos", self._phrases.provisos, values)
        return self._one("alternatives", self._phrases.alternatives, {**values, "else": self._act(proviso.otherwise)})

    def _values(self, act: Act) -> Mapping[str, str]:
        """What the names in an act's phrases stand for."""
        phrases, values = self._phrases, dict[str, str]()
        if act.theme is not None:
            values["theme"] = self._ref(act.theme)
            values["it"] = "them" if act.theme.form in ("all", "both", "all_except", "list") else "it"
            values |= {f"part{index}": self._ref(part) for index, part in enumerate(act.theme.parts, 1)}
            values["parts"] = self._listed([self._ref(part) for part in act.theme.parts])
        if act.place is not None:
            values["place"] = self._ref(act.place)
        if act.word in phrases.relations:
            values["relation"] = self._word(phrases.relations[act.word])
        if act.word in phrases.directions:
            values["direction"] = self._word(phrases.directions[act.word])
        if act.length:
            values["length"] = self._length(act)
        values["block"] = self._word(phrases.labels["block"])
        values["blocks"] = self._word(phrases.plurals["block"])
        return values

    def _length(self, act: Act) -> str:
        """How far, in a unit that people use."""
        whole = round(100 * act.length)
        values = {
            "number": str(whole),
            "amount": self._word(self._phrases.amounts[whole]),
            "millimetres": str(10 * whole),
            "metres": f"{act.length:g}",
        }
        return spoken(self._phrases.lengths["a_bit" if act.vague else "far"], self._rng, values)

    def _ref(self, ref: Ref) -> str:
        phrases = self._phrases
        values = {
            "colour": self._word(phrases.colours[ref.colour]) if ref.colour in phrases.colours else ref.colour,
            "label": self._word(phrases.labels.get(ref.label, ref.label)),
            "labels": self._word(phrases.plurals.get(ref.label, f"{ref.label}s")),
            "name": ref.ids[0] if ref.ids else "",
            "count": self._word(phrases.counts.get(len(ref.ids), str(len(ref.ids)))),
            "number_word": str(ref.number),
        }
        if ref.number:
            values["number"] = self._word(phrases.numbers[ref.number])
        if ref.rank:
            values["rank"] = self._word(phrases.ranks[ref.rank])
            values["rank_word"] = self._word(phrases.rank_words[ref.rank])
            values["rank_place"] = self._word(phrases.rank_places[ref.rank])
        if ref.relation:
            values["relation"] = self._word(phrases.relations[ref.relation])
            values["anchor"] = self._ref(ref.parts[0])
        elif ref.parts:
            values["parts"] = self._listed([self._ref(part) for part in ref.parts])
        return self._one(f"nouns.{ref.form}", phrases.nouns[ref.form], values)

    def _listed(self, words: list[str], link: str = "and") -> str:
        """ "a, b and c"."""
        if len(words) < 2:
            return "".join(words)
        if self._chinese:
            return "、".join(words[:-1]) + self._rng.choice(("和", "、", "跟")) + words[-1]
        return f"{', '.join(words[:-1])} {link} {words[-1]}"

    def _word(self, phrase: str | list[str]) -> str:
        return spoken(phrase, self._rng, {})

    def _one(self, section: str, families: Families, values: Mapping[str, str]) -> str:
        """A phrase of one of the families, with its names filled in."""
        return spoken(self._family(section, families), self._rng, values)

    def _family(self, section: str, families: Families) -> str | list[str]:
        """A phrase of one of the families."""
        prefix = f"{self._phrases.language}.{section}"
        names = [name for name in families if f"{prefix}.{name}" not in self._without]
        favoured = [name for name in names if f"{prefix}.{name}" in self._favour]
        name = self._rng.choice(favoured if favoured and self._rng.random() < FAVOURED else names)
        self.used.add(f"{prefix}.{name}")
        return families[name]


def _first(phrase: str | list[str]) -> str:
    return phrase if isinstance(phrase, str) else phrase[0]
