"""English for legged robots, as data: its words, and the sentences of the answers."""

from collections.abc import Mapping
from typing import Final

from reins.contracts.scene import PERSON
from reins.planning.english.reference import ANSWERS
from reins.planning.phrasebook import COLOURS, DIGITS, Phrases, words_of
from reins.planning.walking.language import Kind, Language
from reins.planning.wording import Wording

PHRASES: Final[Phrases] = {
    (Kind.VERB, "go"): "walk, go, move, come, run, head, trot, step, return, visit, approach, navigate, proceed",
    (Kind.VERB, "turn"): "turn, rotate, spin",
    (Kind.VERB, "follow"): "follow, walk behind, go after, walk after, accompany",
    (Kind.VERB, "look_around"): "look around, look round, have a look around, look about, scan the area",
    (Kind.VERB, "stand"): "stand up, stand, get up, rise",
    (Kind.VERB, "sit"): "sit down, sit, lie down, lay down",
    (Kind.VERB, "recover"): "recover, roll over, get back up, get back on your feet, right yourself",
    (Kind.VERB, "wait"): "wait, wait there, wait here, pause, rest",
    (Kind.VERB, "stop"): "stop, halt, stand still, freeze",
    (Kind.ARTICLE, "the"): "the, this, that, my, your",
    (Kind.ARTICLE, "a"): "any",
    (Kind.ALL, "all"): "all, all the, every, everybody who is a",
    (Kind.NOUN, "box"): "box, crate, carton",
    (Kind.NOUN, "door"): "door, doorway, gate",
    (Kind.NOUN, "marker"): "marker, mark, spot, mat",
    (Kind.NOUN, PERSON): "person, man, woman, human, operator",
    (Kind.PEOPLE, PERSON): "people, everybody, everyone, anybody, anyone, persons, humans, somebody, someone",
    (Kind.PRONOUN, "it"): "it, them, him, her",
    (Kind.TO, "to"): (
        "to, over to, up to, towards, toward, in front of, near, next to, beside, close to, onto, on, on to, at, before"
    ),
    (Kind.AROUND, "around"): "around, round, past, by",
    (Kind.DIRECTION, "left"): (
        "left, to the left, to your left, leftwards, sideways to the left, anticlockwise, counterclockwise"
    ),
    (Kind.DIRECTION, "right"): "right, to the right, to your right, rightwards, sideways to the right, clockwise",
    (Kind.DIRECTION, "forward"): "forward, forwards, ahead, straight ahead, straight on, straight",
    (Kind.DIRECTION, "back"): "back, backward, backwards",
    (Kind.KEEP, "keep"): "keep, stay, remain, keeping, staying, always keep, always stay, keep a distance of",
    (Kind.AWAY, "away"): "away from, from, clear of, off, of distance from, distance from, distance to",
    (Kind.FAR, "far"): "well, your distance, some distance",
    (Kind.AVOID, "avoid"): (
        "avoid, avoiding, keep away from, keeping away from, stay away from, staying away from, keep clear of, "
        "do not go near, don't go near, do not come near, don't come near, never go near, without going near, "
        "do not touch, don't touch, without touching, do not bump into, don't bump into"
    ),
    (Kind.UNIT, "m"): "m, metre, metres, meter, meters",
    (Kind.UNIT, "cm"): "cm, centimetre, centimetres, centimeter, centimeters",
    (Kind.UNIT, "s"): "s, sec, second, seconds",
    (Kind.UNIT, "min"): "min, minute, minutes",
    (Kind.UNIT, "deg"): "deg, degree, degrees, °",
    (Kind.UNIT, "circle"): "circle, circles, full circle, full circles, full turn, full turns",
    (Kind.HALF, "0.5"): "and a half",
    (Kind.FOR, "for"): "for",
    (Kind.ADVERB, "0.5"): "carefully, cautiously, with care, slowly, gently, slower, more slowly",
    (Kind.ADVERB, "0.3"): "very slowly, very carefully",
    (Kind.NOT, "not"): "do not, don't, never, without, not",
    (Kind.JOIN, "and"): "and, \\,",
    (Kind.LINK, "then"): (
        "then, and then, after that, afterwards, next, finally, first, but, while, ;, ., !, ?, (, ), and finally"
    ),
    (Kind.FILLER, ""): (
        "please, can you, could you, would you, now, just, at least, always, robot, dog, the robot, ok, okay, hey, "
        "there, over, at a distance of, with, too, also, again, all the time, at all times"
    ),
    **{(Kind.COLOUR, colour): colour for colour in (*COLOURS, "grey")},
    **{
        (Kind.NUMBER, str(value)): word
        for value, word in enumerate(("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 2)
    },
    (Kind.NUMBER, "0.5"): "half a, half an",
    (Kind.NUMBER, "1.5"): "one and a half",
    (Kind.NUMBER, "1"): "one, a, an",
}
"""Every phrase that is understood on any ground."""

SENTENCES: Final[Mapping[str, str]] = {
    **ANSWERS,
    "long": "the instruction has {count} words; I read at most {most}",
    "unknown": "I do not know the word '{word}'{hint} (I can {verbs})",
    "unknown_thing": "I do not know any '{word}'{hint} (I see {seen})",
    "unknown_either": "I do not know the word '{word}'{hint} (I can {verbs}; I see {seen})",
    "hint": "; did you mean '{phrase}'?",
    "unexpected": "I do not understand '{word}'; I expected {wanted}",
    "end": "the end",
    "link": "'then', or the end",
    "verb": "a verb ({verbs})",
    "name": "the name of something (I see {seen})",
    "away": "'away from' something",
    "length": "a length (metres or centimetres)",
    "time": "a time (seconds or minutes)",
    "angle": "an angle (degrees)",
    "not": "'{word}': of things not to do I only understand what not to go near",
    "nothing": "the instruction asks for nothing; I can {verbs}",
    "only_away": "I will keep away from that. What shall I do?",
    "both": "I cannot go to {thing} and keep away from it",
    "one": "One at a time, please. Which one first: {choices}?",
    "forward": "forward",
    "back": "back",
    "either": "I can {verb} to {thing}, or in a direction, but not both at once",
    "past": "Around {things} to where?",
    "where": "Where shall I {verb}: to an object, or which way and how far?",
    "whom": "Whom shall I {verb}? I see {seen}.",
    "turns": "I can {verb} left, right or around, and not {direction}",
    "which_way": "Which way shall I {verb}: left, right or around?",
    "range": "{name} is {value}; it must be a number from {lower} to {upper} {unit}",
    "parameter_x": "x",
    "parameter_y": "y",
    "parameter_angle": "angle",
    "parameter_duration": "duration",
    "person": "'{thing}' is a {label}, not a person",
    "wanted": "wanted: {calls}",
    "then": ", then ",
    "avoid": "; avoid {thing}",
    "keep": "; keep {distance:g} m away from {thing}",
    "speed": "; at {scale:.0%} of full speed",
}
"""What is said of instructions, by key."""


def _digits(words: list[str], position: int) -> tuple[float, int] | None:
    """A number in digits; those in words are phrases."""
    return (float(words[position]), 1) if DIGITS.fullmatch(words[position]) else None


ENGLISH: Final = Language(
    phrases=PHRASES,
    verbs=("walk to", "turn", "follow", "look around", "stand up", "sit down", "recover", "wait", "stop"),
    walk="go",
    wording=Wording(SENTENCES),
    split=words_of,
    numeral=_digits,
)
