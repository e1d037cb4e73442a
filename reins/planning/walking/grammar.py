"""Tokens to clauses, by recursive descent: what belongs to a verb may stand in any order.

One grammar for every language; a `Language` says what may stand before its verb, which English allows of nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from reins.contracts.scene import PERSON
from reins.planning.answers import CannotDo
from reins.planning.cursor import Cursor
from reins.planning.english.phrases import NounPhrase
from reins.planning.phrasebook import Token
from reins.planning.walking.language import AMOUNT, MEASURES, NAMING, PARTS, UNITS, Kind, Language


@dataclass(slots=True)
class Clause:
    """One thing to do.

    Attributes:
        verb: one of PARTS.
        text: the verb as written.
        past: what is walked round.
        thing: what is walked to, or followed.
        direction: left, right, forward, back, around, or "".
        measure: how far or how long [m], [rad], [s] …
        quantity: … which of these: a length, an angle or a time.
    """

    verb: str = ""
    text: str = ""
    past: list[NounPhrase] = field(default_factory=list)
    thing: NounPhrase | None = None
    direction: str = ""
    measure: float | None = None
    quantity: str = ""


@dataclass(slots=True)
class Rule:
    """What to keep away from, and how far [m]; 0 if nobody says."""

    things: list[NounPhrase] = field(default_factory=list)
    distance: float = 0.0


class Parser:
    """Reads one instruction, with a token or two of lookahead.

    Args:
        tokens: of the instruction.
        language: that it is in.
        seen: ids of what there is, for answers.

    Attributes:
        said: clauses and rules, in order.
        speed: share of full speed.
    """

    def __init__(self, tokens: Sequence[Token], language: Language, seen: Sequence[str]) -> None:
        self._language, self._wording, self._seen = language, language.wording, seen
        self._rule_starts = {Kind.KEEP, Kind.AVOID} | (language.leading & {Kind.AWAY, Kind.WITH})
        end = Token(Kind.LINK, "then", self._wording.say("end"))
        self._at = Cursor([token for token in tokens if token.kind is not Kind.ADVERB], end)
        self.said: list[Clause | Rule] = []
        self.speed = min((float(token.value) for token in tokens if token.kind is Kind.ADVERB), default=1.0)

    def run(self) -> None:
        """Read all of it.

        Raises:
            CannotDo: it is no sentence of the language; names the word where it stops making sense.
        """
        while not self._at.is_over:
            kind = self._at.peek().kind
            if kind in (Kind.LINK, Kind.JOIN) or self._is_after():
                self._at.take()
            elif kind in self._rule_starts:
                self.said.append(self._rule())
            elif kind is Kind.VERB or kind in self._language.leading or (kind is Kind.TO and self._goes_on()):
                self.said.append(self._clause())
            elif kind is Kind.NOT:
                raise CannotDo(self._wording.say("not", word=self._at.peek().text))
            else:
                raise self._unexpected(self._at.peek(), "verb")

    def _unexpected(self, token: Token, wanted: str) -> CannotDo:
        """What is said of a token; `wanted` is the key of what was expected."""
        verbs, seen = self._wording.either(self._language.verbs), self._wording.listed(self._seen)
        expected = self._wording.say(wanted, verbs=verbs, seen=seen)
        return CannotDo(self._wording.say("unexpected", word=token.text, wanted=expected))

    def _goes_on(self) -> bool:
        """Whether what was said last is a walk to something, which "… and then to the box" goes on."""
        last = self.said[-1] if self.said else None
        return isinstance(last, Clause) and last.verb == "go" and last.thing is not None

    def _is_after(self) -> bool:
        """Whether this is the 后 of "after"; where it can be "behind" as well, it is neither."""
        if self._at.peek().kind is not Kind.AFTER:
            return False
        return self._at.peek(-1).kind not in NAMING or self._at.peek(1).kind not in (Kind.LINK, Kind.JOIN)

    def _names_thing(self, ahead: int = 0) -> bool:
        token = self._at.peek(ahead)
        return token.kind in NAMING or (token.text in ("a", "an") and self._at.peek(ahead + 1).kind in NAMING)

    def _clause(self) -> Clause:
        """{part} VERB {part}; without a verb it is one of walking, or of turning by an angle."""
        clause = Clause()
        if self._at.peek().kind is Kind.TO and Kind.TO not in self._language.leading:
            clause.verb, clause.text = "go", self._language.walk
        parts: list[Token] = []
        while not self._at.is_over:
            token = self._at.peek()
            if token.kind is Kind.VERB:
                if not clause.verb and not self._is_there_first(clause, parts):
                    self._verb(clause)
                elif self._is_idle(clause):
                    self._at.take()
                else:
                    break
            elif self._belongs(clause):
                parts.append(token)
                self._part(clause)
            else:
                break
        self._settle(clause, parts)
        return clause

    def _is_there_first(self, clause: Clause, parts: Sequence[Token]) -> bool:
        """Whether what was said is a walk of its own before the verb that comes: "to the door sit down"."""
        takes_place = Kind.TO in PARTS[self._at.peek().value.partition(" ")[0]]
        return clause.thing is not None and not takes_place and any(token.value == "to" for token in parts)

    def _verb(self, clause: Clause) -> None:
        token = self._at.take()
        clause.verb, _, direction = token.value.partition(" ")
        if direction and clause.direction not in ("", direction):
            raise self._unexpected(token, "verb")
        clause.text, clause.direction = token.text, direction or clause.direction

    def _is_idle(self, clause: Clause) -> bool:
        """Whether a second verb says nothing new: "follow them walking", "to the door going"."""
        if self._at.peek().text not in self._language.idle:
            return False
        more = (Kind.AROUND, Kind.TO, Kind.DIRECTION, *AMOUNT)
        goes = clause.verb == "go" and bool(clause.thing or clause.direction)
        return clause.verb == "follow" or (goes and not self._names_thing(1) and self._at.peek(1).kind not in more)

    def _belongs(self, clause: Clause) -> bool:
        """Whether the next token begins a part of the clause."""
        token, leading = self._at.peek(), self._language.leading
        kind, names = token.kind, self._names_thing()
        if clause.thing is not None and (kind is Kind.TO or names):
            return False
        if kind in AMOUNT and clause.measure is not None and not names:
            return False
        if kind is Kind.DIRECTION and clause.verb != "turn" and clause.direction not in ("", token.value):
            return False
        if not clause.verb:
            return kind in leading or (kind in AMOUNT and bool(clause.direction))
        if kind is Kind.AROUND and clause.verb == "turn":
            return not self._names_thing(1)
        if kind is Kind.DIRECTION and kind in leading and self._at.peek(1).kind is Kind.VERB:
            return False  # it is of the verb that comes
        return kind in PARTS[clause.verb] or (names and Kind.NOUN in PARTS[clause.verb])

    def _part(self, clause: Clause) -> None:
        """One part; {AROUND things | [TO] thing | DIRECTION | BEHIND | [FOR] measure}."""
        if around := self._at.accept(Kind.AROUND):
            if clause.verb == "turn":  # "around", and the "by" of "by 45 degrees"
                clause.direction = clause.direction or "around"
            else:
                clause.past += self._things()
                if not self._at.accept(Kind.PAST) and around.value == "from":
                    raise self._unexpected(around, "verb")
        elif self._at.accept(Kind.TO) or self._names_thing():
            clause.thing = self._thing()
        elif token := self._at.accept(Kind.DIRECTION):
            clause.direction = token.value
        elif not self._at.accept(Kind.BEHIND):
            self._at.accept(Kind.FOR)
            clause.measure, clause.quantity = self._measure(MEASURES.get(clause.verb, ""))

    def _settle(self, clause: Clause, parts: Sequence[Token]) -> None:
        """Refuse what does not go together with the verb; to stop something is not to do it."""
        if clause.verb == "stop" and self._at.peek().kind not in (Kind.LINK, Kind.JOIN, Kind.AFTER):
            raise self._unexpected(self._at.peek(), "link")
        if not clause.verb:
            if not (clause.past or clause.thing or clause.measure is not None):
                raise self._unexpected(self._at.peek(), "verb")
            clause.verb, clause.text = "turn" if clause.quantity == "angle" else "go", self._language.walk
        for token in parts:
            is_past = token.kind is Kind.AROUND and bool(clause.past)
            if token.kind not in PARTS[clause.verb] or (is_past and clause.verb != "go"):
                raise self._unexpected(token, "verb")
            if token.kind in AMOUNT and clause.quantity not in ("", MEASURES[clause.verb]):
                raise self._unexpected(token, MEASURES[clause.verb])

    def _rule(self) -> Rule:
        """AVOID things [measure] | { KEEP | measure | AWAY things }, in any order"""
        rule = Rule()
        if self._at.accept(Kind.AVOID):
            rule.things = self._things()
            self._at.accept(Kind.WITHIN)
            if self._at.peek().kind in AMOUNT:
                rule.distance, _ = self._measure("length")
                self._at.accept(Kind.WITHIN)
            return rule
        says_how_far = False
        while True:
            if self._at.peek().kind in AMOUNT:
                rule.distance, _ = self._measure("length")
                says_how_far = True
            elif self._at.accept(Kind.FAR):
                says_how_far = True
            elif self._at.accept(Kind.AWAY, Kind.WITH):
                if self._names_thing() or not self._language.leading:  # else it is the noun of "a distance of"
                    rule.things += self._things()
            elif not self._at.accept(Kind.KEEP):
                break
        if not says_how_far:
            raise self._unexpected(self._at.peek(), "length")
        if not rule.things:
            raise self._unexpected(self._at.peek(), "away")
        return rule

    def _measure(self, quantity: str) -> tuple[float, str]:
        """(NUMBER | HALF) UNIT [HALF | tenths], in SI units, and what is measured; "" takes any quantity."""
        number = self._at.take()
        wanted = quantity or "length"
        if number.kind not in AMOUNT:
            raise self._unexpected(number, wanted)
        unit = self._at.accept(Kind.UNIT)
        measured, scale = UNITS[unit.value] if unit else ("", 0.0)
        if unit is None or (quantity and measured != quantity):
            raise self._unexpected(unit or self._at.peek(), wanted)
        amount = float(number.value)
        if half := self._at.accept(Kind.HALF):
            amount += float(half.value)
        elif unit.value in self._language.tenths and self._is_tenth():
            amount += 0.1 * float(self._at.take().value)
        return round(amount * scale, 6), measured

    def _is_tenth(self) -> bool:
        """Whether a lone digit follows, as in 一米五, which is 1.5 m."""
        token = self._at.peek()
        is_digit = token.kind is Kind.NUMBER and float(token.value) in range(1, 10)
        return is_digit and self._at.peek(1).kind is not Kind.UNIT

    def _things(self) -> list[NounPhrase]:
        """thing { (JOIN {JOIN} | WITH) thing }"""
        things = [self._thing()]
        while True:
            ahead = int(self._at.peek().kind is Kind.WITH)
            while self._at.peek(ahead).kind is Kind.JOIN:
                ahead += 1
            if not ahead or not self._names_thing(ahead):
                return things
            self._at.index += ahead
            things.append(self._thing())

    def _thing(self) -> NounPhrase:
        """[article | all] {colour} noun [AT] | people | it | an id"""
        start, quantity = self._at.index, "the"
        colours: list[str] = []
        if self._at.accept(Kind.PRONOUN):
            return NounPhrase(self._text(start), pronoun="it")
        while token := self._at.accept(Kind.ARTICLE, Kind.ALL):
            quantity = token.value
        if self._at.peek().text in ("a", "an"):
            self._at.take()
            quantity = "a"
        if token := self._at.accept(Kind.OBJECT):
            return NounPhrase(token.text, object_id=token.value)
        while token := self._at.accept(Kind.COLOUR):
            colours.append(token.value)
        if self._at.accept(Kind.PEOPLE):
            return NounPhrase(self._text(start), label=PERSON, colours=tuple(colours), quantity="all")
        noun = self._at.accept(Kind.NOUN)
        if noun is None and not colours:
            raise self._unexpected(self._at.peek(), "name")
        label = noun.value if noun else ""
        self._at.accept(Kind.AT)
        return NounPhrase(self._text(start), label=label, colours=tuple(colours), quantity=quantity)

    def _text(self, start: int) -> str:
        return self._at.text(start, self._language.joint)
