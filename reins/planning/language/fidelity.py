"""Whether a plan does what was said, no less and no more, where every word of the instruction is known."""

from collections.abc import Mapping, Sequence

from reins.contracts.plan import SkillCall
from reins.contracts.scene import Scene
from reins.planning.answers import CannotDo, Unclear
from reins.planning.language.domain import ARM, Domain
from reins.planning.language.excess import goes_beyond
from reins.planning.language.promise import falls_short
from reins.planning.planner import History
from reins.planning.pursuit import left_of
from reins.skills.registry import SkillSpec


def against_the_words(
    steps: Sequence[SkillCall],
    instruction: str,
    scene: Scene,
    history: History,
    registry: Mapping[str, SkillSpec],
    domain: Domain = ARM,
) -> list[str]:
    """What a first plan leaves undone, and any plan does besides, one clause each; empty if words are not known.

    Args:
        steps: that can all be carried out.
        instruction: what the operator said.
        scene: that the steps begin in.
        history: the task so far.
        registry: the skills' declarations.
        domain: of the robot; knows its words.
    """
    try:
        task = domain.read(instruction, history.initial, registry)
    except (Unclear, CannotDo):
        return []
    short = [] if history.steps else falls_short(steps, task, scene, registry)
    seen = task.objects(registry) <= scene.objects.keys()
    beyond = goes_beyond(steps, left_of(task, scene, history), scene, registry) if seen else []
    return [
        *(f"that is not what was asked for: {clause}" for clause in short),
        *(f"that is more than was asked for: {clause}" for clause in beyond),
    ]
