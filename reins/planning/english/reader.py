"""One clause to what is wished: which goals about which objects, or which skill for its own sake."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from reins.contracts.errors import ReinsError
from reins.contracts.facts import facts_of
from reins.contracts.plan import ArgumentValue, SkillCall
from reins.contracts.scene import CONTAINERS, MOVABLE, SUPPORTS, TABLE, Scene
from reins.planning.answers import CannotDo, Unclear
from reins.planning.english.phrases import Clause, NounPhrase
from reins.planning.english.reference import Referents
from reins.planning.goals import Displace, Goal, Reach, Wish
from reins.planning.words import listed
from reins.skills.library import DEFAULT_PUSH, DIRECTIONS
from reins.skills.registry import SkillSpec

Place = tuple[str, NounPhrase | None]

_AT_REST: Final = {"into": "in", "onto": "on"}
_SOURCES: Final = ("from", "off")
_SIDES: Final = ("left_of", "right_of", "in_front_of", "behind")


class Reader:
    """Reads clauses in order; later ones may refer to earlier ones.

    Args:
        scene: the scene in which the instruction was given.
        registry: the skills' declarations.
        avoid: ids of objects that "all" and "any" leave out.
    """

    def __init__(self, scene: Scene, registry: Mapping[str, SkillSpec], avoid: frozenset[str]) -> None:
        self.referents = Referents(scene)
        self._scene = scene
        self._registry = registry
        self._avoid = avoid
        self._contained = {fact[1] for fact in facts_of(scene) if fact[0] == "in"}
        self._there: tuple[str, str] | None = None
        self._verbs: Mapping[str, Callable[[Clause], Wish]] = {
            "put": self._carry,
            "stack": self._carry,
            "take": self._take,
            "remove": self._remove,
            "release": self._release,
            "push": self._push,
            "move": self._move,
            "go": self._go,
            "open": self._gripper,
            "close": self._gripper,
            "stop": self._stop,
        }

    def clause(self, clause: Clause) -> Wish:
        """What one clause asks for.

        Raises:
            CannotDo, Unclear: see `read`.
        """
        wish = self._verbs[clause.verb](clause)
        if self.referents.current:
            self.referents.themes, self.referents.current = self.referents.current, ()
        return wish

    def _stop(self, clause: Clause) -> Wish:
        raise CannotDo("a task cannot stop the robot: cancel the task that runs, or use the emergency stop")

    def _go(self, clause: Clause) -> Wish:
        if clause.part == "home":
            return Wish(clause.after, act=SkillCall(skill="home"))
        if clause.direction:
            raise CannotDo(f"I cannot go {clause.direction}; I can go home or to an object, and push an object")
        phrases = [phrase for _, phrase in clause.places if phrase is not None] or list(clause.themes)
        if not phrases:
            raise Unclear(f"Where shall I {clause.text}: home, or to an object?")
        names = self.referents.things(phrases)
        if len(names) != 1:
            raise Unclear(f"I can go to one thing at a time. To which first: {listed(names, 'or')}?")
        if names[0] == TABLE:
            raise CannotDo(f"I can go to an object, and the table is none; I see {listed(self._scene.objects)}")
        self.referents.current = names
        arguments: dict[str, ArgumentValue] = {"target": names[0]}
        if clause.distance is not None:
            arguments["height"] = self._number("move_to", "height", clause.distance)
        return Wish(clause.after, act=SkillCall(skill="move_to", arguments=arguments))

    def _gripper(self, clause: Clause) -> Wish:
        if clause.themes or clause.places or clause.direction or clause.part in ("arm", "home"):
            raise CannotDo(f"I can {clause.verb} the gripper and nothing else")
        return Wish(clause.after, act=SkillCall(skill=f"{clause.verb}_gripper"))

    def _move(self, clause: Clause) -> Wish:
        if clause.part or not clause.themes:
            return self._go(clause)
        return self._push(clause) if clause.direction and not clause.places else self._carry(clause)

    def _push(self, clause: Clause) -> Wish:
        if clause.places:
            raise CannotDo(
                f"I can {clause.text} things {listed(DIRECTIONS, 'or')}, but not to a place; say 'put' for that"
            )
        names = self._themes(clause)
        if not clause.direction:
            raise Unclear(f"Which way shall I {clause.text} {listed(names)}: {listed(DIRECTIONS, 'or')}?")
        distance = DEFAULT_PUSH if clause.distance is None else clause.distance
        self._number("push", "distance", distance)
        return Wish(clause.after, tuple(Displace(name, clause.direction, distance) for name in names))

    def _take(self, clause: Clause) -> Wish:
        if any(relation in ("into", "onto", "to", "there") for relation, _ in clause.places):
            return self._carry(clause)
        if any(relation == "off" for relation, _ in clause.places):
            return self._remove(clause)
        _no_more(clause, particle="up")
        names = self._themes(narrowed(clause, clause.places))
        return Wish(clause.after, tuple(Reach(("holding", name)) for name in names))

    def _remove(self, clause: Clause) -> Wish:
        """Take off or out: onto the table, or into the hand if it is on the table."""
        _no_more(clause)
        names = self._themes(narrowed(clause, clause.places))
        if any(phrase is not None and phrase.label == TABLE for _, phrase in clause.places):
            return Wish(clause.after, tuple(Reach(("holding", name)) for name in names))
        return self._put(clause.after, names, "on", TABLE)

    def _release(self, clause: Clause) -> Wish:
        if clause.places:
            return self._carry(clause)
        if not clause.themes and self._scene.held() is None and clause.text in ("let go", "release"):
            return Wish(clause.after, act=SkillCall(skill="open_gripper"))
        _no_more(clause, particle="down")
        held = self._scene.held()
        names = self._themes(clause, lambda name: held in (None, name))
        return self._put(clause.after, names, "on", TABLE)

    def _carry(self, clause: Clause) -> Wish:
        _no_more(clause, particle="up" if clause.verb == "take" else "down")
        sources = [place for place in clause.places if place[0] in _SOURCES]
        places = [place for place in clause.places if place[0] not in _SOURCES]
        clause = narrowed(clause, sources)
        if len(places) > 1 and clause.verb != "stack" and (closer := self._already(clause, places[0])):
            clause, places = closer, places[1:]
        if not places:
            if clause.particle == "down":
                return self._release(clause)
            names = self._themes(clause)
            if clause.verb == "stack" and len(names) > 1:
                raise Unclear(f"In which order shall I stack {listed(names)}: which goes on which?")
            raise Unclear(f"Where shall I {clause.text} {listed(names)}?")
        return self._chain(clause, places)

    def _already(self, clause: Clause, place: Place) -> Clause | None:
        """The clause with its theme narrowed by where it is, if something is there: "the block on the plate"."""
        closer = narrowed(clause, [place])
        try:
            for phrase in closer.themes:
                Referents(self._scene).resolve(phrase)
        except (CannotDo, Unclear):
            return None
        return closer if closer.themes else None

    def _chain(self, clause: Clause, places: Sequence[Place]) -> Wish:
        """ "A on B in C": A goes on B; B goes in C if it can be carried, and is the one in C otherwise."""
        names = self._themes(clause)
        goals: tuple[Goal, ...] = ()
        for index, (relation, phrase) in enumerate(places):
            if phrase is not None and index + 1 < len(places) and phrase.label not in MOVABLE:
                phrase = _within(phrase, places[index + 1 :])
                places = places[: index + 1]
            relation, where = self._where(relation, phrase, names)
            goals += self._put(False, names, relation, where).goals
            names = (where,)
            if index + 1 >= len(places):
                break
        return Wish(clause.after, goals)

    def _where(self, relation: str, phrase: NounPhrase | None, names: Sequence[str]) -> tuple[str, str]:
        """Relation and id of the place that a clause names."""
        if phrase is None:
            if self._there is None:
                raise Unclear("Where is 'there'?")
            return self._there
        relation = _AT_REST.get(relation, relation)
        if relation == "above":
            raise CannotDo("I cannot leave things above others; I can put them in, on or beside")
        found = self.referents.resolve(phrase, lambda name: self._may_be_place(relation, name), names)
        if len(found) != 1:
            raise Unclear(
                f"Which one do you mean by '{phrase.text}': {listed(found, 'or')}?", phrase.text, tuple(found)
            )
        where = found[0]
        label = self.referents.label(where)
        if relation == "to":
            if label in MOVABLE:
                raise Unclear(f"On {where}, or beside it?", phrase.text)
            relation = "in" if label in CONTAINERS else "on"
        if where == TABLE and relation != "on":
            raise CannotDo(f"I can put things on the table, not {relation.replace('_', ' ')} it")
        return relation, where

    def _may_be_place(self, relation: str, name: str) -> bool:
        """Whether a thing can be what "it" means in a place."""
        label = self.referents.label(name)
        if relation == "in":
            return label in CONTAINERS
        if relation == "on":
            return label in SUPPORTS and name not in self._contained
        return name not in self._contained and (relation != "to" or label not in MOVABLE)

    def _put(self, after: bool, names: Sequence[str], relation: str, where: str) -> Wish:
        """Each of `names` is to stand in `relation` to `where`."""
        self._there = (relation, where)
        self.referents.places = () if where == TABLE else (where,)
        relations = ("beside", relation) if relation in _SIDES else (relation,)
        if relation == "in":
            self._contained.update(names)
        else:
            self._contained.difference_update(names)
        return Wish(after, tuple(Reach((name, thing, where)) for thing in names for name in relations))

    def _themes(self, clause: Clause, fits: Callable[[str], bool] = lambda _: True) -> tuple[str, ...]:
        """Ids of what a clause is about; what is held if it does not say. Only what `fits` can be meant loosely."""
        if not clause.themes:
            if clause.part:
                raise CannotDo(f"I cannot {clause.text} my own {clause.part}")
            if (held := self._scene.held()) is None:
                raise Unclear(f"I see {listed(self._scene.objects)}; what shall I {clause.text}?")
            return (held,)
        apart = {
            name
            for _, place in clause.places
            if place is not None and not place.pronoun and place.label != TABLE
            for name in self._quietly(place)
        }
        names = self.referents.things(
            clause.themes,
            lambda name: (
                fits(name) and self.referents.label(name) in MOVABLE and name not in self._avoid and name not in apart
            ),
        )
        if TABLE in names:
            raise CannotDo(f"I cannot {clause.text} the table")
        if not names:
            raise CannotDo(f"there is nothing to {clause.text}; I see {listed(self._scene.objects)}")
        self.referents.current = names
        return names

    def _quietly(self, place: NounPhrase) -> tuple[str, ...]:
        """What a place stands for, if that is clear; to leave it out of "all the blocks"."""
        try:
            return Referents(self._scene).resolve(place)
        except (CannotDo, Unclear):
            return ()

    def _number(self, skill: str, name: str, value: float) -> float:
        parameter = next(parameter for parameter in self._registry[skill].parameters if parameter.name == name)
        try:
            parameter.check(value, self._scene)
        except ReinsError as error:
            raise CannotDo(str(error)) from error
        return value


def _no_more(clause: Clause, particle: str = "") -> None:
    """Refuse what a clause says besides things and places; nothing that is said is passed over."""
    if clause.distance is not None:
        raise CannotDo(f"I cannot {clause.text} something by a distance; I can push it by one")
    for word in (clause.direction, clause.part, clause.particle if clause.particle != particle else ""):
        if word:
            raise CannotDo(f"I do not understand '{word}' together with '{clause.text}'")


def _within(phrase: NounPhrase, places: Sequence[Place]) -> NounPhrase:
    """The phrase narrowed by where the thing is; "from" and "off" leave open how it is there."""
    more = tuple((_AT_REST.get(relation, relation), place) for relation, place in places if place is not None)
    return replace(phrase, within=(*phrase.within, *more))


def narrowed(clause: Clause, places: Sequence[Place]) -> Clause:
    """The clause with its themes narrowed by where they are, and without those places."""
    themes = tuple(phrase if phrase.pronoun else _within(phrase, places) for phrase in clause.themes)
    return replace(clause, themes=themes, places=[place for place in clause.places if place not in places])
