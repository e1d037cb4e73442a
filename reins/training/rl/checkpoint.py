"""Checkpoints of a run: networks, the best ones so far, optimisers, replay, random generators, history.

They are written whole or not at all.
"""

import json
import random
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from stable_baselines3.common.vec_env import VecEnv

from reins.contracts.errors import ReinsError
from reins.training.rl.agent import DemoSac
from reins.training.rl.demos import Demonstrations
from reins.training.rl.replay import MixedReplay, buffer_arrays, restore_buffer
from reins.training.rl.settings import TrainSettings

FOLDER: Final = "checkpoint"
MODEL, BEST, REPLAY, DEMOS, STATE = "model.zip", "best.pt", "replay.npz", "demos.npz", "state.json"


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One evaluation.

    Attributes:
        step: policy steps that the agent has learned from by then, those of its lessons included.
        seconds: of training so far.
        success: share of held-out episodes.
        length: mean length of those [policy steps].
    """

    step: int
    seconds: float
    success: float
    length: float


@dataclass(slots=True)
class Progress:
    """What a run has come to.

    Attributes:
        curve: its evaluations.
        seconds: it has trained for.
        best: highest success rate of an evaluation.
        reached: policy steps after which it met its gate; None until then.
        lessons: that have been given.
        warm: whether the critics have had their warm-up.
        weights: of all networks in the evaluation that `best` is of; None without one.
    """

    curve: list[CurvePoint] = field(default_factory=list)
    seconds: float = 0.0
    best: float = -1.0
    reached: int | None = None
    lessons: int = 0
    warm: bool = False
    weights: dict[str, torch.Tensor] | None = None


def save(folder: Path, settings: TrainSettings, model: DemoSac, progress: Progress) -> None:
    """Write a checkpoint; the one before it stays until this one is complete."""
    fresh, place = folder / f"{FOLDER}.new", folder / FOLDER
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    model.save(fresh / MODEL)
    if progress.weights is not None:
        torch.save(progress.weights, fresh / BEST)
    replay = model.replay_buffer
    assert isinstance(replay, MixedReplay)
    np.savez(fresh / REPLAY, **buffer_arrays(replay))
    if replay.demos is not None:
        replay.demos.save(fresh / DEMOS)
    state = {
        "settings": settings.model_dump(),
        "progress": asdict(replace(progress, weights=None)),
        "random": _random_state(model),
    }
    (fresh / STATE).write_text(json.dumps(state), encoding="utf-8")
    old = folder / f"{FOLDER}.old"
    if place.exists():  # else a crash came between these two lines, and the old one is all that there is
        shutil.rmtree(old, ignore_errors=True)
        place.rename(old)
    fresh.rename(place)
    shutil.rmtree(old, ignore_errors=True)


def exists(folder: Path) -> bool:
    """Whether a run can be resumed from `folder`."""
    return _complete(folder) is not None


def restore(folder: Path, settings: TrainSettings, env: VecEnv) -> tuple[DemoSac, Progress]:
    """The agent of a checkpoint, ready to go on, and what it has come to.

    Its environments begin new episodes, with what their random generators draw next.

    Raises:
        ReinsError: there is none, or it was made with other settings; names the first.
    """
    place = _complete(folder)
    if place is None:
        raise ReinsError(f"there is no checkpoint in {folder}")
    state = json.loads((place / STATE).read_text(encoding="utf-8"))
    _check_settings(settings, state["settings"])
    model = DemoSac.load(place / MODEL, env=env, device="cpu")
    replay = model.replay_buffer
    assert isinstance(replay, MixedReplay)
    restore_buffer(replay, place / REPLAY)
    if (place / DEMOS).is_file():
        replay.demos = Demonstrations.load(place / DEMOS)
    env.reset()  # uses up the seed that loading has set, or the next reset would begin the run's first episodes again
    _restore_random(model, state["random"])
    entry = state["progress"]
    curve = [CurvePoint(**point) for point in entry["curve"]]
    weights = torch.load(place / BEST, weights_only=True) if (place / BEST).is_file() else None
    return model, Progress(**{**entry, "curve": curve, "weights": weights})


def _complete(folder: Path) -> Path | None:
    """The newest whole checkpoint; the old one where a crash came between two renames."""
    for name in (FOLDER, f"{FOLDER}.old"):
        if (folder / name / STATE).is_file():
            return folder / name
    return None


MAY_CHANGE: Final = {"steps", "evaluate_every", "evaluated", "gate"}
"""Settings that a resumed run may have changed."""


def _check_settings(wanted: TrainSettings, stored: Mapping[str, Any]) -> None:
    before = TrainSettings.model_validate(stored)
    for name, value in wanted.model_dump().items():
        was = getattr(before, name)
        if name not in MAY_CHANGE and was != value:
            raise ReinsError(f"the checkpoint was made with {name} {was}, and {value} is asked; use another folder")


def _random_state(model: DemoSac) -> dict[str, Any]:
    env = model.env
    assert env is not None
    name, keys, position, has_gauss, gauss = np.random.get_state()
    version, internal, following = random.getstate()
    return {
        "numpy": [name, np.asarray(keys).tolist(), int(position), int(has_gauss), float(gauss)],
        "python": [version, list(internal), following],
        "torch": torch.get_rng_state().tolist(),
        "envs": [generator.bit_generator.state for generator in env.get_attr("np_random")],
        "actions": model.action_space.np_random.bit_generator.state,  # a loaded model has a space of its own
    }


def _restore_random(model: DemoSac, state: Mapping[str, Any]) -> None:
    env = model.env
    assert env is not None
    name, keys, position, has_gauss, gauss = state["numpy"]
    np.random.set_state((name, np.array(keys, dtype=np.uint32), position, has_gauss, gauss))
    version, internal, following = state["python"]
    random.setstate((version, tuple(internal), following))
    torch.set_rng_state(torch.tensor(state["torch"], dtype=torch.uint8))
    for index, entry in enumerate(state["envs"]):
        generator = np.random.default_rng()
        generator.bit_generator.state = entry
        env.set_attr("np_random", generator, indices=[index])
    model.action_space.np_random.bit_generator.state = state["actions"]
