"""The card of a learned policy for a reader, written from its contract, its settings and its learning curve."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from reins.models.metadata import Measurement
from reins.models.registry import read_contract
from reins.training.envs.tasks import TASKS
from reins.training.exactness import exactness_sentence
from reins.training.rl.checkpoint import CurvePoint
from reins.training.rl.settings import TrainSettings


def describe(
    data: bytes,
    settings: TrainSettings,
    curve: Sequence[CurvePoint],
    exactness: float,
    elsewhere: Measurement | None = None,
) -> str:
    """Markdown about a policy.

    Args:
        data: its ONNX file.
        settings, curve: of the run that made it.
        exactness: the largest difference between its actions and PyTorch's.
        elsewhere: what it reached in another simulator.
    """
    metadata = read_contract(data)
    task = TASKS[settings.task]
    terms = "\n".join(f"| {term.name} | {term.size} |" for term in metadata.observation)
    points = "\n".join(f"| {point.step} | {point.success:.0%} | {point.length:.0f} |" for point in curve)
    measured = "\n".join(_sentence(entry) for entry in (metadata.measured, elsewhere) if entry is not None)
    return f"""# {metadata.name}

A policy for {metadata.robot}: {metadata.action.meaning} at {metadata.rate:g} Hz, for {", ".join(metadata.skills)}.
{task.__doc__}
What it commands is scaled by a style from 0 (cautious) to 1 (fast), which it also sees.

## Input

| term | numbers |
|---|---|
{terms}

Terms are explained in `reins/skills/observation.py`; normalisation is inside the network.

## Training

{metadata.training.method}.
{metadata.training.samples} policy steps, seed {metadata.training.seed}, environment {metadata.training.environment},
domain randomisation `{settings.randomisation}`, code at commit {commit()}.
To make it again: `reins train skill {settings.task} --seed {settings.seed}`.

| policy steps | success on held-out episodes | length [steps] |
|---|---|---|
{points}

![Success over policy steps]({settings.task}.png)

## Measured

{measured or "Not measured yet."}

{exactness_sentence(exactness)}

## Limits

Trained with blocks of 36 to 46 mm, alone or with the one other object of its world, over the table in front of the arm.
The skill brings the hand near by the scripts' own motions first. What it commands goes through the bounds of
`reins.skills.action.TwistDecoder`, and then through the safety monitor.
"""


def _sentence(measured: Measurement) -> str:
    return (
        f"{measured.success_rate:.1%} of {measured.episodes} episodes that it was not trained on, in\n"
        f"{measured.environment}.\nSuccess: {measured.criterion}.\n"
    )


def commit() -> str:
    """The commit of the checkout that this code is in."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown: no checkout"
