"""Answers to "which one?" for robots with legs, in English and Chinese: "the red one", "the left one", "左边的"."""

import re
from collections.abc import Sequence
from typing import Final

from reins.contracts.scene import Scene
from reins.planning.answers import CannotDo
from reins.planning.english.answer import choose as choose_in_english
from reins.planning.english.phrases import NounPhrase
from reins.planning.english.reference import Referents
from reins.planning.walking.chinese import CHINESE
from reins.planning.walking.grammar import Clause, Parser
from reins.planning.walking.tokens import tokenise
from reins.planning.wording import is_chinese

_SIDES: Final = {"左": "left", "右": "right", "近": "back", "远": "forward"}
"""Where a thing is, seen from the robot → the rank of `reins.contracts.facts.AXES`."""

_SIDE: Final = re.compile(rf"在?最?({'|'.join(_SIDES)})(?:边|面|侧|手边|处)?的?(?:那个|那扇|那只|那道|一个|一扇)?")
_ONE: Final = re.compile(r"的?(?:那|这)?(?:个|扇|只|道|块|位)?$")


def choose(answer: str, choices: Sequence[str], scene: Scene) -> tuple[str, ...]:
    """Ids of the objects that an answer means; see `reins.planning.clarify.Choosing`.

    Args:
        answer: controlled English or Chinese.
        choices: ids of what was asked about; any object of the scene may be meant if there are none.
        scene: what was seen then, from the robot's base.

    Raises:
        CannotDo, Unclear: it means none of them, or again several.
    """
    if not is_chinese(answer):
        return choose_in_english(answer, choices, scene)
    here = tuple(name for name in choices if name in scene.objects)
    referents = Referents(scene, CHINESE.wording)
    if here and (side := _SIDE.fullmatch(answer)):
        return referents.resolve(NounPhrase(answer, ranks=(_SIDES[side[1]],)), among=here)
    return referents.resolve(_phrase(_ONE.sub("", answer), scene), among=here)


def _phrase(answer: str, scene: Scene) -> NounPhrase:
    """What an answer names, read as somewhere to go to."""
    parser = Parser(tokenise(f"去{answer}", scene, CHINESE), CHINESE, tuple(scene.objects))
    parser.run()
    match parser.said:
        case [Clause(thing=NounPhrase() as thing)]:
            return thing
    raise CannotDo(CHINESE.wording.say("none", thing=answer, seen=CHINESE.wording.listed(scene.objects)))
