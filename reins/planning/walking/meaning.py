"""Instructions to a legged robot to stages of a task: one skill after the other, and what to keep away from."""

import math
from collections.abc import Mapping
from typing import Final

from reins.contracts.errors import ReinsError
from reins.contracts.plan import ArgumentValue, Constraint, SkillCall
from reins.contracts.scene import PERSON, Scene
from reins.planning.answers import CannotDo, Unclear
from reins.planning.english.phrases import NounPhrase
from reins.planning.english.reference import Referents
from reins.planning.goals import Stage, Task
from reins.planning.walking.lexicon import VERBS, Kind, Token, tokenise
from reins.planning.words import call_text, listed
from reins.skills.registry import SkillSpec

STEP: Final = 1.0
"""How far a robot walks in a direction when nobody says [m]."""

QUARTER: Final = 0.5 * math.pi
"""How far it turns when nobody says [rad]."""

_SCALES: Final = {"m": 1.0, "cm": 0.01, "s": 1.0, "min": 60.0, "deg": math.pi / 180.0}
_QUANTITIES: Final = {
    "a length (metres or centimetres)": ("m", "cm"),
    "a time (seconds or minutes)": ("s", "min"),
    "an angle (degrees)": ("deg",),
}
LENGTH, TIME, ANGLE = _QUANTITIES
_AHEAD: Final = {"forward": (1.0, 0.0), "back": (-1.0, 0.0), "left": (0.0, 1.0), "right": (0.0, -1.0)}
_NAMING: Final = (Kind.ARTICLE, Kind.ALL, Kind.COLOUR, Kind.NOUN, Kind.PEOPLE, Kind.PRONOUN, Kind.OBJECT)
_END: Final = Token(Kind.LINK, "then", "the end")


def read(instruction: str, scene: Scene, registry: Mapping[str, SkillSpec]) -> Task:
    """Understand an instruction.

    Args:
        instruction: controlled English.
        scene: the scene in which it was given.
        registry: the skills' declarations.

    Raises:
        CannotDo: a word, an object or a number that does not exist or does not fit; says what does.
        Unclear: it can mean several things, or leaves something open; asks.
    """
    reader = _Reader(tokenise(instruction, scene), scene, registry)
    reader.run()
    if not reader.calls:
        if reader.rules:
            raise Unclear("I will keep away from that. What shall I do?")
        raise CannotDo(f"the instruction asks for nothing; I can {listed(VERBS, 'or')}")
    for call in reader.calls:
        if call.arguments.get("object") in reader.rules:
            raise CannotDo(f"I cannot go to {call.arguments['object']} and keep away from it")
    rules = [Constraint(kind="avoid", object=name, distance=far) for name, far in reader.rules.items()]
    summary = f"wanted: {', then '.join(map(call_text, reader.calls))}"
    summary += "".join(f"; {rule}" for rule in rules)
    if reader.speed < 1.0:
        rules.append(Constraint(kind="speed", scale=reader.speed))
        summary += f"; at {reader.speed:.0%} of full speed"
    return Task(tuple(Stage(act=call) for call in reader.calls), tuple(rules), summary)


class _Reader:
    """By recursive descent, one token of lookahead.

    Attributes:
        calls: what is to be done, in order.
        rules: how far to keep from what [m], by id; 0 if nobody says.
        speed: share of full speed.
    """

    def __init__(self, tokens: list[Token], scene: Scene, registry: Mapping[str, SkillSpec]) -> None:
        self._tokens, self._at = tokens, 0
        self._scene, self._registry = scene, registry
        self._referents = Referents(scene)
        self.calls: list[SkillCall] = []
        self.rules: dict[str, float] = {}
        self.speed = 1.0

    def run(self) -> None:
        """Read all of it."""
        verbs = {
            "go": self._go,
            "turn": self._turn,
            "follow": self._follow,
            "wait": self._wait,
        }
        while self._at < len(self._tokens):
            token = self._take()
            if token.kind is Kind.ADVERB:
                self.speed = min(self.speed, float(token.value))
            elif token.kind in (Kind.KEEP, Kind.AVOID):
                self._keep_away(token)
            elif token.kind is Kind.VERB:
                verbs.get(token.value, self._plain)(token)
            elif token.kind is Kind.TO and self.calls and self.calls[-1].skill == "go_to":  # "… and then to the box"
                self._arrive(self._thing())
            elif token.kind is not Kind.LINK:
                raise self._unexpected(token, f"a verb ({listed(VERBS, 'or')})")

    def _peek(self) -> Token:
        return self._tokens[self._at] if self._at < len(self._tokens) else _END

    def _take(self) -> Token:
        token = self._peek()
        self._at += 1
        return token

    def _accept(self, *kinds: Kind) -> Token | None:
        return self._take() if self._at < len(self._tokens) and self._peek().kind in kinds else None

    def _unexpected(self, token: Token, wanted: str) -> CannotDo:
        return CannotDo(f"I do not understand '{token.text}'; I expected {wanted}")

    def _do(self, skill: str, **arguments: ArgumentValue) -> None:
        """One more call; what the skill does not take is refused in its words."""
        call = SkillCall(skill=skill, arguments=arguments)
        try:
            self._registry[skill].complete(call, self._scene)
        except ReinsError as error:
            raise CannotDo(str(error)) from error
        self.calls.append(call)

    def _plain(self, verb: Token) -> None:
        """look around | stand up | sit down | stop"""
        self._do(verb.value)

    def _go(self, verb: Token) -> None:
        """{ around thing | to thing | thing | direction | length }, in any order"""
        past: list[str] = []
        goal, direction = "", ""
        length: float | None = None
        while True:
            if self._accept(Kind.AROUND):
                past += self._things()
            elif self._accept(Kind.TO) or (self._peek().kind in _NAMING and not goal):
                goal = self._thing()
            elif token := self._accept(Kind.DIRECTION):
                direction = token.value
            elif self._peek().kind is Kind.NUMBER:
                length = self._measure(LENGTH)
            elif token := self._accept(Kind.ADVERB):
                self.speed = min(self.speed, float(token.value))
            else:
                break
        if goal and (direction or length is not None):
            raise CannotDo(f"I can {verb.text} to {goal}, or in a direction, but not both at once")
        if goal:
            self._arrive(goal)
        elif direction or length is not None:
            x, y = _AHEAD[direction or "forward"]
            far = STEP if length is None else length
            self._do("walk_to", x=far * x, y=far * y)
        elif past:
            raise Unclear(f"Around {listed(past)} to where?")
        else:
            raise Unclear(f"Where shall I {verb.text}: to an object, or which way and how far?")

    def _arrive(self, goal: str) -> None:
        self._do("go_to", object=goal)
        self._referents.themes = (goal,)

    def _turn(self, verb: Token) -> None:
        """( left | right | around ) and an angle, in any order"""
        direction = ""
        angle: float | None = None
        while True:
            if token := self._accept(Kind.DIRECTION):
                direction = token.value
            elif self._accept(Kind.AROUND):  # "around", and the "by" of "by 45 degrees"
                direction = direction or "around"
            elif self._peek().kind is Kind.NUMBER:
                angle = self._measure(ANGLE)
            else:
                break
        if direction in ("forward", "back"):
            raise CannotDo(f"I can {verb.text} left, right or around, and not {direction}")
        if not direction and angle is None:
            raise Unclear(f"Which way shall I {verb.text}: left, right or around?")
        usual = 2.0 * QUARTER if direction == "around" else QUARTER
        angle = usual if angle is None else angle
        self._do("turn", angle=round(-angle if direction == "right" else angle, 4))

    def _follow(self, verb: Token) -> None:
        """thing [for a time]"""
        name = self._thing()
        self._referents.themes = (name,)
        arguments: dict[str, ArgumentValue] = {"person": name}
        if self._accept(Kind.FOR):
            arguments["duration"] = self._measure(TIME)
        self._do("follow", **arguments)

    def _wait(self, verb: Token) -> None:
        """[for] [a time]"""
        said = self._accept(Kind.FOR) is not None
        if said or self._peek().kind is Kind.NUMBER:
            self._do("wait", duration=self._measure(TIME))
        else:
            self._do("wait")

    def _keep_away(self, start: Token) -> None:
        """KEEP length away from things | AVOID things"""
        distance = 0.0
        if start.kind is Kind.KEEP:
            distance = self._measure(LENGTH)
            if not self._accept(Kind.AWAY):
                raise self._unexpected(self._peek(), "'away from' something")
        for name in self._things():
            self.rules[name] = max(distance, self.rules.get(name, 0.0))

    def _measure(self, quantity: str) -> float:
        """NUMBER UNIT, in SI units."""
        number = self._take()
        if number.kind is not Kind.NUMBER:
            raise self._unexpected(number, quantity)
        unit = self._accept(Kind.UNIT)
        if unit is None or unit.value not in _QUANTITIES[quantity]:
            raise self._unexpected(unit or self._peek(), quantity)
        return round(float(number.value) * _SCALES[unit.value], 6)

    def _thing(self) -> str:
        """The id of exactly one thing."""
        names = self._things()
        if len(names) != 1:
            raise Unclear(f"One at a time, please. Which one first: {listed(names, 'or')}?")
        return names[0]

    def _things(self) -> tuple[str, ...]:
        """[article | all] {colour} noun | people | it | an id: the ids that are meant."""
        start = self._at
        quantity = "the"
        colours: list[str] = []
        if self._accept(Kind.PRONOUN):
            return self._meant(NounPhrase(self._text(start), pronoun="it"))
        while token := self._accept(Kind.ARTICLE, Kind.ALL):
            quantity = token.value
        if self._peek().text in ("a", "an"):
            self._take()
            quantity = "a"
        if token := self._accept(Kind.OBJECT):
            return (token.value,)
        while token := self._accept(Kind.COLOUR):
            colours.append(token.value)
        if self._accept(Kind.PEOPLE):
            return self._meant(NounPhrase(self._text(start), label=PERSON, quantity="all"))
        noun = self._accept(Kind.NOUN)
        if noun is None and not colours:
            raise self._unexpected(self._peek(), f"the name of something (I see {listed(self._scene.objects)})")
        label = noun.value if noun else ""
        return self._meant(NounPhrase(self._text(start), label=label, colours=tuple(colours), quantity=quantity))

    def _meant(self, phrase: NounPhrase) -> tuple[str, ...]:
        return self._referents.resolve(phrase)

    def _text(self, start: int) -> str:
        return " ".join(token.text for token in self._tokens[start : self._at])
