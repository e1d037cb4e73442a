"""Random acts in a scene: which object, where to, and how both are spoken of."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from reins.contracts.facts import capacity, facts_of
from reins.contracts.plan import ArgumentValue, SkillCall
from reins.contracts.scene import TABLE, Scene
from reins.planning.goals import Displace, Reach, Wish
from reins.skills.library import DEFAULT_PUSH, DIRECTIONS
from reins.training.planner.meanings import Act
from reins.training.planner.references import TABLE_REF, Describer, Ref, exactly, matching

SIDES: Final = ("left_of", "right_of", "in_front_of", "behind")
LENGTHS: Final = (0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.1, 0.1, 0.12, 0.15, 0.18, 0.2)
"""How far things are pushed [m]."""

A_BIT: Final = 0.05
"""What "a bit" means [m]."""


@dataclass(slots=True)
class Actor:
    """Makes up acts in one scene.

    Attributes:
        scene: in which the instruction is given.
        rng: of everything random.
        rich: share of references that use superlatives or relations.
        used: ids that acts so far are about; new acts are about others.
    """

    scene: Scene
    rng: Random
    rich: float
    used: set[str]

    @classmethod
    def of(cls, scene: Scene, rng: Random, rich: float = 0.2) -> "Actor":
        """Whoever makes up acts in this scene."""
        return cls(scene, rng, rich, set())

    def ref(self, name: str) -> Ref | None:
        """A reference to an object."""
        return Describer(self.scene, self.rng).any(name, self.rich)

    def pick_one(self, label: str, but: Sequence[str] = ()) -> str | None:
        """An object of that label that no act is about yet."""
        left = [item.id for item in matching(self.scene, label) if item.id not in self.used and item.id not in but]
        return self.rng.choice(sorted(left)) if left else None

    def theme(self) -> Ref | None:
        """Something to be moved; what is held, if something is, most of the time."""
        held = self.scene.held()
        name = held if held not in (None, *self.used) and self.rng.random() < 0.8 else self.pick_one("block")
        return None if name is None else self.ref(name)

    def one(self, kind: str) -> Act | None:
        """An act of that kind with one theme; None if the scene offers none."""
        theme = self.theme()
        return None if theme is None else self.about(kind, theme)

    def about(self, kind: str, theme: Ref) -> Act | None:
        """An act of that kind about given objects."""
        return _MAKERS[kind](self, theme)

    def _place(self, label: str, theme: Ref) -> Ref | None:
        name = self.pick_one(label, but=theme.ids)
        if name is None or self._load(name, theme) > capacity(label):
            return None
        return self.ref(name)

    def _load(self, where: str, theme: Ref) -> int:
        """How many things would be there."""
        there = {r.subject for r in self.scene.relations if r.predicate in ("in", "on") and r.object == where}
        return len(there | set(choices(theme)[0]))

    def _put(self, kind: str, relation: str, label: str, theme: Ref) -> Act | None:
        place = self._place(label, theme)
        if place is None or any((relation, name, place.ids[0]) in facts_of(self.scene) for name in theme.ids):
            return None
        return Act(kind, wishes(theme, lambda name: ((relation, name, place.ids[0]),)), theme, place)

    def into(self, theme: Ref) -> Act | None:
        """Into a bowl."""
        return self._put("in", "in", "bowl", theme)

    def onto(self, theme: Ref) -> Act | None:
        """Onto a plate."""
        return self._put("on", "on", "plate", theme)

    def stack(self, theme: Ref) -> Act | None:
        """Onto another block."""
        return self._put("stack", "on", "block", theme)

    def table(self, theme: Ref) -> Act | None:
        """Onto the table, from somewhere else."""
        if any(("on", name, TABLE) in facts_of(self.scene) for name in theme.ids):
            return None
        return Act("table", wishes(theme, lambda name: (("on", name, TABLE),)), theme, TABLE_REF)

    def beside(self, theme: Ref) -> Act | None:
        """Beside something that stands on the table."""
        place = self._neighbour(theme)
        if place is None or any(("beside", name, place.ids[0]) in facts_of(self.scene) for name in theme.ids):
            return None
        return Act("beside", wishes(theme, lambda name: (("beside", name, place.ids[0]),)), theme, place)

    def side(self, theme: Ref) -> Act | None:
        """On a given side of something that stands on the table."""
        place, side = self._neighbour(theme), self.rng.choice(SIDES)
        if place is None:
            return None
        where = place.ids[0]
        return Act(
            "side", wishes(theme, lambda name: (("beside", name, where), (side, name, where))), theme, place, side
        )

    def _neighbour(self, theme: Ref) -> Ref | None:
        standing = [r.subject for r in self.scene.relations if r.predicate == "on" and r.object == TABLE]
        left = sorted(name for name in standing if name not in theme.ids and name not in self.used)
        return self.ref(self.rng.choice(left)) if left and len(choices(theme)[0]) == 1 else None

    def hold(self, theme: Ref) -> Act | None:
        """Into the hand."""
        if len(choices(theme)[0]) != 1 or self.scene.held() is not None:
            return None
        return Act("hold", wishes(theme, lambda name: (("holding", name),)), theme)

    def push(self, theme: Ref) -> Act | None:
        """Some way along the table; nobody pushes what stands in or under something."""
        facts = facts_of(self.scene)
        if any(not {("on", name, TABLE), ("clear", name)} <= facts for name in theme.ids):
            return None
        direction = self.rng.choice(DIRECTIONS)
        said, vague = self.rng.random() < 0.5, self.rng.random() < 0.2
        length = (A_BIT if vague else self.rng.choice(LENGTHS)) if said else 0.0
        ways = tuple(
            Wish(False, tuple(Displace(name, direction, length or DEFAULT_PUSH) for name in names))
            for names in choices(theme)
        )
        kind = ("push_bit" if vague else "push_by") if said else "push"
        return Act(kind, ways, theme, word=direction, length=length, vague=said and vague)

    def above(self, theme: Ref) -> Act | None:
        """The hand over something."""
        name = self.pick_one(self.rng.choice(("block", "bowl", "plate")))
        place = None if name is None or name == self.scene.held() else self.ref(name)
        if place is None:
            return None
        length = self.rng.choice((0.05, 0.08, 0.15, 0.2)) if self.rng.random() < 0.3 else 0.0
        arguments: dict[str, ArgumentValue] = {"target": place.ids[0], **({"height": length} if length else {})}
        wish = Wish(False, act=SkillCall(skill="move_to", arguments=arguments))
        return Act("above_by" if length else "above", (wish,), place=place, length=length)

    def robot(self, kind: str) -> Act | None:
        """An act that is about the robot alone: home, open or close."""
        if kind != "home" and self.scene.held() is not None:
            return None
        skill = {"home": "home", "open": "open_gripper", "close": "close_gripper"}[kind]
        return Act(kind, (Wish(False, act=SkillCall(skill=skill)),))

    def take_note(self, act: Act) -> None:
        """Remember what an act is about."""
        self.used |= set(exactly(act.refs)) - {TABLE}


def choices(theme: Ref) -> list[tuple[str, ...]]:
    """The sets of objects that will do: each alone for "any", all together otherwise."""
    return [(name,) for name in theme.ids] if theme.form == "any" else [theme.ids]


def wishes(theme: Ref, facts: Callable[[str], tuple[tuple[str, ...], ...]]) -> tuple[Wish, ...]:
    """What is wished of a theme: these facts about each of its objects."""
    return tuple(Wish(False, tuple(Reach(fact) for name in names for fact in facts(name))) for names in choices(theme))


def again(theme: Ref, form: str) -> Ref:
    """The same objects, spoken of again: "it", "them"."""
    return replace(Ref(form, theme.ids), label=theme.label)


_MAKERS: Final[dict[str, Callable[[Actor, Ref], Act | None]]] = {
    "in": Actor.into,
    "on": Actor.onto,
    "stack": Actor.stack,
    "table": Actor.table,
    "beside": Actor.beside,
    "side": Actor.side,
    "hold": Actor.hold,
    "push": Actor.push,
    "above": Actor.above,
}
KINDS: Final = tuple(_MAKERS)
"""Kinds of acts with a theme."""

_WEIGHTS: Final = {
    "in": 5,
    "on": 3,
    "stack": 4,
    "table": 2,
    "beside": 2,
    "side": 1,
    "hold": 3,
    "push": 4,
    "above": 1,
}


def draw_kind(rng: Random) -> str:
    """A kind of act, common ones more often."""
    return rng.choices(KINDS, [_WEIGHTS[kind] for kind in KINDS])[0]
