"""What every run of gradient steps does alike: its checkpoint, and its steps with evaluations and pauses in between."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol

import torch
from pydantic import BaseModel

from reins.contracts.errors import ReinsError
from reins.training.limits import Limits, OnStep

CHECKPOINT: Final = "checkpoint.pt"


class Counted(Protocol):
    """What a run has come to, a dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]
    step: int
    seconds: float


class TrainingRun(Protocol):
    """A network in training."""

    @property
    def settings(self) -> BaseModel:
        """Of the run; its checkpoint goes on with the same ones only."""
        ...

    @property
    def folder(self) -> Path:
        """Of its files."""
        ...

    @property
    def network(self) -> torch.nn.Module:
        """What is trained."""
        ...

    @property
    def optimisers(self) -> Sequence[torch.optim.Optimizer]:
        """Those of the network."""
        ...

    @property
    def progress(self) -> Counted:
        """What it has come to."""
        ...

    @property
    def done(self) -> bool:
        """Whether it has taken all its steps."""
        ...


def save(run: TrainingRun) -> None:
    """Write the checkpoint; the one before stays until this one is complete."""
    fresh = run.folder / f"{CHECKPOINT}.new"
    state = {
        "settings": run.settings.model_dump_json(),
        "progress": asdict(run.progress),
        "network": run.network.state_dict(),
        "optimisers": [optimiser.state_dict() for optimiser in run.optimisers],
    }
    torch.save(state, fresh)
    fresh.replace(run.folder / CHECKPOINT)


def read_checkpoint(folder: Path) -> dict[str, Any]:
    """What `save` wrote.

    Raises:
        ReinsError: there is no run in the folder.
    """
    path = folder / CHECKPOINT
    if not path.is_file():
        raise ReinsError(f"there is no run in {folder}: {CHECKPOINT} is missing")
    state: dict[str, Any] = torch.load(path, weights_only=True)
    return state


def restore(state: dict[str, Any], network: torch.nn.Module, optimisers: Sequence[torch.optim.Optimizer]) -> None:
    """Give a network and its optimisers what a checkpoint holds of them."""
    network.load_state_dict(state["network"])
    for optimiser, stored in zip(optimisers, state["optimisers"], strict=True):
        optimiser.load_state_dict(stored)


def require_same(folder: Path, was: BaseModel, asked: BaseModel, free: str = "") -> None:
    """Make sure that a run goes on with its own settings.

    Args:
        folder: of the run.
        was: its settings.
        asked: those that it is to go on with.
        free: name of one that may differ.

    Raises:
        ReinsError: another one differs; names it.
    """
    before = was.model_dump()
    for name, value in asked.model_dump().items():
        if name != free and before[name] != value:
            raise ReinsError(
                f"the run in {folder} was made with {name} {before[name]}, and {value} is asked; use another folder"
            )


def take_steps(
    run: TrainingRun, steps: Iterable[object], limits: Limits, on_step: OnStep, look: Callable[[], None]
) -> None:
    """Gradient steps until the run is done or has to pause; a checkpoint in any case.

    Args:
        run: the run.
        steps: takes one each time that it is asked for the next, until the run is done.
        limits: when to pause.
        on_step: told how many steps have been taken.
        look: evaluates, and writes it down.
    """
    progress = run.progress
    began = saved = looked = time.monotonic()
    before = progress.seconds
    for _ in steps:
        now = time.monotonic()
        progress.seconds = before + now - began
        on_step(progress.step)
        if now - looked > limits.evaluate_every or run.done:
            look()
            looked = time.monotonic()
        if limits.stopped() or (limits.seconds is not None and now - began > limits.seconds):
            break
        if now - saved > limits.save_every:
            save(run)
            saved = now
    save(run)
