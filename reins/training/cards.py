"""The card of a policy for a reader, written from its contract and its measured outcomes."""

from collections.abc import Sequence

import numpy as np

from reins.models.metadata import PolicyMetadata
from reins.models.registry import read_contract
from reins.training.exactness import exactness_sentence
from reins.training.measure import ReachOutcome


def describe(data: bytes, outcomes: Sequence[ReachOutcome], exactness: float) -> str:
    """Markdown about a policy, from its ONNX file and what it did when it was measured.

    Args:
        data: its ONNX file.
        outcomes: of its episodes.
        exactness: the largest difference between its actions and PyTorch's.
    """
    metadata = read_contract(data)
    terms = "\n".join(
        f"| {term.name} | {term.size} | × {term.scale:g}, clipped at ± {term.clip:g} |" for term in metadata.observation
    )
    return f"""# {metadata.name}

A policy for {metadata.robot}: {metadata.action.meaning} at {metadata.rate:g} Hz, for {", ".join(metadata.skills)}.
It brings the tool from where it is to a goal pose over the table; the skill gives it the goals (up, over, down).

## Input

| term | numbers | scaling |
|---|---|---|
{terms}

Terms are explained in `reins/skills/observation.py`. The output is clipped to ± 1 and scaled per joint: see the
contract in `{metadata.name}.json`.

## Training

{metadata.training.method}, {metadata.training.samples} states, seed {metadata.training.seed}, environment
{metadata.training.environment} version {metadata.training.version}. To make it again: `python -m reins.training.reach`.

## Measured

{_measured(metadata, outcomes)}

{exactness_sentence(exactness)}

## Limits

It knows nothing of obstacles and was trained with the tool pointing down, in the region of `reach_task.REGION`. What it
commands goes through the same bounds on joint speed, acceleration and tool speed as the scripted controllers, and then
through the safety monitor.
"""


def _measured(metadata: PolicyMetadata, outcomes: Sequence[ReachOutcome]) -> str:
    measured = metadata.measured
    if measured is None:
        return "Not measured yet."
    return f"""{measured.success_rate:.1%} of {measured.episodes} goals that it was not trained on, in
{measured.environment}. Success: {measured.criterion}.

| | median | 95th percentile | worst |
|---|---|---|---|
{_row("distance from the goal [mm]", [1e3 * outcome.distance for outcome in outcomes])}
{_row("angle from the goal [mrad]", [1e3 * outcome.angle for outcome in outcomes])}
{_row("duration [s]", [outcome.duration for outcome in outcomes])}"""


def _row(title: str, values: Sequence[float]) -> str:
    middle, high, worst = np.percentile(values, (50, 95, 100))
    return f"| {title} | {middle:.1f} | {high:.1f} | {worst:.1f} |"
