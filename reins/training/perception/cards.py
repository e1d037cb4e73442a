"""The card of the tiny image-to-text model for a reader, written from its run and what was measured."""

from collections.abc import Mapping
from typing import Any, Final

from reins.training.perception.evaluate import Seen
from reins.training.perception.network import size_of
from reins.training.perception.scores import Counts, Score, reliability, score_of
from reins.training.perception.settings import VisionTrainingSettings
from reins.training.perception.train import Run

PICTURES: Final[Mapping[str, str]] = {
    "training": "made as training is, never seen",
    "held_out": "compositions, surfaces, light and clutter that are held out",
}
"""What the kinds of pictures are that a model is measured on, by their names."""


def certainties(seen: Mapping[str, Seen]) -> list[tuple[float, bool]]:
    """How sure a model was of each thing that it said, and whether that was right, of all pictures."""
    return [pair for found in seen.values() for pair in found.counts.certain]


def describe(run: Run, seen: Mapping[str, Seen], checksum: str, size: int) -> str:
    """Markdown about a model.

    Args:
        run: that made it.
        seen: what it made of pictures that it was not calibrated on, by the name of the pictures.
        checksum: SHA-256 of the file.
        size: of the file [bytes].
    """
    shape, progress, settings = run.settings.shape, run.progress, run.settings
    pictures = settings.pictures
    scores = "\n".join(_row(PICTURES[name], score_of(found.counts), found.counts) for name, found in seen.items())
    curve = "\n".join(_point(point) for point in progress.curve)
    sure = "\n".join(
        f"| {said:.2f} | {right:.2f} | {number} |" for said, right, number in reliability(certainties(seen))
    )
    milliseconds = 1e3 * max(found.seconds for found in seen.values())
    return f"""# tiny_vlm

A small image-to-text model: from one colour picture of a table to the blocks, bowls and plates on it, their colours,
where in the picture they are, what is in, on and beside what, and what the gripper holds. It knows nothing else and
answers no questions.

{size_of(run.network) / 1e6:.1f} million parameters: {shape.layers} layers look at {shape.cells} cells of a picture of
{shape.width} by {shape.height} pixels, {shape.decoder_layers} layers say tokens, width {shape.features}.
{size / 1e6:.1f} MB in half precision, one ONNX file. SHA-256 `{checksum}`.

## Training

{_start(settings)}, on {pictures.samples} pictures that are made up (`reins/training/renders/`,
randomisation `training`, painted by {pictures.sim} with the robot {pictures.robot}), each seen otherwise every time:
mirrored, moved, turned, in other light. {progress.step} steps of {settings.batch} pictures, in
{progress.seconds / 60:.0f} minutes and those that painting takes; seed {settings.seed}.
To make one like it: `reins train perception --seed {settings.seed} --steps {settings.steps} --samples \
{pictures.samples}`.

| step | minutes | loss of words | loss of places | objects | objects, held out |
|---|---|---|---|---|---|
{curve}

## Measured

| pictures | number | objects (F1) | colours | attributes | relations | whole descriptions |
|---|---|---|---|---|---|---|
{scores}

Objects: of the right kind, with a box that overlaps the true one by half or more. Colours, attributes and relations are
those of the objects that were found. What is less than a quarter visible is not to be said. A picture took
{milliseconds:.0f} ms, on one thread of the machine that trained it.

![How it learned, and how sure it is](tiny_vlm.png)

How sure it is is calibrated on as many pictures of the first kind again. On those that are measured here:

| it says | it is right | things |
|---|---|---|
{sure}

## Limits

It knows one table, from above or from the hand, and the colours of our worlds. What it says places nothing where depth
shows nothing: see `docs/perception.md`.
"""


def _start(settings: VisionTrainingSettings) -> str:
    return f"From the model with the SHA-256 `{settings.start}`" if settings.start else "From nothing"


def _row(title: str, score: Score, counts: Counts) -> str:
    return (
        f"| {title} | {counts.whole[1]} | {score.object_f1:.1%} | {score.colours:.1%} | {score.attributes:.1%} | "
        f"{score.relations:.1%} | {score.whole:.1%} |"
    )


def _point(point: Mapping[str, Any]) -> str:
    objects = " | ".join(f"{point[name]['object_f1']:.0%}" for name in PICTURES)
    return (
        f"| {point['step']} | {point['seconds'] / 60:.0f} | {point['words']:.3f} | {point['places']:.3f} | {objects} |"
    )
