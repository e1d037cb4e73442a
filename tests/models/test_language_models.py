"""Language models that ship: each is what its card says, plans as its card says, and whatever is changed is noticed."""

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

gguf = pytest.importorskip("gguf", reason="needs the extra train")
np = pytest.importorskip("numpy")

from reins.cli.app import app  # noqa: E402
from reins.contracts.errors import ReinsError, UnknownName  # noqa: E402
from reins.models import language, registry  # noqa: E402
from reins.models.gguf_file import read_gguf  # noqa: E402
from reins.models.language import (  # noqa: E402
    GoldenPlan,
    card_of_gguf,
    language_models,
    measured_of,
    verify_language_model,
)

GOLDEN = (GoldenPlan(instruction="go home", world="tabletop", seed=1, reply="{}"),)


def write(path: Path, weights: object = None) -> Path:
    """A small file as `gguf`, the reference writer, makes it."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_string("reins.prompt", "compact-3")
    writer.add_string("reins.measured", "familiar/en 0.962, families/zh 0.875")
    writer.add_token_list(["a", "b"])
    writer.add_add_bos_token(False)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tensor("one", np.ones((3, 2), np.float32) if weights is None else weights)
    writer.add_tensor("two", np.ones((2, 5), np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of models with one file and its cards."""
    home = tmp_path / "planner"
    home.mkdir()
    path = write(home / "small.gguf")
    path.with_suffix(".json").write_text(card_of_gguf(path.read_bytes(), GOLDEN).model_dump_json(), encoding="utf-8")
    path.with_suffix(".md").write_text("# small\n", encoding="utf-8")
    return tmp_path


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    file = read_gguf(write(tmp_path / "x.gguf").read_bytes())
    assert file.metadata["general.architecture"] == "llama" and file.metadata["reins.prompt"] == "compact-3"
    assert file.metadata["tokenizer.ggml.tokens"] == ("a", "b")
    assert file.metadata["tokenizer.ggml.add_bos_token"] is False
    assert file.tensors == {"one": (2, 3), "two": (5, 2)} and file.not_finite == ()


def test_a_model_that_is_what_its_card_says(folder: Path) -> None:
    assert language_models(folder) == {"small": folder / "planner" / "small.gguf"}
    assert verify_language_model("small", folder).golden == GOLDEN
    assert measured_of(folder / "planner" / "small.gguf") == "87.5% or more"


def test_an_unknown_model_lists_those_that_exist(folder: Path) -> None:
    with pytest.raises(UnknownName, match="no model 'smal'; did you mean 'small'"):
        verify_language_model("smal", folder)


def test_a_changed_byte_is_noticed(folder: Path) -> None:
    path = folder / "planner" / "small.gguf"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(ReinsError, match="its checksum is"):
        verify_language_model("small", folder)


@pytest.mark.parametrize("share", [0.2, 0.6, 0.9])
def test_a_truncated_file_is_noticed_and_still_listed(folder: Path, share: float) -> None:
    path = folder / "planner" / "small.gguf"
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(ReinsError, match="truncated"):
        verify_language_model("small", folder)
    assert "small" in language_models(folder)


def test_weights_that_are_no_numbers_are_noticed(folder: Path) -> None:
    path = write(folder / "planner" / "small.gguf", np.full((3, 2), np.nan, np.float32))
    path.with_suffix(".json").write_text(card_of_gguf(path.read_bytes(), GOLDEN).model_dump_json(), encoding="utf-8")
    with pytest.raises(ReinsError, match="its weights one are not finite"):
        verify_language_model("small", folder)


def test_missing_cards_are_noticed(folder: Path) -> None:
    for ending in ("json", "md"):
        (folder / "planner" / f"small.{ending}").unlink()
    with pytest.raises(ReinsError, match=r"small.json is missing; small.md is missing"):
        verify_language_model("small", folder)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"sha256": "0", "metadata": {}, "golden": 3}'])
def test_a_card_that_is_none_is_noticed(folder: Path, text: str) -> None:
    (folder / "planner" / "small.json").write_text(text, encoding="utf-8")
    with pytest.raises(ReinsError, match=r"small.json is not a card"):
        verify_language_model("small", folder)


def test_a_card_without_plans_is_noticed(folder: Path) -> None:
    path = folder / "planner" / "small.gguf"
    path.with_suffix(".json").write_text(card_of_gguf(path.read_bytes(), ()).model_dump_json(), encoding="utf-8")
    with pytest.raises(ReinsError, match="names no plan that it is known to make"):
        verify_language_model("small", folder)


def test_a_card_that_promises_more_than_the_file_is_noticed(folder: Path) -> None:
    path = folder / "planner" / "small.json"
    card = json.loads(path.read_text(encoding="utf-8"))
    card["metadata"]["reins.measured"] = "familiar/en 1.0"
    path.write_text(json.dumps(card), encoding="utf-8")
    with pytest.raises(ReinsError, match="states other metadata"):
        verify_language_model("small", folder)


@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_are_read_or_refused_and_nothing_else(data: bytes, is_gguf: bool) -> None:
    with suppress(ReinsError):
        read_gguf(b"GGUF\x03\x00\x00\x00" + data if is_gguf else data)


class TestCommand:
    """`reins models`."""

    @pytest.fixture(autouse=True)
    def _only_ours(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(language, "models_folder", lambda: folder)
        monkeypatch.setattr(registry, "models_folder", lambda: folder)

    def reins(self, *arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(app, ["models", *arguments])
        return result.exit_code, " ".join(result.output.split())

    def test_it_is_listed(self) -> None:
        assert "small planning any 87.5% or more" in self.reins("list")[1]

    def test_a_file_that_llama_cpp_cannot_run_is_told(self) -> None:
        pytest.importorskip("llama_cpp", reason="the group llm is not set up")
        code, output = self.reins("verify", "small")
        assert code == 1 and "does not load" in output

    def test_one_that_is_damaged_is_told(self, folder: Path) -> None:
        (folder / "planner" / "small.gguf").write_bytes(b"<html>")
        code, output = self.reins("verify")
        assert code == 1 and "it is no GGUF file: it begins with b'<htm'" in output


@pytest.mark.parametrize("name", language_models())
def test_every_language_model_that_ships_plans_as_its_card_says(name: str) -> None:
    pytest.importorskip("llama_cpp", reason="the group llm is not set up")
    from reins.training.planner.golden import changed_plans

    card = verify_language_model(name)
    assert list(changed_plans(language_models()[name], card.golden)) == []
