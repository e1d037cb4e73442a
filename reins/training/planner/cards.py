"""The card of the planner's model for a reader, written from its run and what was measured."""

from collections.abc import Mapping

from reins.training.planner.evaluate import Score
from reins.training.planner.network import size_of
from reins.training.planner.phrases_file import LANGUAGES, load_held_out, load_phrases
from reins.training.planner.settings import PlannerSettings
from reins.training.planner.train import Run

_SPLITS = {
    "familiar": "made as training is, never seen",
    "families": "ways to say things that were held out",
    "pairs": "colours of things that were held out",
    "compositions": "make-ups of tasks that were held out",
}


def describe(run: Run, scores: Mapping[str, Score], measured: int, checksum: str, size: int) -> str:
    """Markdown about a model.

    Args:
        run: that made it.
        scores: by "split/language".
        measured: examples of each.
        checksum: SHA-256 of the file.
        size: of the file [bytes].
    """
    shape, progress, settings = run.settings.shape, run.progress, run.settings
    held_out = load_held_out()
    families = sum(len(load_phrases(language).families()) for language in LANGUAGES)
    rows = "\n".join(
        f"| {_SPLITS[split]} | {language} | {score.correct:.1%} | {score.valid:.1%} | {score.parsed:.1%} |"
        for (split, _, language), score in ((name.partition("/"), score) for name, score in scores.items())
    )
    curve = "\n".join(
        f"| {point['step']} | {point['tokens'] / 1e6:.1f} | {point['seconds'] / 60:.0f} | {point['loss']:.3f} | "
        f"{_mean(point, 'familiar'):.0%} | {_mean(point, 'families'):.0%} |"
        for point in progress.curve
    )
    return f"""# planner

A language model that turns an instruction in English or Chinese and a scene into a plan for the skills of `reins`. It
is small, knows nothing else, and takes the prompt that `reins/planning/language/compact.py` makes (`reins.prompt`).

Architecture `llama`: {size_of(run.network) / 1e6:.1f} million parameters, {shape.layers} layers, width {shape.width},
{shape.heads} heads, {shape.vocabulary} tokens of its own, {shape.context} tokens of context. {size / 1e6:.1f} MB in
half precision. SHA-256 `{checksum}`.

## Training

{_start(settings)}, on instructions and plans that are made up (`reins/training/planner/`): scenes, tasks, sentences
from {families} families of phrases in two languages, plans of the symbolic planner's search, checked by the verifier.
Of these, {len(held_out.families)} families, {len(held_out.pairs)} colours of things and {len(held_out.compositions)}
make-ups of tasks were held out.

{progress.step} steps of up to {settings.batch} tokens, {progress.tokens / 1e6:.1f} million in all, in
{progress.seconds / 60:.0f} minutes; seed {settings.seed}.
To make one like it from nothing: `reins train planner --seed {settings.seed}`.

| step | million tokens | minutes | loss | right | right, held-out families |
|---|---|---|---|---|---|
{curve}

## Measured

On {measured} examples each, the likeliest tokens, without a grammar.

| | language | right | valid | parsed |
|---|---|---|---|---|
{rows}

Right: the plan can be carried out, leads to what was meant, sets the constraints of the instruction, moves nothing
else; or it asks, or refuses, where that is the right answer.

## Limits

It knows blocks, bowls and plates on one table, and the words of `reins/training/planner/phrases/`. What it answers is
held to a grammar, checked by the verifier, and never trusted: see `docs/architecture.md`.
"""


def _start(settings: PlannerSettings) -> str:
    return f"From the model with the SHA-256 `{settings.start}`" if settings.start else "From nothing"


def _mean(point: Mapping[str, Mapping[str, float]], split: str) -> float:
    """Share of right plans over the languages."""
    return sum(point[f"{split}/{language}"]["correct"] for language in LANGUAGES) / len(LANGUAGES)
