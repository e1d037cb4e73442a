"""The recipe of the planner's model: train, measure on what it never saw, export, write it where it is good enough."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from reins.models.language import MEASURED, card_of_gguf
from reins.training.limits import Limits, OnStep, Tell
from reins.training.planner.cards import describe
from reins.training.planner.evaluate import MOST_REPLY, Score, evaluate
from reins.training.planner.examples import SPLITS
from reins.training.planner.gguf_file import write_gguf
from reins.training.planner.golden import golden_plans
from reins.training.planner.settings import PlannerSettings
from reins.training.planner.tokens import encode
from reins.training.planner.train import Run, train

NAME: Final = "planner"
"""Of the model's file and of its card."""

REQUIRED: Final[Mapping[str, float]] = {"familiar": 0.95, "families": 0.85, "compositions": 0.85}
"""Share of right plans, by split and in each language, that a model needs to enter reins/models."""


@dataclass(frozen=True, slots=True)
class PlannerResult:
    """What came of a recipe.

    Attributes:
        run: the training.
        scores: of the network by "split/language"; empty where it paused.
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
            f"{name}: {score.correct:.1%} of {required:.0%}"
            for name, score in self.scores.items()
            if (required := REQUIRED.get(name.partition("/")[0], 0.0)) > score.correct
        ]


def make_planner_model(
    settings: PlannerSettings,
    folder: Path,
    limits: Limits,
    measured: int,
    tell: Tell,
    on_step: OnStep = lambda _steps: None,
    out: Path | None = None,
    finish: bool = False,
    start: Path | None = None,
) -> PlannerResult:
    """Train the model, or go on training it; once that is done, measure and export it.

    Args:
        settings: of the run.
        folder: of the run: checkpoint, tokenizer, curve, the exported model and its card.
        limits: when to pause.
        measured: examples that it is measured on, per split and language.
        tell: told of the progress, a line at a time.
        on_step: told how many steps have been taken.
        out: where a model that is good enough is written too.
        finish: measure and export what there is when the time is up, too, unless someone asked for a pause.
        start: exported model to begin with.

    Raises:
        ReinsError: the run in `folder` was made with other settings, or there is nothing to begin with in `start`.
    """
    run = train(settings, folder, limits, tell, on_step, start)
    if not run.done and (limits.stopped() or not finish):
        return PlannerResult(run, {}, None)
    tell(f"measuring on {measured} examples per split and language")
    scores = evaluate(run.network, run.tokenizer, measured, SPLITS)
    for name, score in scores.items():
        tell(f"{name}: {score}")
    result = PlannerResult(run, scores, write(folder, run, scores, measured))
    if out is not None and result.enters:
        write(out, run, scores, measured)
    elif out is not None:
        tell(f"the model stays out of {out}: {'; '.join(result.shortfalls)}")
    return result


def write(folder: Path, run: Run, scores: Mapping[str, Score], measured: int) -> Path:
    """Write the model and its cards into a folder; where the model is."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{NAME}.gguf"
    about = {
        "reins.training": f"step {run.progress.step} of {run.settings.steps}, seed {run.settings.seed}",
        MEASURED: ", ".join(f"{name} {score.correct:.3f}" for name, score in scores.items()),
    }
    write_gguf(path, run.network, run.tokenizer, about)
    data = path.read_bytes()
    written = card_of_gguf(data, golden_plans(lambda prompt: _reply(run, prompt)))
    path.with_suffix(".json").write_text(f"{written.model_dump_json(indent=2)}\n", encoding="utf-8")
    checksum = sha256(data).hexdigest()
    card = describe(run, scores, measured, checksum, path.stat().st_size)
    path.with_suffix(".md").write_text(card, encoding="utf-8")
    return path


def _reply(run: Run, prompt: str) -> str:
    """The likeliest tokens after a prompt, as text."""
    said = run.network.reply([encode(run.tokenizer, prompt)], MOST_REPLY)[0]
    return str(run.tokenizer.decode(said))
