"""Models in this process, with stand-ins for the libraries that run them: what is asked of these, and what becomes of
their answers and errors. The stand-ins take what llama-cpp-python 0.3.35 and transformers 5 take."""

import sys
import threading
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from vision_replies import reply, thing

from reins.language_models.model import Bounds, Cancel, Cancelled, Message, ModelError
from reins.perception.vision_language.asking import VisionModel
from reins.perception.vision_language.description import description_schema
from reins.perception.vision_language.doors import DOORS
from reins.perception.vision_language.prompt import View, description_prompt, view_of
from reins.perception.vision_language.settings import VisionSettings

GOOD = reply(thing(name="toy cube"))
VIEW = view_of("overhead", 1.0, np.full((24, 32, 3), 90, np.uint8))


class Llama:
    """What of a GGUF model is used to look at pictures."""

    made: dict[str, Any]
    answer: Callable[[list[dict[str, Any]]], Iterator[str]]
    asked: list[dict[str, Any]]
    resets: int

    def __init__(self, **settings: Any) -> None:
        Llama.made = settings
        self.ctx = self.model = None
        self.metadata: dict[str, str] = {}
        self._lora_adapter = None

    def create_chat_completion(self, **asked: Any) -> Iterator[dict[str, Any]]:
        Llama.asked.append(asked)
        pieces = Llama.answer(asked["messages"])
        first = next(pieces)  # as there, the prompt is read before anything is streamed

        def stream() -> Iterator[dict[str, Any]]:
            yield {"choices": [{"delta": {"role": "assistant"}, "finish_reason": None}]}
            for piece in chain((first,), pieces):
                yield {"choices": [{"delta": {"content": piece}, "finish_reason": None}]}
            yield {"choices": [{"delta": {}, "finish_reason": "stop"}]}

        return stream()

    def reset(self) -> None:
        Llama.resets += 1

    def close(self) -> None:
        """Nothing is open."""


def says(text: str) -> Callable[[Any], Iterator[str]]:
    return lambda _messages: iter([text[:10], text[10:]])


@pytest.fixture
def llama(monkeypatch: pytest.MonkeyPatch) -> type[Llama]:
    library: Any = ModuleType("llama_cpp")
    formats: Any = ModuleType("llama_cpp.llama_chat_format")
    formats.MTMDChatHandler = lambda **given: SimpleNamespace(**given)
    library.llama_chat_format = formats
    library.__version__ = "0.3.35"
    library.Llama = Llama
    library.LlamaGrammar = SimpleNamespace(from_string=lambda text, verbose: text)
    library._logger = SimpleNamespace(llama_log_callback=None)
    library.llama_log_callback = library.ggml_abort_callback = lambda function: function
    for name in ("llama_log_set", "llama_set_abort_callback", "llama_model_get_vocab"):
        setattr(library, name, lambda *_: None)
    library.llama_model_n_ctx_train = lambda _model: 4096
    monkeypatch.setitem(sys.modules, "llama_cpp", library)
    monkeypatch.setitem(sys.modules, "llama_cpp.llama_chat_format", formats)
    Llama.asked, Llama.resets, Llama.answer = [], 0, staticmethod(says(GOOD))
    return Llama


@pytest.fixture
def settings(tmp_path: Path) -> VisionSettings:
    for name in ("model.gguf", "mmproj.gguf"):
        (tmp_path / name).write_bytes(b"GGUF")
    paths = {"model": str(tmp_path / "model.gguf"), "projector": str(tmp_path / "mmproj.gguf")}
    return VisionSettings.model_validate({"vlm": "llama_cpp", **paths})


class TestLlamaCpp:
    def test_the_picture_goes_through_the_projector_and_the_reply_is_held_to_a_grammar(
        self, llama: type[Llama], settings: VisionSettings
    ) -> None:
        model = VisionModel(lambda: DOORS["llama_cpp"](settings), settings)
        assert model.describe(VIEW, Cancel()).objects[0].name == "toy cube"
        model.close()
        assert llama.made["chat_handler"].clip_model_path == settings.projector
        (asked,) = llama.asked
        picture, text = asked["messages"][1]["content"]
        assert picture == {"type": "image_url", "image_url": {"url": VIEW.picture.url}} and text["type"] == "text"
        assert "root ::=" in asked["grammar"] and asked["stream"] and asked["max_tokens"] == settings.max_tokens
        assert llama.resets == 1, "nothing of a picture is taken for text later"

    def test_a_template_without_a_system_turn(self, llama: type[Llama], settings: VisionSettings) -> None:
        def answer(messages: list[dict[str, Any]]) -> Iterator[str]:
            if messages[0]["role"] == "system":
                raise ValueError("System role not supported")
            yield GOOD

        llama.answer = staticmethod(answer)
        model = DOORS["llama_cpp"](settings)
        prompt = description_prompt(VIEW)
        assert model.complete(prompt, description_schema(), Bounds(), Cancel()).text == GOOD
        (turn,) = llama.asked[1]["messages"]
        picture, text = turn["content"]
        assert picture["image_url"]["url"] == VIEW.picture.url and text["text"].startswith(prompt[0].content)

    @pytest.mark.parametrize("error", [ValueError("Prompt exceeds n_ctx: 9000 > 8192"), RuntimeError("decode failed")])
    def test_what_the_library_raises_is_told(
        self, llama: type[Llama], settings: VisionSettings, error: Exception
    ) -> None:
        def answer(_messages: Any) -> Iterator[str]:
            raise error

        llama.answer = staticmethod(answer)
        with pytest.raises(ModelError, match=f"model.gguf failed.*{error}"):
            DOORS["llama_cpp"](settings).complete(description_prompt(VIEW), description_schema(), Bounds(), Cancel())

    def test_a_cancel_and_the_end_of_the_time_stop_it(self, llama: type[Llama], settings: VisionSettings) -> None:
        more = threading.Event()

        def answer(_messages: Any) -> Iterator[str]:
            while not more.wait(0.005):
                yield "x"

        llama.answer = staticmethod(answer)
        model = DOORS["llama_cpp"](settings)
        prompt, schema = description_prompt(VIEW), description_schema()
        with pytest.raises(ModelError, match=r"no whole reply within 0\.05 s"):
            model.complete(prompt, schema, Bounds(seconds=0.05), Cancel())
        cancel = Cancel()
        threading.Timer(0.05, cancel.give).start()
        with pytest.raises(Cancelled):
            model.complete(prompt, schema, Bounds(), cancel)
        more.set()

    def test_a_library_that_is_too_old(
        self, llama: type[Llama], settings: VisionSettings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delattr(sys.modules["llama_cpp.llama_chat_format"], "MTMDChatHandler")
        with pytest.raises(ModelError, match=r"0\.3\.35 is too old.*pip install --upgrade"):
            DOORS["llama_cpp"](settings)

    def test_a_file_without_a_projector_takes_no_pictures(self, llama: type[Llama], settings: VisionSettings) -> None:
        from reins.language_models.llama_cpp import LlamaCppModel, LlamaSettings

        model = LlamaCppModel(LlamaSettings(Path(settings.model)))
        assert llama.made["chat_handler"] is None
        with pytest.raises(ModelError, match="parameter 'projector'"):
            model.complete(description_prompt(VIEW), description_schema(), Bounds(), Cancel())


class Processor:
    """What of a transformers processor is used."""

    tokenizer = SimpleNamespace(eos_token_id=2)

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    def apply_chat_template(self, messages: list[dict[str, Any]], **_how: Any) -> Any:
        if messages[0]["role"] == "tool":
            raise KeyError("role\ntool")
        self.messages = messages
        return SimpleNamespace(to=lambda device, dtype: {"input_ids": device, "pixel_values": dtype})


class TestTransformers:
    @pytest.fixture
    def processor(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Processor:
        (tmp_path / "config.json").write_text("{}")
        processor = Processor()
        weights = SimpleNamespace(
            generation_config=SimpleNamespace(eos_token_id=2),
            get_output_embeddings=lambda: SimpleNamespace(weight=np.zeros((8, 2))),
            device="cpu",
            dtype="bf16",
        )
        weights.to = lambda _device: weights
        weights.eval = lambda: weights
        modules: dict[str, Any] = {
            name: ModuleType(name) for name in ("torch", "llguidance", "llguidance.hf", "transformers")
        }
        modules["torch"].cuda = SimpleNamespace(is_available=lambda: False)
        modules["llguidance.hf"].from_tokenizer = lambda *_: None
        modules["transformers"].AutoProcessor = SimpleNamespace(from_pretrained=lambda _path, **_how: processor)
        modules["transformers"].AutoModelForImageTextToText = SimpleNamespace(
            from_pretrained=lambda _path, **_how: weights
        )
        for name, module in modules.items():
            monkeypatch.setitem(sys.modules, name, module)
        return processor

    def test_pictures_go_to_the_processor_of_an_image_text_model(self, processor: Processor, tmp_path: Path) -> None:
        model: Any = DOORS["transformers"](VisionSettings(vlm="transformers", model=str(tmp_path)))
        assert model._seen_inputs(description_prompt(VIEW)) == {"input_ids": "cpu", "pixel_values": "bf16"}
        system, user = processor.messages
        assert [part["type"] for part in system["content"]] == ["text"]
        picture, text = user["content"]
        assert picture["image"].size == (32, 24) and text == {"type": "text", "text": "Describe this picture."}

    def test_what_a_processor_raises_is_told_in_one_line(self, processor: Processor, tmp_path: Path) -> None:
        model: Any = DOORS["transformers"](VisionSettings(vlm="transformers", model=str(tmp_path)))
        prompt = (Message("tool", "x"),)  # type: ignore[arg-type]
        with pytest.raises(ModelError, match="takes no such prompt") as caught:
            model._seen_inputs(prompt)
        assert "\n" not in str(caught.value)


def test_a_view_is_a_jpeg() -> None:
    assert isinstance(VIEW, View) and VIEW.picture.data[:2] == b"\xff\xd8"
