"""Trains `reach`, the policy behind move_to: imitation of the differential inverse kinematics with dataset aggregation.

Run `python -m reins.training.reach` (or `reins train skill reach --imitate`). It takes some minutes on two cores and
writes the policy, exported to ONNX, with its cards into reins/models/policies. Seeds are fixed: the same machine makes
the same policy again. The success that it writes into the policy is measured in MuJoCo, after export.

Source: S. Ross, G. Gordon, D. Bagnell, "A reduction of imitation learning and structured prediction to no-regret online
learning", AISTATS 2011 (DAgger).
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray

from reins.hardware.profile import RobotProfile, load_profile
from reins.models.metadata import ActionSpec, Measurement, ObservationTerm, PolicyMetadata, TrainingRecord
from reins.models.registry import card_of, models_folder
from reins.skills.observation import ObservationBuilder, PolicyInput
from reins.skills.onnx_factory import KIND
from reins.skills.policy import OnnxPolicy
from reins.training.cards import describe
from reins.training.exactness import INPUTS, largest_difference
from reins.training.measure import measure
from reins.training.network import OPSET, PRODUCER, Mlp, export, fit
from reins.training.reach_task import GAIN, VERSION, Episode, ReachTask

NAME: Final = "reach"

HIDDEN: Final = (256, 256)

LABEL_EVERY: Final = 4
"""Every how many steps of a rollout a state is labelled: neighbours are nearly the same."""

Log = Callable[[str], None]
FloatBatch = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ReachSettings:
    """How much is trained and measured.

    Attributes:
        robot: profile name.
        seed: of everything random.
        rounds: of dataset aggregation; in the first the teacher drives, in the others the policy.
        episodes: rollouts per round.
        steps: length of a rollout [control periods].
        epochs: passes over the data after each round, and after the last.
        measured: goals that the exported policy is measured on.
    """

    robot: str = "franka"
    seed: int = 7
    rounds: int = 7
    episodes: int = 500
    steps: int = 260
    epochs: tuple[int, int] = (12, 60)
    measured: int = 300


def train(settings: ReachSettings, log: Log = print, folder: Path | None = None) -> Measurement:
    """Train, export, measure and write the policy.

    Args:
        settings: how much.
        log: told of the progress, a line at a time.
        folder: where the files go; reins/models/policies by default.

    Returns:
        What the exported policy reached.

    Raises:
        ReinsError: the exported policy does not compute what the network does.
    """
    torch.manual_seed(settings.seed)
    profile = load_profile(settings.robot)
    began = time.monotonic()
    network, samples = imitate(profile, settings, log)
    log(f"trained on {samples} states in {time.monotonic() - began:.0f} s; now measuring in MuJoCo")
    unmeasured = contract(profile, settings, samples, None)
    data = export(network, unmeasured)
    exact = exactness(profile, network, data)
    policy = OnnxPolicy(data, profile, NAME)
    measurement, outcomes = measure(profile, policy, settings.measured, settings.seed + 1)
    log(f"{measurement.success_rate:.1%} of {measurement.episodes} goals reached")
    data = export(network, unmeasured.model_copy(update={"measured": measurement}))
    write(folder or models_folder() / KIND, data, describe(data, outcomes, exact))
    return measurement


def exactness(profile: RobotProfile, network: Mlp, data: bytes) -> float:
    """The largest difference between what an exported network and the network itself give where it drives the arm.

    Raises:
        ReinsError: it is larger than a policy file's may be.
    """
    task, each = ReachTask(profile), 50
    episodes = task.episodes(INPUTS // each, np.random.default_rng(0))
    seen, _ = rollout(task, episodes, network, each * LABEL_EVERY, action_scale(profile))
    return largest_difference(data, seen, network.act(seen))


def imitate(profile: RobotProfile, settings: ReachSettings, log: Log) -> tuple[Mlp, int]:
    """Dataset aggregation: the policy drives, the teacher says what it should have done, the policy learns it.

    Returns:
        The network, and how many states it learned from.
    """
    task, random = ReachTask(profile), np.random.default_rng(settings.seed)
    scale = action_scale(profile)
    observations: list[FloatBatch] = []
    actions: list[FloatBatch] = []
    network = Mlp(sum(term.size for term in terms(profile)), HIDDEN, len(profile.joints))
    for number in range(settings.rounds):
        driver = None if number == 0 else network
        seen, taught = rollout(task, task.episodes(settings.episodes, random), driver, settings.steps, scale)
        observations.append(seen)
        actions.append(taught)
        every, labels = np.concatenate(observations), np.concatenate(actions)
        if number == 0:
            network.normalise(every)
        last = number == settings.rounds - 1
        rate = (1e-3, 2e-5 if last else 3e-4)
        loss = fit(network, every, labels, settings.epochs[last], rate, settings.seed + number)
        log(f"round {number + 1} of {settings.rounds}: {len(every)} states, loss {loss:.5f}")
    return network, sum(len(batch) for batch in observations)


def rollout(
    task: ReachTask, episodes: list[Episode], network: Mlp | None, steps: int, scale: FloatBatch
) -> tuple[FloatBatch, FloatBatch]:
    """Drive all episodes side by side and label the states that they come through.

    Args:
        task: labels the states.
        episodes: what to do.
        network: what drives; the teacher if None.
        steps: control periods.
        scale: (n,) joint velocity that an action of 1 means [rad/s].

    Returns:
        Observations (k, inputs) and the teacher's actions (k, n).
    """
    period, ik = 1.0 / task.profile.rates.command, task.ik
    builder = ObservationBuilder(terms(task.profile), len(task.profile.joints))
    position = np.stack([episode.start for episode in episodes])
    acting, asked = np.zeros_like(position), np.zeros_like(position)
    seen, taught = [], []
    for step in range(steps):
        batch = np.empty((len(episodes), builder.buffer.shape[1]), dtype=np.float32)
        for row, episode in enumerate(episodes):
            state = task.state(position[row], acting[row], step * period)
            inputs = PolicyInput(state, ik.tool_pose(position[row]), episode.goal, np.zeros(len(scale)))
            batch[row] = builder.build(inputs)
        labelled = step % LABEL_EVERY == 0
        if labelled or network is None:
            pairs = zip(position, episodes, strict=True)
            taught_now = np.stack([task.teach(where, episode.goal) for where, episode in pairs]) / scale
        if labelled:
            seen.append(batch)
            taught.append(taught_now.astype(np.float32))
        wanted = scale * np.clip(taught_now if network is None else network.act(batch), -1.0, 1.0)
        for row, velocity in enumerate(wanted):
            lower, upper = ik.bounds(position[row] + period * asked[row], asked[row], period)
            wanted[row] = np.clip(velocity, lower, upper)
        acting, asked = asked, wanted
        position = position + period * acting
    return np.concatenate(seen), np.concatenate(taught)


def terms(profile: RobotProfile) -> tuple[ObservationTerm, ...]:
    """What the policy sees. The way to the goal comes twice: coarse from afar, fine near by."""
    return (
        ObservationTerm(name="joint_position", size=len(profile.joints), scale=1.0, clip=4.0),
        ObservationTerm(name="goal_offset", size=3, scale=2.0, clip=2.0),
        ObservationTerm(name="goal_offset", size=3, scale=25.0, clip=1.0),
        ObservationTerm(name="goal_turn", size=3, scale=0.5, clip=2.0),
        ObservationTerm(name="goal_turn", size=3, scale=6.0, clip=1.0),
    )


def action_scale(profile: RobotProfile) -> FloatBatch:
    """(n,) joint velocity that an action of 1 means [rad/s]: the fastest that the teacher asks for."""
    share = ReachTask(profile).ik.settings.velocity_share
    return (share * profile.velocity).astype(np.float32)


def contract(
    profile: RobotProfile, settings: ReachSettings, samples: int, measured: Measurement | None
) -> PolicyMetadata:
    """The contract of the policy."""
    return PolicyMetadata(
        name=NAME,
        skills=("move_to",),
        robot=profile.name,
        joint_names=profile.joint_names,
        rate=profile.rates.command,
        gains={"goal_feedback_per_s": GAIN},
        observation=terms(profile),
        action=ActionSpec(meaning="joint_velocity", scale=tuple(action_scale(profile).tolist())),
        training=TrainingRecord(
            method="DAgger from the differential inverse kinematics",
            environment="reins.training.reach_task",
            version=VERSION,
            seed=settings.seed,
            samples=samples,
        ),
        measured=measured,
        opset=OPSET,
        producer=PRODUCER,
    )


def write(folder: Path, data: bytes, card: str) -> None:
    """Write the policy and its two cards, of which `card` is the one for a reader."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{NAME}.onnx"
    path.write_bytes(data)
    path.with_suffix(".json").write_text(card_of(data), encoding="utf-8")
    path.with_suffix(".md").write_text(card, encoding="utf-8")


def main() -> None:
    """Train with the default settings."""
    train(ReachSettings(), log=lambda line: print(line, flush=True))


if __name__ == "__main__":
    main()
