"""The words that are understood, as data: phrase → what it is. Longer phrases win over shorter ones."""

from enum import Enum, auto
from functools import cache
from typing import Final

from reins.contracts.scene import Scene
from reins.planning.phrasebook import COLOURS, Phrases, Vocabulary, vocabulary_of


class Kind(Enum):
    """What a phrase is."""

    VERB = auto()
    ARTICLE = auto()
    ALL = auto()
    COLOUR = auto()
    NOUN = auto()
    PLURAL = auto()
    PRONOUN = auto()
    OTHER = auto()
    RANK = auto()
    SIDE = auto()
    OBJECT = auto()
    RELATION = auto()
    DIRECTION = auto()
    THERE = auto()
    PARTICLE = auto()
    ROBOT_PART = auto()
    HOME = auto()
    NUMBER = auto()
    UNIT = auto()
    DISTANCE = auto()
    THAT_IS = auto()
    EXCEPT = auto()
    AND = auto()
    OR = auto()
    THEN = auto()
    NOT = auto()
    TOUCH = auto()
    ALONE = auto()
    ADVERB = auto()
    HASTE = auto()
    FILLER = auto()


VERBS: Final = ("put", "stack", "pick up", "put down", "push", "move", "go to", "go home", "open", "close")
"""The verbs to tell people of; there are synonyms."""

NUMBERS: Final = ("three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
"""Number words from three on; "one" and "two" mean other things besides."""

_PHRASES: Final[Phrases] = {
    (Kind.VERB, "put"): "put, place, set, lay, deposit, insert, position, bring, transfer, carry, relocate",
    (Kind.VERB, "stack"): "stack, pile",
    (Kind.VERB, "take"): (
        "pick up, pick, take, grab, grasp, get, lift up, lift, hold, hold on to, take hold of, fetch, raise, grip"
    ),
    (Kind.VERB, "remove"): "remove, take away, unload, unstack",
    (Kind.VERB, "release"): "put down, set down, lay down, place down, let go of, let go, release, drop",
    (Kind.VERB, "push"): "push, slide, nudge, shove",
    (Kind.VERB, "move"): "move, shift",
    (Kind.VERB, "go"): "go, go back, hover, return, come, reach for, point",
    (Kind.VERB, "stop"): "stop, halt, freeze, cancel, abort, wait",
    (Kind.VERB, "open"): "open up, open",
    (Kind.VERB, "close"): "close, shut",
    (Kind.ARTICLE, "the"): "the, this, that, these, those, my, your",
    (Kind.ARTICLE, "a"): "a, an, any, one of the, any of the",
    (Kind.ALL, "all"): "all of the, all the, all of, all, every, each of the, each",
    (Kind.ALL, "everything"): "everything",
    (Kind.ALL, "both"): "both of the, both the, both, two, the two",
    (Kind.ALL, "others"): "anything else, everything else, the others, others, the rest",
    (Kind.NOUN, "block"): "block, cube, brick",
    (Kind.PLURAL, "block"): "blocks, cubes, bricks",
    (Kind.NOUN, "bowl"): "bowl, basin",
    (Kind.PLURAL, "bowl"): "bowls, basins",
    (Kind.NOUN, "plate"): "plate, dish, saucer",
    (Kind.PLURAL, "plate"): "plates, dishes, saucers",
    (Kind.NOUN, "table"): "table, tabletop, table top, desk",
    (Kind.NOUN, ""): "one, object, thing, item",
    (Kind.PLURAL, ""): "ones, objects, things, items",
    (Kind.PRONOUN, "it"): "it, that one, this one",
    (Kind.PRONOUN, "them"): "them",
    (Kind.OTHER, "other"): "other, another, remaining",
    (Kind.RANK, "left"): "leftmost, left-most",
    (Kind.RANK, "right"): "rightmost, right-most",
    (Kind.RANK, "back"): "nearest, closest, front",
    (Kind.RANK, "forward"): "farthest, furthest, rear",
    (Kind.RANK, "big"): "biggest, largest, big, large",
    (Kind.RANK, "small"): "smallest, small",
    (Kind.SIDE, "left"): "on the left, at the left, on the left side, on the left-hand side",
    (Kind.SIDE, "right"): "on the right, at the right, on the right side, on the right-hand side",
    (Kind.RELATION, "in"): "in, inside, inside of, within",
    (Kind.RELATION, "into"): "into, in to",
    (Kind.RELATION, "on"): "on, on top of, atop, upon, on the top of",
    (Kind.RELATION, "onto"): "onto, on to",
    (Kind.RELATION, "beside"): "beside, next to, near, by, close to, alongside, adjacent to, near to",
    (Kind.RELATION, "left_of"): (
        "left of, to the left of, on the left of, on the left side of, at the left of, to the left side of"
    ),
    (Kind.RELATION, "right_of"): (
        "right of, to the right of, on the right of, on the right side of, at the right of, to the right side of"
    ),
    (Kind.RELATION, "in_front_of"): "in front of",
    (Kind.RELATION, "behind"): "behind, in back of",
    (Kind.RELATION, "to"): "to, towards, toward, at",
    (Kind.RELATION, "above"): "above, over",
    (Kind.RELATION, "from"): "from",
    (Kind.RELATION, "off"): "out of, off, off of, from inside",
    (Kind.DIRECTION, "left"): "left, to the left, leftward, leftwards, to your left",
    (Kind.DIRECTION, "right"): "right, to the right, rightward, rightwards, to your right",
    (Kind.DIRECTION, "forward"): "forward, forwards, ahead, away, away from you, away from the robot",
    (Kind.DIRECTION, "back"): (
        "back, backward, backwards, towards you, toward you, towards the robot, toward the robot, towards yourself"
    ),
    (Kind.THERE, "there"): "there, in there, on there",
    (Kind.PARTICLE, "up"): "up",
    (Kind.PARTICLE, "down"): "down",
    (Kind.ROBOT_PART, "gripper"): "gripper, hand, fingers, claw, jaws",
    (Kind.ROBOT_PART, "arm"): "arm, robot arm",
    (Kind.HOME, "home"): "home, home position, home pose, rest position, park",
    (Kind.UNIT, "0.01"): "cm, centimetre, centimetres, centimeter, centimeters",
    (Kind.UNIT, "0.001"): "mm, millimetre, millimetres, millimeter, millimeters",
    (Kind.UNIT, "1"): "m, metre, metres, meter, meters",
    (Kind.UNIT, "0.0254"): "inch, inches",
    (Kind.DISTANCE, "0.05"): "a bit, a little, a little bit, slightly",
    (Kind.THAT_IS, "that is"): "that is, which is, that are, which are, that's, lying, standing, sitting",
    (Kind.EXCEPT, "except"): "except, except for, apart from, but not, other than",
    (Kind.AND, "and"): "and, but, while, plus, and also, as well as, \\,",
    (Kind.OR, "or"): "or, nor",
    (Kind.THEN, "then"): (
        "then, and then, after that, afterwards, and afterwards, next, and next, finally, and finally, lastly, "
        "but then, but first, ;, ., !, ?"
    ),
    (Kind.NOT, "not"): (
        "do not, don't, dont, never, without, be careful not to, make sure not to, make sure you do not, "
        "take care not to, must not, you must not, and not, not, be sure not to, do not ever, don't ever, do not even, "
        "don't even, don't you dare, never ever, must never, you must never, should not, you should not, shouldn't, "
        "you shouldn't, mustn't, you mustn't, under no circumstances, on no account, refrain from"
    ),
    (Kind.NOT, "avoid"): (
        "avoid, avoiding, keep away from, keeping away from, stay away from, keep clear of, stay clear of, "
        "steer clear of, keep off, keeping off, stay off, hands off, keep your hands off, keep your distance from, "
        "watch out for, look out for, beware of"
    ),
    (Kind.NOT, "mind"): "mind, be mindful of",
    (Kind.TOUCH, "touch"): (
        "touch, touching, moving, disturb, disturbing, bump, bumping, bump into, bumping into, hit, hitting, "
        "knock over, knocking over, pushing, use, using, picking up, go near, going near, come near, grabbing, "
        "tip over, tipping over, shifting, come close to, get close to, go close to, get near, getting near, "
        "go anywhere near, going anywhere near, come anywhere near, get anywhere near, go anywhere close to, "
        "come anywhere close to, get anywhere close to, bump against, bumping against, approach, approaching, "
        "interfere with, mess with"
    ),
    (Kind.ALONE, "leave"): "leave, keep, leaving, keeping",
    (Kind.ALONE, "alone"): "alone, untouched, as it is, as they are, where it is, where they are, in place",
    (Kind.ADVERB, "0.5"): "carefully, gently, with care, be careful, cautiously, softly",
    (Kind.ADVERB, "0.3"): "slowly, very carefully, very gently, slow",
    (Kind.ADVERB, "0.2"): "very slowly, extremely carefully, extra slowly",
    (Kind.HASTE, "quickly"): "quickly, fast, as fast as you can, rapidly, hurry up, hurry, quick, very quickly",
    (Kind.FILLER, ""): (
        "please, kindly, can you, could you, would you, will you, i want you to, i would like you to, i'd like you to, "
        "you should, you must, you need to, i need you to, hey, hello, hi, robot, ok, okay, now, just, for me, thanks, "
        "thank you, try to, go ahead and, first, too, as well, also, again, the robot, about, be sure to, "
        "make sure to, let's, straight, :"
    ),
    (Kind.COLOUR, "grey"): "grey, gray",
    **{(Kind.COLOUR, colour): colour for colour in COLOURS},
    **{(Kind.NUMBER, str(value)): word for value, word in enumerate(NUMBERS, 3)},
}
"""What is understood in any scene."""


@cache
def _always() -> Vocabulary:
    return vocabulary_of(_PHRASES)


def vocabulary(scene: Scene) -> Vocabulary:
    """Every phrase that is understood in a scene: the lexicon, and the scene's own colours, labels and object ids.

    One that is made of the lexicon's words alone is left out: that something is labelled "yellow block" is no reason to
    take these words for its name.
    """
    always, own = _always(), dict[str, tuple[Kind, str]]()
    for item in scene.objects.values():
        own[item.colour] = (Kind.COLOUR, item.colour)
        own[item.label] = (Kind.NOUN, item.label)
        own[f"{item.label}s"] = (Kind.PLURAL, item.label)
    own |= {name: (Kind.OBJECT, name) for name in scene.objects}
    named = {phrase: kind for phrase, kind in own.items() if not all(word in always for word in phrase.split())}
    return {**named, **always}
