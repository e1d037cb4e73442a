"""Checkpoints of a locomotion run: agent, herd and history; written whole or not at all."""

import json
import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from stable_baselines3 import PPO

from reins.contracts.errors import ReinsError
from reins.training.locomotion.env import HerdVecEnv
from reins.training.locomotion.settings import WalkSettings

FOLDER: Final = "checkpoint"
AGENT, STATE, BEST = "agent.zip", "state.json", "best.zip"


@dataclass(frozen=True, slots=True)
class WalkPoint:
    """One evaluation: after how many steps and seconds of training, share that did not fall, worth of velocities."""

    step: int
    seconds: float
    upright: float
    tracking: float


@dataclass(slots=True)
class WalkProgress:
    """What a run has come to: its evaluations and the seconds it has trained for."""

    curve: list[WalkPoint] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def best(self) -> float:
        """Highest score of an evaluation; the one of no action at all counts as the first."""
        return max((score(point) for point in self.curve), default=-1.0)


def score(point: WalkPoint) -> float:
    """What the best policy of a run is chosen by: not to fall comes first, then true velocities."""
    return 4.0 * point.upright + point.tracking


def save(folder: Path, settings: WalkSettings, agent: PPO, progress: WalkProgress) -> None:
    """Write a checkpoint; the one before it stays until this one is complete."""
    fresh, place, old = folder / f"{FOLDER}.new", folder / FOLDER, folder / f"{FOLDER}.old"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    agent.save(fresh / AGENT)
    env = agent.env
    assert isinstance(env, HerdVecEnv)
    state = {
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
        ReinsError: it was made with other settings; names the first.
    """
    place = next((folder / name for name in (FOLDER, f"{FOLDER}.old") if (folder / name / STATE).is_file()), None)
    if place is None:
        return None
    state: dict[str, Any] = json.loads((place / STATE).read_text(encoding="utf-8"))
    before = WalkSettings.model_validate(state["settings"])
    for name, value in settings.model_dump().items():
        was = getattr(before, name)
        if name not in ("steps", "gate") and was != value:
            raise ReinsError(f"the checkpoint was made with {name} {was}, and {value} is asked; use another folder")
    env.herd.level[:] = state["levels"]
    generator = np.random.default_rng()
    generator.bit_generator.state = state["random"]
    env.herd.random = generator
    agent = PPO.load(place / AGENT, env=env, device="cpu")
    torch.set_rng_state(torch.tensor(state["torch"], dtype=torch.uint8))
    entry = state["progress"]
    return agent, WalkProgress([WalkPoint(**point) for point in entry["curve"]], entry["seconds"])
