"""What a GGUF file says of itself, read without llama.cpp: metadata, tensors, and whether all of it is there.

Source of the format: ggml, docs/gguf.md, versions 2 and 3.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, Final

import numpy as np

from reins.contracts.errors import ReinsError

MAGIC: Final = b"GGUF"
VERSIONS: Final = (2, 3)
ALIGNMENT: Final = 32
"""Bytes that tensors are aligned to where the file does not say."""

FLOATS: Final[Mapping[int, str]] = {0: "<f4", 1: "<f2"}
"""Types of tensors whose numbers are looked at, by ggml's number; others are quantised."""

MOST: Final = 1 << 24
"""Entries of a list, and bytes of a word, that no file of ours comes near."""

_NUMBERS: Final[Mapping[int, str]] = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d",
}  # fmt: skip
_WORD, _LIST = 8, 9


@dataclass(frozen=True, slots=True)
class GgufFile:
    """What is in a file.

    Attributes:
        metadata: by key; lists as tuples.
        tensors: shape of each, by name, the fastest axis first.
        not_finite: tensors of plain floats with a number that is none.
    """

    metadata: Mapping[str, Any]
    tensors: Mapping[str, tuple[int, ...]]
    not_finite: tuple[str, ...]


def read_gguf(data: bytes) -> GgufFile:
    """Read a file.

    Raises:
        ReinsError: it is no GGUF file, of a version that is not known, or not whole.
    """
    if data[:4] != MAGIC:
        raise ReinsError(f"it is no GGUF file: it begins with {data[:4]!r}")
    reader = _Reader(data, 4)
    version = reader.number("<I")
    if version not in VERSIONS:
        raise ReinsError(f"it is of GGUF version {version}; {' and '.join(map(str, VERSIONS))} are known")
    tensors, pairs = reader.count(), reader.count()
    metadata = {reader.word(): reader.value(reader.number("<I")) for _ in range(pairs)}
    infos = [(reader.word(), *_info(reader)) for _ in range(tensors)]
    alignment = metadata.get("general.alignment", ALIGNMENT)
    if not isinstance(alignment, int) or alignment < 1:
        raise ReinsError(f"it is damaged: it aligns its tensors to {alignment!r}")
    begin = -(-reader.at // alignment) * alignment
    broken = [name for name, shape, kind, at in infos if not _is_finite(data, name, shape, kind, begin + at)]
    return GgufFile(metadata, {name: shape for name, shape, _, _ in infos}, tuple(broken))


class _Reader:
    """Reads one thing after the other.

    Args:
        data: of the file.
        at: where to begin.
    """

    def __init__(self, data: bytes, at: int) -> None:
        self._data = data
        self.at = at

    def number(self, form: str) -> Any:
        """A number."""
        (value,) = struct.unpack(form, self._take(struct.calcsize(form)))
        return value

    def count(self) -> int:
        """How many of something there are."""
        value = int(self.number("<Q"))
        if value > MOST:
            raise ReinsError(f"it is damaged: it says that it has {value} of something")
        return value

    def word(self) -> str:
        """A text."""
        return self._take(self.count()).decode("utf-8", "replace")

    def value(self, kind: int) -> Any:
        """A value of the metadata."""
        if kind in _NUMBERS:
            return self.number(_NUMBERS[kind])
        if kind == _WORD:
            return self.word()
        if kind != _LIST:
            raise ReinsError(f"it is damaged: its metadata has a value of kind {kind}")
        of = self.number("<I")
        if of == _LIST:
            raise ReinsError("it is damaged: its metadata has a list of lists")
        return tuple(self.value(of) for _ in range(self.count()))

    def _take(self, size: int) -> bytes:
        piece = self._data[self.at : self.at + size]
        if len(piece) < size:
            raise ReinsError(f"it is truncated: it ends after {len(self._data)} bytes, in the middle of its head")
        self.at += size
        return piece


def _info(reader: _Reader) -> tuple[tuple[int, ...], int, int]:
    """Shape, type and place of a tensor."""
    axes = reader.number("<I")
    if axes > 4:
        raise ReinsError(f"it is damaged: a tensor has {axes} axes")
    shape = tuple(reader.count() for _ in range(axes))
    return shape, reader.number("<I"), int(reader.number("<Q"))


def _is_finite(data: bytes, name: str, shape: tuple[int, ...], kind: int, begin: int) -> bool:
    """Whether a tensor's numbers are numbers, as far as they can be looked at.

    Raises:
        ReinsError: the file ends before the tensor does.
    """
    form = FLOATS.get(kind)
    size = prod(shape) * np.dtype(form).itemsize if form else 1
    if begin + size > len(data):
        raise ReinsError(f"it is truncated: it ends after {len(data)} bytes, before the end of '{name}'")
    return form is None or bool(np.isfinite(np.frombuffer(data, form, prod(shape), begin)).all())
