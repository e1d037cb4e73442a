"""The perception suite: random pictures, each as it is and once more disturbed, then sequences in which things move."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from reins.bench.perception.bare import recorded
from reins.bench.perception.looks import Looker
from reins.bench.perception.moving import Mover, follow
from reins.bench.perception.moving import Sequence as Moved
from reins.bench.perception.score import Score, judge
from reins.bench.report import Report
from reins.hardware.profile import RobotProfile, load_profile
from reins.perception.vision_language.settings import VisionSettings
from reins.training.renders.disturbances import KINDS, Disturbances, load_disturbances
from reins.training.renders.generate import Pictures, make_painter
from reins.training.renders.picture import Painter, Picture, Shot
from reins.training.renders.randomisation import load_render_randomisation

CLEAN: Final = "clean"
"""Pictures as they are."""

EVERY: Final = 5
"""The cost of a look is measured on every so many pictures."""

SEED_STRIDE: Final = 1_000_000
"""Between the seeds of two suites: they share no picture."""


@dataclass(frozen=True, slots=True)
class PerceptionSettings:
    """What is measured.

    Attributes:
        backend: of perception.
        sim: whose renderer paints the pictures.
        robot: profile.
        randomisation: what changes from picture to picture.
        disturbances: what cameras do to them.
        episodes: how many pictures.
        sequences: how many sequences in which things move.
        seed: of the suite.
        vision: the backend's model, where it has one.
    """

    backend: str
    sim: str
    robot: str
    randomisation: str
    disturbances: str
    episodes: int
    sequences: int
    seed: int
    vision: VisionSettings = field(default_factory=VisionSettings)


@dataclass(frozen=True, slots=True)
class Look:
    """One look at one picture.

    Attributes:
        seed: of the picture.
        camera: CLEAN, or what was wrong with the cameras.
        score: of the scene.
        seconds: what the look took; bare: what its OpenCV and ONNX calls take alone, where that was measured [s].
    """

    seed: int
    camera: str
    score: Score
    seconds: float
    bare: float | None


def run_perception(settings: PerceptionSettings, advance: Callable[[str], None]) -> Report:
    """Look at every picture and follow every sequence.

    Args:
        settings: what is measured.
        advance: called after each picture and sequence, with what was wrong or an empty line.

    Raises:
        UnknownName: no such backend, simulator, randomisation or set of disturbances.
        ReinsError: nothing renders without a display, or the simulator is not installed.
    """
    profile = load_profile(settings.robot)
    looker = Looker(settings.backend, profile, settings.vision)
    pictures = Pictures(profile, load_render_randomisation(settings.randomisation))
    disturbances = load_disturbances(settings.disturbances)
    painter = make_painter(settings.sim, profile)
    first = settings.seed * SEED_STRIDE
    looks: list[Look] = []
    moved: list[Moved] = []
    try:
        for number in range(settings.episodes):
            new = list(_look_at(looker, painter, pictures.draw(first + number), disturbances, number))
            looks += new
            advance(_trouble(new[0]))
        for sequence in _sequences(looker, painter, pictures, profile, first, settings.sequences):
            moved.append(sequence)
            advance("")
    finally:
        painter.close()
        looker.close()
    return Report("perception", _settings(settings), summarise(looks, moved), [_record(look) for look in looks])


def _look_at(
    looker: Looker, painter: Painter, picture: Picture, disturbances: Disturbances, number: int
) -> Iterator[Look]:
    """The picture as it is, and with one disturbance, of which each has its turn."""
    shots = painter.paint(picture, 0.0)
    random = np.random.default_rng(picture.seed)
    kind = list(KINDS)[number % len(KINDS)]
    for camera in (CLEAN, kind):
        images = [shot.image for shot in shots]
        if camera != CLEAN:
            images = [disturbances.disturb(kind, image, random) for image in images]
        looker.forget()
        begin = time.perf_counter()
        scene = looker.look(picture, images, 0.0)
        seconds = time.perf_counter() - begin
        bare = None
        if camera == CLEAN and number % EVERY == 0:
            looker.forget()
            with recorded() as calls:
                looker.look(picture, images, 0.0)
            bare = calls.replay()
        yield Look(picture.seed, camera, judge(picture.truth(0.0), scene, _visible(shots)), seconds, bare)


def _visible(shots: Sequence[Shot]) -> dict[str, float]:
    return {name: max(shot.visible[name] for shot in shots) for name in shots[0].visible}


def _sequences(
    looker: Looker, painter: Painter, pictures: Pictures, profile: RobotProfile, first: int, wanted: int
) -> Iterator[Moved]:
    """Sequences of the first pictures that have something to push."""
    mover, seed = Mover(profile), first
    for _ in range(wanted):
        while not (frames := mover.frames(pictures.draw(seed), np.random.default_rng(seed))):
            seed += 1
        yield follow(looker, painter, seed, frames)
        seed += 1


def summarise(looks: Sequence[Look], moved: Sequence[Moved]) -> dict[str, Any]:
    """The figures; docs/benchmarks.md says what each means."""
    by_camera: dict[str, list[Score]] = defaultdict(list)
    for look in looks:
        by_camera[look.camera].append(look.score)
    disturbed = [score for camera, scores in by_camera.items() if camera != CLEAN for score in scores]
    timed = [look for look in looks if look.bare is not None]
    minutes = sum(sequence.minutes for sequence in moved)
    return {
        "episodes": len(by_camera[CLEAN]),
        **_figures(by_camera[CLEAN]),
        "calibration_error": calibration_error([pair for score in by_camera[CLEAN] for pair in score.confidence]),
        "latency_ms": {"p50": 1e3 * float(np.median([look.seconds for look in timed or looks]))},
        "bare_latency_ms": {"p50": 1e3 * float(np.median([look.bare or 0.0 for look in timed])) if timed else 0.0},
        "id_switches_per_minute": sum(sequence.switches for sequence in moved) / minutes if minutes else None,
        "ghost_looks": sum(sequence.invented for sequence in moved) / max(1, sum(s.looks for s in moved)),
        "minutes_moving": minutes,
        "disturbed": _figures(disturbed)
        | {"object_f1_by": {kind: f1(scores) for kind, scores in by_camera.items() if kind != CLEAN}},
    }


def _figures(scores: Sequence[Score]) -> dict[str, Any]:
    errors = [error for score in scores for error in score.errors]
    p50, p95 = (1e3 * np.percentile(errors, (50, 95))).tolist() if errors else (None, None)
    hidden = [found for score in scores for found in score.hidden]
    return {
        "object_f1": f1(scores),
        "missed": sum(score.missed for score in scores),
        "invented": sum(score.invented for score in scores),
        "position_error_mm": {"p50": p50, "p95": p95},
        "attribute_accuracy": _share([score.attributes for score in scores]),
        "relation_accuracy": _share([score.relations for score in scores]),
        "found_nearly_hidden": _share([(int(found), 1) for found in hidden]),
    }


def f1(scores: Sequence[Score]) -> float:
    """Harmonic mean of precision and recall of objects; 1 where there are none and none were seen."""
    found, missed, invented = (sum(getattr(s, name) for s in scores) for name in ("found", "missed", "invented"))
    every = 2 * found + missed + invented
    return 2 * found / every if every else 1.0


def _share(counts: Sequence[tuple[int, int]]) -> float:
    """Right ones of all; 1 if there were none."""
    every = sum(total for _, total in counts)
    return sum(right for right, _ in counts) / every if every else 1.0


def calibration_error(pairs: Sequence[tuple[float, bool]], bins: int = 10) -> float:
    """Expected calibration error: how far confidence is from the share that is right, on average over bins of it."""
    if not pairs:
        return 0.0
    confidence, right = np.array(pairs, dtype=float).T
    which = np.minimum((confidence * bins).astype(int), bins - 1)
    return float(
        sum(
            (which == index).mean() * abs(confidence[which == index].mean() - right[which == index].mean())
            for index in np.unique(which)
        )
    )


def _trouble(look: Look) -> str:
    return f"seed {look.seed}: {', '.join(look.score.trouble)}" if look.score.trouble else ""


def _settings(settings: PerceptionSettings) -> Mapping[str, Any]:
    plain = {name: getattr(settings, name) for name in PerceptionSettings.__dataclass_fields__ if name != "vision"}
    return plain | {"vlm": settings.vision.vlm, "model": settings.vision.model}


def _record(look: Look) -> dict[str, Any]:
    score = look.score
    return {
        "seed": look.seed,
        "camera": look.camera,
        "found": score.found,
        "missed": score.missed,
        "invented": score.invented,
        "errors_mm": [round(1e3 * error, 2) for error in score.errors],
        "trouble": list(score.trouble),
        "latency_ms": 1e3 * look.seconds,
        "bare_latency_ms": None if look.bare is None else 1e3 * look.bare,
    }
