"""What an ONNX file says of itself, read from its bytes: opset, producer, metadata, weights. No library is needed.

Source: onnx.proto3 of the ONNX project (field numbers), Protocol Buffers encoding (wire format).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from reins.contracts.errors import ReinsError

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
"""Wire types."""

_MODEL_PRODUCER, _MODEL_GRAPH, _MODEL_OPSETS, _MODEL_METADATA = 2, 7, 8, 14
_OPSET_DOMAIN, _OPSET_VERSION = 1, 2
_ENTRY_KEY, _ENTRY_VALUE = 1, 2
_GRAPH_NODE, _GRAPH_INITIALIZER = 1, 5
_NODE_ATTRIBUTE, _ATTRIBUTE_TENSOR = 5, 5
_TENSOR_TYPE, _TENSOR_FLOATS, _TENSOR_NAME, _TENSOR_RAW, _TENSOR_DOUBLES, _TENSOR_LOCATION = 2, 4, 8, 9, 10, 14

_FLOATS: Final[dict[int, type[np.floating[Any]]]] = {1: np.float32, 10: np.float16, 11: np.float64}
"""Floating-point element types of TensorProto."""

Field = tuple[int, int | bytes]


@dataclass(frozen=True, slots=True)
class OnnxFile:
    """Contents of an ONNX file.

    Attributes:
        opset: version of the default operator set, 0 if none is named.
        producer: name of the program that wrote it.
        metadata: metadata_props.
        not_finite: names of weights that hold a NaN or an infinity.
        external: names of weights that are kept in another file.
    """

    opset: int
    producer: str
    metadata: dict[str, str]
    not_finite: tuple[str, ...]
    external: tuple[str, ...]


def read_onnx(data: bytes) -> OnnxFile:
    """Read an ONNX file from its bytes.

    Raises:
        ReinsError: it is truncated, or no ONNX file at all.
    """
    opset, producer, graph = 0, "", b""
    metadata: dict[str, str] = {}
    try:
        for number, value in _fields(data):
            if number == _MODEL_PRODUCER:
                producer = _text(value)
            elif number == _MODEL_GRAPH:
                graph = _content(value)
            elif number == _MODEL_OPSETS:
                entry = dict(_fields(_content(value)))
                if not entry.get(_OPSET_DOMAIN):
                    opset = int(entry.get(_OPSET_VERSION, 0))
            elif number == _MODEL_METADATA:
                entry = dict(_fields(_content(value)))
                metadata[_text(entry.get(_ENTRY_KEY, b""))] = _text(entry.get(_ENTRY_VALUE, b""))
        tensors = [_read_tensor(tensor) for tensor in _tensors(graph)]
    except (ValueError, TypeError, UnicodeDecodeError) as error:
        raise ReinsError(f"not an ONNX file, or a truncated one: {error}") from error
    if not graph:
        raise ReinsError("not an ONNX file, or a truncated one: it has no graph")
    return OnnxFile(
        opset=opset,
        producer=producer,
        metadata=metadata,
        not_finite=tuple(name for name, finite, _ in tensors if not finite),
        external=tuple(name for name, _, external in tensors if external),
    )


def require_weights(file: OnnxFile) -> None:
    """Make sure that all weights are in the file and finite.

    Raises:
        ReinsError: some are not; names them.
    """
    if file.not_finite:
        raise ReinsError(f"its weights {', '.join(file.not_finite)} are not finite")
    if file.external:
        raise ReinsError(f"its weights {', '.join(file.external)} are in another file; export it as one file")


def _tensors(graph: bytes) -> Iterator[bytes]:
    """Every weight of a graph: its initializers and the constants inside its nodes."""
    for number, value in _fields(graph):
        if number == _GRAPH_INITIALIZER:
            yield _content(value)
        elif number == _GRAPH_NODE:
            for part, attribute in _fields(_content(value)):
                if part == _NODE_ATTRIBUTE:
                    yield from (_content(t) for field, t in _fields(_content(attribute)) if field == _ATTRIBUTE_TENSOR)


def _read_tensor(tensor: bytes) -> tuple[str, bool, bool]:
    """Name of a weight, whether all of it is finite, whether it is kept in another file."""
    name, kind, finite, external = "", 0, True, False
    parts: list[tuple[bytes, int]] = []
    for number, value in _fields(tensor):
        if number == _TENSOR_TYPE:
            kind = int(value)
        elif number == _TENSOR_NAME:
            name = _text(value)
        elif number == _TENSOR_LOCATION:
            external = int(value) == 1
        elif number in (_TENSOR_FLOATS, _TENSOR_RAW, _TENSOR_DOUBLES):
            parts.append((_content(value), number))
    for raw, number in parts:
        dtype = {_TENSOR_FLOATS: _FLOATS[1], _TENSOR_DOUBLES: _FLOATS[11]}.get(number, _FLOATS.get(kind))
        if dtype is not None:
            finite = finite and bool(np.isfinite(np.frombuffer(raw, dtype)).all())
    return name, finite, external


def _fields(data: bytes) -> Iterator[Field]:
    """Number and value of every field of a message: an int, or bytes for anything with a length."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, wire = tag >> 3, tag & 7
        if wire == _VARINT:
            value, at = _varint(data, at)
            yield number, value
            continue
        if wire == _BYTES:
            size, at = _varint(data, at)
        elif wire in (_FIXED64, _FIXED32):
            size = 8 if wire == _FIXED64 else 4
        else:
            raise ValueError(f"wire type {wire} at byte {at}")
        if at + size > len(data):
            raise ValueError(f"{at + size - len(data)} bytes are missing")
        yield number, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A variable-length integer and the place after it."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise ValueError("it ends inside a number")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError(f"a number at byte {at} has no end")


def _content(value: int | bytes) -> bytes:
    if not isinstance(value, bytes):
        raise ValueError("a number stands where a message should")
    return value


def _text(value: int | bytes) -> str:
    return _content(value).decode("utf-8")
