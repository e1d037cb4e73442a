"""Samples for the tiny image-to-text model: true to what was painted, however they are turned; kept on disk, once."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra train")

from made_up_pictures import HEIGHT, SMALL, WIDTH, MadeUp, sample, thing

from reins.contracts.errors import ReinsError
from reins.perception.colours import COLOURS
from reins.perception.vision_language.description import GRID
from reins.perception.vision_language.tiny.words import SAID_KINDS
from reins.training.limits import Limits, unheard
from reins.training.perception import shards
from reins.training.perception.augment import augmented
from reins.training.perception.batches import UNWANTED, as_batch, batch_of_step, places_of
from reins.training.perception.samples import (
    SEEN,
    Sampler,
    Truth,
    boxes_of,
    description_of_truth,
    opened,
)
from reins.training.perception.settings import CELL, PicturesSettings, Shape

SHAPE = SMALL.shape


@pytest.fixture(scope="module")
def sampler() -> Iterator[Sampler]:
    made = Sampler(PicturesSettings(wrist=0.0), "training")
    yield made
    made.close()


def test_what_is_said_of_a_picture_is_what_was_painted(sampler: Sampler) -> None:
    related = 0
    for seed in range(6):
        truth = opened(sampler.sample(seed))
        said = description_of_truth(truth)
        boxes = boxes_of(truth)
        assert len(said.objects) == len(boxes) > 0
        assert all(truth.things[index].visible >= SEEN for index in boxes)
        for index, (left, top, right, bottom) in boxes.items():
            shown = truth.owners == index
            assert shown[top:bottom, left:right].sum() == shown.sum()
            assert shown[top].any() and shown[bottom - 1].any() and shown[:, left].any() and shown[:, right - 1].any()
        assert all(one.object < one.subject for one in said.relations)
        related += sum(one.object > 0 for one in said.relations)
    assert related > 3


def test_a_seed_is_a_sample(sampler: Sampler) -> None:
    one, other = sampler.sample(7), sampler.sample(7)
    assert (one.picture, one.owners, one.things) == (other.picture, other.owners, other.things)


def test_the_hand_has_a_look_now_and_then(sampler: Sampler) -> None:
    made = Sampler(PicturesSettings(wrist=1.0), "training")
    over, near = (opened(one.sample(3)) for one in (sampler, made))
    made.close()
    assert [item.kind for item in over.things] == [item.kind for item in near.things]
    assert not np.array_equal(over.owners, near.owners)


@pytest.fixture
def stacked() -> Truth:
    """A bowl with a block in it, a block beside the bowl, and one in the gripper, a part of which is seen."""
    things = [
        thing(kind="bowl", colour="blue", loaded=True, beside=(2,)),
        thing(stands="in", carrier=0),
        thing(colour="green", beside=(0,)),
        thing(stands="held", visible=0.4),
    ]
    return opened(sample(things, [(70, 10, 110, 50), (80, 20, 92, 32), (48, 20, 62, 34), (20, 60, 30, 70)]))


def test_what_carries_is_said_before_what_it_carries(stacked: Truth) -> None:
    said = description_of_truth(stacked)
    assert [thing.name for thing in said.objects] == ["red block", "green block", "blue bowl", "red block"]
    assert said.objects[0].attributes == ("partly hidden", "held") and said.objects[2].attributes == ("full",)
    relations = {(one.subject, one.relation, one.object) for one in said.relations}
    assert relations == {(2, "on", 0), (3, "on", 0), (4, "in", 3), (3, "beside", 2)}


def test_what_is_hardly_seen_is_not_said_nor_what_is_in_it(stacked: Truth) -> None:
    hidden = stacked.things[0].model_copy(update={"visible": SEEN - 0.01})
    said = description_of_truth(replace(stacked, things=(hidden, *stacked.things[1:])))
    assert [thing.kind for thing in said.objects] == ["block"] * 3
    assert {(one.subject, one.relation, one.object) for one in said.relations} == {(2, "on", 0)}


def test_however_a_picture_is_turned_its_colours_are_where_its_things_are(stacked: Truth) -> None:
    shape = Shape(width=WIDTH, height=HEIGHT)
    for seed in range(12):
        seen = augmented(stacked, shape, np.random.default_rng(seed))
        for index, (left, top, right, bottom) in boxes_of(seen).items():
            middle = seen.rgb[(top + bottom) // 2, (left + right) // 2].astype(int)
            if index != 0:  # the middle of the bowl is the block's
                assert COLOURS[[0, 3, 5][int(middle.argmax())]] == seen.things[index].colour
    first, again = (augmented(stacked, shape, np.random.default_rng(1)) for _ in range(2))
    assert np.array_equal(first.rgb, again.rgb) and not np.array_equal(first.rgb, stacked.rgb)


def test_what_is_moved_out_of_the_picture_is_less_visible() -> None:
    truth = opened(sample([thing()], [(0, 0, 6, 6)]))
    shares = {round(augmented(truth, SHAPE, np.random.default_rng(seed)).things[0].visible, 2) for seed in range(30)}
    assert min(shares) == 0.0 and max(shares) > 0.9


def test_cells_say_what_is_in_them(stacked: Truth) -> None:
    kinds, colours, edges = places_of(stacked, SHAPE)
    boxes = boxes_of(stacked)
    assert (kinds == len(SAID_KINDS)).sum() > SHAPE.cells / 2
    for index, box in boxes.items():
        item = stacked.things[index]
        here = (kinds == SAID_KINDS.index(item.kind)) & (colours == COLOURS.index(item.colour))
        assert here.any()
        cell = np.flatnonzero(here)
        middle = np.column_stack([cell % SHAPE.columns, cell // SHAPE.columns]) + 0.5
        found = (edges[cell] + np.tile(middle, 2)) * CELL * WIDTH / SHAPE.width
        assert any(np.allclose(row, box) for row in found)
    hidden = stacked.things[0].model_copy(update={"visible": 0.0})
    kinds, colours, _ = places_of(replace(stacked, things=(hidden, *stacked.things[1:])), SHAPE)
    assert ((kinds == UNWANTED) & (colours == UNWANTED)).any()


def test_batches_are_decided_by_their_number_and_show_every_sample() -> None:
    samples = [MadeUp().sample(seed) for seed in range(12)]
    one, again, next_one = (batch_of_step(samples, SMALL, step) for step in (3, 3, 4))
    assert bool((one.pictures == again.pictures).all()) and bool((one.tokens == again.tokens).all())
    assert not bool((one.pictures == next_one.pictures).all())
    assert tuple(one.pictures.shape) == (8, SHAPE.height, SHAPE.width, 3)
    batch = as_batch([opened(made) for made in samples], SHAPE)
    assert bool((batch.tokens[:, 1:][batch.wanted[:, 1:] != UNWANTED] > 0).all())
    for row, wanted in zip(batch.tokens.tolist(), batch.wanted.tolist(), strict=True):
        told = [token for token in wanted if token != UNWANTED]
        assert all(after == token for (_, after), token in zip(pairwise(row), told, strict=False) if after)


class TestShards:
    @pytest.fixture(autouse=True)
    def _made_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(shards, "_sampler", lambda *_: MadeUp())

    def make(self, folder: Path, limits: Limits | None = None) -> bool:
        wanted = shards.training_shards(SMALL.pictures, 1, folder)
        return shards.make_shards(SMALL.pictures, wanted, 0, limits or Limits(), unheard)

    def test_what_is_written_is_read_and_stays(self, tmp_path: Path) -> None:
        assert self.make(tmp_path)
        wanted = shards.training_shards(SMALL.pictures, 1, tmp_path)
        assert [shard.size for shard in wanted] == [8, 4]
        first = shards.read_shard(wanted[0].path)
        again = MadeUp().sample(wanted[0].first + 5)
        assert (first[5].picture, first[5].owners, first[5].things) == (again.picture, again.owners, again.things)
        before = wanted[0].path.stat().st_mtime_ns
        wanted[1].path.unlink()
        assert self.make(tmp_path) and wanted[1].path.is_file()
        assert wanted[0].path.stat().st_mtime_ns == before

    def test_painting_pauses_and_goes_on(self, tmp_path: Path) -> None:
        assert not self.make(tmp_path, Limits(stopped=lambda: True))
        assert self.make(tmp_path)

    @pytest.mark.parametrize("left", [0, 20, 400])
    def test_a_damaged_file_is_told(self, tmp_path: Path, left: int) -> None:
        self.make(tmp_path)
        path = shards.training_shards(SMALL.pictures, 1, tmp_path)[0].path
        path.write_bytes(path.read_bytes()[:left])
        with pytest.raises(ReinsError, match="damaged"):
            shards.read_shard(path)

    def test_no_picture_is_evaluated_that_is_trained_on(self, tmp_path: Path) -> None:
        huge = PicturesSettings(samples=1_000_000, shard=100_000)
        wanted = shards.training_shards(huge, 1, tmp_path)
        look = shards.evaluation_shard("training", 1, 10_000, tmp_path)
        assert wanted[-1].first + wanted[-1].size <= look.first
        assert look.first + look.size <= shards.training_shards(huge, 2, tmp_path)[0].first


def test_boxes_are_in_thousandths_of_the_picture() -> None:
    said = description_of_truth(opened(sample([thing()], [(32, 24, 64, 48)])))
    box = said.objects[0].box
    assert (box.left, box.top, box.right, box.bottom) == (GRID // 4, GRID // 4, GRID // 2, GRID // 2)
