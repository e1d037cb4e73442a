"""Phrases: both languages say the same things, and what is held out leaves enough to learn from."""

import re
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.contracts.errors import ReinsError
from reins.training.planner.phrases_file import LANGUAGES, SHELF, Phrases, load_held_out, load_phrases
from reins.training.planner.slips import slip, tidy
from reins.training.planner.wording import spoken


def test_both_languages_say_the_same_kinds_of_things() -> None:
    en, zh = (load_phrases(language) for language in LANGUAGES)
    for section in ("nouns", "acts", "paces", "conditions", "answers", "colours", "relations", "directions"):
        assert set(getattr(en, section)) == set(getattr(zh, section)), section


@pytest.mark.parametrize("language", LANGUAGES)
def test_held_out_families_leave_others_to_learn_from(language: str) -> None:
    held_out = load_held_out().families
    groups: dict[str, list[str]] = {}
    for name in load_phrases(language).families():
        groups.setdefault(name.rpartition(".")[0], []).append(name)
    for group, names in groups.items():
        assert set(names) - held_out, group


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_new_in_a_held_out_family_is_no_word_of_it(language: str) -> None:
    phrases, held_out = load_phrases(language), load_held_out().families
    known, words = set[str](), dict[str, set[str]]()
    for name in phrases.families():
        said = words_of(phrases, name)
        if name in held_out:
            words[name] = said
        else:
            known |= said
    for section in (phrases.labels, phrases.relations, phrases.directions, phrases.ranks, phrases.rank_words):
        known |= {word for phrase in section.values() for word in split(phrase, language)}
    assert len(words) > 20
    assert {name: said - known for name, said in words.items() if said - known} == {}


def words_of(phrases: Phrases, family: str) -> set[str]:
    """The words of a family, in Chinese the characters."""
    entry: Any = phrases
    for part in family.split(".")[1:]:
        entry = entry[part] if isinstance(entry, dict) else getattr(entry, part)
    return split(entry, phrases.language)


def split(phrase: str | list[str], language: str) -> set[str]:
    text = re.sub(r"<[^<>]*>", " ", " ".join([phrase] if isinstance(phrase, str) else phrase)).lower()
    return set(re.findall("[\u4e00-\u9fff]" if language == "zh" else "'?[a-z]+", text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_tenth_of_the_families_or_more_is_held_out(language: str) -> None:
    families = load_phrases(language).families()
    assert len(load_held_out().families & set(families)) >= len(families) / 10


def test_a_choice_is_made_and_names_are_filled_in() -> None:
    said = {spoken("{put|set} <theme> [down] on <place>", Random(i), {"theme": "{x}", "place": "y"}) for i in range(40)}
    assert said == {f"{verb} {{x}}{down} on y" for verb in ("put", "set") for down in ("  ", " down ")} or {
        " ".join(one.split()) for one in said
    } == {"put {x} on y", "put {x} down on y", "set {x} on y", "set {x} down on y"}


def test_what_is_optional_is_said_exactly_when_it_has_a_value() -> None:
    assert spoken("the [<colour>] block", Random(1), {"colour": "red"}) == "the red block"
    assert " ".join(spoken("the [<colour>] block", Random(1), {"colour": ""}).split()) == "the block"


def test_choices_may_stand_in_choices() -> None:
    assert {spoken("{a {b|c}|d}", Random(i), {}) for i in range(40)} == {"a b", "a c", "d"}


def test_a_name_without_a_value_is_an_error() -> None:
    with pytest.raises(KeyError):
        spoken("<nothing>", Random(1), {})


def test_an_unknown_section_is_an_error_that_names_it(tmp_path: object) -> None:
    with pytest.raises(ReinsError, match="klingon"):
        SHELF.load("klingon", Phrases)


@given(st.integers(0, 10_000))
def test_slips_leave_names_and_numbers_alone(seed: int) -> None:
    text = slip("put red_block_2 beside the yellow bowl 12 cm away", Random(seed), chinese=False)
    assert "red_block_2" in text and "12 cm" in text


@given(st.integers(0, 10_000))
def test_slips_change_a_little(seed: int) -> None:
    before = "please put the yellow block carefully beside the purple bowl"
    after = slip(before, Random(seed), chinese=False)
    assert abs(len(after) - len(before)) <= 2


def test_articles_fit_their_words() -> None:
    assert tidy("take a orange block", Random(7), chinese=False).lower().startswith("take an orange block")


@pytest.mark.parametrize("end", ["?", "？"])
def test_a_question_ends_as_one(end: str) -> None:
    chinese = end == "？"
    said = {tidy("can you 放" if chinese else "can you go home", Random(i), chinese, asked=True)[-1] for i in range(60)}
    assert end in said and not {".", "!", "。", "！"} & said
