"""Samples on disk, in files that only their number decides: what is there already is not made again."""

import json
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Final
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from reins.contracts.errors import ReinsError
from reins.training.limits import Limits, OnPart
from reins.training.perception.samples import Sample, Sampler, Thing
from reins.training.perception.settings import PicturesSettings
from reins.training.workers import begin_worker

FOLDER: Final = "pictures"
"""Of the shards, in the folder of a run."""

TRAINING: Final = "training"
"""The randomisation that is trained on."""

SEEDS: Final = 1_000_000_000
"""Seeds of pictures from one seed of a run to the next; those of benchmarks are below the first."""

EVALUATED: Final = 500_000_000
"""Where, from a run's first seed on, the pictures begin that it is evaluated on."""

PATIENCE: Final = 0.2
"""Between two looks at whether somebody asked for a pause [s]."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A file of samples.

    Attributes:
        path: of the file.
        randomisation: of its pictures.
        first: seed of the first one; the others follow.
        size: how many.
    """

    path: Path
    randomisation: str
    first: int
    size: int


def training_shards(settings: PicturesSettings, seed: int, folder: Path) -> list[Shard]:
    """The shards that a run is trained on."""
    first = (1 + seed) * SEEDS
    return [
        Shard(folder / FOLDER / f"{number:05d}.npz", TRAINING, first + at, min(settings.shard, settings.samples - at))
        for number, at in enumerate(range(0, settings.samples, settings.shard))
    ]


def evaluation_shard(randomisation: str, seed: int, size: int, folder: Path) -> Shard:
    """Pictures of a randomisation that no training sees."""
    path = folder / FOLDER / f"{randomisation}-{size}.npz"
    return Shard(path, randomisation, (1 + seed) * SEEDS + EVALUATED, size)


def make_shards(
    settings: PicturesSettings, shards: Sequence[Shard], processes: int, limits: Limits, on_part: OnPart
) -> bool:
    """Make those shards that are missing.

    Args:
        settings: of the pictures.
        shards: that are wanted.
        processes: that paint; 0 for this one.
        limits: when to pause.
        on_part: told of the pictures that are there.

    Returns:
        Whether all are there; False if it had to pause.

    Raises:
        ReinsError: nothing can be painted here.
    """
    begin, every = time.monotonic(), sum(shard.size for shard in shards)
    missing = [shard for shard in shards if not shard.path.is_file()]
    done = every - sum(shard.size for shard in missing)
    on_part("pictures", done, every)
    if not missing:
        return True
    missing[0].path.parent.mkdir(parents=True, exist_ok=True)

    def has_to_pause() -> bool:
        return limits.stopped() or (limits.seconds is not None and time.monotonic() - begin > limits.seconds)

    for size in _made(settings, missing, processes):
        done += size
        on_part("pictures", done, every)
        if done < every and has_to_pause():
            return False
    return done == every


def read_shard(path: Path) -> list[Sample]:
    """The samples of a file.

    Raises:
        ReinsError: it is damaged; says what to do.
    """
    try:
        with np.load(path) as file:
            pictures, owners = (_pieces(file[name], file[f"{name}_ends"]) for name in ("pictures", "owners"))
            things = json.loads(file["things"].tobytes())
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise ReinsError(f"the pictures in {path} are damaged ({error}); delete it, and it is made anew") from error
    return [
        Sample(picture, owner, tuple(Thing.model_validate(thing) for thing in those))
        for picture, owner, those in zip(pictures, owners, things, strict=True)
    ]


def write_shard(path: Path, samples: Sequence[Sample]) -> None:
    """Write samples; the file is there when it is complete."""
    fresh = path.with_suffix(".new")
    things = json.dumps([[thing.model_dump() for thing in sample.things] for sample in samples])
    with fresh.open("wb") as file:
        pictures, picture_ends = _joined([sample.picture for sample in samples])
        owners, owner_ends = _joined([sample.owners for sample in samples])
        np.savez(
            file,
            pictures=pictures,
            pictures_ends=picture_ends,
            owners=owners,
            owners_ends=owner_ends,
            things=np.frombuffer(things.encode(), np.uint8),
        )
    fresh.replace(path)


def _made(settings: PicturesSettings, missing: Sequence[Shard], processes: int) -> Iterator[int]:
    """Make shards; the size of each, as it comes. Between them 0 now and then, for who wants to pause."""
    if not processes:
        for shard in missing:
            yield _make(settings, shard)
        return
    with _pool(processes) as pool:
        coming: set[Future[int]] = {pool.submit(_make, settings, shard) for shard in missing}
        while coming:
            done, coming = wait(coming, PATIENCE, FIRST_COMPLETED)
            yield sum(future.result() for future in done)


@contextmanager
def _pool(processes: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that paint; what was not begun is not begun when it ends."""
    pool = ProcessPoolExecutor(processes, get_context("spawn"), begin_worker)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _make(settings: PicturesSettings, shard: Shard) -> int:
    """Make one shard; how many samples it has."""
    sampler = _sampler(settings, shard.randomisation)
    write_shard(shard.path, [sampler.sample(shard.first + number) for number in range(shard.size)])
    return shard.size


@cache
def _sampler(settings: PicturesSettings, randomisation: str) -> Sampler:
    """One for each process: to make it takes as long as several pictures."""
    return Sampler(settings, randomisation)


def _joined(pieces: Sequence[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Files one after the other, and where each ends."""
    return np.frombuffer(b"".join(pieces), np.uint8), np.cumsum([len(piece) for piece in pieces])


def _pieces(joined: NDArray[np.uint8], ends: NDArray[np.int64]) -> list[bytes]:
    whole = joined.tobytes()
    starts = [0, *ends[:-1].tolist()]
    return [whole[start:end] for start, end in zip(starts, ends.tolist(), strict=True)]
