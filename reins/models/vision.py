"""The image-to-text models that ship with reins: listed from their files, checked against the cards beside them.

A model is `reins/models/perception/<name>.onnx` with `<name>.json` (checksum and contract) and `<name>.md` (for a
reader). The contract travels in the ONNX file and says what is needed to run it.
"""

import json
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reins.contracts.errors import ReinsError, UnknownName
from reins.models.metadata import SUPPORTED_OPSETS
from reins.models.onnx_file import read_onnx, require_weights
from reins.models.registry import SUFFIX, VISION, description_problems, models_folder

NAME: Final = "tiny_vlm"
"""The model that is used where no other one is named."""

METADATA_KEY: Final = "reins.vision"
"""The entry of the ONNX file's metadata_props that holds the contract as JSON."""

Finite = Annotated[float, Field(allow_inf_nan=False)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Certainty(_Part):
    """From the model's own probability p of a thing to how often it is right: σ(`slope` · logit(p) + `shift`)."""

    slope: Finite = 1.0
    shift: Finite = 0.0


class VisionTraining(_Part):
    """How a model came to be.

    Attributes:
        settings: SHA-256 of the settings of its run, as JSON.
        seed: of everything random.
        step: gradient steps that it has taken.
        samples: pictures that it was trained on.
    """

    settings: str
    seed: int
    step: int = Field(ge=0)
    samples: int = Field(ge=0)


class VisionContract(_Part):
    """What is needed to run a model, and what it is.

    Attributes:
        words: name of the order of its tokens.
        tokens: how many there are.
        width, height: of the pictures that it takes [pixels].
        length: most tokens of a description.
        cells: vectors that stand for a picture.
        memories: tensors of keys, and of values, that its decoder keeps, of the picture as of what was said.
        heads, per_head: shape of these.
        certainty: how sure it is when it says so.
        training: how it came to be.
        measured: what it scored where, e.g. {"familiar/object_f1": 0.93}.
        opset: version of the default ONNX operator set.
    """

    words: str
    tokens: int = Field(gt=0)
    width: int = Field(gt=0)
    height: int = Field(gt=0)
    length: int = Field(gt=1)
    cells: int = Field(gt=0)
    memories: int = Field(gt=0)
    heads: int = Field(gt=0)
    per_head: int = Field(gt=0)
    certainty: Certainty
    training: VisionTraining
    measured: dict[str, Finite]
    opset: int


def read_vision_contract(data: bytes) -> VisionContract:
    """The contract inside an ONNX file, checked against the file itself.

    Raises:
        ReinsError: no ONNX file, no contract, another opset than it says, weights that are not finite or not there.
    """
    file = read_onnx(data)
    if METADATA_KEY not in file.metadata:
        raise ReinsError(f"it has no metadata '{METADATA_KEY}', so it is no image-to-text model of reins")
    try:
        contract = VisionContract.model_validate_json(file.metadata[METADATA_KEY])
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "it"
        raise ReinsError(f"its metadata '{METADATA_KEY}' is not a contract: {where}: {first['msg']}") from error
    if file.opset != contract.opset or file.opset not in SUPPORTED_OPSETS:
        supported = f"{SUPPORTED_OPSETS.start} to {SUPPORTED_OPSETS.stop - 1}"
        raise ReinsError(f"it has opset {file.opset}, its metadata says {contract.opset}; {supported} are supported")
    require_weights(file)
    return contract


def vision_models(folder: Path | None = None) -> dict[str, Path]:
    """The models in `folder`, by default those that ship with reins, by name."""
    return {path.stem: path for path in sorted(((folder or models_folder()) / VISION).glob(f"*{SUFFIX}"))}


def measured_of(path: Path) -> str:
    """How well a model sees what it sees least well, for a table; "?" where its file does not say."""
    try:
        scores = read_vision_contract(path.read_bytes()).measured
    except ReinsError:
        return "?"
    found = [score for name, score in scores.items() if name.endswith("object_f1")]
    return f"{min(found):.1%} or more" if found else "?"


def verify_vision_model(name: str, folder: Path | None = None) -> VisionContract:
    """Check one model: its checksum, its contract, its weights, its cards. Nothing is run.

    Returns:
        Its contract.

    Raises:
        UnknownName: no such model; lists those that exist.
        ReinsError: something is not as it should be; says what, everything at once.
    """
    known = vision_models(folder)
    if name not in known:
        raise UnknownName("model", name, known)
    path, problems, contract = known[name], list[str](), None
    data = path.read_bytes()
    try:
        contract = read_vision_contract(data)
    except ReinsError as error:
        problems.append(str(error))
    problems += _card_problems(path.with_suffix(".json"), sha256(data).hexdigest(), contract)
    problems += description_problems(path.with_suffix(".md"))
    if contract is None or problems:
        raise ReinsError(f"model '{name}': {'; '.join(problems)}")
    return contract


def vision_card(data: bytes) -> str:
    """The text of the card for machines that belongs to an ONNX file."""
    card = {"sha256": sha256(data).hexdigest(), "metadata": read_vision_contract(data).model_dump(mode="json")}
    return json.dumps(card, indent=2) + "\n"


def _card_problems(path: Path, checksum: str, contract: VisionContract | None) -> list[str]:
    """What is wrong with the card for machines."""
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
        stated, said = card["sha256"], card["metadata"]
    except FileNotFoundError:
        return [f"{path.name} is missing"]
    except (json.JSONDecodeError, KeyError, TypeError):
        return [f"{path.name} is not a card with sha256 and metadata"]
    problems = []
    if stated != checksum:
        problems.append(f"its checksum is {checksum[:12]}… and not {str(stated)[:12]}…, as {path.name} says")
    if contract is not None and said != contract.model_dump(mode="json"):
        problems.append(f"{path.name} states another contract than the file")
    return problems
