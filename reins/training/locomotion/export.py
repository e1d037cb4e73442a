"""The trained policy as an ONNX file with its contract, and its card for a reader."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from stable_baselines3 import PPO

from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.locomotion.observation import ENVIRONMENT, VERSION
from reins.locomotion.policy import action, gains, terms, trot_of
from reins.locomotion.trot import TrotSettings
from reins.models.metadata import Measurement, PolicyMetadata, TrainingRecord
from reins.models.registry import read_contract
from reins.training.exactness import INPUTS, exactness_sentence, largest_difference
from reins.training.locomotion.checkpoint import WalkPoint
from reins.training.locomotion.mirror import SymmetricPolicy
from reins.training.locomotion.settings import WalkSettings
from reins.training.locomotion.train import acting, observed
from reins.training.network import OPSET, PRODUCER, export, with_contract
from reins.training.rl.cards import commit

NAME = "walk"
"""Of the policy."""


@dataclass(frozen=True, slots=True)
class Exported:
    """An ONNX file, and the largest difference between its actions and the agent's."""

    data: bytes
    difference: float

    def measured(self, measured: Measurement) -> "Exported":
        """The same policy, with what it reached."""
        metadata = read_contract(self.data).model_copy(update={"measured": measured})
        return Exported(with_contract(self.data, metadata), self.difference)


def export_walk(saved: Path, settings: WalkSettings, samples: int) -> Exported:
    """The ONNX file of a saved agent, not measured yet.

    Args:
        saved: where the agent lies.
        settings: of its run.
        samples: policy steps that it learned from.

    Raises:
        ReinsError: the file does not compute what the agent does.
    """
    profile = load_profile(settings.robot, QuadrupedProfile)
    metadata = PolicyMetadata(
        name=NAME,
        skills=(NAME,),
        robot=profile.name,
        joint_names=profile.joint_names,
        rate=profile.rates.command,
        gains=gains(profile),
        observation=terms(),
        action=action(),
        training=TrainingRecord(
            method="PPO over a trot, with a network symmetrical by construction",
            environment=ENVIRONMENT,
            version=VERSION,
            seed=settings.seed,
            samples=samples,
        ),
        measured=None,
        opset=OPSET,
        producer=PRODUCER,
        trot=trot_of(TrotSettings()),
    )
    agent = PPO.load(saved, device="cpu")
    assert isinstance(agent.policy, SymmetricPolicy)
    data = export(agent.policy.mean_network(), metadata)
    inputs = observed(settings, acting(agent), INPUTS)
    with torch.no_grad():
        wanted = agent.policy.get_distribution(torch.from_numpy(inputs)).mode().numpy()
    return Exported(data, largest_difference(data, inputs, wanted))


def describe_walk(exported: Exported, settings: WalkSettings, curve: Sequence[WalkPoint], reached: str) -> str:
    """Markdown about a policy, from its ONNX file, its settings, its evaluations, and a sentence a line about what it
    reached beside the trot alone."""
    metadata = read_contract(exported.data)
    measured = metadata.measured
    rows = "\n".join(f"| {term.name} | {term.size} |" for term in metadata.observation)
    points = "\n".join(_row(point) for point in curve)
    result = (
        "Not measured yet."
        if measured is None
        else (
            f"{measured.success_rate:.1%} of {measured.episodes} episodes in {measured.environment}.\n"
            f"Success: {measured.criterion}.\n\n{reached}"
        )
    )
    return f"""# {metadata.name}

A policy for {metadata.robot} that follows commanded body velocities at {metadata.rate:g} Hz. It moves each foot from
where the trot of `reins/locomotion/trot.py` puts it, which is also what its action 0 means.

## Input

| term | numbers |
|---|---|
{rows}

Terms are explained in `reins/locomotion/observation.py`. {exactness_sentence(exported.difference)}

## Training

{metadata.training.method}; {metadata.training.samples} policy steps, seed {metadata.training.seed}, environment
{metadata.training.environment} version {metadata.training.version}, domain randomisation `{settings.randomisation}`,
code at commit {commit()}. To make it again: `reins train locomotion --seed {settings.seed}`.

| policy steps | no fall on held-out robots, all grounds | worth of velocities, 0 … 1 | divergence | steps skipped |
|---|---|---|---|---|
{points}

The first row is the trot without a policy; this is the policy after {metadata.training.samples} steps. Divergence is
how far an update moved the policy, their mean; one that goes too far skips the rest of its gradient steps.

## Measured

{result}

## Limits

It has been trained and measured in simulation only.
"""


def _row(point: WalkPoint) -> str:
    """Of the table of evaluations."""
    divergence = "" if point.divergence is None else f"{point.divergence:.4f}"
    skipped = "" if point.skipped is None else f"{point.skipped:.0%}"
    return f"| {point.step} | {point.upright:.1%} | {point.tracking:.3f} | {divergence} | {skipped} |"
