"""Checkpoints of a locomotion run: agent, best agent, herd and history; written whole or not at all."""

import json
import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from stable_baselines3 import PPO

from reins.contracts.errors import ReinsError
from reins.locomotion.observation import SIZE
from reins.training.locomotion.env import ENV_ID, HerdVecEnv
from reins.training.locomotion.settings import WalkSettings

FOLDER: Final = "checkpoint"
AGENT, STATE, BEST = "agent.zip", "state.json", "best.zip"


@dataclass(frozen=True, slots=True)
class WalkPoint:
    """One evaluation, and how the updates of the policy before it went.

    Attributes:
        step: policy steps of training so far.
        seconds: of training so far.
        upright: share of the robots that did not fall.
        tracking: worth of their velocities, 0 … 1.
        divergence: of the policy from the one before, mean over the updates since the evaluation before or since the
            run went on; None where there was none.
        skipped: share of the gradient steps of these updates that were left out, for the policy had moved too far.
    """

    step: int
    seconds: float
    upright: float
    tracking: float
    divergence: float | None = None
    skipped: float | None = None

    @property
    def score(self) -> float:
        """What the best policy of a run is chosen by: not to fall comes first, then true velocities."""
        return 4.0 * self.upright + self.tracking


@dataclass(slots=True)
class WalkProgress:
    """What a run has come to: its evaluations, the first of no action at all, and the seconds it has trained for."""

    curve: list[WalkPoint] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def best(self) -> WalkPoint:
        """The evaluation with the highest score, the first of those that are as good."""
        return max(self.curve, key=lambda point: point.score)


def best_agent(folder: Path) -> Path:
    """Where the best agent of a checkpoint lies."""
    return folder / FOLDER / BEST


def save(folder: Path, settings: WalkSettings, agent: PPO, progress: WalkProgress, is_best: bool) -> None:
    """Write a checkpoint; the one before it stays until this one is complete.

    Args:
        folder: of the run.
        settings: of the run.
        agent: as it is now.
        progress: the run's.
        is_best: whether `progress.best` is an evaluation of this very agent; else the best one is that of the
            checkpoint before.
    """
    fresh, place, old = folder / f"{FOLDER}.new", folder / FOLDER, folder / f"{FOLDER}.old"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    agent.save(fresh / AGENT)
    shutil.copyfile(fresh / AGENT if is_best else place / BEST, fresh / BEST)
    env = agent.env
    assert isinstance(env, HerdVecEnv)
    state = {
        "environment": ENV_ID,
        "observed": SIZE,
        "settings": settings.model_dump(mode="json"),
        "progress": asdict(progress),
        "levels": env.herd.level.tolist(),
        "random": env.herd.random.bit_generator.state,
        "torch": torch.get_rng_state().tolist(),
    }
    (fresh / STATE).write_text(json.dumps(state), encoding="utf-8")
    shutil.rmtree(old, ignore_errors=True)
    if place.exists():
        place.rename(old)
    fresh.rename(place)
    shutil.rmtree(old, ignore_errors=True)


def restore(folder: Path, settings: WalkSettings, env: HerdVecEnv) -> tuple[PPO, WalkProgress] | None:
    """The agent of a checkpoint, ready to go on, and what it has come to; None where there is none.

    Raises:
        ReinsError: it was made in another environment, or with other settings; names the first.
    """
    place, old = folder / FOLDER, folder / f"{FOLDER}.old"
    if not place.exists() and old.exists():  # ended between the two renames of `save`
        old.rename(place)
    if not place.exists():
        return None
    state: dict[str, Any] = json.loads((place / STATE).read_text(encoding="utf-8"))
    _check(state, settings)
    env.herd.level[:] = state["levels"]
    generator = np.random.default_rng()
    generator.bit_generator.state = state["random"]
    env.herd.random = generator
    agent = PPO.load(place / AGENT, env=env, device="cpu")
    torch.set_rng_state(torch.tensor(state["torch"], dtype=torch.uint8))
    entry = state["progress"]
    return agent, WalkProgress([WalkPoint(**point) for point in entry["curve"]], entry["seconds"])


def _check(state: dict[str, Any], settings: WalkSettings) -> None:
    """Raise ReinsError unless a run with these settings can go on from a checkpoint."""
    made, observed = state.get("environment", "an earlier environment"), state.get("observed")
    if (made, observed) != (ENV_ID, SIZE):
        numbers = "" if observed is None else f", which shows {observed} numbers"
        raise ReinsError(
            f"the checkpoint was made in {made}{numbers}, and {ENV_ID} shows {SIZE}: it cannot go on there; use "
            "another folder"
        )
    before = WalkSettings.model_validate(state["settings"])
    for name, value in settings.model_dump().items():
        was = getattr(before, name)
        if name != "steps" and was != value:
            raise ReinsError(f"the checkpoint was made with {name} {was}, and {value} is asked; use another folder")
