"""Plans that the planner's model is known to make: recorded as it is exported, and asked for when it is verified."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import numpy as np

from reins.contracts.scene import Scene
from reins.language_models.llama_cpp import LlamaCppModel, LlamaSettings
from reins.language_models.model import Bounds, Cancel, ModelError
from reins.models.language import GoldenPlan
from reins.perception.state import StatePerception
from reins.planning.language.compact import FORMAT, compact_prompt, kind_names
from reins.planning.language.schema import plan_schema
from reins.planning.planner import History
from reins.planning.verifier import verify
from reins.sim.objects import rest_height
from reins.sim.placement import place
from reins.sim.world import load_world
from reins.sim.world_state import TruthObject, WorldState
from reins.skills.library import SKILLS
from reins.training.planner.judge import read_or_why

ASKED: Final = (
    ("tabletop", 1, "put the red block in the blue bowl but don't touch the yellow block"),
    ("tableware", 2, "push the green block left, then put the red one on the plate"),
    ("blocks", 3, "stack the red block on the blue block"),
    ("tabletop", 4, "pick up the block"),
    ("tabletop", 5, "throw the red block at my colleague"),
    ("tabletop", 6, "把红色方块放到蓝色的碗里"),
    ("tableware", 7, "把绿色方块放到盘子上，别碰红色方块"),
    ("blocks", 8, "把紫色方块放到红色方块上"),
)
"""World, seed and instruction: one thing, several, a rule, a question, a refusal, in both languages."""

MOST_SHOWN: Final = 160
"""Signs of a reply that are quoted."""


def start_scene(world: str, seed: int) -> Scene:
    """What is there when a task begins in a world, as it truly is."""
    spec = load_world(world)
    objects = {}
    for name, pose in place(spec, seed).items():
        item = spec.by_id[name]
        position = (pose.x, pose.y, rest_height(item))
        turn = (0.0, 0.0, float(np.sin(pose.yaw / 2)), float(np.cos(pose.yaw / 2)))
        objects[name] = TruthObject(name, item.label, item.colour, position, turn, item.size, touched=False)
    return StatePerception().update_from_truth(WorldState(0.0, world, seed, objects, None, np.empty(0)))


def golden_plans(reply: Callable[[str], str]) -> tuple[GoldenPlan, ...]:
    """What a model answers to ASKED, as far as it can be carried out; the rest is nothing to hold it to.

    Args:
        reply: of the model to a prompt, the likeliest tokens.
    """
    found = []
    for world, seed, said in ASKED:
        scene = start_scene(world, seed)
        text = reply(_prompt(said, scene))
        plan, _ = read_or_why(text)
        if plan is not None and not verify(kind_names(scene, scene).restore(plan), scene, SKILLS):
            found.append(GoldenPlan(instruction=said, world=world, seed=seed, reply=text))
    return tuple(found)


def changed_plans(path: Path, golden: tuple[GoldenPlan, ...]) -> Iterator[str]:
    """What llama.cpp makes otherwise of a file than its card says, a clause each.

    Raises:
        ModelError: the file does not load, or takes another prompt than this version of reins makes.
    """
    model = LlamaCppModel(LlamaSettings(path))
    try:
        if model.takes != FORMAT:
            raise ModelError(f"it does not take the prompt {FORMAT}, which this version of reins makes")
        for plan in golden:
            scene = start_scene(plan.world, plan.seed)
            schema = plan_schema(scene, SKILLS, kind_names(scene, scene))
            said = model.complete(_prompt(plan.instruction, scene), schema, Bounds(), Cancel())
            if said.text != plan.reply:
                answered, known = (text[:MOST_SHOWN] for text in (said.text, plan.reply))
                yield f"to “{plan.instruction}” it answers {answered}…, and its card says {known}…"
    finally:
        model.close()


def _prompt(instruction: str, scene: Scene) -> str:
    return compact_prompt(instruction, scene, History(scene), SKILLS)
