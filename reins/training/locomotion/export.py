"""The trained policy as an ONNX file with its contract, and its card for a reader."""

from collections.abc import Sequence
from pathlib import Path

import torch
from stable_baselines3 import PPO

from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.locomotion.observation import ACTIONS, SIZE
from reins.locomotion.policy import action, gains, terms
from reins.models.metadata import Measurement, PolicyMetadata, TrainingRecord
from reins.models.registry import read_contract
from reins.training.locomotion.checkpoint import WalkPoint
from reins.training.locomotion.env import ENV_ID
from reins.training.locomotion.settings import WalkSettings
from reins.training.network import OPSET, PRODUCER, Mlp, export
from reins.training.rl.cards import commit

NAME = "walk"
"""Of the policy."""


def export_walk(agent: Path, settings: WalkSettings, samples: int, measured: Measurement | None = None) -> bytes:
    """The ONNX file of a saved agent.

    Args:
        agent: where it lies.
        settings: of its run.
        samples: policy steps that it learned from.
        measured: what the exported policy reached; None until it has been measured.
    """
    profile = load_profile(settings.robot, QuadrupedProfile)
    name, version = ENV_ID.rsplit("-v", 1)
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
            method="PPO over a trot, with mirrored rollouts",
            environment=name,
            version=version,
            seed=settings.seed,
            samples=samples,
        ),
        measured=measured,
        opset=OPSET,
        producer=PRODUCER,
    )
    return export(_network(PPO.load(agent, device="cpu"), settings), metadata)


def _network(agent: PPO, settings: WalkSettings) -> Mlp:
    """The mean of its action as a plain network."""
    network = Mlp(SIZE, settings.layers, ACTIONS)
    policy = agent.policy
    linear = [*(layer for layer in policy.mlp_extractor.policy_net if isinstance(layer, torch.nn.Linear))]
    for ours, theirs in zip(network.linear, [*linear, policy.action_net], strict=True):
        ours.load_state_dict(theirs.state_dict())
    return network


def describe_walk(data: bytes, settings: WalkSettings, curve: Sequence[WalkPoint]) -> str:
    """Markdown about a policy, from its ONNX file, its settings and its evaluations."""
    metadata = read_contract(data)
    measured = metadata.measured
    rows = "\n".join(f"| {term.name} | {term.size} |" for term in metadata.observation)
    points = "\n".join(f"| {point.step} | {point.upright:.1%} | {point.tracking:.3f} |" for point in curve)
    result = (
        "Not measured yet."
        if measured is None
        else (
            f"{measured.success_rate:.1%} of {measured.episodes} episodes in {measured.environment}.\n"
            f"Success: {measured.criterion}."
        )
    )
    return f"""# {metadata.name}

A policy for {metadata.robot} that follows commanded body velocities at {metadata.rate:g} Hz. It moves each foot from
where the trot of `reins/locomotion/trot.py` puts it, which is also what its action 0 means.

## Input

| term | numbers |
|---|---|
{rows}

Terms are explained in `reins/locomotion/observation.py`.

## Training

{metadata.training.method}; {metadata.training.samples} policy steps, seed {metadata.training.seed}, environment
{metadata.training.environment} version {metadata.training.version}, domain randomisation `{settings.randomisation}`,
code at commit {commit()}. To make it again: `reins train locomotion --seed {settings.seed}`.

| policy steps | no fall on held-out robots, all grounds | worth of velocities, 0 … 1 |
|---|---|---|
{points}

The first row is the trot without a policy.

## Measured

{result}

## Limits

It has been trained and measured in simulation only.
"""
