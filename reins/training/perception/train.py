"""One training run: pictures, gradient steps, evaluations, and checkpoints that it resumes from."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import torch

from reins.contracts.errors import ReinsError
from reins.models.vision import VisionTraining
from reins.training.limits import Limits, OnPart, Tell
from reins.training.muon import Muon
from reins.training.perception.batches import batch_of_step
from reins.training.perception.evaluate import evaluate
from reins.training.perception.export import export, network_of
from reins.training.perception.loss import losses_of
from reins.training.perception.network import TinyVlm
from reins.training.perception.samples import Sample
from reins.training.perception.scores import Score, score_of
from reins.training.perception.settings import VisionTrainingSettings
from reins.training.perception.shards import evaluation_shard, make_shards, read_shard, training_shards
from reins.training.runs import CHECKPOINT, read_checkpoint, require_same, restore, save, take_steps
from reins.training.schedule import precision, rate_share

CURVE: Final = "curve.jsonl"

LOOKS: Final = ("training", "held_out")
"""Randomisations of the pictures that it is evaluated on while it trains; of both, pictures that it has not seen."""

CALM: Final = 0.98
"""Share of a running mean that stays at each step."""


@dataclass(slots=True)
class Progress:
    """What a run has come to.

    Attributes:
        step: gradient steps done.
        seconds: it has trained for.
        words, places: running means of the losses [nat].
        curve: evaluations, as they are in the curve file.
    """

    step: int = 0
    seconds: float = 0.0
    words: float = 0.0
    places: float = 0.0
    curve: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class Run:
    """A network in training."""

    settings: VisionTrainingSettings
    folder: Path
    network: TinyVlm
    optimisers: list[torch.optim.Optimizer]
    progress: Progress

    @property
    def done(self) -> bool:
        """Whether it has taken all its steps."""
        return self.progress.step >= self.settings.steps

    @property
    def record(self) -> VisionTraining:
        """How its network came to be, for the contract."""
        settings = self.settings
        return VisionTraining(
            settings=settings.checksum,
            seed=settings.seed,
            step=self.progress.step,
            samples=settings.pictures.samples,
        )


def train(
    settings: VisionTrainingSettings,
    folder: Path,
    limits: Limits,
    processes: int,
    tell: Tell,
    on_part: OnPart,
    start: Path | None = None,
) -> Run:
    """Paint the pictures and train, or go on with that, until the run is done or has to pause.

    Args:
        settings: of the run.
        folder: of its files; a run in it goes on.
        limits: when to pause; the time is that of pictures and steps together.
        processes: that paint pictures; 0 for this one.
        tell: told of evaluations, a line at a time.
        on_part: told of the pictures that there are, then of the steps that have been taken.
        start: exported model to begin with.

    Raises:
        ReinsError: the run in `folder` was made with other settings, nothing can be painted here, or there is nothing
            to begin with in `start`.
    """
    began = time.monotonic()
    if start is not None:
        settings = settings.model_copy(update={"start": sha256(_read(start)).hexdigest()})
    run = _resumed(settings, folder) or _begun(settings, folder, start)
    if run.done:
        return run
    shards = training_shards(settings.pictures, settings.seed, folder)
    looks = [evaluation_shard(name, settings.seed, settings.evaluated, folder) for name in LOOKS]
    if not make_shards(settings.pictures, [*looks, *shards], processes, limits, on_part):
        save(run)
        return run
    left = None if limits.seconds is None else limits.seconds - (time.monotonic() - began)
    samples = [sample for shard in shards for sample in read_shard(shard.path)]
    held = {name: read_shard(shard.path) for name, shard in zip(LOOKS, looks, strict=True)}
    take_steps(
        run,
        _steps(run, samples),
        replace(limits, seconds=left),
        lambda step: on_part("steps", step, settings.steps),
        lambda: _note(run, look(run, held), tell),
    )
    return run


def load(folder: Path) -> Run:
    """The run of a folder.

    Raises:
        ReinsError: there is none.
    """
    state = read_checkpoint(folder)
    settings = VisionTrainingSettings.model_validate_json(state["settings"])
    network = TinyVlm(settings.shape)
    optimisers = _optimisers(network, settings)
    restore(state, network, optimisers)
    return Run(settings, folder, network, optimisers, Progress(**state["progress"]))


def look(run: Run, held: Mapping[str, Sequence[Sample]]) -> dict[str, Score]:
    """Scores of the network as it is, by the name of the pictures."""
    data = export(run.network, run.record, {})
    return {name: score_of(evaluate(data, samples).counts) for name, samples in held.items()}


def _resumed(settings: VisionTrainingSettings, folder: Path) -> Run | None:
    if not (folder / CHECKPOINT).is_file():
        return None
    run = load(folder)
    require_same(folder, run.settings, settings)
    return run


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ReinsError(f"training cannot begin with {path}: {error.strerror}") from None


def _begun(settings: VisionTrainingSettings, folder: Path, start: Path | None) -> Run:
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(settings.seed)
    try:
        network = TinyVlm(settings.shape) if start is None else network_of(_read(start), settings.shape)
    except ReinsError as error:
        raise ReinsError(f"training cannot begin with {start}: {error}") from error
    run = Run(settings, folder, network, _optimisers(network, settings), Progress())
    save(run)  # from now on the folder belongs to these settings, its pictures too
    return run


def _optimisers(network: TinyVlm, settings: VisionTrainingSettings) -> list[torch.optim.Optimizer]:
    """Muon for the matrices of the transformers, AdamW for everything else."""
    matrices, others = list[torch.nn.Parameter](), list[torch.nn.Parameter]()
    for name, weight in network.named_parameters():
        (matrices if weight.dim() == 2 and name.startswith(("lookers", "speakers")) else others).append(weight)
    return [
        Muon(matrices, lr=settings.rate),
        torch.optim.AdamW(others, lr=settings.side_rate, betas=(0.9, 0.95), weight_decay=0.01),
    ]


def _steps(run: Run, samples: Sequence[Sample]) -> Iterator[None]:
    """Takes them, until the run is done."""
    while not run.done:
        _step(run, samples)
        yield


def _step(run: Run, samples: Sequence[Sample]) -> None:
    settings, progress = run.settings, run.progress
    share = rate_share(progress.step, settings)
    for optimiser, rate in zip(run.optimisers, (settings.rate, settings.side_rate), strict=True):
        for group in optimiser.param_groups:
            group["lr"] = rate * share
    batch = batch_of_step(samples, settings, progress.step)
    with precision(settings.half):
        losses = losses_of(run.network, batch, settings)
    (losses.words + settings.places * losses.places).backward()
    torch.nn.utils.clip_grad_norm_(run.network.parameters(), 1.0)
    for optimiser in run.optimisers:
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
    stays = CALM if progress.step else 0.0
    progress.step += 1
    progress.words = stays * progress.words + (1.0 - stays) * losses.words.item()
    progress.places = stays * progress.places + (1.0 - stays) * losses.places.item()


def _note(run: Run, scores: Mapping[str, Score], tell: Tell) -> None:
    """Write an evaluation down."""
    progress = run.progress
    entry = {
        "step": progress.step,
        "seconds": round(progress.seconds),
        "words": round(progress.words, 4),
        "places": round(progress.places, 4),
        **{name: asdict(score) for name, score in scores.items()},
    }
    progress.curve.append(entry)
    with (run.folder / CURVE).open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")
    told = "; ".join(f"{name}: {score}" for name, score in scores.items())
    losses = f"losses {progress.words:.3f} and {progress.places:.3f}"
    tell(f"step {progress.step}, {losses}, {progress.seconds / 60:.0f} min: {told}")
