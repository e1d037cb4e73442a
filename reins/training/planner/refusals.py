"""Random meanings that are refused: what cannot be done here, what no skill does, and what must not be done."""

from dataclasses import replace
from random import Random

from reins.contracts.facts import capacity
from reins.contracts.scene import Scene
from reins.training.planner.acts import Actor, draw_kind
from reins.training.planner.meanings import FORBIDDEN, Act, Meaning
from reins.training.planner.references import Describer, Ref, matching
from reins.training.planner.scenes import COMMON, RARE, STRANGE


def impossible(scene: Scene, rng: Random) -> Meaning | None:
    """What cannot be done here, or not by this robot."""
    makers = (_absent, _absent, _absent_place, _immovable, _full, _conflict, _unable, _unable, _too_far, _misplaced)
    return rng.choice(makers)(scene, rng)


def unsafe(scene: Scene, rng: Random) -> Meaning | None:
    """What must not be done."""
    actor = Actor.of(scene, rng, rich=0.05)
    item = rng.choice(sorted(scene.objects))
    theme = actor.ref(item)
    if theme is None:
        return None
    acts: tuple[Act, ...] = (Act("unsafe_thing", theme=theme) if rng.random() < 0.6 else Act("unsafe_robot"),)
    if rng.random() < 0.25 and (other := actor.one(draw_kind(rng))) is not None:
        acts = (other, *acts) if rng.random() < 0.6 else (*acts, other)
    return Meaning("unsafe", acts, ordered=True, answer="refusal", topic="unsafe")


def _refusal(topic: str, act: Act, about: str = "") -> Meaning:
    return Meaning("impossible", (act,), answer="refusal", topic=topic, about=about)


def _missing(scene: Scene, rng: Random, labels: tuple[str, ...]) -> Ref | None:
    """Something that is not there."""
    colour, label = rng.choice((*COMMON, *COMMON, *RARE)), rng.choice(labels)
    if matching(scene, label, colour):
        return None
    if label in STRANGE or (rng.random() < 0.25 and not matching(scene, label)):
        return None if matching(scene, label) else Ref("label", (), label)
    return Ref("plain", (), label, colour)


def _absent(scene: Scene, rng: Random) -> Meaning | None:
    theme = _missing(scene, rng, ("block", "block", "block", *STRANGE))
    if theme is None:
        return None
    actor = Actor.of(scene, rng, rich=0.05)
    kind = rng.choice(("hold", "push", "in", "on", "stack", "beside", "above"))
    name = actor.pick_one({"in": "bowl", "on": "plate"}.get(kind, "block"))
    place = None if name is None else actor.ref(name)
    about = f"{theme.colour} {theme.label}".strip()
    if kind in ("hold", "push"):
        return _refusal("absent", Act(kind, theme=theme, word=rng.choice(("left", "right", "forward", "back"))), about)
    if kind == "above":
        return _refusal("absent", Act(kind, place=theme), about)
    return None if place is None else _refusal("absent", Act(kind, theme=theme, place=place), about)


def _absent_place(scene: Scene, rng: Random) -> Meaning | None:
    kind = rng.choice(("in", "on", "stack", "beside"))
    label = {"in": ("bowl",), "on": ("plate",), "stack": ("block",), "beside": ("block", "bowl", "plate")}[kind]
    place, theme = _missing(scene, rng, label), Actor.of(scene, rng, rich=0.05).theme()
    if place is None or theme is None:
        return None
    return _refusal("absent", Act(kind, theme=theme, place=place), f"{place.colour} {place.label}".strip())


def _immovable(scene: Scene, rng: Random) -> Meaning | None:
    """Bowls, plates and what no skill knows cannot be grasped."""
    names = sorted(item.id for item in scene.objects.values() if item.label != "block")
    if not names:
        return None
    theme = Describer(scene, rng).plain(rng.choice(names))
    blocks = sorted(item.id for item in matching(scene, "block"))
    kind = rng.choice(("hold", "push", "stack", "beside"))
    if theme is None or (kind in ("stack", "beside") and not blocks):
        return None
    place = Describer(scene, rng).plain(rng.choice(blocks)) if kind in ("stack", "beside") else None
    if place is None and kind in ("stack", "beside"):
        return None
    act = Act(kind, theme=theme, place=place, word=rng.choice(("left", "right", "forward", "back")))
    return _refusal("immovable", act, scene.objects[theme.ids[0]].label)


def _full(scene: Scene, rng: Random) -> Meaning | None:
    """More into a bowl than it holds."""
    bowls = sorted(item.id for item in scene.objects.values() if item.label == "bowl")
    blocks = sorted(item.id for item in matching(scene, "block"))
    if not bowls:
        return None
    place = Describer(scene, rng).plain(rng.choice(bowls))
    if place is None:
        return None
    there = {r.subject for r in scene.relations if r.predicate == "in" and r.object == place.ids[0]}
    outside = [name for name in blocks if name not in there]
    describe = Describer(scene, rng)
    if len(there) >= capacity("bowl") and outside:
        theme = describe.plain(rng.choice(outside))
    elif len(blocks) > capacity("bowl"):
        theme = Ref("all", tuple(blocks), "block")
    else:
        return None
    return None if theme is None else _refusal("full", Act("in", theme=theme, place=place), place.ids[0])


def _conflict(scene: Scene, rng: Random) -> Meaning | None:
    """To be moved, and not to be touched."""
    actor = Actor.of(scene, rng, rich=0.0)
    act = actor.one(rng.choice(("in", "on", "stack", "hold", "push")))
    if act is None or act.theme is None or act.theme.form == "held":
        return None
    ref = act.place if act.place is not None and rng.random() < 0.4 else act.theme
    return replace(_refusal(FORBIDDEN, act, ref.ids[0]), avoid=(ref,))


def _unable(scene: Scene, rng: Random) -> Meaning | None:
    """What no skill does."""
    theme = Actor.of(scene, rng, rich=0.05).ref(rng.choice(sorted(scene.objects)))
    if rng.random() < 0.35:
        return _refusal("unable", Act("unable_robot"))
    return None if theme is None else _refusal("unable", Act("unable_thing", theme=theme))


def _too_far(scene: Scene, rng: Random) -> Meaning | None:
    act = Actor.of(scene, rng, rich=0.05).one("push")
    if act is None:
        return None
    return _refusal(
        "far", replace(act, kind="push_by", wishes=(), length=rng.choice((0.3, 0.4, 0.5, 0.8, 1.0)), vague=False)
    )


def _misplaced(scene: Scene, rng: Random) -> Meaning | None:
    """Into something that is no container."""
    actor = Actor.of(scene, rng, rich=0.0)
    theme, name = actor.theme(), actor.pick_one("block")
    if theme is None or name is None or name in theme.ids:
        return None
    place = actor.ref(name)
    return None if place is None else _refusal("unfit", Act("in", theme=theme, place=place), scene.objects[name].label)
