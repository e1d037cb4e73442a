"""Random meanings by suite: what each kind of instruction is made of."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from typing import Final

from reins.contracts.facts import facts_of
from reins.contracts.scene import TABLE, Scene
from reins.skills.library import DIRECTIONS
from reins.training.planner.acts import Actor, again, draw_kind
from reins.training.planner.groups import group_act
from reins.training.planner.meanings import PACES, Act, Meaning, Proviso
from reins.training.planner.questions import ambiguous
from reins.training.planner.references import TABLE_REF, Describer, Ref, exactly, matching
from reins.training.planner.refusals import impossible, unsafe
from reins.training.planner.scenes import COMMON

Maker = Callable[[Scene, Random], Meaning | None]

_ROBOT: Final = ("home", "open", "close")
_UP: Final = ("hold", "on", "stack")  # nobody pushes what is up there


def single(scene: Scene, rng: Random) -> Meaning | None:
    """One thing to do, plainly said."""
    actor = Actor.of(scene, rng, rich=0.05)
    act = actor.robot(rng.choice(_ROBOT)) if rng.random() < 0.08 else actor.one(draw_kind(rng))
    return _meaning("single", act)


def spatial(scene: Scene, rng: Random) -> Meaning | None:
    """Sides, directions and distances."""
    actor = Actor.of(scene, rng, rich=0.3)
    return _meaning("spatial", actor.one(rng.choice(("side", "side", "push", "beside", "above"))))


def references(scene: Scene, rng: Random) -> Meaning | None:
    """Superlatives, numbers, relations, groups, exceptions, "it" and "the other one"."""
    kind = rng.random()
    actor = Actor.of(scene, rng, rich=1.0)
    if kind < 0.45:
        return _meaning("references", actor.one(draw_kind(rng)))
    if kind < 0.8:
        return _meaning("references", group_act(replace(actor, rich=0.15)))
    return _other_one(replace(actor, rich=0.1)) if kind < 0.9 else _it(replace(actor, rich=0.1), "references")


def multi(scene: Scene, rng: Random) -> Meaning | None:
    """Two to four things, in order or not."""
    actor = Actor.of(scene, rng, rich=0.12)
    if rng.random() < 0.2:
        return _it(actor, "multi")
    acts: list[Act] = []
    for _ in range(rng.choice((2, 2, 2, 3, 3, 4))):
        last = bool(acts) and rng.random() < 0.12
        act = actor.robot("home") if last else actor.one(draw_kind(rng))
        if act is None or (acts and acts[-1].kind == "home"):
            break
        actor.take_note(act)
        acts.append(act)
    if len(acts) < 2 or any(act.kind == "hold" for act in acts[:-1]):
        return None
    return Meaning("multi", tuple(acts), ordered=rng.random() < 0.6 or acts[-1].kind in ("home", "hold"))


def constraints(scene: Scene, rng: Random) -> Meaning | None:
    """What to leave alone, how fast, and only under a condition."""
    make = rng.choice((single, single, multi, references))
    meaning = make(scene, rng)
    if meaning is None or meaning.answer != "steps":
        return None
    meaning = replace(meaning, suite="constraints")
    kind = rng.random()
    if kind < 0.3:
        return _conditional(scene, rng, meaning)
    if kind < 0.8:
        avoid = _avoid(scene, rng, meaning)
        if avoid is None:
            return None
        meaning = replace(meaning, avoid=avoid)
    if kind > 0.65:
        meaning = replace(meaning, pace=rng.choice(("careful", "careful", "slow", "slow", "very_slow", "haste")))
    return meaning


def composed(composition: str) -> Maker:
    """What draws meanings of one composition: "in+push", "stack+avoid+careful", "if+on"."""

    def make(scene: Scene, rng: Random) -> Meaning | None:
        parts = composition.split("+")
        actor, acts = Actor.of(scene, rng, rich=0.05), list[Act]()
        for kind in (part for part in parts if part not in ("if", "avoid", *PACES)):
            act = actor.robot(kind) if kind in _ROBOT else actor.one(kind)
            if act is None or act.kind != kind:
                return None
            actor.take_note(act)
            acts.append(act)
        meaning: Meaning | None = Meaning("compositions", tuple(acts), ordered=len(acts) > 1)
        if meaning is not None and "avoid" in parts:
            avoid = _avoid(scene, rng, meaning)
            meaning = replace(meaning, avoid=avoid) if avoid else None
        if meaning is not None and "if" in parts:
            meaning = _conditional(scene, rng, meaning)
        return meaning and replace(meaning, pace=next((part for part in parts if part in PACES), ""))

    return make


SUITES: Final[Mapping[str, Maker]] = {
    "single": single,
    "multi": multi,
    "spatial": spatial,
    "references": references,
    "constraints": constraints,
    "ambiguous": ambiguous,
    "impossible": impossible,
    "unsafe": unsafe,
}
"""What draws a meaning in a scene, by suite; None where the scene does not offer one."""


def _meaning(suite: str, act: Act | None) -> Meaning | None:
    return None if act is None else Meaning(suite, (act,))


def _it(actor: Actor, suite: str) -> Meaning | None:
    """Two acts on the same thing, the second time called "it": "pick it up … and put it in the bowl"."""
    theme = actor.theme()
    first = (
        actor.about(actor.rng.choice(("hold", "push", "stack", "on", "beside")), theme) if theme is not None else None
    )
    if theme is None or first is None or len(theme.ids) != 1:
        return None
    actor.take_note(first)
    second = actor.about(actor.rng.choice(("in", "on", "stack", "beside", "push")), again(theme, "it"))
    if second is None or first.kind == second.kind or (second.word in DIRECTIONS and first.kind in _UP):
        return None
    return Meaning(suite, (first, second), ordered=True)


def _other_one(actor: Actor) -> Meaning | None:
    """Two blocks, one after the other: the second is "the other one"."""
    blocks = matching(actor.scene, "block")
    if len(blocks) != 2:
        return None
    first = actor.one(actor.rng.choice(("in", "on", "table", "push", "beside")))
    if first is None or first.theme is None or len(first.theme.ids) != 1:
        return None
    actor.take_note(first)
    rest = [item.id for item in blocks if item.id not in exactly(first.refs)]
    if len(rest) != 1:
        return None
    second = actor.about(actor.rng.choice(("in", "on", "table", "push", "beside")), Ref("other", tuple(rest), "block"))
    return None if second is None else Meaning("references", (first, second), ordered=actor.rng.random() < 0.5)


def _avoid(scene: Scene, rng: Random, meaning: Meaning) -> tuple[Ref, ...] | None:
    """What to leave alone: one or two things that nothing else is about."""
    about = set(exactly(meaning.refs))
    spare = sorted(set(scene.objects) - about - {scene.held()})
    if not spare:
        return None
    if rng.random() < 0.1 and len(meaning.acts) == 1 and len(spare) > 1:
        return (Ref("others", tuple(spare)),)
    describe = Describer(scene, rng)
    refs = [describe.any(name, 0.1) for name in rng.sample(spare, 1 if rng.random() < 0.8 or len(spare) == 1 else 2)]
    return tuple(ref for ref in refs if ref is not None) or None


def _conditional(scene: Scene, rng: Random, meaning: Meaning) -> Meaning | None:
    actor = Actor.of(scene, rng, rich=0.0)
    actor.used |= set(exactly(meaning.refs))
    proviso = rng.choice((_there_is, _is_empty, _is_at, _is_held))(actor)
    if proviso is None or len(meaning.acts) > 1:
        return None
    if rng.random() < 0.4:
        otherwise = actor.robot("home") if rng.random() < 0.5 else actor.one(draw_kind(rng))
        proviso = replace(proviso, otherwise=otherwise)
    return replace(meaning, proviso=proviso)


def _there_is(actor: Actor) -> Proviso | None:
    colour, label = actor.rng.choice(COMMON), actor.rng.choice(("block", "block", "bowl", "plate"))
    items = sorted(actor.scene.objects.values(), key=lambda item: item.id)
    if actor.rng.random() < 0.5:
        item = actor.rng.choice(items)
        colour, label = item.colour, item.label
    ids = tuple(item.id for item in matching(actor.scene, label, colour))
    return Proviso("there_is", bool(ids), Ref("indefinite", ids, label, colour))


def _is_empty(actor: Actor) -> Proviso | None:
    name = actor.pick_one(actor.rng.choice(("bowl", "plate")))
    place = None if name is None else Describer(actor.scene, actor.rng).plain(name)
    if place is None or name is None:
        return None
    label, holds = actor.scene.objects[name].label, ("clear", name) in facts_of(actor.scene)
    return Proviso(f"empty_{label}", holds, place=place)


def _is_at(actor: Actor) -> Proviso | None:
    blocks = sorted(item.id for item in matching(actor.scene, "block"))
    theme = Describer(actor.scene, actor.rng).plain(actor.rng.choice(blocks)) if blocks else None
    relation, label = actor.rng.choice((("in", "bowl"), ("on", "plate"), ("on", TABLE)))
    if theme is None:
        return None
    if label == TABLE:
        place: Ref | None = TABLE_REF
    else:
        names = sorted(item.id for item in matching(actor.scene, label))
        place = Describer(actor.scene, actor.rng).plain(actor.rng.choice(names)) if names else None
    if place is None:
        return None
    return Proviso(f"at_{relation}", (relation, theme.ids[0], place.ids[0]) in facts_of(actor.scene), theme, place)


def _is_held(actor: Actor) -> Proviso | None:
    return Proviso("holding", actor.scene.held() is not None)
