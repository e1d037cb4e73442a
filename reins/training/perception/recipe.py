"""The recipe of the tiny image-to-text model: train, measure on what it never saw, export, write it if it is good."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from reins.models.registry import SUFFIX
from reins.models.vision import NAME, vision_card
from reins.training.limits import Limits, OnPart, Tell, unheard
from reins.training.perception.cards import PICTURES, certainties, describe
from reins.training.perception.evaluate import Seen, certainty_of, evaluate
from reins.training.perception.export import export
from reins.training.perception.plots import plot
from reins.training.perception.scores import Score, score_of
from reins.training.perception.settings import VisionTrainingSettings
from reins.training.perception.shards import evaluation_shard, make_shards, read_shard
from reins.training.perception.train import LOOKS, Run, train

REQUIRED: Final[Mapping[str, float]] = {"object_f1": 0.90, "colours": 0.95, "attributes": 0.95, "relations": 0.90}
"""Scores, of all pictures, that a model needs to enter reins/models."""


@dataclass(frozen=True, slots=True)
class VisionResult:
    """What came of a recipe.

    Attributes:
        run: the training.
        scores: of the exported model, by the name of the pictures; empty where it paused.
        model: the exported file; None likewise.
    """

    run: Run
    scores: Mapping[str, Score]
    model: Path | None

    @property
    def enters(self) -> bool:
        """Whether the model is good enough for reins/models."""
        return bool(self.scores) and not self.shortfalls

    @property
    def shortfalls(self) -> list[str]:
        """What is not good enough, a clause each."""
        return [
            f"{look}: {name} {getattr(score, name):.1%} of {required:.0%}"
            for look, score in self.scores.items()
            for name, required in REQUIRED.items()
            if getattr(score, name) < required
        ]


def make_vision_model(
    settings: VisionTrainingSettings,
    folder: Path,
    limits: Limits,
    measured: int,
    tell: Tell,
    on_part: OnPart = unheard,
    out: Path | None = None,
    finish: bool = False,
    processes: int = 2,
    start: Path | None = None,
) -> VisionResult:
    """Train the model, or go on training it; once that is done, measure and export it.

    Args:
        settings: of the run.
        folder: of the run: pictures, checkpoint, curve, the exported model and its card.
        limits: when to pause.
        measured: pictures that it is measured on, of each kind.
        tell: told of the progress, a line at a time.
        on_part: told of the progress within pictures and within steps.
        out: where a model that is good enough is written too.
        finish: measure and export what there is when the time is up, too, unless someone asked for a pause.
        processes: that paint pictures; 0 for this one.
        start: exported model to begin with.

    Raises:
        ReinsError: the run in `folder` was made with other settings, nothing can be painted here, or there is nothing
            to begin with in `start`.
    """
    run = train(settings, folder, limits, processes, tell, on_part, start)
    settings = run.settings
    if not run.done and (limits.stopped() or not finish or not run.progress.step):
        return VisionResult(run, {}, None)
    tell(f"measuring on {measured} pictures of each kind")
    shards = {name: evaluation_shard(name, settings.seed, measured, folder) for name in LOOKS}
    if not make_shards(settings.pictures, list(shards.values()), processes, Limits(stopped=limits.stopped), on_part):
        return VisionResult(run, {}, None)
    samples = {name: read_shard(shard.path) for name, shard in shards.items()}
    plain = export(run.network, run.record, {})
    first = samples[LOOKS[0]]
    half = len(first) // 2
    certainty = certainty_of(evaluate(plain, first[:half]).likely)  # and what it is worth is seen on the others
    calibrated = export(run.network, run.record, {}, certainty)
    seen = {name: evaluate(calibrated, those) for name, those in {**samples, LOOKS[0]: first[half:]}.items()}
    scores = {name: score_of(found.counts) for name, found in seen.items()}
    for name, score in scores.items():
        tell(f"{name}: {score}; {1e3 * seen[name].seconds:.0f} ms a picture")
    said = {f"{look}/{name}": value for look, score in scores.items() for name, value in asdict(score).items()}
    data = export(run.network, run.record, said, certainty)
    result = VisionResult(run, scores, write(folder, data, run, seen))
    if out is not None and result.enters:
        write(out, data, run, seen)
    elif out is not None:
        tell(f"the model stays out of {out}: {'; '.join(result.shortfalls)}")
    return result


def write(folder: Path, data: bytes, run: Run, seen: Mapping[str, Seen]) -> Path:
    """Write the model, its cards and its plot into a folder; where the model is."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{NAME}{SUFFIX}"
    path.write_bytes(data)
    path.with_suffix(".json").write_text(vision_card(data), encoding="utf-8")
    card = describe(run, seen, sha256(data).hexdigest(), len(data))
    path.with_suffix(".md").write_text(card, encoding="utf-8")
    plot(path.with_suffix(".png"), run.progress.curve, PICTURES, certainties(seen))
    return path
