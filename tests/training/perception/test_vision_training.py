"""A run of the tiny image-to-text model learns, pauses and goes on; what it exports says what the network says."""

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

import cv2
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("onnx", reason="needs the extra train")

from made_up_pictures import SMALL, MadeUp  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

from reins.cli.app import app  # noqa: E402
from reins.cli.console import ExitCode  # noqa: E402
from reins.contracts.errors import ReinsError  # noqa: E402
from reins.models.vision import Certainty, VisionTraining, verify_vision_model, vision_models  # noqa: E402
from reins.perception.vision_language.description import Description  # noqa: E402
from reins.perception.vision_language.tiny.grammar import Grammar  # noqa: E402
from reins.perception.vision_language.tiny.reading import Pixels, TinyReader, certain, fitted  # noqa: E402
from reins.perception.vision_language.tiny.words import BEGIN, EDGE, END, SIZE  # noqa: E402
from reins.training.limits import Limits, unheard  # noqa: E402
from reins.training.perception import recipe, shards  # noqa: E402
from reins.training.perception.batches import as_batch  # noqa: E402
from reins.training.perception.evaluate import Seen, certainty_of, evaluate  # noqa: E402
from reins.training.perception.export import export  # noqa: E402
from reins.training.perception.loss import losses_of, words_loss  # noqa: E402
from reins.training.perception.network import TinyVlm, size_of  # noqa: E402
from reins.training.perception.recipe import VisionResult, make_vision_model  # noqa: E402
from reins.training.perception.samples import Sample, description_of_truth, opened  # noqa: E402
from reins.training.perception.scores import Counts, held_against, score_of  # noqa: E402
from reins.training.perception.settings import Shape, VisionTrainingSettings  # noqa: E402
from reins.training.perception.train import CURVE, Run, load, train  # noqa: E402

NOBODY = VisionTraining(settings="", seed=1, step=0, samples=0)


@pytest.fixture(autouse=True)
def _made_up(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(shards, "_sampler", lambda *_: MadeUp())
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def run_of(folder: Path, limits: Limits | None = None, settings: VisionTrainingSettings = SMALL) -> Run:
    return train(settings, folder, limits or Limits(), 0, print, unheard)


def weights(run: Run) -> dict[str, object]:
    return {name: weight.clone() for name, weight in run.network.state_dict().items()}


def loud(network: TinyVlm) -> TinyVlm:
    """The network with weights so large that its scores differ well, as the file has them: in half precision."""
    generator = torch.Generator().manual_seed(4)
    with torch.no_grad():
        for weight in network.parameters():
            weight.add_(0.1 * torch.randn(weight.shape, generator=generator))
    return network.half().float()


def test_a_run_pauses_and_goes_on_as_if_it_had_not(tmp_path: Path) -> None:
    told: list[str] = []
    whole = train(SMALL, tmp_path / "whole", Limits(), 0, told.append, unheard)
    calls: list[int] = []

    def stopped() -> bool:
        calls.append(1)
        return len(calls) >= 9

    paused = run_of(tmp_path / "parts", Limits(stopped=stopped))
    assert 0 < paused.progress.step < SMALL.steps and not paused.done
    parts = run_of(tmp_path / "parts")
    assert whole.done and parts.done
    ours, theirs = weights(whole), weights(parts)
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    assert all(torch.equal(ours[name], weight) for name, weight in weights(load(tmp_path / "whole")).items())
    point = json.loads((tmp_path / "whole" / CURVE).read_text(encoding="utf-8").splitlines()[-1])
    assert point["step"] == SMALL.steps and 0.0 <= point["held_out"]["object_f1"] <= 1.0
    assert any("held_out" in line for line in told)


def test_a_run_learns(tmp_path: Path) -> None:
    settings, parts = SMALL.model_copy(update={"steps": 60}), list[str]()
    soon = Limits(stopped=lambda: "steps" in parts)
    batch = as_batch([opened(MadeUp().sample(seed)) for seed in range(8)], SMALL.shape)
    begun = train(settings, tmp_path, soon, 0, print, lambda part, *_: parts.append(part))
    assert begun.progress.step == 1
    done = run_of(tmp_path, None, settings)
    with torch.no_grad():
        before, after = (losses_of(run.network, batch, settings) for run in (begun, done))
    assert after.words < 0.7 * before.words and after.places < 0.7 * before.places


def test_a_run_goes_on_with_its_own_settings_only(tmp_path: Path) -> None:
    run_of(tmp_path, Limits(stopped=lambda: True))
    with pytest.raises(ReinsError, match=r"rate 0\.02, and 0\.03 is asked"):
        run_of(tmp_path, None, SMALL.model_copy(update={"rate": 0.03}))


def test_the_network_is_as_large_as_it_should_be() -> None:
    assert 1e6 < size_of(TinyVlm(Shape())) < 3e6


def test_onnx_runtime_says_what_the_network_says() -> None:
    network = loud(TinyVlm(SMALL.shape))
    reader = TinyReader(export(network, NOBODY, {}))
    lengths = set()
    for seed in range(4):
        rgb = opened(MadeUp().sample(seed)).rgb
        reading = reader.read(rgb, SMALL.shape.length, lambda: None)
        assert reading.tokens == _greedy(network, rgb)
        lengths.add(len(reading.tokens))
    assert max(lengths) > 4


def _greedy(network: TinyVlm, rgb: Pixels) -> list[int]:
    """The likeliest tokens that are allowed, all said so far gone through at every step."""
    shape = network.shape
    cells = network.look(torch.from_numpy(fitted(rgb, shape.width, shape.height))[None])
    tokens, grammar = [BEGIN], Grammar()
    while tokens[-1] != END and len(tokens) <= shape.length:
        scores = network.speak(cells, torch.tensor([tokens]))[0, -1].detach().numpy()
        tokens.append(int(np.where(grammar.allowed(), scores, -np.inf).argmax()))
        grammar.take(tokens[-1])
    return tokens


def test_what_was_said_does_not_depend_on_what_comes_later() -> None:
    network = loud(TinyVlm(SMALL.shape))
    cells = torch.randn(1, SMALL.shape.cells, SMALL.shape.features)
    tokens = torch.randint(0, SIZE, (1, 9))
    assert torch.allclose(network.speak(cells, tokens)[:, :4], network.speak(cells, tokens[:, :4]), atol=1e-4)


def test_an_edge_that_is_nearly_right_costs_less_than_one_that_is_not() -> None:
    wanted = torch.tensor([EDGE.token(40)])
    scores = torch.zeros(3, SIZE)
    for row, edge in enumerate((40, 41, 90)):
        scores[row, EDGE.token(edge)] = 8.0
    right, near, wrong = (float(words_loss(row[None], wanted, 0.4)) for row in scores)
    assert right < near < wrong
    kind = torch.tensor([3])
    assert float(words_loss(scores[:1], kind, 0.4)) == pytest.approx(float(words_loss(scores[:1], kind, 0.0)))


def test_a_model_is_exported_with_its_card_and_stays_out_if_it_is_bad(tmp_path: Path) -> None:
    told: list[str] = []
    settings = SMALL.model_copy(update={"steps": 2})
    out = tmp_path / "models" / "perception"
    result = make_vision_model(settings, tmp_path / "run", Limits(), 3, told.append, out=out, processes=0)
    assert result.model is not None and not result.enters and not out.exists()
    assert any("stays out" in line and "held_out: object_f1" in line for line in told)
    folder = tmp_path / "shipped" / "perception"
    folder.mkdir(parents=True)
    for suffix in (".onnx", ".json", ".md", ".png"):
        path = result.model.with_suffix(suffix)
        (folder / path.name).write_bytes(path.read_bytes())
    contract = verify_vision_model("tiny_vlm", tmp_path / "shipped")
    assert contract.training.settings == settings.checksum and contract.training.step == 2
    assert contract.measured["held_out/object_f1"] == result.scores["held_out"].object_f1
    card = (folder / "tiny_vlm.md").read_text(encoding="utf-8")
    assert "SHA-256" in card and "compositions, surfaces, light and clutter" in card and "(tiny_vlm.png)" in card
    assert cv2.imread(str(result.model.with_suffix(".png"))) is not None
    model = vision_models(tmp_path / "shipped")["tiny_vlm"]
    data = bytearray(model.read_bytes())
    data[len(data) // 2] ^= 1
    model.write_bytes(bytes(data))
    (folder / "tiny_vlm.md").unlink()
    with pytest.raises(ReinsError, match=r"its checksum is .*tiny_vlm\.md is missing"):
        verify_vision_model("tiny_vlm", tmp_path / "shipped")


def test_a_run_begins_where_an_exported_model_is(tmp_path: Path) -> None:
    first = run_of(tmp_path / "first", settings=SMALL.model_copy(update={"steps": 3}))
    exported = tmp_path / "model.onnx"
    exported.write_bytes(export(first.network, NOBODY, {}))
    stopped = Limits(stopped=lambda: True)
    second = train(SMALL, tmp_path / "second", stopped, 0, print, unheard, exported)
    assert second.settings.start == sha256(exported.read_bytes()).hexdigest()
    for name, weight in second.network.named_parameters():
        if not name.endswith(("_head.weight", "_head.bias")):
            was = dict(first.network.named_parameters())[name]
            assert torch.allclose(weight, was, rtol=1e-3, atol=1e-6), name
    again = export(second.network, NOBODY, {})
    assert again == exported.read_bytes(), "half precision is exact from then on"
    with pytest.raises(ReinsError, match="made with start"):
        train(SMALL, tmp_path / "second", stopped, 0, print, unheard)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (None, "No such file"),
        (b"GGUF", "training cannot begin with"),
        (export(TinyVlm(Shape(**{**SMALL.shape.model_dump(), "hidden": 96})), NOBODY, {}), "another shape"),
    ],
    ids=["missing", "no model", "another shape"],
)
def test_what_it_cannot_begin_with_is_told(tmp_path: Path, data: bytes | None, why: str) -> None:
    path = tmp_path / "model.onnx"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(ReinsError, match=why):
        train(SMALL, tmp_path / "run", Limits(), 0, print, unheard, path)


def test_a_paused_run_exports_nothing_unless_it_is_to_finish(tmp_path: Path) -> None:
    soon = Limits(seconds=0.5)
    slow = SMALL.model_copy(update={"steps": 100_000})
    assert make_vision_model(slow, tmp_path, soon, 2, print, processes=0).model is None
    assert make_vision_model(slow, tmp_path, soon, 2, print, finish=True, processes=0).model is not None


def test_what_enters_is_good_at_everything(tmp_path: Path) -> None:
    run = run_of(tmp_path, Limits(stopped=lambda: True))
    perfect = score_of(Counts(found=9, coloured=9, worded=9, relations=(5, 5)))
    assert VisionResult(run, {"training": perfect, "held_out": perfect}, tmp_path).enters
    worse = score_of(Counts(found=8, invented=3, coloured=8, worded=7, relations=(5, 5)))
    result = VisionResult(run, {"training": perfect, "held_out": worse}, tmp_path)
    assert result.shortfalls == ["held_out: object_f1 84.2% of 90%", "held_out: attributes 87.5% of 95%"]


def test_how_sure_it_is_is_judged_on_other_pictures_than_it_was_learned_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluated: list[list[Sample]] = []

    def note(data: bytes, samples: Sequence[Sample]) -> Seen:
        evaluated.append(list(samples))
        return evaluate(data, samples)

    monkeypatch.setattr(recipe, "evaluate", note)
    make_vision_model(SMALL.model_copy(update={"steps": 1}), tmp_path, Limits(), 4, print, processes=0)
    learned, judged, held_out = evaluated
    assert (len(learned), len(judged), len(held_out)) == (2, 2, 4)
    assert not {sample.picture for sample in learned} & {sample.picture for sample in judged}


class TestScores:
    @pytest.fixture
    def true(self) -> Description:
        return description_of_truth(
            opened(next(made for seed in range(9) if len((made := MadeUp().sample(seed)).things) == 2))
        )

    def test_the_truth_is_right(self, true: Description) -> None:
        score = score_of(held_against(true, true, cut=False))
        assert (score.object_f1, score.colours, score.attributes, score.relations, score.whole) == (1.0,) * 5

    def test_every_fault_counts_where_it_belongs(self, true: Description) -> None:
        first, second = true.objects
        other = first.model_copy(update={"colour": "pink", "attributes": ("full",)})
        score = score_of(held_against(true.model_copy(update={"objects": (other, second)}), true, cut=True))
        assert (score.object_f1, score.colours, score.attributes, score.whole) == (1.0, 0.5, 0.5, 0.0)
        moved = first.model_copy(update={"box": second.box})
        score = score_of(held_against(true.model_copy(update={"objects": (moved, second)}), true, cut=False))
        assert score.object_f1 == 0.5
        score = score_of(held_against(true.model_copy(update={"relations": true.relations[:1]}), true, cut=False))
        assert score.relations == 0.5
        assert score_of(held_against(Description(objects=()), true, cut=False)).object_f1 == 0.0


def test_certainties_become_how_often_it_is_right() -> None:
    random = np.random.default_rng(5)
    likely = [(0.99, bool(random.random() < 0.8)) for _ in range(400)]
    likely += [(0.6, bool(random.random() < 0.3)) for _ in range(400)]
    found = certainty_of(likely)
    assert certain(0.99, found) == pytest.approx(0.8, abs=0.05)
    assert certain(0.6, found) == pytest.approx(0.3, abs=0.05)
    assert certainty_of([]) == Certainty() and certain(0.7, Certainty()) == pytest.approx(0.7)
    assert certain(1.0, certainty_of([(1.0, True)] * 50)) > 0.9


def test_an_evaluation_counts_what_the_exported_model_says() -> None:
    samples = [MadeUp().sample(seed) for seed in range(3)]
    seen = evaluate(export(loud(TinyVlm(SMALL.shape)), NOBODY, {}), samples)
    things = sum(len(made.things) for made in samples)
    assert seen.counts.found + seen.counts.missed == things and seen.counts.whole[1] == 3
    assert len(seen.likely) == seen.counts.found + seen.counts.invented


class TestCommand:
    """`reins train perception` says how it ended, for whoever reads and for whoever scripts."""

    @pytest.fixture
    def asked(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[VisionTrainingSettings]:
        """The settings that the recipe was called with; it pauses at once."""
        settings: list[VisionTrainingSettings] = []

        def pause(wanted: VisionTrainingSettings, *_: object) -> VisionResult:
            settings.append(wanted)
            return VisionResult(run_of(tmp_path / "run", Limits(stopped=lambda: True)), {}, None)

        monkeypatch.setattr(recipe, "make_vision_model", pause)
        return settings

    def test_the_recipe_is_the_default(self, asked: list[VisionTrainingSettings], tmp_path: Path) -> None:
        result = CliRunner().invoke(app, ["train", "perception", "--threads", "1", "--run", str(tmp_path)])
        assert asked == [VisionTrainingSettings()]
        assert "the same command goes on" in result.output and result.exit_code == ExitCode.CANCELLED

    def test_it_can_be_changed(self, asked: list[VisionTrainingSettings], tmp_path: Path) -> None:
        options = ["--seed", "7", "--steps", "30", "--samples", "100", "--threads", "1", "--run", str(tmp_path)]
        CliRunner().invoke(app, ["train", "perception", *options])
        assert asked[0].seed == 7 and asked[0].steps == 30 and asked[0].pictures.samples == 100
