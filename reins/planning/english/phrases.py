"""What was said, before it is clear what it is about: noun phrases, clauses, an utterance."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """Words for one or several things.

    Attributes:
        text: as written.
        label: kind of thing; "" if any, "table" for the table.
        colours: any of these; empty if any colour.
        quantity: "the" (exactly one), "a" (any one), "all", "both".
        pronoun: "it", "them", "others", or "".
        object_id: an id used as a name, or "".
        other: not the one spoken of before.
        ranks: leftmost, biggest, … in order.
        within: relations that narrow it down: (relation, thing).
        exclude: things that "all" leaves out.
    """

    text: str
    label: str = ""
    colours: tuple[str, ...] = ()
    quantity: str = "the"
    pronoun: str = ""
    object_id: str = ""
    other: bool = False
    ranks: tuple[str, ...] = ()
    within: tuple[tuple[str, "NounPhrase"], ...] = ()
    exclude: tuple["NounPhrase", ...] = ()


@dataclass(slots=True)
class Clause:
    """One thing to do.

    Attributes:
        verb: value of the verb.
        text: the verb as written.
        after: comes after what was said before, rather than together with it.
        themes: what it is done to.
        places: (relation, thing) in the order said; the thing is None for "there".
        direction: left, right, forward, back or "".
        distance: how far [m], or None.
        part: "gripper", "arm", "home" or "".
        particle: "up", "down" or "".
    """

    verb: str
    text: str
    after: bool
    themes: tuple[NounPhrase, ...] = ()
    places: list[tuple[str, NounPhrase | None]] = field(default_factory=list)
    direction: str = ""
    distance: float | None = None
    part: str = ""
    particle: str = ""


@dataclass(slots=True)
class Utterance:
    """A whole instruction: what to do, what to avoid, how fast, and remarks on what was left out."""

    clauses: list[Clause] = field(default_factory=list)
    avoid: list[NounPhrase] = field(default_factory=list)
    speed: float = 1.0
    notes: list[str] = field(default_factory=list)
