"""YAML documents that ship with a room or come from the user: found by name or path, validated by a pydantic model."""

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, TypeAdapter, ValidationError

from reins.contracts.errors import ReinsError, UnknownName

ModelT = TypeVar("ModelT", bound=BaseModel)

DocumentT = TypeVar("DocumentT")

_SUFFIX = ".yaml"


def read_document(kind: str, path: Path, form: "TypeAdapter[DocumentT]") -> DocumentT:
    """A document of the user's, from its file.

    Args:
        kind: what it is, for messages, e.g. "board".
        path: of the YAML file.
        form: what is asked of it.

    Raises:
        ReinsError: no such file, not valid YAML, or not what is asked for; names the field.
    """
    try:
        document: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
        return form.validate_python(document)
    except OSError as error:
        raise ReinsError(f"the {kind} '{path}' cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ReinsError(f"the {kind} '{path}' is not valid YAML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise ReinsError(f"the {kind} '{path}': {where}: {first['msg'].removeprefix('Value error, ')}") from error


@dataclass(frozen=True, slots=True)
class Shelf:
    """A folder of YAML documents inside a package.

    Attributes:
        kind: what one of them is called, for messages, e.g. "world".
        package: the package that carries the folder.
        folder: its name.
    """

    kind: str
    package: str
    folder: str

    def names(self) -> list[str]:
        """Names of the documents that ship, sorted."""
        return [entry.stem for entry in self._entries()]

    def load(self, name_or_path: str, model: type[ModelT]) -> ModelT:
        """One document, by name, or by the path of a YAML file.

        Raises:
            UnknownName: no such document; lists those that ship.
            ReinsError: no such file, not valid YAML, or not what `model` asks for; names the field.
        """
        try:
            return model.model_validate(yaml.safe_load(self._text(name_or_path)))
        except yaml.YAMLError as error:
            raise ReinsError(f"{self.kind} '{name_or_path}' is not valid YAML: {error}") from error
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"] if part != "[key]") or "the file"
            raise ReinsError(f"{self.kind} '{name_or_path}': {where}: {first['msg']}") from error

    def _text(self, name_or_path: str) -> str:
        if name_or_path.endswith((_SUFFIX, ".yml")):
            path = Path(name_or_path)
            if not path.is_file():
                raise ReinsError(f"no {self.kind} file '{name_or_path}'")
            return path.read_text(encoding="utf-8")
        for entry in self._entries():
            if entry.stem == name_or_path:
                return entry.read_text(encoding="utf-8")
        raise UnknownName(self.kind, name_or_path, self.names())

    def _entries(self) -> list[Path]:
        return sorted(Path(str(files(self.package))).joinpath(self.folder).glob(f"*{_SUFFIX}"))
