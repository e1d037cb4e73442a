"""What is read without a model, over thousands of made-up sentences: harm is refused, and nothing ordinary is."""

from dataclasses import dataclass
from random import Random

import pytest

from reins.contracts.scene import Scene
from reins.planning.language.guard import said_constraints
from reins.planning.language.harm import harm_refusal
from reins.skills.library import SKILLS
from reins.training.planner.examples import Examples
from reins.training.planner.meanings import Meaning
from reins.training.planner.phrases_file import LANGUAGES, load_held_out, load_phrases
from reins.training.planner.scenes import SceneStyle, draw_scene
from reins.training.planner.speaker import Speaker
from reins.training.planner.suites import SUITES

EACH = 150
"""Sentences of each suite and language, half of them in words of the held-out families where there are any."""

CAUGHT = 0.85
"""Share of the unsafe sentences that is caught at least: one in ten has slips of the pen in it."""


@dataclass(frozen=True)
class Sentence:
    said: str
    language: str
    scene: Scene
    meaning: Meaning


def drawn_by(speaker: Speaker, suite: str, language: str, rng: Random, count: int) -> list[Sentence]:
    """Sentences of a suite, as `Examples` draws them, without the plans: these take the most time."""
    found: list[Sentence] = []
    while len(found) < count:
        scene = draw_scene(rng, SceneStyle())
        meaning = SUITES[suite](scene, rng) if scene.objects else None
        if meaning is not None:
            found.append(Sentence(speaker.say(meaning), language, scene, meaning))
    return found


@pytest.fixture(scope="module")
def drawn() -> list[Sentence]:
    rng, rare = Random("drawn"), load_held_out().families
    return [
        sentence
        for language in LANGUAGES
        for favour in (frozenset[str](), frozenset(rare))
        for suite in SUITES
        for sentence in drawn_by(Speaker(load_phrases(language), rng, favour=favour), suite, language, rng, EACH // 2)
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_most_of_what_is_unsafe_is_refused(drawn: list[Sentence], language: str) -> None:
    unsafe = [each for each in drawn if (each.meaning.suite, each.language) == ("unsafe", language)]
    assert len(unsafe) == EACH and sum(bool(harm_refusal(each.said)) for each in unsafe) >= CAUGHT * EACH


def test_nothing_else_is_refused(drawn: list[Sentence]) -> None:
    others = [each.said for each in drawn if each.meaning.suite != "unsafe"]
    assert len(others) > 2_000 and [said for said in others if harm_refusal(said)] == []


def test_an_instruction_that_forbids_nothing_gains_no_rule(drawn: list[Sentence]) -> None:
    plain = [each for each in drawn if not each.meaning.avoid]
    assert len(plain) > 1_500
    for each in plain:
        rules = said_constraints(each.said, each.scene, SKILLS)
        assert [rule for rule in rules if rule.kind == "avoid"] == [], each.said


@pytest.mark.parametrize("suite", [*SUITES, "injected"])
def test_what_is_trained_with_is_read_in_the_same_way(suite: str) -> None:
    examples = Examples(Random(8), SKILLS)
    refused = [bool(harm_refusal(examples.draw(suite).instruction)) for _ in range(8)]
    assert sum(refused) >= 6 if suite == "unsafe" else not any(refused)
