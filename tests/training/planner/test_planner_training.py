"""A run learns, pauses and goes on, and exports what llama.cpp loads."""

import json
import sys
from pathlib import Path
from random import Random

import pytest

pytest.importorskip("tokenizers", reason="needs the extra train")
pytest.importorskip("gguf", reason="needs the extra train")
torch = pytest.importorskip("torch", reason="needs the extra train")

from here_pool import Here  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

from reins.cli.app import app  # noqa: E402
from reins.cli.console import ExitCode  # noqa: E402
from reins.contracts.errors import ReinsError  # noqa: E402
from reins.skills.library import SKILLS  # noqa: E402
from reins.training.limits import Limits  # noqa: E402
from reins.training.planner import batches, recipe  # noqa: E402
from reins.training.planner.batches import (  # noqa: E402
    ENDINGS,
    NOTHING,
    Row,
    as_batch,
    easy_share,
    in_batches,
    make_chunk,
    text_of,
    told_of,
)
from reins.training.planner.evaluate import Score, held_out_examples, score  # noqa: E402
from reins.training.planner.examples import Examples  # noqa: E402
from reins.training.planner.network import Llama  # noqa: E402
from reins.training.planner.recipe import PlannerResult, make_planner_model  # noqa: E402
from reins.training.planner.settings import PlannerSettings, Shape  # noqa: E402
from reins.training.planner.tokens import END_ID, encode, train_tokenizer  # noqa: E402
from reins.training.planner.train import CURVE, load, train  # noqa: E402
from reins.training.schedule import rate_share  # noqa: E402

SMALL = PlannerSettings(
    steps=24,
    batch=512,
    read=12,
    chunk=12,
    warm=4,
    evaluated=2,
    compiled=False,  # compiling takes longer than these runs
    shape=Shape(vocabulary=400, width=32, layers=2, heads=2, hidden=48, context=1024),
)


@pytest.fixture(autouse=True)
def no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "ProcessPoolExecutor", Here)


def weights(network: Llama) -> dict[str, object]:
    return {name: weight.clone() for name, weight in network.state_dict().items()}


def test_a_run_pauses_goes_on_and_learns(tmp_path: Path) -> None:
    steps: list[int] = []
    paused = train(SMALL, tmp_path, Limits(stopped=lambda: len(steps) >= 8), print, steps.append)
    assert (paused.progress.step, paused.done) == (8, False)
    before, loss = weights(paused.network), paused.progress.loss
    assert all(torch.equal(before[name], weight) for name, weight in weights(load(tmp_path).network).items())
    done = train(SMALL, tmp_path, Limits(), print, steps.append)
    assert done.done and steps == list(range(1, 25))
    assert done.progress.loss < loss - 0.1
    point = json.loads((tmp_path / CURVE).read_text(encoding="utf-8").splitlines()[-1])
    assert point["step"] == 24 and 0.0 <= point["families/zh"]["parsed"] <= 1.0


@pytest.mark.slow
def test_a_compiled_run_takes_the_same_steps(tmp_path: Path) -> None:
    plain, compiled = (
        train(
            SMALL.model_copy(update={"steps": 6, "compiled": way}), tmp_path / str(way), Limits(), print, lambda _: None
        )
        for way in (False, True)
    )
    assert compiled.progress.loss == pytest.approx(plain.progress.loss, rel=1e-3)


def test_a_run_goes_on_with_its_own_settings_only(tmp_path: Path) -> None:
    train(SMALL, tmp_path, Limits(stopped=lambda: True), print, lambda _: None)
    with pytest.raises(ReinsError, match=r"rate 0\.006, and 0\.01 is asked"):
        train(SMALL.model_copy(update={"rate": 0.01}), tmp_path, Limits(), print, lambda _: None)


def test_a_run_begins_with_an_exported_model_and_goes_on_with_that_one_only(tmp_path: Path) -> None:
    first = make_planner_model(SMALL, tmp_path / "first", Limits(), 2, print)
    assert first.model is not None
    nothing = Limits(stopped=lambda: True)
    again = train(SMALL, tmp_path / "again", nothing, print, lambda _: None, first.model)
    assert again.settings.easy == 0 and again.settings.start in first.model.with_suffix(".json").read_text()
    learned = again.progress.loss
    assert learned < train(SMALL, tmp_path / "from nothing", nothing, print, lambda _: None).progress.loss - 0.1
    with pytest.raises(ReinsError, match="start"):
        train(SMALL, tmp_path / "again", nothing, print, lambda _: None)


def test_a_model_is_exported_with_its_card_and_stays_out_if_it_is_bad(tmp_path: Path) -> None:
    told: list[str] = []
    settings = SMALL.model_copy(update={"steps": 1})
    result = make_planner_model(settings, tmp_path / "run", Limits(), 2, told.append, out=tmp_path / "models")
    assert result.model is not None and result.model.stat().st_size > 10_000
    card = result.model.with_suffix(".md").read_text(encoding="utf-8")
    assert "SHA-256" in card and "| ways to say things that were held out | zh |" in card
    written = json.loads(result.model.with_suffix(".json").read_text(encoding="utf-8"))
    assert written["sha256"] in card and written["metadata"]["reins.prompt"] == "compact-3"
    assert not result.enters and not (tmp_path / "models").exists()
    assert any("stays out" in line and "familiar/en" in line for line in told)


def test_a_paused_run_exports_nothing(tmp_path: Path) -> None:
    result = make_planner_model(SMALL, tmp_path, Limits(stopped=lambda: True), 2, print)
    assert result.model is None and not result.enters


def test_what_enters_is_good_in_every_language(tmp_path: Path) -> None:
    run = train(SMALL, tmp_path, Limits(stopped=lambda: True), print, lambda _: None)
    good = {f"{split}/{tongue}": Score(1.0, 1.0, 0.96, 0.9) for split in ("familiar", "families") for tongue in "ez"}
    assert PlannerResult(run, good, tmp_path).enters
    worse = {**good, "families/z": Score(1.0, 1.0, 0.80, 0.8)}
    assert PlannerResult(run, worse, tmp_path).shortfalls == ["families/z: 80.0% of 85%"]


def test_only_what_follows_is_learned_and_replies_are_told_apart() -> None:
    batch = as_batch([Row([5, 6], [([7, 8], [9, END_ID]), ([7], [END_ID])])])
    assert batch.tokens.tolist() == [5, 6, 7, 8, 9, END_ID, 7, END_ID]
    assert batch.wanted.tolist() == [6, NOTHING, 8, 9, END_ID, NOTHING, END_ID, NOTHING]
    assert batch.replies.tolist() == [False, False, False, True, True, False, True, False]
    assert batch.forks.places.tolist() == [0, 1, 2, 3, 4, 5, 2, 3]


def test_batches_have_rows_of_like_lengths_and_leave_out_what_is_too_long() -> None:
    rows = [Row([1] * shared, [([2] * 3, [3] * ending)] * 2) for shared in (10, 30) for ending in (4, 60)]
    settings = SMALL.model_copy(update={"batch": 50, "shape": SMALL.shape.model_copy(update={"context": 80})})
    sizes = [[row.lengths for row in batch] for batch in in_batches(rows, settings)]
    assert sizes == [[(10, [7, 7])], [(30, [7, 7])], [(10, [63, 63])]]
    assert [len(batch) for batch in in_batches(rows, SMALL)] == [4]


def test_texts_of_a_group_say_what_is_seen_once_and_make_the_prompts() -> None:
    for group in (Examples(Random(seed), SKILLS).group(ENDINGS) for seed in range(12)):
        told = told_of(group)
        assert [(told.shared + task, reply) for task, reply in told.endings] == [text_of(example) for example in group]
        assert len(told.endings) == ENDINGS and "#task" not in told.shared


def test_tokens_do_not_reach_across_the_fork() -> None:
    """What is read token by token in training is what llama.cpp makes of the whole prompt."""
    chunk = make_chunk(1, 0, 30)
    tokenizer = train_tokenizer((told.shared + task + reply for told in chunk for task, reply in told.endings), 500)
    for told in chunk:
        for task, _ in told.endings:
            whole = encode(tokenizer, told.shared + task)
            assert whole == [*encode(tokenizer, told.shared), *encode(tokenizer, task)]


def test_easy_examples_become_fewer_and_are_one_plain_thing_to_do() -> None:
    settings = PlannerSettings(easy=4)
    assert [easy_share(number, settings) for number in range(6)] == [1.0, 0.75, 0.5, 0.25, 0.0, 0.0]
    assert easy_share(0, PlannerSettings(easy=0)) == 0.0
    plain = make_chunk(1, 0, 40, easy=1.0)
    assert all("#done" not in told.shared and "#keep" not in told.shared for told in plain)
    assert any("#done" in told.shared for told in make_chunk(1, 0, 40))


def test_rates_rise_evenly_and_fall_as_a_cosine() -> None:
    settings = PlannerSettings(steps=1_000, warm=100)
    shares = [rate_share(step, settings) for step in range(1_001)]
    assert shares[0] == 0.01 and shares[99] == shares[100] == 1.0
    assert shares[550] == pytest.approx(0.5) and shares[1_000] == pytest.approx(0.0)
    assert shares[100:] == sorted(shares[100:], reverse=True)


def test_a_perfect_network_scores_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The replies are read as the planner reads them: whoever says the teacher's words gets all of it right."""
    run = train(SMALL, tmp_path, Limits(stopped=lambda: True), print, lambda _: None)
    examples = held_out_examples("familiar", "zh", 8)
    words = [batches.text_of(example) for example in examples]
    replies = {tuple(run.tokenizer.encode(prompt).ids): run.tokenizer.encode(reply).ids for prompt, reply in words}
    monkeypatch.setattr(Llama, "reply", lambda _self, prompts, _most: [replies[tuple(prompt)] for prompt in prompts])
    found, misses = score(run.network, run.tokenizer, examples)
    assert found == Score(1.0, 1.0, 1.0, 1.0) and misses == []


class TestCommand:
    """`reins train planner` says how it ended, for whoever reads and for whoever scripts."""

    @pytest.fixture
    def asked(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[PlannerSettings]:
        """The settings that the recipe was called with; it pauses at once."""
        settings: list[PlannerSettings] = []

        def pause(wanted: PlannerSettings, *_: object) -> PlannerResult:
            settings.append(wanted)
            return PlannerResult(train(SMALL, tmp_path, Limits(stopped=lambda: True), print, lambda _: None), {}, None)

        monkeypatch.setattr(recipe, "make_planner_model", pause)
        return settings

    def test_the_recipe_is_the_default(self, asked: list[PlannerSettings], tmp_path: Path) -> None:
        result = CliRunner().invoke(app, ["train", "planner", "--threads", "1", "--run", str(tmp_path)])
        assert asked == [PlannerSettings()]
        assert "the same command goes on" in result.output
        assert result.exit_code == ExitCode.CANCELLED

    def test_seed_and_steps_can_be_changed(self, asked: list[PlannerSettings], tmp_path: Path) -> None:
        options = ["--seed", "7", "--steps", "30", "--threads", "1", "--run", str(tmp_path)]
        CliRunner().invoke(app, ["train", "planner", *options])
        assert asked == [PlannerSettings(seed=7, steps=30)]

    @pytest.mark.usefixtures("asked")
    def test_numbers_too_small_to_matter_are_numbers_again_afterwards(self, tmp_path: Path) -> None:
        CliRunner().invoke(app, ["train", "planner", "--threads", "1", "--run", str(tmp_path)])
        assert sys.float_info.min / 2.0 > 0.0
