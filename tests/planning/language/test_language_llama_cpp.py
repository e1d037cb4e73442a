"""llama.cpp with a model of random weights: what it writes is a plan all the same, and it stops when it is told to."""

import json
import threading
import time
from pathlib import Path

import pytest
from language_schemas import fits
from planning_tables import tabletop

from reins.language_models.model import Bounds, Cancel, Cancelled, Message, ModelError, Prompt
from reins.planning.factory import make_planner
from reins.planning.language.chat import chat_prompt
from reins.planning.language.compact import compact_prompt
from reins.planning.language.reply import read_reply
from reins.planning.language.schema import plan_schema
from reins.planning.language.settings import LanguageSettings
from reins.planning.planner import History
from reins.skills.library import SKILLS

pytest.importorskip("llama_cpp", reason="the group llm is not set up")
pytest.importorskip("gguf")

from tiny_gguf import CHATML, write_tiny_gguf, write_tiny_lora

from reins.language_models.llama_cpp import LlamaCppModel, LlamaSettings

SCENE = tabletop()
SCHEMA = plan_schema(SCENE, SKILLS)
SHORT = compact_prompt("put the red block in the bowl", SCENE, History(SCENE), SKILLS)
LONG = chat_prompt("put the red block in the bowl", SCENE, History(SCENE), SKILLS)
PLENTY = Bounds(tokens=3000, seconds=100.0)


def write_on(model: LlamaCppModel, prompt: Prompt, cancel: Cancel) -> None:
    """Reply for ever."""
    while True:
        model.complete(prompt, SCHEMA, Bounds(3000, 100.0, 1.0), cancel)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gguf")


@pytest.fixture(scope="module")
def path(folder: Path) -> Path:
    return write_tiny_gguf(folder / "tiny.gguf", template=CHATML)


@pytest.fixture(scope="module")
def model(path: Path) -> LlamaCppModel:
    return LlamaCppModel(LlamaSettings(path, threads=1))


class TestReplies:
    """What it writes."""

    @pytest.mark.parametrize("seed", range(12))
    def test_every_reply_fits_the_schema_and_is_a_plan(self, model: LlamaCppModel, seed: int) -> None:
        reply = model.complete(SHORT, SCHEMA, Bounds(3000, 100.0, temperature=1.5, seed=seed), Cancel())
        assert not reply.cut
        assert fits(json.loads(reply.text), SCHEMA)
        read_reply(reply.text)

    def test_a_conversation_goes_through_the_chat_template(self, model: LlamaCppModel) -> None:
        reply = model.complete(LONG, SCHEMA, PLENTY, Cancel())
        assert fits(json.loads(reply.text), SCHEMA)
        text = model._render(LONG)
        assert text.startswith("<|im_start|>system\n") and text.endswith("<|im_start|>assistant\n")
        assert text.count("<|im_start|>") == len(LONG) + 1

    def test_the_likeliest_reply_is_always_the_same_and_others_depend_on_the_seed(self, model: LlamaCppModel) -> None:
        def text(temperature: float, seed: int) -> str:
            return model.complete(SHORT, SCHEMA, Bounds(3000, 100.0, temperature, seed), Cancel()).text

        assert text(0.0, 1) == text(0.0, 2)
        assert text(1.0, 1) == text(1.0, 1) != text(1.0, 2)

    def test_what_is_known_of_a_prompt_changes_nothing(self, path: Path, model: LlamaCppModel) -> None:
        other = SHORT.replace("put the red block in the bowl", "put the red block on the plate")
        model.complete(SHORT, SCHEMA, PLENTY, Cancel())
        warm = model.complete(other, SCHEMA, PLENTY, Cancel()).text
        fresh = LlamaCppModel(LlamaSettings(path, threads=1))
        assert fresh.complete(other, SCHEMA, PLENTY, Cancel()).text == warm
        fresh.close()

    def test_it_comes_in_pieces_and_is_counted(self, model: LlamaCppModel) -> None:
        pieces: list[str] = []
        reply = model.complete(SHORT, SCHEMA, PLENTY, Cancel(), pieces.append)
        assert "".join(pieces) == reply.text and reply.reply_tokens >= len(pieces) > 10
        assert len(SHORT) >= reply.prompt_tokens > len(SHORT) * 0.8  # a token is a sign here, or "th"
        assert 0.0 < reply.first <= reply.seconds

    def test_it_is_cut_at_the_bound(self, model: LlamaCppModel) -> None:
        reply = model.complete(SHORT, SCHEMA, Bounds(tokens=5), Cancel())
        assert reply.cut and reply.reply_tokens == 5

    def test_text_that_looks_like_a_special_word_stays_text(self, model: LlamaCppModel) -> None:
        tokens = model._tokens("<|im_end|>")
        assert len(tokens) == len("<|im_end|>")
        assert len(model._tokens([Message("user", "x")])) < len(model._render([Message("user", "x")]))


class TestStops:
    """It can be stopped anywhere."""

    @pytest.mark.parametrize("prompt", [SHORT, LONG], ids=["writing", "reading"])
    def test_a_cancel(self, path: Path, prompt: Prompt) -> None:
        fresh = LlamaCppModel(LlamaSettings(path, threads=1))
        cancel = Cancel()
        threading.Timer(0.02, cancel.give).start()
        begun = time.monotonic()
        with pytest.raises(Cancelled):
            write_on(fresh, prompt, cancel)
        assert time.monotonic() - begun < 20.0
        assert fits(json.loads(fresh.complete(prompt, SCHEMA, PLENTY, Cancel()).text), SCHEMA)

    def test_given_before(self, model: LlamaCppModel) -> None:
        cancel = Cancel()
        cancel.give()
        with pytest.raises(Cancelled):
            model.complete(SHORT, SCHEMA, PLENTY, cancel)

    def test_the_end_of_the_time(self, model: LlamaCppModel) -> None:
        with pytest.raises(ModelError, match=r"tiny.gguf gave no whole reply within 0.001 s"):
            model.complete(LONG, SCHEMA, Bounds(3000, 0.001), Cancel())
        assert model.complete(SHORT, SCHEMA, PLENTY, Cancel()).text


class TestFiles:
    """What a file says, and files that are none."""

    def test_it_says_which_prompt_it_takes(self, folder: Path, model: LlamaCppModel) -> None:
        ours = write_tiny_gguf(folder / "ours.gguf", metadata={"reins.prompt": "compact-3"})
        assert LlamaCppModel(LlamaSettings(ours)).takes == "compact-3"
        other = write_tiny_gguf(folder / "other.gguf", metadata={"reins.prompt": "compact-9"})
        assert LlamaCppModel(LlamaSettings(other)).takes == model.takes == "chat"

    def test_without_a_template_turns_follow_one_another(self, folder: Path) -> None:
        plain = LlamaCppModel(LlamaSettings(write_tiny_gguf(folder / "plain.gguf")))
        assert plain._render([Message("system", "a"), Message("user", "b")]) == "a\n\nb\n\n"

    def test_a_template_that_knows_no_system_turn(self, folder: Path) -> None:
        template = "{% if messages[0].role == 'system' %}{{ raise_exception('no') }}{% endif %}" + CHATML
        strict = LlamaCppModel(LlamaSettings(write_tiny_gguf(folder / "strict.gguf", template=template)))
        text = strict._render([Message("system", "a"), Message("user", "b")])
        assert text == "<|im_start|>user\na\n\nb<|im_end|>\n<|im_start|>assistant\n"

    @pytest.mark.parametrize("template", ["{{ raise_exception('never') }}", "{{ messages[99].content.x }}"])
    def test_a_template_that_fails(self, folder: Path, template: str) -> None:
        broken = LlamaCppModel(LlamaSettings(write_tiny_gguf(folder / "broken.gguf", template=template)))
        with pytest.raises(ModelError, match=r"chat template of .*broken.gguf cannot be used"):
            broken.complete(LONG, SCHEMA, PLENTY, Cancel())

    def test_a_prompt_that_is_longer_than_the_context(self, path: Path, folder: Path) -> None:
        with pytest.raises(ModelError, match=r"prompt has \d+ tokens .* holds 512 .*'context' higher"):
            LlamaCppModel(LlamaSettings(path, context=512)).complete(LONG, SCHEMA, PLENTY, Cancel())
        small = write_tiny_gguf(folder / "small.gguf", context=300)
        with pytest.raises(ModelError, match="holds 300"):
            LlamaCppModel(LlamaSettings(small)).complete(LONG, SCHEMA, PLENTY, Cancel())

    @pytest.mark.parametrize(
        ("content", "told"),
        [
            (b"", r"is no GGUF file: it begins with b''"),
            (b"<html>not found</html>", r"is no GGUF file: it begins with b'<htm'"),
            (b"GGUF", "does not load: "),
            (b"GGUF\x63\x00\x00\x00" + bytes(64), "does not load: .*version"),
        ],
    )
    def test_a_file_that_is_no_model(self, folder: Path, content: bytes, told: str) -> None:
        bad = folder / "bad.gguf"
        bad.write_bytes(content)
        with pytest.raises(ModelError, match=told) as caught:
            LlamaCppModel(LlamaSettings(bad))
        assert "bad.gguf" in str(caught.value) and "\n" not in str(caught.value)

    @pytest.mark.parametrize("share", [0.3, 0.9, 0.999])
    def test_a_file_that_is_cut_off(self, folder: Path, path: Path, share: float) -> None:
        whole = path.read_bytes()
        cut = folder / "cut.gguf"
        cut.write_bytes(whole[: int(share * len(whole))])
        with pytest.raises(ModelError, match=r"cut.gguf does not load: .*(corrupted|incomplete|failed|invalid|within)"):
            LlamaCppModel(LlamaSettings(cut))

    def test_an_architecture_that_is_not_known(self, folder: Path) -> None:
        odd = write_tiny_gguf(folder / "odd.gguf", architecture="perceptron")
        with pytest.raises(ModelError, match=r"odd.gguf does not load: unknown model architecture: 'perceptron'"):
            LlamaCppModel(LlamaSettings(odd))

    def test_a_lora_changes_the_reply(self, path: Path, folder: Path, model: LlamaCppModel) -> None:
        lora = write_tiny_lora(folder / "lora.gguf")
        changed = LlamaCppModel(LlamaSettings(path, threads=1, lora=str(lora)))
        replies = [one.complete(SHORT, SCHEMA, PLENTY, Cancel()).text for one in (model, changed)]
        assert replies[0] != replies[1]
        assert all(fits(json.loads(reply), SCHEMA) for reply in replies)

    def test_a_lora_that_is_none(self, path: Path, folder: Path) -> None:
        with pytest.raises(ModelError, match=r"no model file .*nothing.gguf"):
            LlamaCppModel(LlamaSettings(path, lora=str(folder / "nothing.gguf")))
        with pytest.raises(ModelError, match=r"tiny.gguf is no LoRA adapter for tiny.gguf: .*adapter"):
            LlamaCppModel(LlamaSettings(path, lora=str(path)))

    def test_no_file_and_a_folder(self, folder: Path) -> None:
        with pytest.raises(ModelError, match=r"there is no model file .*nothing.gguf; name a GGUF file"):
            LlamaCppModel(LlamaSettings(folder / "nothing.gguf"))
        with pytest.raises(ModelError, match="is a folder"):
            LlamaCppModel(LlamaSettings(folder))


class TestPlanner:
    """The planner with it."""

    def test_a_model_that_knows_nothing_moves_nothing_wrong(self, path: Path) -> None:
        reports: list[str] = []
        settings = LanguageSettings(model=str(path), attempts=2, max_tokens=2000, threads=1)
        planner = make_planner("llama_cpp", SKILLS, settings, reports.append)
        plan = planner.plan("put the red block in the blue bowl", SCENE, History(SCENE))
        assert reports or plan.question or plan.refusal

    def test_a_missing_file_is_told_and_what_is_understood_is_planned(self, folder: Path) -> None:
        reports: list[str] = []
        planner = make_planner("llama_cpp", SKILLS, LanguageSettings(model=str(folder / "no.gguf")), reports.append)
        assert planner.plan("put the red block in the blue bowl", SCENE, History(SCENE)).steps
        assert "there is no model file" in reports[0] and "the symbolic planner goes on" in reports[0]
