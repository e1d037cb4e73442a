"""Instructions to a legged robot to stages of a task: one skill after the other, and what to keep away from."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

from reins.contracts.errors import ReinsError
from reins.contracts.plan import ArgumentValue, Constraint, SkillCall
from reins.contracts.scene import FALLEN, ROBOT, Relation, Scene
from reins.planning.answers import CannotDo, Unclear
from reins.planning.english.phrases import NounPhrase
from reins.planning.english.reference import Referents
from reins.planning.goals import Stage, Task
from reins.planning.language.guard import tightest
from reins.planning.walking.chinese import CHINESE
from reins.planning.walking.english import ENGLISH
from reins.planning.walking.grammar import Clause, Parser, Rule
from reins.planning.walking.language import Language
from reins.planning.walking.tokens import tokenise
from reins.planning.wording import is_chinese
from reins.planning.words import call_text
from reins.skills.registry import OutOfRange, SkillSpec, WrongKind

STEP: Final = 1.0
"""How far a robot walks in a direction when nobody says [m]."""

QUARTER: Final = 0.5 * math.pi
"""How far it turns when nobody says [rad]."""

WHOLE: Final = 6.2831
"""All the way round; a skill turns no farther, which rounding up would be [rad]."""

_CLAUSE_END: Final = re.compile(r"[,;:!?。，；：！？]|\.(?!\d)")

_AHEAD: Final = {"forward": (1.0, 0.0), "back": (-1.0, 0.0), "left": (0.0, 1.0), "right": (0.0, -1.0)}


def language_of(instruction: str) -> Language:
    """The language in which an instruction is read, and answered."""
    return CHINESE if is_chinese(instruction) else ENGLISH


def read(instruction: str, scene: Scene, registry: Mapping[str, SkillSpec]) -> Task:
    """Understand an instruction.

    Args:
        instruction: controlled English or Chinese.
        scene: the scene in which it was given.
        registry: the skills' declarations.

    Raises:
        CannotDo: a word, an object or a number that does not exist or does not fit; says what does.
        Unclear: it can mean several things, or leaves something open; asks.
    """
    language = language_of(instruction)
    parser = Parser(tokenise(instruction, scene, language), language, tuple(scene.objects))
    parser.run()
    reader = _Reader(scene, registry, language)
    reader.take(parser.said)
    return _task(reader, parser.speed, language)


def said_constraints(words: str, scene: Scene, registry: Mapping[str, SkillSpec]) -> tuple[Constraint, ...]:
    """What an operator who says more, e.g. why a plan is not wanted, holds the robot to: distances, and a speed.

    The whole is read if all of it is understood, else each of its clauses that is.

    Args:
        words: controlled English or Chinese, and perhaps other words.
        scene: the scene in which it was said.
        registry: the skills' declarations.
    """
    for parts in ([words], _CLAUSE_END.split(words)):
        if found := [rule for part in parts for rule in _held_to(part, scene, registry)]:
            return tightest(found)
    return ()


def _held_to(words: str, scene: Scene, registry: Mapping[str, SkillSpec]) -> list[Constraint]:
    """The constraints of words that are understood; none of others."""
    language = language_of(words)
    try:
        parser = Parser(tokenise(words, scene, language), language, tuple(scene.objects))
        parser.run()
        reader = _Reader(scene, registry, language)
        reader.take(parser.said)
    except (CannotDo, Unclear):
        return []
    return _constraints(reader.rules, parser.speed)


def _constraints(rules: Mapping[str, float], speed: float) -> list[Constraint]:
    """What to avoid, by id with how far [m], and which share of full speed to keep to."""
    found = [Constraint(kind="avoid", object=name, distance=far) for name, far in rules.items()]
    return [*found, Constraint(kind="speed", scale=speed)] if speed < 1.0 else found


def _task(reader: "_Reader", speed: float, language: Language) -> Task:
    """What was read, with a summary in its language."""
    wording, calls = language.wording, reader.calls
    if not calls:
        if reader.rules:
            raise Unclear(wording.say("only_away"))
        raise CannotDo(wording.say("nothing", verbs=wording.either(language.verbs)))
    for call in calls:
        if call.arguments.get("object") in reader.rules:
            raise CannotDo(wording.say("both", thing=call.arguments["object"]))
    summary = wording.say("wanted", calls=wording.say("then").join(map(call_text, calls)))
    for name, far in reader.rules.items():
        summary += wording.say("keep" if far else "avoid", thing=name, distance=far)
    if speed < 1.0:
        summary += wording.say("speed", scale=speed)
    constraints = _constraints(reader.rules, speed)
    return Task(tuple(Stage(act=call) for call in calls), tuple(constraints), summary)


class _Reader:
    """From clauses to calls, in order; later ones may refer to earlier ones.

    Attributes:
        calls: what is to be done.
        rules: how far to keep from what [m], by id; 0 if nobody says.
    """

    def __init__(self, scene: Scene, registry: Mapping[str, SkillSpec], language: Language) -> None:
        self._scene, self._registry, self._wording = scene, registry, language.wording
        self._referents = Referents(scene, language.wording)
        self._past: list[str] = []
        self.calls: list[SkillCall] = []
        self.rules: dict[str, float] = {}

    def take(self, said: Sequence[Clause | Rule]) -> None:
        """Read all of it.

        Raises:
            CannotDo, Unclear: see `read`.
        """
        verbs = {
            "stand": self._get_up,
            "recover": self._get_up,
            "go": self._go,
            "turn": self._turn,
            "follow": self._follow,
            "wait": self._wait,
        }
        for item in said:
            if isinstance(item, Rule):
                for name in self._names(item.things):
                    self.rules[name] = max(item.distance, self.rules.get(name, 0.0))
            else:
                if item.verb != "go":
                    self._ask_where()
                verbs.get(item.verb, self._plain)(item)
        self._ask_where()

    def _names(self, phrases: Sequence[NounPhrase]) -> list[str]:
        return [name for phrase in phrases for name in self._referents.resolve(phrase)]

    def _name(self, phrase: NounPhrase) -> str:
        """The id of exactly one thing."""
        names = self._names([phrase])
        if len(names) != 1:
            raise Unclear(self._wording.say("one", choices=self._wording.either(names)), phrase.text, names)
        return names[0]

    def _do(self, skill: str, **arguments: ArgumentValue) -> None:
        """One more call; what the skill does not take is refused."""
        call = SkillCall(skill=skill, arguments=arguments)
        try:
            self._registry[skill].complete(call, self._scene)
        except OutOfRange as error:
            parameter = error.parameter
            name = self._wording.say(f"parameter_{parameter.name}")
            bounds = {"lower": parameter.lower, "upper": parameter.upper, "unit": parameter.unit}
            raise CannotDo(self._wording.say("range", name=name, value=error.value, **bounds)) from error
        except WrongKind as error:
            raise CannotDo(self._wording.say("person", thing=error.item.id, label=error.item.label)) from error
        except ReinsError as error:
            raise CannotDo(str(error)) from error
        self.calls.append(call)

    def _plain(self, clause: Clause) -> None:
        """look around | sit down | stop"""
        self._do(clause.verb)

    def _get_up(self, _clause: Clause) -> None:
        """stand up | recover: one and the same, which asks for more of a robot that has fallen."""
        lies = Relation(ROBOT, "is", FALLEN) in self._scene.relations
        self._do("recover" if lies and not self.calls else "stand")

    def _go(self, clause: Clause) -> None:
        """Round things to a thing, or some way in a direction."""
        self._past += self._names(clause.past)
        goal = self._name(clause.thing) if clause.thing else ""
        if goal and (clause.direction or clause.measure is not None):
            raise CannotDo(self._wording.say("either", verb=clause.text, thing=goal))
        if goal:
            self._do("go_to", object=goal)
            self._referents.themes = (goal,)
        elif clause.direction or clause.measure is not None:
            x, y = _AHEAD[clause.direction or "forward"]
            far = STEP if clause.measure is None else clause.measure
            self._do("walk_to", x=far * x, y=far * y)
        elif clause.past:
            return  # where to may be what is said next
        else:
            raise Unclear(self._wording.say("where", verb=clause.text))
        self._past.clear()

    def _ask_where(self) -> None:
        """Ask where to, if something is to be walked round and nothing is said that is behind it."""
        if self._past:
            raise Unclear(self._wording.say("past", things=self._wording.listed(self._past)))

    def _turn(self, clause: Clause) -> None:
        """Left, right, around, by an angle."""
        direction, angle = clause.direction, clause.measure
        if direction in ("forward", "back"):
            raise CannotDo(self._wording.say("turns", verb=clause.text, direction=self._wording.say(direction)))
        if not direction and angle is None:
            raise Unclear(self._wording.say("which_way", verb=clause.text))
        usual = 2.0 * QUARTER if direction == "around" else QUARTER
        angle = usual if angle is None else angle
        rounded = round(angle, 4)
        if angle <= math.tau < rounded:
            rounded = WHOLE
        self._do("turn", angle=-rounded if direction == "right" else rounded)

    def _follow(self, clause: Clause) -> None:
        """A person, for a time."""
        if clause.thing is None:
            raise Unclear(self._wording.say("whom", verb=clause.text, seen=self._wording.listed(self._scene.objects)))
        name = self._name(clause.thing)
        self._referents.themes = (name,)
        duration: dict[str, ArgumentValue] = {} if clause.measure is None else {"duration": clause.measure}
        self._do("follow", person=name, **duration)

    def _wait(self, clause: Clause) -> None:
        """For a time."""
        duration: dict[str, ArgumentValue] = {} if clause.measure is None else {"duration": clause.measure}
        self._do("wait", **duration)
