"""The two languages for legged robots say the same: sentences are made of their tables, in pairs that mean one task."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from walking_ground import scene

from reins.planning.answers import CannotDo, Unclear
from reins.planning.goals import Task
from reins.planning.phrasebook import LONGEST
from reins.planning.walking.chinese import CHINESE
from reins.planning.walking.english import ENGLISH
from reins.planning.walking.language import UNITS, Kind, Language
from reins.planning.walking.meaning import read
from reins.skills.legged.library import LEGGED_SKILLS

Pair = tuple[str, str]
"""What is said in English, and its twin in Chinese."""

LANGUAGES = pytest.mark.parametrize("language", [ENGLISH, CHINESE], ids=["english", "chinese"])


def synonyms(language: Language, kind: Kind, value: str) -> list[str]:
    return [phrase.replace("\\", "") for phrase in language.phrases[kind, value].split(", ")]


def meaning(text: str) -> tuple[object, ...]:
    task: Task = read(text, scene(), LEGGED_SKILLS)
    return task.stages, task.constraints


def pairs(kind: Kind, *values: str) -> st.SearchStrategy[Pair]:
    """Any phrase of one meaning with any of its twins."""
    return st.sampled_from(values).flatmap(
        lambda value: st.tuples(
            st.sampled_from(synonyms(ENGLISH, kind, value)), st.sampled_from(synonyms(CHINESE, kind, value))
        )
    )


@dataclass(frozen=True)
class Thing:
    colour: str
    label: str


THINGS = [Thing("blue", "box"), Thing("green", "box"), Thing("red", "door"), Thing("yellow", "marker")]
ATTRIBUTIVE = ["", "的", "的那个"]
MORE = ["", "距离", "的距离", "以上"]
CHINESE_DIGITS = "零一二三四五六七八九"


@st.composite
def things(draw: st.DrawFn) -> Pair:
    """A thing by colour and kind, or by its id."""
    thing = draw(st.sampled_from(THINGS))
    if draw(st.booleans()):
        return f"{thing.colour}_{thing.label}", f" {thing.colour}_{thing.label} "
    (colour, farbe), (noun, name) = draw(pairs(Kind.COLOUR, thing.colour)), draw(pairs(Kind.NOUN, thing.label))
    article = draw(st.sampled_from(["", *synonyms(CHINESE, Kind.ARTICLE, "the")]))
    return f"the {colour} {noun}", f"{article}{farbe}{draw(st.sampled_from(ATTRIBUTIVE))}{name}"


def people() -> st.SearchStrategy[Pair]:
    return st.one_of(
        pairs(Kind.PEOPLE, "person"), pairs(Kind.NOUN, "person").map(lambda pair: (f"the {pair[0]}", pair[1]))
    )


def chinese_number(value: int) -> str:
    """1 … 999 in characters."""
    hundreds, tens, ones = value // 100, value // 10 % 10, value % 10
    text = f"{CHINESE_DIGITS[hundreds]}百" if hundreds else ""
    if tens:
        text += ("" if tens == 1 and not hundreds else CHINESE_DIGITS[tens]) + "十"
    elif hundreds and ones:
        text += "零"
    return text + (CHINESE_DIGITS[ones] if ones else "")


@st.composite
def measures(draw: st.DrawFn, units: Sequence[str], most: int) -> Pair:
    """A whole number of a unit, or one and a half, in digits or in characters."""
    value = draw(st.integers(1, most))
    unit, einheit = draw(pairs(Kind.UNIT, *units))
    if draw(st.booleans()):
        return f"{value + 0.5} {unit}", f"{chinese_number(value)}{einheit}半"
    wide = str(value).translate({ord("0") + digit: ord("０") + digit for digit in range(10)})
    return f"{value} {unit}", draw(st.sampled_from([str(value), wide, chinese_number(value)])) + einheit


DIRECTIONS = ("left", "right", "forward", "back")


@st.composite
def clauses(draw: st.DrawFn) -> Pair:
    """One thing to do."""
    form = draw(st.sampled_from(["to", "past", "way", "turn", "around", "follow", "wait", "plain"]))
    go, zou = draw(pairs(Kind.VERB, "go"))
    to, dao = draw(pairs(Kind.TO, "to"))
    thing, ding = draw(things())
    if form == "to":
        dao = draw(st.sampled_from([dao, *synonyms(CHINESE, Kind.TO, "towards")]))
        return f"{go} {to} {thing}", f"{zou}{dao}{ding}"
    if form == "past":
        (around, rao), (other, anderes) = draw(pairs(Kind.AROUND, "around")), draw(things())
        comma = draw(st.sampled_from(["", "，"]))
        return f"{go} {around} {other} {to} {thing}", f"{rao}{anderes}{comma}{zou}{dao}{ding}"
    if form == "way":
        (way, fang), (far, yuan) = draw(pairs(Kind.DIRECTION, *DIRECTIONS)), draw(measures(["m", "cm"], 9))
        return f"{go} {way} {far}", draw(st.sampled_from([f"{fang}{zou}{yuan}", f"{zou}{fang}{yuan}"]))
    if form == "turn":
        (turn, zhuan), (way, fang) = draw(pairs(Kind.VERB, "turn")), draw(pairs(Kind.DIRECTION, "left", "right"))
        angle, jiao = draw(st.one_of(st.just(("", "")), measures(["deg"], 359)))
        return f"{turn} {way} {angle}", f"{fang}{zhuan}{jiao}"
    if form == "around":
        return "turn around", draw(st.sampled_from(synonyms(CHINESE, Kind.VERB, "turn around")))
    if form == "follow":
        (follow, gen), (who, shei) = draw(pairs(Kind.VERB, "follow")), draw(people())
        time, shijian = draw(measures(["s", "min"], 4))
        behind = draw(st.sampled_from(["", *synonyms(CHINESE, Kind.BEHIND, "behind")]))
        return f"{follow} {who} for {time}", f"{gen}{shei}{behind}走{shijian}"
    if form == "wait":
        (wait, deng), (time, shijian) = draw(pairs(Kind.VERB, "wait")), draw(measures(["s", "min"], 4))
        return f"{wait} for {time}", f"{deng}{shijian}"
    return draw(pairs(Kind.VERB, "look_around", "stand", "sit", "stop"))


@st.composite
def rules(draw: st.DrawFn) -> Pair:
    """Something to keep away from."""
    (keep, bao), (away, li) = draw(pairs(Kind.KEEP, "keep")), draw(pairs(Kind.AWAY, "away"))
    he, more = draw(st.sampled_from(synonyms(CHINESE, Kind.WITH, "with"))), draw(st.sampled_from(MORE))
    (who, shei), (far, yuan) = draw(people()), draw(measures(["m", "cm"], 5))
    form = draw(st.sampled_from(["keep", "with", "far", "avoid", "within"]))
    if form == "keep":
        return f"{keep} {far} {away} {who}", f"{li}{shei}{draw(st.sampled_from(['', '至少']))}{yuan}"
    if form == "with":
        return f"{keep} {far} {away} {who}", f"{he}{shei}{bao}{yuan}{more}"
    if form == "far":
        (well, yuandian) = draw(pairs(Kind.FAR, "far"))
        return f"{keep} {well} {away} {who}", f"{li}{shei}{yuandian}"
    avoid, bi = draw(pairs(Kind.AVOID, "avoid"))
    if form == "within":
        return f"{keep} {far} {away} {who}", f"{bi}{shei}{yuan}以内"
    return f"{avoid} {who}", f"{bi}{shei}"


@st.composite
def sentences(draw: st.DrawFn) -> Pair:
    """Clauses and rules, one after the other, carefully or not."""
    said = draw(st.lists(clauses(), min_size=1, max_size=3)) + draw(st.lists(rules(), max_size=1))
    links = [draw(st.one_of(pairs(Kind.LINK, "then"), pairs(Kind.JOIN, "and"))) for _ in said]
    english = " ".join(f"{link[0]} {clause[0]}" for link, clause in zip(links, said, strict=True))
    chinese = "".join(f"{link[1]}{clause[1]}" for link, clause in zip(links, said, strict=True))
    care = draw(st.one_of(st.just(("", "")), pairs(Kind.ADVERB, "0.5", "0.3")))
    please, qing = draw(st.sampled_from([("", ""), ("please", "请"), ("can you", "你能不能")]))
    return f"{please} {care[0]} {english}", f"{qing}{care[1]}{chinese}"


@settings(max_examples=200, deadline=None)
@given(pair=sentences())
def test_a_sentence_and_its_twin_mean_the_same_task(pair: Pair) -> None:
    english, chinese = pair
    assert meaning(chinese) == meaning(english)


@LANGUAGES
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_any_heap_of_words_is_understood_or_turned_down(language: Language, data: st.DataObject) -> None:
    words = st.sampled_from([*language.vocabulary, "red_door", "3", "半" if language is CHINESE else "half a"])
    text = language.joint.join(data.draw(st.lists(words, max_size=8)))
    with contextlib.suppress(CannotDo, Unclear):
        assert meaning(text)


@settings(max_examples=60, deadline=None)
@given(pair=clauses(), word=st.text("沙发窗鱼鸟云", min_size=1, max_size=3))
def test_an_unknown_word_is_named_with_what_is_known(pair: Pair, word: str) -> None:
    with pytest.raises(CannotDo) as refusal:
        meaning(f"{pair[1]}，走到{word}那里")
    assert str(refusal.value) == f"我不认识“{word}”（我看到：blue_box、green_box、red_door、yellow_marker、person）"
    with pytest.raises(CannotDo) as refusal:
        meaning(f"{pair[1]}，{word}一下")
    assert str(refusal.value).startswith(f"我不认识“{word}”（我会：走到、转、跟着")


@LANGUAGES
def test_no_phrase_means_two_things_or_is_too_long_to_be_found(language: Language) -> None:
    assert all(len(language.split(phrase)) <= LONGEST for phrase in language.vocabulary)


def test_both_languages_mean_the_same_things() -> None:
    """Chinese has some kinds of its own for its word order, and English needs two."""
    own = {
        *((Kind.VERB, "go forward"), (Kind.VERB, "go back"), (Kind.VERB, "turn around"), (Kind.AROUND, "from")),
        *((Kind.PAST, "past"), (Kind.BEHIND, "behind"), (Kind.WITH, "with"), (Kind.WITHIN, "within")),
        *((Kind.AFTER, "after"), (Kind.TO, "towards"), (Kind.AT, "at")),
    }
    shared = {meaning for meaning in ENGLISH.phrases if meaning[0] not in (Kind.NUMBER, Kind.FOR)}
    assert set(CHINESE.phrases) == shared | own
    assert {value for kind, value in shared if kind is Kind.UNIT} == set(UNITS)


def test_both_languages_answer_the_same() -> None:
    gaps = {
        key: [
            {part.partition(":")[0].partition("}")[0] for part in sentences.split("{")[1:]}
            for sentences in (ENGLISH.wording.sentences[key], CHINESE.wording.sentences[key])
        ]
        for key in ENGLISH.wording.sentences
    }
    assert ENGLISH.wording.sentences.keys() == CHINESE.wording.sentences.keys()
    assert [key for key, (english, chinese) in gaps.items() if english != chinese] == []
