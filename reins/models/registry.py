"""The policies that ship with reins: listed from their files, checked against the cards beside them.

A policy is `reins/models/policies/<name>.onnx` with `<name>.json` (checksum and contract) and `<name>.md` (for a
reader).
"""

import json
import re
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Final

from reins.contracts.errors import ReinsError, UnknownName
from reins.models.metadata import METADATA_KEY, SUPPORTED_OPSETS, PolicyMetadata, parse_metadata
from reins.models.onnx_file import read_onnx, require_weights

SUFFIX: Final = ".onnx"

VISION: Final = "perception"
"""The folder whose files are no policies: see `reins.models.vision`."""

PICTURE: Final = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")
"""A picture in a card for a reader; the group is the file's name."""


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A model file that was found.

    Attributes:
        kind: folder that it lies in, e.g. "policies".
        name: file name without its ending.
        path: of the ONNX file.
        size: of the file [bytes].
        skill, robot, measured, meaning: what its contract says of its skills, its robot, its success and its actions;
            "?" where it has no valid contract.
    """

    kind: str
    name: str
    path: Path
    size: int
    skill: str
    robot: str
    measured: str
    meaning: str

    @property
    def card(self) -> Path:
        """The card for machines: checksum and contract."""
        return self.path.with_suffix(".json")

    @property
    def description(self) -> Path:
        """The card for a reader."""
        return self.path.with_suffix(".md")


def models_folder() -> Path:
    """Where the models that ship with reins lie."""
    return Path(str(files("reins.models")))


def known_models(folder: Path | None = None) -> list[str]:
    """Names of the models in `folder`, by default of those that ship with reins."""
    return sorted(path.stem for path in _files(folder))


def list_models(folder: Path | None = None) -> list[ModelEntry]:
    """Every model in `folder`, by default those that ship with reins, sorted by kind and name."""
    return [_entry(path) for path in sorted(_files(folder))]


def find_model(name: str, folder: Path | None = None) -> ModelEntry:
    """The model of that name.

    Raises:
        UnknownName: no such model; lists those that exist.
    """
    for entry in list_models(folder):
        if entry.name == name:
            return entry
    raise UnknownName("model", name, known_models(folder))


def verify_model(name: str, folder: Path | None = None) -> PolicyMetadata:
    """Check one model: its checksum, its contract, its weights, its cards. Nothing is run.

    Returns:
        Its contract.

    Raises:
        UnknownName: no such model; lists those that exist.
        ReinsError: something is not as it should be; says what, everything at once.
    """
    entry = find_model(name, folder)
    data = entry.path.read_bytes()
    problems: list[str] = []
    metadata = None
    try:
        metadata = read_contract(data)
    except ReinsError as error:
        problems.append(str(error))
    problems += _card_problems(entry, sha256(data).hexdigest(), metadata)
    problems += description_problems(entry.description)
    if metadata is None or problems:
        raise ReinsError(f"model '{name}': {'; '.join(problems)}")
    return metadata


def read_contract(data: bytes) -> PolicyMetadata:
    """The contract inside an ONNX file, checked against the file itself.

    Raises:
        ReinsError: no ONNX file, no contract, another opset than it says, weights that are not finite or not there.
    """
    file = read_onnx(data)
    if METADATA_KEY not in file.metadata:
        raise ReinsError(f"it has no metadata '{METADATA_KEY}', so nobody knows which robot it is for")
    metadata = parse_metadata(file.metadata[METADATA_KEY])
    if file.opset != metadata.opset:
        raise ReinsError(f"its metadata says opset {metadata.opset} and the file has {file.opset}")
    if file.opset not in SUPPORTED_OPSETS:
        supported = f"{SUPPORTED_OPSETS.start} to {SUPPORTED_OPSETS.stop - 1}"
        raise ReinsError(f"it needs opset {file.opset}; {supported} are supported")
    require_weights(file)
    return metadata


def card_of(data: bytes) -> str:
    """The text of the card for machines that belongs to an ONNX file."""
    card = {
        "sha256": sha256(data).hexdigest(),
        "metadata": read_contract(data).model_dump(mode="json", exclude_unset=True),
    }
    return json.dumps(card, indent=2) + "\n"


def _files(folder: Path | None) -> list[Path]:
    """The files of policies."""
    return [path for path in (folder or models_folder()).glob(f"*/*{SUFFIX}") if path.parent.name != VISION]


def description_problems(path: Path) -> list[str]:
    """What is wrong with the card for a reader at `path`: it is missing, or a picture that it shows."""
    if not path.is_file():
        return [f"{path.name} is missing"]
    pictures = PICTURE.findall(path.read_text(encoding="utf-8"))
    return [f"{name}, which {path.name} shows, is missing" for name in pictures if not (path.parent / name).is_file()]


def _entry(path: Path) -> ModelEntry:
    data = path.read_bytes()
    skill = robot = measured = meaning = "?"
    try:
        metadata = read_contract(data)
    except ReinsError:
        pass  # verify_model says why
    else:
        skill, robot, meaning = ", ".join(metadata.skills), metadata.robot, metadata.action.meaning
        if metadata.measured is not None:
            measured = f"{metadata.measured.success_rate:.1%} of {metadata.measured.episodes}"
    return ModelEntry(path.parent.name, path.stem, path, len(data), skill, robot, measured, meaning)


def _card_problems(entry: ModelEntry, checksum: str, metadata: PolicyMetadata | None) -> list[str]:
    """What is wrong with the card for machines."""
    try:
        card = json.loads(entry.card.read_text(encoding="utf-8"))
        stated, contract = card["sha256"], card["metadata"]
    except FileNotFoundError:
        return [f"{entry.card.name} is missing"]
    except (json.JSONDecodeError, KeyError, TypeError):
        return [f"{entry.card.name} is not a card with sha256 and metadata"]
    problems = []
    if stated != checksum:
        problems.append(f"its checksum is {checksum[:12]}… and not {str(stated)[:12]}…, as {entry.card.name} says")
    if metadata is not None and not _states(contract, metadata):
        problems.append(f"{entry.card.name} states another contract than the file")
    return problems


def _states(contract: object, metadata: PolicyMetadata) -> bool:
    """Whether a card's contract is the file's; fields that did not exist when the card was written may be missing."""
    try:
        return parse_metadata(json.dumps(contract)) == metadata
    except ReinsError:
        return False
