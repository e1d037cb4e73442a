"""Random meanings that need a question first: what could be several things, and what is left open."""

from dataclasses import replace
from random import Random

from reins.contracts.scene import Scene
from reins.training.planner.acts import Actor
from reins.training.planner.meanings import Act, Meaning
from reins.training.planner.references import Describer, Ref, exactly, matching


def ambiguous(scene: Scene, rng: Random) -> Meaning | None:
    """What needs a question first."""
    return rng.choice((_which, _which, _which_place, _nowhere, _no_way, _no_theme, _rules_alone, _no_order))(scene, rng)


def _question(topic: str, act: Act, offers: tuple[str, ...] = ()) -> Meaning:
    return Meaning("ambiguous", (act,), answer="question", topic=topic, offers=offers)


def _vague(scene: Scene, rng: Random, label: str) -> Ref | None:
    """Words that fit several things of that label."""
    for colour in rng.sample(["", *sorted({item.colour for item in matching(scene, label)})], k=1):
        fits = sorted(matching(scene, label, colour), key=lambda item: (-item.position[1], item.id))
        if len(fits) > 1 and scene.held() not in [item.id for item in fits]:
            return Ref("plain" if colour else "label", tuple(item.id for item in fits), label, colour)
    return None


def _which(scene: Scene, rng: Random) -> Meaning | None:
    """The theme could be several things."""
    theme = _vague(scene, rng, "block")
    if theme is None:
        return None
    actor = Actor.of(scene, rng, rich=0.0)
    actor.used |= set(theme.ids)
    one = replace(theme, ids=theme.ids[:1])
    act = actor.about(rng.choice(("in", "on", "stack", "push", "hold", "beside", "side")), one)
    if act is None or (act.kind == "stack" and theme.form == "label"):
        return None
    return _question("which", replace(act, theme=theme, wishes=()), theme.ids)


def _which_place(scene: Scene, rng: Random) -> Meaning | None:
    """The place could be several things."""
    label, kind = rng.choice((("bowl", "in"), ("plate", "on")))
    place, theme = _vague(scene, rng, label), Actor.of(scene, rng, rich=0.05).theme()
    if place is None or theme is None:
        return None
    return _question("which", Act(kind, theme=theme, place=place), place.ids)


def _nowhere(scene: Scene, rng: Random) -> Meaning | None:
    """A thing to be put, and no place."""
    theme = Actor.of(scene, rng, rich=0.1).theme()
    return None if theme is None or theme.form == "held" else _question("where", Act("put_nowhere", theme=theme))


def _no_way(scene: Scene, rng: Random) -> Meaning | None:
    """A push, and no direction."""
    theme = Actor.of(scene, rng, rich=0.1).theme()
    return None if theme is None or theme.form == "held" else _question("direction", Act("push_nowhere", theme=theme))


def _no_theme(scene: Scene, rng: Random) -> Meaning | None:
    """Something to be done to nobody knows what."""
    if scene.held() is not None or len(matching(scene, "block")) < 2:
        return None
    kind = rng.choice(("in_what", "hold_what", "push_what", "nothing_said"))
    bowls = [item for item in scene.objects.values() if item.label == "bowl"]
    if kind != "in_what":
        return _question("what", Act(kind))
    place = Describer(scene, rng).plain(rng.choice(bowls).id) if bowls else None
    return None if place is None else _question("what", Act(kind, place=place))


def _rules_alone(scene: Scene, rng: Random) -> Meaning | None:
    """What to leave alone, and nothing to do."""
    ref = Describer(scene, rng).plain(rng.choice(sorted(scene.objects)))
    if ref is None or scene.held() is not None:
        return None
    return Meaning("ambiguous", (), avoid=(ref,), answer="question", topic="what")


def _no_order(scene: Scene, rng: Random) -> Meaning | None:
    """A stack, and nothing said of which goes on which."""
    blocks = sorted(item.id for item in matching(scene, "block"))
    if len(blocks) < 2:
        return None
    describe = Describer(scene, rng)
    parts = tuple(ref for name in rng.sample(blocks, 2) if (ref := describe.plain(name)) is not None)
    if len(parts) < 2 or any(part.form != "plain" for part in parts):
        return None
    theme = Ref("list", exactly(parts), "block", parts=parts)
    return _question("order", Act("stack_anyhow", theme=theme), theme.ids)
