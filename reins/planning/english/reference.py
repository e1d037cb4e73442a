"""Noun phrases to objects of a scene: what "the other one" or "all the blocks but the red one" stands for here."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from reins.contracts.facts import AXES, facts_of
from reins.contracts.scene import TABLE, Scene, SceneObject
from reins.planning.answers import CannotDo, Unclear
from reins.planning.english.phrases import NounPhrase
from reins.planning.wording import Wording

CLEARLY: Final = 0.01
"""A superlative needs to win by this much [m]."""

ANSWERS: Final = {
    "none": "there is no {thing} here; I see {seen}",
    "pronoun": "I see {seen}; which one is '{thing}'?",
    "two": "Which two do you mean by '{thing}': {choices}?",
    "which": "Which one do you mean by '{thing}': {choices}?",
}
"""What is said where words stand for nothing in the scene, or for too much."""

_ENGLISH: Final = Wording(ANSWERS)


class Referents:
    """Resolves noun phrases in one scene and remembers what was spoken of.

    Args:
        scene: the scene in which the instruction was given.
        wording: says what ANSWERS says, in the language of the instruction.
    """

    def __init__(self, scene: Scene, wording: Wording = _ENGLISH) -> None:
        self._scene, self._wording = scene, wording
        self._facts = facts_of(scene)
        self.themes: tuple[str, ...] = ()
        """What the last clause was about; what is held before anything was spoken of."""
        self.current: tuple[str, ...] = ()
        """What this clause is about, as far as it has been read."""
        self.places: tuple[str, ...] = ()
        """Where the last clause put it."""
        self.spoken: set[str] = set()
        """Everything spoken of so far."""
        if (held := scene.held()) is not None:
            self.themes = (held,)

    def things(self, phrases: Iterable[NounPhrase], fits: Callable[[str], bool] | None = None) -> tuple[str, ...]:
        """Ids of all that the phrases stand for, in order, each once."""
        found = [name for phrase in phrases for name in self.resolve(phrase, fits)]
        return tuple(dict.fromkeys(found))

    def resolve(
        self,
        phrase: NounPhrase,
        fits: Callable[[str], bool] | None = None,
        apart_from: Sequence[str] = (),
        among: Sequence[str] = (),
    ) -> tuple[str, ...]:
        """Ids of what a phrase stands for.

        Args:
            phrase: the words.
            fits: what "it", "one", "all", "any" can only mean; a phrase that is exact is not bent by it.
            apart_from: objects that it cannot be, such as the one that is put there.
            among: objects that it has to be one of, however it describes them; empty for all.

        Raises:
            CannotDo: nothing in the scene is that; lists what is.
            Unclear: several are; asks which.
        """
        names = self._resolve(phrase, fits or (lambda _: True), apart_from, among)
        self.spoken.update(names)
        return names

    def label(self, name: str) -> str:
        """The label of an object, or of the table."""
        return TABLE if name == TABLE else self._scene.objects[name].label

    def _resolve(
        self, phrase: NounPhrase, fits: Callable[[str], bool], apart_from: Sequence[str], among: Sequence[str]
    ) -> tuple[str, ...]:
        if phrase.label == TABLE:
            return (TABLE,)
        if phrase.object_id:
            return (phrase.object_id,)
        if phrase.pronoun == "others":
            others = [name for name in self._scene.objects if name not in self.spoken]
            return tuple([name for name in others if fits(name)] or others)
        if phrase.pronoun:
            return self._spoken_of(phrase, fits, apart_from)
        found = self._narrowed(phrase, among)
        if not found:
            raise CannotDo(self._wording.say("none", thing=_bare(phrase), seen=self._seen()))
        return self._counted(phrase, found, fits, apart_from)

    def _spoken_of(self, phrase: NounPhrase, fits: Callable[[str], bool], apart_from: Sequence[str]) -> tuple[str, ...]:
        for candidates in (self.themes, self.places):
            left = [name for name in candidates if name not in apart_from and fits(name)]
            if left and (len(left) == 1 or phrase.quantity == "all"):
                return tuple(left)
        question = self._wording.say("pronoun", thing=phrase.text, seen=self._seen())
        raise Unclear(question, phrase.text, tuple(self._scene.objects))

    def _narrowed(self, phrase: NounPhrase, among: Sequence[str]) -> list[SceneObject]:
        """The objects that fit the description, nearest to the robot first."""
        found = [
            item
            for item in self._scene.objects.values()
            if phrase.label in ("", item.label)
            and (not phrase.colours or item.colour in phrase.colours)
            and (not among or item.id in among)
        ]
        for relation, thing in phrase.within:
            kinds = ("in", "on") if relation in ("from", "off") else (relation,)
            places = {(kind, where) for where in self.resolve(thing) for kind in kinds}
            found = [item for item in found if any((kind, item.id, where) in self._facts for kind, where in places)]
        if phrase.other:
            spoken = self.current or self.themes
            label = phrase.label or (self.label(spoken[-1]) if spoken else "")
            found = [item for item in found if item.id not in self.spoken and label in ("", item.label)]
        for rank in phrase.ranks:
            found = self._ranked(found, rank, phrase)
        return sorted(found, key=lambda item: (item.position[0], item.id))

    def _counted(
        self, phrase: NounPhrase, found: list[SceneObject], fits: Callable[[str], bool], apart_from: Sequence[str]
    ) -> tuple[str, ...]:
        if phrase.quantity == "all":
            excluded = {name for thing in phrase.exclude for name in self.resolve(thing)} | set(apart_from)
            every = [item.id for item in found if item.id not in excluded]
            return tuple([name for name in every if fits(name)] or every)
        left = [item.id for item in found]
        if len(left) > 1:
            left = [name for name in left if name not in apart_from and fits(name)] or left
        if phrase.quantity == "both":
            if len(left) == 2:
                return tuple(left)
            raise self._unclear("two", phrase, left)
        if len(left) == 1 or phrase.quantity == "a":
            clear = [name for name in left if ("clear", name) in self._facts]
            return ((clear or left)[0],)
        if len(phrase.colours) > 1 and len(left) == len(phrase.colours):
            return tuple(left)
        raise self._unclear("which", phrase, left)

    def _ranked(self, found: list[SceneObject], rank: str, phrase: NounPhrase) -> list[SceneObject]:
        """The one that is farthest along a direction, or the biggest or smallest."""

        def score(item: SceneObject) -> float:
            if rank in AXES:
                axis, sign = AXES[rank]
                return sign * item.position[axis]
            return max(item.size) if rank == "big" else -max(item.size)

        best = sorted(found, key=score, reverse=True)
        if len(best) > 1 and score(best[0]) - score(best[1]) < CLEARLY:
            raise self._unclear("which", phrase, (best[0].id, best[1].id))
        return best[:1]

    def _seen(self) -> str:
        return self._wording.listed(self._scene.objects)

    def _unclear(self, key: str, phrase: NounPhrase, choices: Sequence[str]) -> Unclear:
        question = self._wording.say(key, thing=phrase.text, choices=self._wording.either(choices))
        return Unclear(question, phrase.text, choices)


def _bare(phrase: NounPhrase) -> str:
    """The phrase without its article: "purple block"."""
    words = phrase.text.split()
    return (
        " ".join(words[1:]) if len(words) > 1 and words[0] in ("the", "a", "an", "any", "this", "that") else phrase.text
    )
