"""The doors to vision-language models: a real HTTP server for OpenAI's protocol, and what is said of files that are not
there."""

import base64
import json
from importlib.util import find_spec
from pathlib import Path

import cv2
import numpy as np
import pytest
from faulty_server import Behaviour, says, serving, streams
from vision_replies import reply, thing

from reins.language_models import openai
from reins.language_models.model import Cancel, ModelError
from reins.perception.vision_language.asking import VisionModel
from reins.perception.vision_language.description import BadReply, description_schema
from reins.perception.vision_language.doors import DOORS
from reins.perception.vision_language.prompt import View, view_of
from reins.perception.vision_language.settings import VisionSettings

GOOD = reply(thing(name="toy cube"))
REFUSES = says(400, {"error": {"message": "response_format is not supported"}})


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai, "FIRST_WAIT", 0.01)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture
def view() -> View:
    rgb = np.zeros((24, 32, 3), np.uint8)
    rgb[..., 0] = 200
    return view_of("overhead", 1.0, rgb)


def model_at(url: str, **settings: object) -> VisionModel:
    """A model behind the OpenAI-compatible door."""
    values = VisionSettings.model_validate({"vlm": "openai", "base_url": url, "model": "m", **settings})
    return VisionModel(lambda: DOORS["openai"](values), values)


def test_a_picture_goes_to_the_server_as_a_data_url_and_the_reply_is_held_to_the_schema(view: View) -> None:
    with serving(streams(GOOD)) as server:
        model = model_at(server.url)
        assert model.describe(view, Cancel()).objects[0].name == "toy cube"
        model.close()
    (body,) = server.bodies
    assert server.paths == ["/v1/chat/completions"]
    assert body["response_format"]["json_schema"]["schema"] == description_schema()
    system, user = body["messages"]
    assert isinstance(system["content"], str)
    picture, text = user["content"]
    assert text["type"] == "text" and picture["type"] == "image_url"
    kind, _, data = picture["image_url"]["url"].partition(",")
    assert kind == "data:image/jpeg;base64"
    decoded = cv2.imdecode(np.frombuffer(base64.b64decode(data), np.uint8), cv2.IMREAD_COLOR)
    assert decoded is not None and decoded.shape == (24, 32, 3)
    assert decoded[12, 16, 2] > 180 > 40 > decoded[12, 16, 0], "red is red"


def test_a_server_without_schemas_is_asked_in_other_ways(view: View) -> None:
    with serving(REFUSES, REFUSES, REFUSES, REFUSES, streams(GOOD)) as server:
        model = model_at(server.url)
        assert model.describe(view, Cancel()).objects
        model.close()
    forms = [body.get("response_format", {}).get("type") for body in server.bodies]
    assert forms == ["json_schema", "json_object", None, "json_object", None]
    assert '"1000"' in server.bodies[2]["grammar"]


@pytest.mark.parametrize(
    ("behaviour", "told"),
    [
        (streams("A red cube lies on the table."), "prose where JSON was asked for"),
        (streams(""), "said nothing"),
        (streams('{"objects":5}'), "does not fit the schema: objects"),
    ],
)
def test_a_reply_that_is_no_description_is_asked_for_again_then_told(
    view: View, behaviour: Behaviour, told: str
) -> None:
    with serving(behaviour) as server:
        model = model_at(server.url, attempts=2)
        with pytest.raises(BadReply, match=told):
            model.describe(view, Cancel())
        model.close()
    assert len(server.bodies) == 2
    assert told.split(":")[0] in json.dumps(server.bodies[1]["messages"][-1], ensure_ascii=False)


@pytest.mark.parametrize(
    ("behaviour", "told"),
    [
        (says(401, {"error": {"message": "who are you"}}), "OPENAI_API_KEY"),
        (says(503, {"error": {"message": "Loading model"}}), "no (whole )?reply within"),
        (says(400, {"error": {"message": "this model has no image input"}}), "no image input"),
    ],
)
def test_a_server_that_does_not_serve_is_told_within_the_budget(view: View, behaviour: Behaviour, told: str) -> None:
    with serving(behaviour) as server:
        model = model_at(server.url, answer_limit=0.5)
        with pytest.raises(ModelError, match=told):
            model.describe(view, Cancel())
        model.close()


def test_nobody_listens(view: View) -> None:
    with serving(streams(GOOD)) as server:
        pass
    model = model_at(server.url, answer_limit=0.3)
    with pytest.raises(ModelError, match=r"within 0\.3 s"):
        model.describe(view, Cancel())
    model.close()


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"vlm": "llama_cpp"}, "parameter 'model'"),
        ({"vlm": "llama_cpp", "model": "/nowhere/model.gguf"}, "parameter 'projector'"),
        ({"vlm": "transformers"}, "parameter 'model'"),
        ({"vlm": "openai", "base_url": "nonsense"}, "not an address"),
    ],
)
def test_what_is_not_set_is_named(settings: dict[str, str], told: str) -> None:
    values = VisionSettings.model_validate(settings)
    with pytest.raises(ModelError, match=told):
        DOORS[values.vlm](values)


@pytest.mark.skipif(find_spec("llama_cpp") is not None, reason="llama-cpp-python is installed")
def test_llama_cpp_says_what_to_install(tmp_path: Path) -> None:
    values = VisionSettings(vlm="llama_cpp", model=str(tmp_path / "m.gguf"), projector=str(tmp_path / "p.gguf"))
    with pytest.raises(ModelError, match=r"llama_cpp is not installed: run `./run setup llm`"):
        DOORS["llama_cpp"](values)


@pytest.mark.skipif(find_spec("llama_cpp") is None, reason="the group llm is not set up")
@pytest.mark.parametrize(("missing", "parameter"), [("m.gguf", "model"), ("p.gguf", "projector")])
def test_llama_cpp_names_the_file_that_is_missing(tmp_path: Path, missing: str, parameter: str) -> None:
    for name in ("m.gguf", "p.gguf"):
        if name != missing:
            (tmp_path / name).write_bytes(b"GGUF")
    values = VisionSettings(vlm="llama_cpp", model=str(tmp_path / "m.gguf"), projector=str(tmp_path / "p.gguf"))
    with pytest.raises(ModelError, match=f"no model file .*{missing}.*parameter '{parameter}'"):
        DOORS["llama_cpp"](values)


def test_transformers_says_what_to_install_or_what_the_folder_lacks(tmp_path: Path) -> None:
    values = VisionSettings(vlm="transformers", model=str(tmp_path))
    with pytest.raises(ModelError, match=r"is not installed: run `./run setup vlm`|has no config.json"):
        DOORS["transformers"](values)
