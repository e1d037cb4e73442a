"""A model folder of random weights: what it writes is a plan all the same."""

import json
import threading
import time
from pathlib import Path

import pytest
from language_schemas import fits
from planning_tables import tabletop

from reins.language_models.model import Bounds, Cancel, Cancelled, Message, ModelError
from reins.planning.factory import make_planner
from reins.planning.language.chat import chat_prompt
from reins.planning.language.compact import compact_prompt
from reins.planning.language.reply import read_reply
from reins.planning.language.schema import plan_schema
from reins.planning.language.settings import LanguageSettings
from reins.planning.planner import History
from reins.skills.library import SKILLS

pytest.importorskip("torch", reason="the group vlm is not set up")
pytest.importorskip("transformers", reason="the group vlm is not set up")
pytest.importorskip("llguidance", reason="the group vlm is not set up")
pytest.importorskip("gguf")

from tiny_folder import write_tiny_folder

from reins.language_models.transformers import TransformersModel

pytestmark = pytest.mark.slow

SCENE = tabletop()
SCHEMA = plan_schema(SCENE, SKILLS)
SHORT = compact_prompt("put the red block in the bowl", SCENE, History(SCENE), SKILLS)
LONG = chat_prompt("put the red block in the bowl", SCENE, History(SCENE), SKILLS)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_folder(tmp_path_factory.mktemp("folder"))


@pytest.fixture(scope="module")
def model(path: Path) -> TransformersModel:
    return TransformersModel(path, "cpu")


@pytest.mark.parametrize("seed", range(4))
def test_every_reply_fits_the_schema_and_is_a_plan(model: TransformersModel, seed: int) -> None:
    pieces: list[str] = []
    reply = model.complete(SHORT, SCHEMA, Bounds(3000, 100.0, 1.5, seed), Cancel(), pieces.append)
    assert not reply.cut and fits(json.loads(reply.text), SCHEMA)
    read_reply(reply.text)
    assert "".join(pieces) == reply.text and reply.reply_tokens >= len(pieces) > 10
    assert reply.prompt_tokens > 0.8 * len(SHORT) and 0.0 < reply.first <= reply.seconds


def test_a_conversation_goes_through_the_chat_template(model: TransformersModel) -> None:
    reply = model.complete(LONG, SCHEMA, Bounds(3000, 100.0, 1.0), Cancel())
    assert fits(json.loads(reply.text), SCHEMA)
    turn = (Message("system", "a"), Message("user", "b"))
    text = "<|im_start|>system\na<|im_end|>\n<|im_start|>user\nb<|im_end|>\n<|im_start|>assistant\n"
    assert model._tokenizer.decode(model._inputs(turn)["input_ids"][0]) == text


def test_the_same_seed_gives_the_same_reply(model: TransformersModel) -> None:
    def text(seed: int) -> str:
        return model.complete(SHORT, SCHEMA, Bounds(3000, 100.0, 1.0, seed), Cancel()).text

    assert text(1) == text(1) != text(2)


def test_it_is_cut_at_the_bound_stopped_at_the_limit_and_cancelled(model: TransformersModel) -> None:
    cut = model.complete(SHORT, SCHEMA, Bounds(tokens=5), Cancel())
    assert cut.cut and cut.reply_tokens == 5
    with pytest.raises(ModelError, match=r"no whole reply within 0.01 s"):
        model.complete(SHORT, SCHEMA, Bounds(3000, 0.01), Cancel())
    cancel = Cancel()
    threading.Timer(0.05, cancel.give).start()
    begun = time.monotonic()
    with pytest.raises(Cancelled):
        write_on(model, cancel)
    assert time.monotonic() - begun < 20.0


def write_on(model: TransformersModel, cancel: Cancel) -> None:
    """Reply for ever."""
    while True:
        model.complete(SHORT, SCHEMA, Bounds(3000, 100.0, 1.0), cancel)


def test_text_that_looks_like_a_special_word_stays_text(model: TransformersModel) -> None:
    assert model._inputs("<|im_end|>")["input_ids"].shape[1] == len("<|im_end|>")


def test_without_a_template_turns_follow_one_another(tmp_path: Path) -> None:
    plain = TransformersModel(write_tiny_folder(tmp_path, template=None), "cpu")
    assert plain._tokenizer.decode(plain._inputs(LONG[:1])["input_ids"][0]) == f"{LONG[0].content}\n\n"


def test_a_prompt_that_is_longer_than_the_context(tmp_path: Path) -> None:
    small = TransformersModel(write_tiny_folder(tmp_path, context=64), "cpu")
    with pytest.raises(ModelError, match=r"the prompt has \d+ tokens and .* holds 64"):
        small.complete(SHORT, SCHEMA, Bounds(), Cancel())


class TestFolders:
    """Folders that are none."""

    def test_no_folder_and_an_empty_one(self, tmp_path: Path) -> None:
        for path in (tmp_path / "nothing", tmp_path):
            with pytest.raises(ModelError, match=r"it has no config.json"):
                TransformersModel(path)

    @pytest.mark.parametrize(
        ("file", "content"),
        [
            ("config.json", "{"),
            ("config.json", '{"model_type": "perceptron"}'),
            ("model.safetensors", "rubbish"),
            ("tokenizer.json", "{}"),
        ],
    )
    def test_a_file_that_is_broken(self, tmp_path: Path, file: str, content: str) -> None:
        (write_tiny_folder(tmp_path) / file).write_text(content)
        with pytest.raises(ModelError, match=r"does not load: .+") as caught:
            TransformersModel(tmp_path, "cpu")
        assert "\n" not in str(caught.value)

    def test_weights_that_could_be_code_are_not_read(self, tmp_path: Path) -> None:
        folder = write_tiny_folder(tmp_path)
        (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
        with pytest.raises(ModelError, match=r"does not load: .*safetensors"):
            TransformersModel(folder, "cpu")

    def test_a_device_that_is_not_there(self, path: Path) -> None:
        with pytest.raises(ModelError, match="does not load"):
            TransformersModel(path, "warp:9")


def test_the_planner_says_what_is_missing(tmp_path: Path) -> None:
    for name, told in (("", "needs the path of a folder"), (str(tmp_path), "has no config.json")):
        reports: list[str] = []
        planner = make_planner("transformers", SKILLS, LanguageSettings(model=name), reports.append)
        assert planner.plan("put the red block in the blue bowl", SCENE, History(SCENE)).steps
        assert told in reports[0]
