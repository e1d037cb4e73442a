"""The door to the tiny model: real pictures, bounds, cancelling, files that are none, and the backends behind it."""

import threading
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra train")
onnx = pytest.importorskip("onnx", reason="needs the extra train")

from made_up_pictures import SMALL, MadeUp  # noqa: E402

from reins.bench.perception.looks import Looker  # noqa: E402
from reins.bench.perception.score import judge  # noqa: E402
from reins.bench.perception.suite import f1  # noqa: E402
from reins.contracts.errors import ReinsError  # noqa: E402
from reins.hardware.profile import load_profile  # noqa: E402
from reins.language_models.model import Bounds, Cancel, Cancelled, Message, ModelError, Picture  # noqa: E402
from reins.models import registry  # noqa: E402
from reins.models.vision import (  # noqa: E402
    METADATA_KEY,
    Certainty,
    VisionTraining,
    verify_vision_model,
    vision_models,
)
from reins.perception.factory import make_perception  # noqa: E402
from reins.perception.vision_language.asking import VisionModel  # noqa: E402
from reins.perception.vision_language.description import (  # noqa: E402
    description_schema,
    read_certain_description,
    read_description,
)
from reins.perception.vision_language.doors import DOORS  # noqa: E402
from reins.perception.vision_language.prompt import View, description_prompt, view_of  # noqa: E402
from reins.perception.vision_language.settings import VisionSettings  # noqa: E402
from reins.perception.vision_language.tiny.door import TinyModel  # noqa: E402
from reins.perception.vision_language.tiny.words import FORMAT  # noqa: E402
from reins.training.perception.export import export  # noqa: E402
from reins.training.perception.network import TinyVlm  # noqa: E402
from reins.training.perception.samples import opened  # noqa: E402
from reins.training.renders.generate import Pictures, make_painter  # noqa: E402
from reins.training.renders.randomisation import load_render_randomisation  # noqa: E402

RECORD = VisionTraining(settings="", seed=1, step=0, samples=0)


@pytest.fixture(scope="module")
def data() -> bytes:
    torch.manual_seed(3)
    return export(TinyVlm(SMALL.shape), RECORD, {}, Certainty(slope=0.5, shift=0.1))


@pytest.fixture
def path(data: bytes, tmp_path: Path) -> Path:
    found = tmp_path / "mine.onnx"
    found.write_bytes(data)
    return found


@pytest.fixture
def view() -> View:
    return view_of("overhead", 1.0, opened(MadeUp().sample(1)).rgb)


def settings(path: Path, **changes: object) -> VisionSettings:
    return VisionSettings.model_validate({"vlm": "tiny", "model": str(path), **changes})


def test_a_picture_is_described_within_the_bounds(path: Path, view: View) -> None:
    model, heard = TinyModel(path), list[str]()
    said = model.complete(description_prompt(view), description_schema(), Bounds(), Cancel(), heard.append)
    found = read_certain_description(said.text)
    assert "".join(heard) == said.text and found.caption
    assert all(thing.certain is not None and 0.0 < thing.certain < 1.0 for thing in found.objects)
    assert 0 < said.reply_tokens <= SMALL.shape.length and 0.0 <= said.first <= said.seconds < 5.0
    again = model.complete(description_prompt(view), description_schema(), Bounds(temperature=1.0), Cancel())
    assert again.text == said.text
    short = model.complete(description_prompt(view), description_schema(), Bounds(tokens=3), Cancel())
    assert short.cut and short.reply_tokens == 3 and read_description(short.text).objects == ()
    model.close()


def test_only_a_model_that_was_measured_says_how_sure_it_is(path: Path, view: View) -> None:
    model = VisionModel(lambda: DOORS["tiny"](settings(path)), settings(path))
    sure = [thing.certain for thing in model.describe(view, Cancel()).objects]
    other = VisionModel(lambda: DOORS["tiny"](settings(path)), settings(path, vlm="openai"))
    unsure = [thing.certain for thing in other.describe(view, Cancel()).objects]
    assert None not in sure and unsure == [None] * len(sure)


def test_a_question_is_not_answered(path: Path, view: View) -> None:
    model = VisionModel(lambda: DOORS["tiny"](settings(path)), settings(path))
    answer = model.answer("is the mug upside down?", [view], Cancel())
    assert answer.verdict == "unclear" and "describes pictures" in answer.answer
    model.close()


def test_time_runs_out(path: Path, view: View) -> None:
    with pytest.raises(ModelError, match="no whole reply within"):
        TinyModel(path).complete(description_prompt(view), description_schema(), Bounds(seconds=0.0), Cancel())


def test_it_stops_when_it_is_told_to(path: Path, view: View) -> None:
    model, cancel = TinyModel(path), Cancel()
    cancel.give()
    with pytest.raises(Cancelled):
        model.complete(description_prompt(view), description_schema(), Bounds(), cancel)
    later = Cancel()
    timer = threading.Timer(0.0, later.give)
    timer.start()

    def describe_on() -> None:
        while True:
            model.complete(description_prompt(view), description_schema(), Bounds(), later)

    with pytest.raises(Cancelled):
        describe_on()
    timer.join()


@pytest.mark.parametrize(
    ("picture", "told"), [(Picture(b""), "damaged"), (Picture(b"no picture"), "damaged"), (None, "no picture")]
)
def test_pictures_that_are_none(path: Path, picture: Picture | None, told: str) -> None:
    prompt = [Message("user", "Describe this picture.", () if picture is None else (picture,))]
    with pytest.raises(ModelError, match=told):
        TinyModel(path).complete(prompt, description_schema(), Bounds(), Cancel())


def _other_words(data: bytes) -> bytes:
    model = onnx.load_from_string(data)
    for entry in model.metadata_props:
        if entry.key == METADATA_KEY:
            entry.value = entry.value.replace("tiny-1", "tiny-0")
    return bytes(model.SerializeToString())


def _without_contract(data: bytes) -> bytes:
    model = onnx.load_from_string(data)
    del model.metadata_props[:]
    return bytes(model.SerializeToString())


def _not_finite(data: bytes) -> bytes:
    model = onnx.load_from_string(data)
    weight = model.graph.initializer[3]
    weight.raw_data = np.full(len(weight.raw_data) // 4, np.nan, np.float32).tobytes()
    return bytes(model.SerializeToString())


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda data: data[: len(data) // 2], "truncated"),
        (lambda _: b"GGUF and so on", "not an ONNX file"),
        (lambda _: b"", "no graph"),
        (_without_contract, "no image-to-text model of reins"),
        (_other_words, "tiny-0, and this version of reins"),
        (_not_finite, "not finite"),
    ],
)
def test_files_that_are_no_model_are_refused(path: Path, change: "object", told: str) -> None:
    assert callable(change)
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(ModelError, match=rf"mine\.onnx is refused: .*{told}"):
        DOORS["tiny"](settings(path))


def test_a_file_that_is_not_there_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="`reins train perception`, or name its ONNX file in the parameter 'model'"):
        DOORS["tiny"](settings(tmp_path / "nothing.onnx"))


class TestBackend:
    @pytest.fixture
    def shipped(self, data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """As if this model shipped."""
        folder = tmp_path / registry.VISION
        folder.mkdir()
        (folder / "tiny_vlm.onnx").write_bytes(data)
        monkeypatch.setattr("reins.perception.vision_language.tiny.door.models_folder", lambda: tmp_path)
        return tmp_path

    def test_it_needs_nothing_else_set_and_loads_when_it_is_needed(self, shipped: Path) -> None:
        backend = make_perception("tiny_vlm", load_profile("franka"))
        assert backend.source == "vlm"
        backend.speaker.load()  # type: ignore[union-attr]  # it is a VlmPerception
        backend.speaker.close()  # type: ignore[union-attr]

    def test_a_benchmark_looks_with_a_description_of_that_very_picture(self, shipped: Path) -> None:
        profile = load_profile("franka")
        pictures = Pictures(profile, load_render_randomisation("held_out"))
        painter, looker = make_painter("mujoco", profile), Looker("tiny_vlm", profile)
        try:
            for number in (1, 2):
                looker.forget()
                picture = pictures.draw(number)
                shots = painter.paint(picture, float(number))
                scene = looker.look(picture, [shot.image for shot in shots], float(number))
                assert scene.described == float(number) and not scene.stale
        finally:
            painter.close()
            looker.close()

    def test_the_one_that_ships_sees_what_is_on_tables_that_it_was_not_trained_on(self) -> None:
        profile = load_profile("franka")
        pictures = Pictures(profile, load_render_randomisation("held_out"))
        painter, looker = make_painter("mujoco", profile), Looker("tiny_vlm", profile)
        scores = []
        try:
            for number in range(1, 13):
                looker.forget()
                picture = pictures.draw(number)
                shots = painter.paint(picture, 1.0)
                scene = looker.look(picture, [shot.image for shot in shots], 1.0)
                visible = {name: max(shot.visible[name] for shot in shots) for name in shots[0].visible}
                scores.append(judge(picture.truth(1.0), scene, visible))
        finally:
            painter.close()
            looker.close()
        assert f1(scores) > 0.7  # 0.85 over 60 pictures
        assert [verify_vision_model(name).words for name in vision_models()] == [FORMAT]

    def test_without_a_model_a_benchmark_says_so(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("reins.perception.vision_language.tiny.door.models_folder", lambda: tmp_path)
        with pytest.raises(ReinsError, match="reins train perception"):
            Looker("tiny_vlm", load_profile("franka"))
