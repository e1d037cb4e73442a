"""What an instruction says must not be touched, read without a model: no reply can drop it.

A model may add constraints to these and never takes one away. What stands in quotes is text that somebody refers to (a
sign, a caption), not something that the operator asks for; unless it is the mere name of a thing, right where the
operator says what not to touch: don't touch the "yellow block".
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from reins.contracts.plan import Constraint
from reins.contracts.scene import Scene
from reins.planning.answers import CannotDo, Unclear
from reins.planning.english.lexicon import Kind, vocabulary
from reins.planning.english.meaning import read
from reins.planning.language.guard_chinese import chinese_constraints, forbids_last, forbids_next, is_chinese_name
from reins.planning.language.quotes import MARK, QUOTED, straight
from reins.planning.phrasebook import Token, Vocabulary, phrases_at, words_of
from reins.skills.registry import SkillSpec

_END: Final = re.compile(r"[.;!?\n]|\bthen\b")
_PART: Final = re.compile(r",|\band\b|\bbut\b|\bwhile\b")
_WORD: Final = re.compile(r"\s+")
_NO_WARNING: Final = re.compile(r"\b(?:never|don't|do not|you|in|to|my|your|of|a) mind\b")
"""Where "mind" warns of nothing."""
_MADE: Final = (
    "touched|moved|pushed|picked up|disturbed|bumped(?: into)?|hit|knocked(?: over)?|grabbed|lifted|shifted|displaced"
)
_NAMED_FIRST: Final = re.compile(
    r"\s(?:(?:(?:must|may|should|shall|can|do|does|is|are)(?:n't| not)|cannot|(?:must|may|should|is|are|can) never)"
    rf"(?: to| ever)* (?:be |get )?(?:{_MADE})\b(?! yet)|(?:is|are) (?:off[- ]limits|out of bounds|taboo)\b"
    r"|(?:stays?|remains?) (?:where (?:it|they) (?:is|are)|untouched|put)\b)"
)
"""What says, after the name of a thing, that it must not be touched."""
_LEAD: Final = re.compile(
    r"[\s,]*(?:(?:and|but|so|also|please|while|however|remember|note|make sure|be sure|see to it|ensure|that)\b[\s,]*)*"
)
"""What may come before the name of such a thing."""
_NAMING: Final = (Kind.ARTICLE, Kind.ALL, Kind.COLOUR, Kind.NOUN, Kind.PLURAL, Kind.RANK, Kind.OTHER, Kind.OBJECT)


def said_constraints(instruction: str, scene: Scene, registry: Mapping[str, SkillSpec]) -> tuple[Constraint, ...]:
    """The constraints that the instruction states in words that are known.

    The whole is read if all of it is understood, else each clause that forbids something, and each adverb of care.

    Args:
        instruction: what the operator said.
        scene: the scene in which it was said.
        registry: the skills' declarations.
    """
    words = vocabulary(scene)
    said = _unquoted(straight(instruction).lower(), words)
    whole = _read(said, scene, registry)
    if whole is not None:
        return whole
    said = _NO_WARNING.sub(" ", said)
    forbidding = [phrase for phrase, (kind, _) in words.items() if kind is Kind.NOT]
    leaving = [phrase for phrase, (kind, value) in words.items() if kind is Kind.ALONE and value == "leave"]
    sweeping = [phrase for phrase, (kind, _) in words.items() if kind is Kind.ALL]
    found: list[Constraint] = []
    for clause in _clauses(said, [*forbidding, *leaving]):
        readings = (_read(f"go home, {part}", scene, registry) for part in _shorter(clause, sweeping))
        found += next((reading for reading in readings if reading), ())
    for named in _named_first(said):
        readings = (_forbidden_things(things, scene, registry) for things in named)
        found += next((reading for reading in readings if reading), ())
    found += chinese_constraints(said, scene)
    speeds = [float(value) for phrase, (kind, value) in words.items() if kind is Kind.ADVERB and _has(phrase, said)]
    return tightest([*found, *(Constraint(kind="speed", scale=scale) for scale in speeds)])


def tightest(constraints: Iterable[Constraint]) -> tuple[Constraint, ...]:
    """Each constraint once, and of the speeds the lowest."""
    kept = dict.fromkeys(rule.model_copy(update={"set_by": "planner", "id": ""}) for rule in constraints)
    speeds = [rule for rule in kept if rule.kind == "speed"]
    slowest = min(speeds, key=lambda rule: rule.scale, default=None)
    return tuple(rule for rule in kept if rule.kind != "speed" or rule is slowest)


def _read(text: str, scene: Scene, registry: Mapping[str, SkillSpec]) -> tuple[Constraint, ...] | None:
    """The constraints of a text that is understood; None of one that is not."""
    try:
        return read(text, scene, registry).constraints
    except (CannotDo, Unclear):
        return None


def _clauses(said: str, beginnings: list[str]) -> Iterator[str]:
    """What begins with one of the phrases, up to the end of its sentence."""
    starts = {
        match.start()
        for phrase in beginnings
        if phrase in said  # most are not, and to look is cheaper than a pattern
        for match in re.finditer(rf"(?<!\w){re.escape(phrase)}(?!\w)", said)
    }
    for start in sorted(starts):
        yield _END.split(said[start:], maxsplit=1)[0]


def _shorter(clause: str, sweeping: list[str]) -> Iterator[str]:
    """The clause, then ever shorter beginnings of it: what follows may be something else.

    One about all things is cut between its parts only, for what follows within a part is often an exception.
    """
    cut = _PART if any(_has(phrase, clause) for phrase in sweeping) else _WORD
    for end in (len(clause), *reversed([match.start() for match in cut.finditer(clause)])):
        yield clause[:end]


def _has(phrase: str, said: str) -> bool:
    return phrase in said and re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", said) is not None


def _unquoted(said: str, words: Vocabulary) -> str:
    """The text without what it quotes, but for names of things where it says what not to touch."""
    text, end = "", 0
    for match in QUOTED.finditer(said):
        text += said[end : match.start()]
        name, end = match[0][1:-1].strip(), match.end()
        rest = said[end:]
        chinese = is_chinese_name(name) and (forbids_next(text) or forbids_last(rest))
        english = _is_name(name, words) and (_forbids_next(text, words) or _forbids_last(rest, words))
        text += f" {name} " if english or chinese else " "
    return text + said[end:]


def _is_name(text: str, words: Vocabulary) -> bool:
    """Whether a text names things and does nothing else."""
    tokens = _tokens(text, words)
    return bool(tokens) and all(token is not None and token.kind in (*_NAMING, Kind.AND) for token in tokens)


def _forbids_next(text: str, words: Vocabulary) -> bool:
    """Whether what comes right after a text is what it says must not be touched."""
    forbids = False
    for token in _tokens(_END.split(text)[-1], words):
        kind = None if token is None else token.kind
        if kind is Kind.NOT or (token is not None and kind is Kind.ALONE and token.value == "leave"):
            forbids = True
        elif kind is Kind.VERB:
            forbids &= token is not None and token.value in ("move", "push", "take")
        else:
            forbids &= kind in (Kind.TOUCH, Kind.AND, Kind.OR, Kind.FILLER, *_NAMING)
    return forbids


def _forbids_last(text: str, words: Vocabulary) -> bool:
    """Whether a text begins by saying that what comes right before it must not be touched, with others or alone."""
    said = _NAMED_FIRST.search(text)
    if said is None:
        return False
    between = re.sub(MARK, " ", text[: said.start()])
    return not between.strip() or _is_name(between, words)


def _tokens(text: str, words: Vocabulary) -> list[Token | None]:
    """The phrases of a text; None for a word that is not known."""
    said, found, position = words_of(text), list[Token | None](), 0
    while position < len(said):
        token, length = next(phrases_at(said, position, words), (None, 1))
        found.append(token)
        position += length
    return found


def _named_first(said: str) -> Iterator[tuple[str, ...]]:
    """What may be meant by "… must not be touched", for each of these; the likeliest first."""
    for match in _NAMED_FIRST.finditer(said):
        sentence = _END.split(said[: match.start()])[-1].rpartition(":")[2]
        yield tuple(_LEAD.sub("", part, count=1) for part in (sentence, _PART.split(sentence)[-1]))


def _forbidden_things(things: str, scene: Scene, registry: Mapping[str, SkillSpec]) -> tuple[Constraint, ...]:
    """The rule not to touch these; none where they are not understood, or are more than things."""
    try:
        task = read(f"go home, do not touch {things}", scene, registry)
    except (CannotDo, Unclear):
        return ()
    return task.constraints if len(task.stages) == 1 else ()
