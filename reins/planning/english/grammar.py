"""Tokens to phrases, by recursive descent: one method per rule, one token of lookahead but for lists."""

from dataclasses import replace
from typing import Final

from reins.planning.answers import CannotDo, Unclear
from reins.planning.cursor import Cursor
from reins.planning.english.lexicon import VERBS, Kind
from reins.planning.english.phrases import Clause, NounPhrase, Utterance
from reins.planning.phrasebook import Token
from reins.planning.words import listed

_NAMING: Final = (Kind.COLOUR, Kind.NOUN, Kind.PLURAL, Kind.RANK, Kind.OTHER, Kind.OBJECT)
_STARTS_THING: Final = (Kind.ARTICLE, Kind.ALL, Kind.PRONOUN, *_NAMING)
_LINKS: Final = (Kind.AND, Kind.THEN)
_END: Final = Token(Kind.THEN, "then", "the end")


def parse(tokens: list[Token]) -> Utterance:
    """Read a whole instruction.

    Raises:
        CannotDo: it is no sentence of the controlled English; names the word where it stops making sense.
        Unclear: it says what to avoid, and nothing to do.
    """
    utterance = Utterance()
    rest = []
    for token in tokens:
        if token.kind is Kind.ADVERB:
            utterance.speed = min(utterance.speed, float(token.value))
        elif token.kind is Kind.HASTE:
            utterance.notes.append(f"'{token.text}' is ignored: the robot's own limits say how fast it moves")
        else:
            rest.append(token)
    _Parser(rest, utterance).run()
    if not utterance.clauses:
        if utterance.avoid:
            raise Unclear("I will leave that alone. What shall I do?")
        raise CannotDo(f"the instruction asks for nothing; I can {listed(VERBS, 'or')}")
    return utterance


class _Parser:
    def __init__(self, tokens: list[Token], utterance: Utterance) -> None:
        self._at = Cursor(tokens, _END)
        self._said = utterance
        self._thing_at = 0  # where the thing that was read last begins

    def run(self) -> None:
        after = False
        while not self._at.is_over:
            if self._at.peek().kind in _LINKS:
                after |= self._at.take().kind is Kind.THEN
            elif self._at.peek().kind in (Kind.NOT, Kind.ALONE):
                self._constraint()
                after = False
            else:
                self._said.clauses.append(self._clause(after))
                after = False

    def _unexpected(self, wanted: str) -> CannotDo:
        last = self._at.peek(-1)
        before = "" if last is _END else f" after '{last.text}'"
        if self._at.is_over:
            return CannotDo(f"the instruction ends{before}, where I expected {wanted}")
        return CannotDo(f"I do not understand '{self._at.peek().text}'{before}; I expected {wanted}")

    def _constraint(self) -> None:
        """not TOUCH things | avoid [TOUCH] things | mind things | leave things alone"""
        start = self._at.take()
        if start.value == "alone":
            raise CannotDo(f"I do not understand '{start.text}' here")
        if start.value == "not":
            verb = self._at.take()
            if verb.kind is not Kind.TOUCH and verb.value not in ("move", "push", "take"):
                raise CannotDo(f"'{start.text} {verb.text}': of things not to do I only understand what not to touch")
        elif start.value != "mind":  # "would you mind picking up …" forbids nothing
            self._at.accept(Kind.TOUCH)
        things = self._things((Kind.AND, Kind.OR))
        if start.value == "leave" and self._at.take().value != "alone":
            raise CannotDo(f"I do not understand '{start.text}' without 'alone'")
        self._said.avoid.extend(things)

    def _clause(self, after: bool) -> Clause:
        """VERB rest | HOME | rest, which repeats the verb before"""
        token = self._at.peek()
        if token.kind is Kind.VERB:
            self._at.take()
            clause = Clause(token.value, token.text, after)
        elif token.kind is Kind.HOME:
            clause = Clause("go", "go", after)
        elif token.kind in _STARTS_THING and self._said.clauses:
            clause = self._repeated(after)
        elif token.kind in (Kind.RELATION, Kind.DIRECTION) and self._said.clauses:  # "… and then to the bowl"
            before = self._said.clauses[-1]
            clause = Clause(before.verb, before.text, after, themes=before.themes, part=before.part)
        else:
            raise self._unexpected(f"a verb ({listed(VERBS, 'or')})")
        self._rest(clause)
        return clause

    def _repeated(self, after: bool) -> Clause:
        """A clause without a verb: "… and the green one on the plate"."""
        before = self._said.clauses[-1]
        clause = Clause(before.verb, before.text, after, themes=self._things())
        if self._at.peek().kind in _LINKS or self._at.is_over:
            clause.places, clause.direction, clause.distance = before.places, before.direction, before.distance
        return clause

    def _rest(self, clause: Clause) -> None:
        """Everything after the verb, in any sensible order."""
        while not self._at.is_over:
            token = self._at.peek()
            if token.kind in _LINKS or token.kind is Kind.NOT:
                return
            if token.kind is Kind.OR:
                raise self._choice()
            if token.kind is Kind.ARTICLE and self._at.peek(1).kind in (Kind.ROBOT_PART, Kind.HOME):
                self._at.take()
            elif token.kind in (Kind.ROBOT_PART, Kind.HOME):
                clause.part = self._at.take().value
            elif token.kind in _STARTS_THING and not clause.themes and not clause.places:
                clause.themes = self._things()
            elif token.kind is Kind.RELATION:
                self._place(clause)
            elif token.kind is Kind.THERE:
                self._at.take()
                clause.places.append(("there", None))
            elif token.kind is Kind.SIDE and clause.themes:
                *others, last = clause.themes
                clause.themes = (*others, replace(last, ranks=(*last.ranks, self._at.take().value)))
            elif token.kind is Kind.DIRECTION and not clause.direction:
                clause.direction = self._at.take().value
            elif token.kind is Kind.EXCEPT and clause.themes and clause.themes[-1].quantity == "all":
                self._at.take()
                *others, last = clause.themes
                clause.themes = (*others, replace(last, exclude=(*last.exclude, *self._things())))
            elif token.kind is Kind.PARTICLE:
                clause.particle = self._at.take().value
            elif token.kind in (Kind.NUMBER, Kind.DISTANCE):
                clause.distance = self._length()
            else:
                raise self._unexpected("a place, a direction or the next thing to do")

    def _choice(self) -> Unclear:
        """The question about "this or that"."""
        start = self._thing_at
        self._at.take()
        phrase = ""
        if self._at.peek().kind in _STARTS_THING:
            self._thing()
            phrase = self._at.text(start)
        return Unclear("I do not choose between things joined by 'or'; which one do you mean?", phrase)

    def _place(self, clause: Clause) -> None:
        """RELATION thing; "by 5 cm" and "to home" are none."""
        relation = self._at.take()
        if self._at.peek().kind in (Kind.NUMBER, Kind.DISTANCE):
            clause.distance = self._length()
        elif {self._at.peek().kind, self._at.peek(1).kind} & {Kind.HOME, Kind.ROBOT_PART}:
            return
        else:
            clause.places.append((relation.value, self._thing()))

    def _length(self) -> float:
        """NUMBER UNIT | "a bit": metres."""
        token = self._at.take()
        if token.kind is Kind.DISTANCE:
            return float(token.value)
        unit = self._at.accept(Kind.UNIT)
        if unit is None:
            raise self._unexpected("a unit of length: cm, mm or m")
        return float(token.value) * float(unit.value)

    def _accept_but(self) -> bool:
        """Take a "but" that something to be left out follows."""
        follows = self._at.peek().text == "but" and self._at.peek(1).kind in _STARTS_THING
        return follows and bool(self._at.take())

    def _things(self, links: tuple[Kind, ...] = (Kind.AND,)) -> tuple[NounPhrase, ...]:
        """thing { (and | ,) thing }: the list ends where what follows is a clause of its own."""
        things = [self._thing()]
        while self._at.peek().kind in links and self._lists_on(links):
            while self._at.accept(*links):
                pass
            things.append(self._thing())
        for index in range(len(things) - 2, -1, -1):  # "the red and the blue block": both are blocks
            if things[index].colours and not things[index].label and not things[index].pronoun:
                things[index] = replace(things[index], label=things[index + 1].label)
        return tuple(things)

    def _lists_on(self, links: tuple[Kind, ...]) -> bool:
        ahead = 0
        while self._at.peek(ahead).kind in links:
            ahead += 1
        return self._at.peek(ahead).kind in _STARTS_THING

    def _thing(self) -> NounPhrase:
        """[all] [article] {colour | rank | other} [noun] {that is RELATION thing} [except things]"""
        start = self._at.index
        phrase = NounPhrase("", quantity="")
        if token := self._at.accept(Kind.PRONOUN):
            phrase = replace(phrase, pronoun=token.value, quantity="all" if token.value == "them" else "the")
        elif token := self._at.accept(Kind.OBJECT):
            phrase = replace(phrase, object_id=token.value, quantity="the")
        else:
            phrase = self._described(phrase)
        while self._at.peek().kind is Kind.THAT_IS:
            self._at.take()
            relation = self._at.accept(Kind.RELATION)
            if relation is None:
                raise self._unexpected("a relation: in, on, beside, left of …")
            phrase = replace(phrase, within=(*phrase.within, (relation.value, self._thing())))
        if phrase.quantity == "all" and (self._at.accept(Kind.EXCEPT) or self._accept_but()):
            phrase = replace(phrase, exclude=self._things())
        self._thing_at = start
        return replace(phrase, text=self._at.text(start))

    def _described(self, phrase: NounPhrase) -> NounPhrase:
        if token := self._at.accept(Kind.ALL):
            if token.value == "others":
                return replace(phrase, pronoun="others", quantity="all")
            phrase = replace(phrase, quantity="both" if token.value == "both" else "all")
            if token.value == "everything":
                return phrase
        if (token := self._at.accept(Kind.ARTICLE)) and not phrase.quantity:
            phrase = replace(phrase, quantity=token.value)
        phrase = self._adjectives(phrase)
        if token := self._at.accept(Kind.NOUN, Kind.PLURAL):
            quantity = phrase.quantity or "the"
            if token.kind is Kind.PLURAL and quantity == "the":
                quantity = "all"
            phrase = replace(phrase, label=token.value, quantity=quantity)
        elif not (phrase.colours or phrase.ranks or phrase.other):
            raise self._unexpected("the name of an object")
        return replace(phrase, quantity=phrase.quantity or "the")

    def _adjectives(self, phrase: NounPhrase) -> NounPhrase:
        while True:
            if token := self._at.accept(Kind.COLOUR):
                phrase = replace(phrase, colours=(*phrase.colours, token.value))
                self._more_colours()
            elif token := self._at.accept(Kind.RANK):
                phrase = replace(phrase, ranks=(*phrase.ranks, token.value))
            elif self._at.accept(Kind.OTHER):
                phrase = replace(phrase, other=True)
            elif self._at.peek().text in ("left", "right") and self._at.peek(1).kind in _NAMING:
                phrase = replace(phrase, ranks=(*phrase.ranks, self._at.take().value))
            else:
                return phrase

    def _more_colours(self) -> None:
        """Step over the "and" of "red and blue blocks", when another colour and a plural follow."""
        ahead = 0
        while self._at.peek(ahead).kind is Kind.AND:
            ahead += 1
        if ahead and self._at.peek(ahead).kind is Kind.COLOUR and self._colours_then_plural(ahead):
            self._at.index += ahead

    def _colours_then_plural(self, ahead: int) -> bool:
        while self._at.peek(ahead).kind in (Kind.COLOUR, Kind.AND):
            ahead += 1
        return self._at.peek(ahead).kind is Kind.PLURAL
