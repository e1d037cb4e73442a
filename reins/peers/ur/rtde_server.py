"""RTDE, protocol version 2: the controller's side. Source: Universal Robots, "Real-Time Data Exchange (RTDE) Guide"."""

import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from reins.peers.ur.line_server import Link

HEADER: Final = struct.Struct(">HB")
VERSION: Final = 2
VERSIONS: Final = (5, 11, 1, 108318)
"""Of the controller's software."""

FORMATS: Final = {
    "BOOL": "?",
    "UINT8": "B",
    "UINT32": "I",
    "UINT64": "Q",
    "INT32": "i",
    "DOUBLE": "d",
    "VECTOR3D": "3d",
    "VECTOR6D": "6d",
    "VECTOR6INT32": "6i",
    "VECTOR6UINT32": "6I",
}
"""Type → how it is packed, big-endian."""

Value = tuple[float, ...]
Outputs = dict[str, tuple[str, Callable[[], Value]]]
"""Name of an output → its type and where its value comes from."""


@dataclass
class Client:
    """What one client has asked for."""

    link: Link
    packing: struct.Struct = field(default_factory=lambda: struct.Struct(">"))
    outputs: list[Callable[[], Value]] = field(default_factory=list)
    inputs: dict[int, list[str]] = field(default_factory=dict)
    every: int = 1
    started: bool = False


class RtdeServer:
    """All clients of port 30004.

    Args:
        outputs: what can be asked for.
        put: takes inputs, name → value.
    """

    def __init__(self, outputs: Outputs, put: Callable[[dict[str, float]], None]) -> None:
        self._outputs = outputs
        self._put = put
        self._clients: dict[socket.socket, Client] = {}
        self._owners: dict[str, object] = {}
        self._ticks = 0

    def opened(self, link: Link) -> None:
        """A client has come."""
        link.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._clients[link.socket] = Client(link)

    def closed(self, link: Link) -> None:
        """It has gone; its input registers are free."""
        self._clients.pop(link.socket, None)
        self._owners = {name: owner for name, owner in self._owners.items() if owner is not link.socket}

    def received(self, link: Link) -> None:
        """Bytes have come."""
        client = self._clients[link.socket]
        while len(link.buffer) >= HEADER.size:
            size, kind = HEADER.unpack_from(link.buffer)
            if len(link.buffer) < size:
                return
            body = bytes(link.buffer[HEADER.size : size])
            del link.buffer[:size]
            self._handle(client, chr(kind), body)

    def tick(self) -> None:
        """Send every client its data."""
        self._ticks += 1
        for client in list(self._clients.values()):
            if client.started and self._ticks % client.every == 0:
                values = [value for output in client.outputs for value in output()]
                self._reply(client, "U", b"\x01" + client.packing.pack(*values))

    def occupy(self, names: list[str]) -> None:
        """A fieldbus of the controller takes these inputs."""
        self._owners.update(dict.fromkeys(names, "fieldbus"))

    def _reply(self, client: Client, kind: str, body: bytes) -> None:
        client.link.send(HEADER.pack(HEADER.size + len(body), ord(kind)) + body)

    def _handle(self, client: Client, kind: str, body: bytes) -> None:
        if kind == "V":
            self._reply(client, "V", bytes([struct.unpack(">H", body)[0] == VERSION]))
        elif kind == "v":
            self._reply(client, "v", struct.pack(">4I", *VERSIONS))
        elif kind == "O":
            self._set_up_outputs(client, body)
        elif kind == "I":
            self._set_up_inputs(client, body)
        elif kind in "SP":
            client.started = kind == "S"
            self._reply(client, kind, b"\x01")
        elif kind == "U":
            self._take(client, body)

    def _set_up_outputs(self, client: Client, body: bytes) -> None:
        (frequency,) = struct.unpack_from(">d", body)
        client.every = max(1, round(500.0 / frequency)) if frequency > 0.0 else 1
        known = [self._outputs.get(name) for name in _names(body[8:])]
        types = [entry[0] if entry else "NOT_FOUND" for entry in known]
        if all(known):
            client.packing = struct.Struct(">" + "".join(FORMATS[name] for name in types))
            client.outputs = [entry[1] for entry in known if entry]
        self._reply(client, "O", bytes([all(known)]) + ",".join(types).encode())

    def _set_up_inputs(self, client: Client, body: bytes) -> None:
        names = _names(body)
        types = [self._input_type(client, name) for name in names]
        number = len(client.inputs) + 1 if set(types) <= set(FORMATS) else 0
        if number:
            client.inputs[number] = names
            self._owners.update(dict.fromkeys(names, client.link.socket))
        self._reply(client, "I", bytes([number]) + ",".join(types).encode())

    def _input_type(self, client: Client, name: str) -> str:
        if self._owners.get(name, client.link.socket) is not client.link.socket:
            return "IN_USE"
        kinds = {"input_int_register_": "INT32", "input_double_register_": "DOUBLE"}
        return next((kind for start, kind in kinds.items() if name.startswith(start)), "NOT_FOUND")

    def _take(self, client: Client, body: bytes) -> None:
        names = client.inputs.get(body[0])
        if names is None:
            return
        packing = ">" + "".join("i" if "int" in name else "d" for name in names)
        self._put(dict(zip(names, struct.unpack_from(packing, body, 1), strict=True)))


def _names(body: bytes) -> list[str]:
    """Of a recipe; ur_rtde leaves a comma at the end."""
    return [name for name in body.decode().split(",") if name]
