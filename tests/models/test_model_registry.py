"""The models that ship: each is what its cards say, and whatever is changed about it is noticed."""

import json
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.contracts.errors import ReinsError, UnknownName
from reins.models.onnx_file import read_onnx
from reins.models.registry import card_of, find_model, known_models, list_models, verify_model

SHIPPED = known_models()


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder with a copy of the first model that ships and of its cards."""
    entry = find_model(SHIPPED[0])
    folder = tmp_path / entry.kind
    folder.mkdir()
    for path in (entry.path, entry.card, entry.description, entry.path.with_suffix(".png")):
        (folder / path.name).write_bytes(path.read_bytes())
    return tmp_path


def files(folder: Path) -> tuple[Path, Path, Path]:
    entry = list_models(folder)[0]
    return entry.path, entry.card, entry.description


def test_a_model_ships() -> None:
    assert "reach" in SHIPPED


@pytest.mark.parametrize("name", SHIPPED)
def test_every_model_is_what_its_cards_say(name: str) -> None:
    metadata = verify_model(name)
    assert metadata.measured is not None
    assert metadata.measured.episodes >= 100
    assert f"{metadata.measured.success_rate:.1%}" in find_model(name).description.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SHIPPED)
def test_a_list_tells_what_it_is_for(name: str) -> None:
    entry = find_model(name)
    assert entry.skill != "?" and entry.robot != "?" and "%" in entry.measured
    assert entry.size == entry.path.stat().st_size


def test_an_unknown_model_lists_those_that_exist() -> None:
    with pytest.raises(UnknownName, match="no model 'raech'; did you mean 'reach'"):
        verify_model("raech")


def test_a_changed_byte_is_noticed(copy: Path) -> None:
    path, _, _ = files(copy)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(ReinsError, match="its checksum is"):
        verify_model(path.stem, copy)


def test_a_truncated_file_is_noticed_and_still_listed(copy: Path) -> None:
    path, _, _ = files(copy)
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ReinsError, match="truncated"):
        verify_model(path.stem, copy)
    assert list_models(copy)[0].robot == "?"


def test_a_missing_card_is_noticed(copy: Path) -> None:
    path, card, description = files(copy)
    card.unlink()
    description.unlink()
    with pytest.raises(ReinsError, match=rf"{card.name} is missing; {description.name} is missing"):
        verify_model(path.stem, copy)


def test_a_missing_picture_is_noticed_if_the_card_shows_it(copy: Path) -> None:
    path, _, description = files(copy)
    verify_model(path.stem, copy)
    picture = path.with_suffix(".png")
    picture.unlink()
    with pytest.raises(ReinsError, match=rf"{picture.name}, which {description.name} shows, is missing"):
        verify_model(path.stem, copy)
    text = description.read_text(encoding="utf-8")
    description.write_text(text.replace(f"({picture.name})", ""), encoding="utf-8")
    verify_model(path.stem, copy)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"sha256": "0"}'])
def test_a_card_that_is_none_is_noticed(copy: Path, text: str) -> None:
    path, card, _ = files(copy)
    card.write_text(text, encoding="utf-8")
    with pytest.raises(ReinsError, match="is not a card"):
        verify_model(path.stem, copy)


def test_a_card_that_promises_more_than_the_file_is_noticed(copy: Path) -> None:
    path, card, _ = files(copy)
    content = json.loads(card.read_text(encoding="utf-8"))
    content["metadata"]["measured"]["success_rate"] = 0.123
    card.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ReinsError, match="states another contract"):
        verify_model(path.stem, copy)


def test_the_card_of_a_file_is_the_one_beside_it() -> None:
    entry = find_model(SHIPPED[0])
    data = entry.path.read_bytes()
    assert card_of(data) == entry.card.read_text(encoding="utf-8")
    assert json.loads(card_of(data))["sha256"] == sha256(data).hexdigest()


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_and_nothing_else(data: bytes) -> None:
    with suppress(ReinsError):
        read_onnx(data)


def test_what_is_read_is_what_onnx_reads() -> None:
    onnx = pytest.importorskip("onnx")
    path = find_model(SHIPPED[0]).path
    model, file = onnx.load(str(path)), read_onnx(path.read_bytes())
    assert file.opset == model.opset_import[0].version
    assert file.producer == model.producer_name
    assert file.metadata == {entry.key: entry.value for entry in model.metadata_props}
    assert file.not_finite == file.external == ()
