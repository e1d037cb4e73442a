"""The card of a learned policy for a reader, written from its contract, its settings and its learning curve."""

from collections.abc import Sequence

from reins.models.registry import read_contract
from reins.training.envs.tasks import TASKS
from reins.training.rl.checkpoint import CurvePoint
from reins.training.rl.settings import TrainSettings


def describe(data: bytes, settings: TrainSettings, curve: Sequence[CurvePoint]) -> str:
    """Markdown about a policy, from its ONNX file and the run that made it."""
    metadata = read_contract(data)
    task = TASKS[settings.task]
    terms = "\n".join(f"| {term.name} | {term.size} |" for term in metadata.observation)
    points = "\n".join(f"| {point.step} | {point.success:.0%} | {point.length:.0f} |" for point in curve)
    measured = "Not measured yet."
    if metadata.measured is not None:
        measured = (
            f"{metadata.measured.success_rate:.1%} of {metadata.measured.episodes} episodes that it was not trained "
            f"on, in {metadata.measured.environment}. Success: {metadata.measured.criterion}."
        )
    return f"""# {metadata.name}

A policy for {metadata.robot}: {metadata.action.meaning} at {metadata.rate:g} Hz, for {", ".join(metadata.skills)}.
{task.__doc__} What it commands is scaled by a style from 0 (cautious) to 1 (fast), which it also sees.

## Input

| term | numbers |
|---|---|
{terms}

Terms are explained in `reins/skills/observation.py`; normalisation is inside the network.

## Training

{metadata.training.method}; {metadata.training.samples} policy steps, seed {metadata.training.seed}, environment
{metadata.training.environment}, domain randomisation `{settings.randomisation}`.
To make it again: `reins train skill {settings.task} --seed {settings.seed}`.

| policy steps | success on held-out episodes | length [steps] |
|---|---|---|
{points}

## Measured

{measured}

## Limits

Trained with blocks of 36 to 46 mm, alone or with the one other object of its world, over the table in front of the arm.
The skill brings the hand near by the scripts' own motions first. What it commands goes through the bounds of
`reins.skills.action.TwistDecoder`, and then through the safety monitor.
"""
