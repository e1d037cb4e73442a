"""The language models that ship with reins: listed from their files, checked against the cards beside them.

A model is `reins/models/<kind>/<name>.gguf` with `<name>.json` (checksum, what the file says of itself, and a few plans
that the model is known to make) and `<name>.md` (for a reader).
"""

from hashlib import sha256
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from reins.contracts.errors import ReinsError, UnknownName
from reins.models.gguf_file import GgufFile, read_gguf
from reins.models.registry import description_problems, models_folder

SUFFIX: Final = ".gguf"

OURS: Final = "reins."
"""How the keys of metadata begin that say what a model of ours is."""


MEASURED: Final = "reins.measured"
"""Key under which a file says how often its model plans rightly: "familiar/en 0.962, families/en 0.91"."""


class GoldenPlan(BaseModel):
    """A reply that a model is known to give.

    Attributes:
        instruction: what is said.
        world: in whose scene.
        seed: of the scene.
        reply: to the letter.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    instruction: str
    world: str
    seed: int
    reply: str


class LanguageCard(BaseModel):
    """The card for machines.

    Attributes:
        sha256: of the file.
        metadata: what the file says of itself, of the keys that begin with OURS.
        golden: plans that it makes.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sha256: str
    metadata: dict[str, str]
    golden: tuple[GoldenPlan, ...]


def language_models(folder: Path | None = None) -> dict[str, Path]:
    """The GGUF files in `folder`, by default those that ship with reins, by name."""
    return {path.stem: path for path in sorted((folder or models_folder()).glob(f"*/*{SUFFIX}"))}


def measured_of(path: Path) -> str:
    """How often a model plans rightly where it does so least, for a table; "?" where the file does not say."""
    try:
        said = read_gguf(path.read_bytes()).metadata.get(MEASURED, "")
        shares = [float(part.rpartition(" ")[2]) for part in str(said).split(", ")]
    except (ReinsError, ValueError):
        return "?"
    return f"{min(shares):.1%} or more"


def verify_language_model(name: str, folder: Path | None = None) -> LanguageCard:
    """Check one model: its checksum, its metadata, its weights, its cards. Nothing is run.

    Returns:
        Its card, for whoever runs the plans on it.

    Raises:
        UnknownName: no such model; lists those that exist.
        ReinsError: something is not as it should be; says what, everything at once.
    """
    known = language_models(folder)
    if name not in known:
        raise UnknownName("model", name, known)
    path, problems, card, file = known[name], list[str](), None, None
    data = path.read_bytes()
    try:
        file = read_gguf(data)
    except ReinsError as error:
        problems.append(str(error))
    try:
        card = _card(path.with_suffix(".json"))
    except ReinsError as error:
        problems.append(str(error))
    if card is not None:
        problems += _disagreements(card, path.with_suffix(".json").name, sha256(data).hexdigest(), file)
    if file is not None and file.not_finite:
        problems.append(f"its weights {', '.join(file.not_finite)} are not finite")
    problems += description_problems(path.with_suffix(".md"))
    if card is None or problems:
        raise ReinsError(f"model '{name}': {'; '.join(problems)}")
    return card


def card_of_gguf(data: bytes, golden: tuple[GoldenPlan, ...]) -> LanguageCard:
    """The card for machines that belongs to a file.

    Raises:
        ReinsError: it is no GGUF file, or not whole.
    """
    return LanguageCard(sha256=sha256(data).hexdigest(), metadata=_ours(read_gguf(data)), golden=golden)


def _card(path: Path) -> LanguageCard:
    try:
        return LanguageCard.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise ReinsError(f"{path.name} is missing") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "it"
        raise ReinsError(f"{path.name} is not a card: {where}: {first['msg']}") from None


def _disagreements(card: LanguageCard, name: str, checksum: str, file: GgufFile | None) -> list[str]:
    """What a card says otherwise than its file."""
    problems = []
    if card.sha256 != checksum:
        problems.append(f"its checksum is {checksum[:12]}… and not {card.sha256[:12]}…, as {name} says")
    if not card.golden:
        problems.append(f"{name} names no plan that it is known to make")
    if file is not None and card.metadata != _ours(file):
        problems.append(f"{name} states other metadata than the file")
    return problems


def _ours(file: GgufFile) -> dict[str, str]:
    return {key: str(value) for key, value in file.metadata.items() if key.startswith(OURS)}
