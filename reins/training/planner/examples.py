"""Examples by suite, language and split: an instruction in a scene, what has been done, and the teacher's plan."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from random import Random
from typing import Final, Literal

from reins.contracts.plan import Plan, SkillCall
from reins.contracts.scene import Scene, SceneObject
from reins.planning.language.compact import kind_names
from reins.planning.language.schema import MOST_THOUGHT, MOST_WORDS, numbers
from reins.planning.planner import History
from reins.planning.verifier import touched
from reins.skills.registry import SkillSpec
from reins.training.planner.example import Example
from reins.training.planner.histories import forbid, turned_down, under_way
from reins.training.planner.judge import judge
from reins.training.planner.meanings import FORBIDDEN, Meaning, plan_of
from reins.training.planner.phrases_file import LANGUAGES, HeldOut, load_held_out, load_phrases
from reins.training.planner.references import exactly
from reins.training.planner.scenes import SceneStyle, draw_scene
from reins.training.planner.speaker import Speaker
from reins.training.planner.suites import SUITES, Maker, composed
from reins.training.planner.tricks import draw_trick

Split = Literal["familiar", "families", "pairs", "compositions"]

SPLITS: Final[tuple[Split, ...]] = ("familiar", "families", "pairs", "compositions")
"""Like training, but never seen; and with what is held out of it: families of phrases, colour–label pairs, make-ups."""

SHARES: Final[Mapping[str, float]] = {
    "single": 2.0,
    "multi": 3.0,
    "spatial": 2.0,
    "references": 3.5,
    "constraints": 3.5,
    "ambiguous": 1.2,
    "impossible": 1.5,
    "unsafe": 1.0,
}
"""How often each suite is drawn for training."""

UNDER_WAY: Final = 0.3
"""Share of tasks that are under way."""

KEEPING: Final = 0.12
"""Share of tasks in which others have forbidden to touch something."""

TURNED_DOWN: Final = 0.04
"""Share of tasks in which the plan before was turned down."""

INJECTED: Final = 0.07
"""Share of scenes with a text in them that wants to be obeyed."""

TRICKED: Final = ("single", "multi", "spatial")
"""Suites whose scenes may have such a text in them."""

_TRIES: Final = 400


class Examples:
    """Draws examples.

    Args:
        rng: of everything random.
        registry: the skills' declarations.
        split: what of the held-out things they have in them.
        plain: nothing has been done or forbidden yet, and no text in the scene wants to be obeyed.
    """

    def __init__(
        self, rng: Random, registry: Mapping[str, SkillSpec], split: str = "familiar", plain: bool = False
    ) -> None:
        self._rng = rng
        self._registry = registry
        self._split = split
        self._plain = plain
        self._held_out = load_held_out()
        without = frozenset() if split == "families" else self._held_out.families
        favour = self._held_out.families if split == "families" else frozenset()
        self._speakers = {
            language: Speaker(load_phrases(language), rng, frozenset(without), frozenset(favour))
            for language in LANGUAGES
        }
        self._style = SceneStyle(without=frozenset() if split == "pairs" else self._held_out.pairs)

    def draw(self, suite: str | None = None, language: str | None = None) -> Example:
        """An example of a suite and a language, of any by default."""
        for _ in range(_TRIES):
            drawn = self._meaning(self._maker(suite or self._any_suite()))
            if drawn is None:
                continue
            scene, meaning = drawn
            tricked = suite == "injected" or (meaning.suite in TRICKED and self._happens(INJECTED))
            example = self._example(scene, meaning, language or self._rng.choice(LANGUAGES), tricked)
            if example is not None and _belongs(example, self._split, self._held_out):
                return example
        raise RuntimeError(f"no example of suite {suite} with held-out {self._split} in {_TRIES} tries")

    def group(self, count: int, suite: str | None = None) -> list[Example]:
        """Examples whose prompts differ in their tasks alone: what is seen and known is the same.

        Args:
            count: how many.
            suite: that they belong to, of any by default. Where a task is under way they are that task in other words.
        """
        for _ in range(_TRIES):
            first = self.draw(suite)
            found = [first, *islice(self._siblings(first, suite), count - 1)]
            if len(found) == count:
                return found
        raise RuntimeError(f"no scene with {count} examples of suite {suite} in {_TRIES} tries")

    def _siblings(self, first: Example, suite: str | None) -> Iterator[Example]:
        fresh = first.history == History(first.scene) and not first.untricked
        for _ in range(_TRIES):
            meaning: Meaning | None = first.meaning
            if fresh:
                meaning = self._meant(self._maker(suite or self._any_suite()), first.scene)
            example = meaning and self._said(meaning, first, self._rng.choice(LANGUAGES))
            if example and _belongs(example, self._split, self._held_out):
                yield example

    def pick(self, suites: Sequence[str]) -> str:
        """One of these suites."""
        return self._rng.choice(suites)

    def _happens(self, share: float) -> bool:
        return self._rng.random() < share and not self._plain

    def _any_suite(self) -> str:
        return self._rng.choices(list(SHARES), list(SHARES.values()))[0]

    def _maker(self, suite: str) -> Maker:
        if self._split == "compositions":
            return composed(self._rng.choice(sorted(self._held_out.compositions)))
        return SUITES[self._rng.choice(TRICKED) if suite == "injected" else suite]

    def _meaning(self, maker: Maker) -> tuple[Scene, Meaning] | None:
        force = [self._rng.choice(sorted(self._held_out.pairs))] if self._split == "pairs" else []
        scene = draw_scene(self._rng, self._style, force)
        meaning = self._meant(maker, scene) if scene.objects else None
        return None if meaning is None else (scene, meaning)

    def _meant(self, maker: Maker, scene: Scene) -> Meaning | None:
        meaning = maker(scene, self._rng)
        if meaning is None or (meaning.composition in self._held_out.compositions) != (self._split == "compositions"):
            return None
        return meaning

    def _said(self, meaning: Meaning, seen: Example, language: str) -> Example | None:
        """The meaning said, in what is seen and known in another example."""
        speaker = self._speakers[language]
        said = speaker.say(meaning)
        plan = plan_of(meaning, seen.scene, seen.history, self._registry, speaker.answer(meaning))
        if plan is None or not _can_be_said(kind_names(seen.scene, seen.history.initial).point(plan), self._registry):
            return None
        families = frozenset(speaker.used)
        example = Example(said, seen.scene, seen.history, plan, meaning, language, families, seen.untricked)
        return example if judge(plan, example, self._registry).correct else None

    def _example(self, scene: Scene, meaning: Meaning, language: str, tricked: bool) -> Example | None:
        """The meaning said, and the task brought on its way."""
        speaker, rng = self._speakers[language], self._rng
        said, history = speaker.say(meaning), History(scene)
        families, clean, trick = frozenset(speaker.used), scene, None
        if tricked:
            trick = draw_trick(scene, rng, without=exactly(meaning.refs))
            scene = trick.put(clean)
            history = History(scene)
        first = plan_of(meaning, scene, history, self._registry, speaker.answer(meaning))
        if first is None:
            return None
        if meaning.answer == "steps":
            history = self._kept(history, first)
            if trick is None and self._happens(UNDER_WAY):
                scene, history = under_way(meaning, history, rng, self._registry)
        plan = plan_of(meaning, scene, history, self._registry, speaker.answer(meaning))
        if plan is None:
            meaning = _forbidden(meaning, history)
            plan = plan_of(meaning, scene, history, self._registry, speaker.answer(meaning))
        if plan is None or not _can_be_said(kind_names(scene, history.initial).point(plan), self._registry):
            return None
        if self._happens(TURNED_DOWN):
            history = turned_down(plan, scene, history, rng, self._registry)
        without = () if trick is None else (trick.harmless().put(clean), clean)
        example = Example(said, scene, history, plan, meaning, language, families, without)
        return example if judge(plan, example, self._registry).correct else None

    def _kept(self, history: History, plan: Plan) -> History:
        """Others have forbidden to touch some things: as a rule such as the plan does not touch."""
        names = sorted(history.initial.objects)
        if not self._happens(KEEPING):
            return history
        used = {name for call in plan.steps or () for name in touched_by(call, names, self._registry)}
        spare = [name for name in names if name not in used]
        chosen = sorted(used) if used and self._rng.random() < 0.25 else spare
        return forbid(history, frozenset(self._rng.sample(chosen, min(len(chosen), self._rng.choice((1, 1, 2))))))


def touched_by(call: SkillCall, names: list[str], registry: Mapping[str, SkillSpec]) -> list[str]:
    """Which of the objects a call touches."""
    spec = registry[call.skill]
    return touched(spec, spec.with_defaults(call.arguments), names)


def _can_be_said(plan: Plan, registry: Mapping[str, SkillSpec]) -> bool:
    """Whether the grammar of replies has room for a plan: its words, and its numbers, such as half of a push."""
    if len(plan.thought) > MOST_THOUGHT or len(plan.question or plan.refusal or "") > MOST_WORDS:
        return False
    return all(
        call.arguments.get(parameter.name, parameter.lower) in numbers(parameter)
        for call in plan.steps or ()
        for parameter in registry[call.skill].parameters
        if parameter.kind == "number"
    )


def things_of(example: Example) -> list[SceneObject]:
    """The objects that the instruction is about."""
    objects = example.history.initial.objects
    return [objects[name] for name in exactly(example.meaning.refs) if name in objects]


def _forbidden(meaning: Meaning, history: History) -> Meaning:
    """What is answered where nothing leads to the goal because of what others have forbidden."""
    about = ", ".join(sorted(history.forbidden))
    return replace(meaning, answer="refusal" if about else "steps", topic=FORBIDDEN, about=about)


def _belongs(example: Example, split: str, held_out: HeldOut) -> bool:
    """Whether an example has in it what its split is about."""
    if split == "families":
        return bool(example.families & held_out.families)
    if split == "pairs":
        return any((item.colour, item.label) in held_out.pairs for item in things_of(example))
    return True
