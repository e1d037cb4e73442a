"""Sockets of the UR peer: one loop over all of them, and servers that speak in lines of text."""

import selectors
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Protocol

RECEIVED: Final = 65536


class Link:
    """One connected client, and what it sent that was not taken yet."""

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected
        self.buffer = bytearray()
        self._unsent = b""

    def send(self, data: bytes) -> None:
        """Send this, or drop it: a controller does not wait for a client that reads too slowly."""
        with suppress(OSError):
            self._unsent = self._unsent[self.socket.send(self._unsent) :] if self._unsent else b""
            if not self._unsent:
                self._unsent = data[self.socket.send(data) :]


class Server(Protocol):
    """What is done on a port."""

    def opened(self, link: Link) -> None:
        """A client has come."""

    def received(self, link: Link) -> None:
        """Bytes are in its buffer."""

    def closed(self, link: Link) -> None:
        """It has gone."""


class LineServer:
    """Answers each line; what `answer` gives is sent as it is.

    Args:
        answer: line → reply.
        greeting: sent to whoever connects.
    """

    def __init__(self, answer: Callable[[str], str], greeting: str = "") -> None:
        self._answer = answer
        self._greeting = greeting

    def opened(self, link: Link) -> None:
        """Greet."""
        if self._greeting:
            link.send(self._greeting.encode())

    def received(self, link: Link) -> None:
        """Answer every whole line."""
        while b"\n" in link.buffer:
            line, _, rest = bytes(link.buffer).partition(b"\n")
            link.buffer[:] = rest
            link.send(self._answer(line.decode().strip()).encode())

    def closed(self, link: Link) -> None:
        """Nothing to forget."""


class Sockets:
    """All ports of one address, served from one thread."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._selector = selectors.DefaultSelector()

    def watch(self, file: object, act: Callable[[], None]) -> None:
        """Call this when there is something to read."""
        self._selector.register(file, selectors.EVENT_READ, act)  # type: ignore[arg-type]

    def listen(self, port: int, server: Server) -> None:
        """Serve a port."""
        listening = socket.create_server((self._address, port))
        listening.setblocking(False)
        self.watch(listening, lambda: self._accept(listening, server))

    def serve(self, seconds: float) -> None:
        """Wait that long at most for something to do, and do it."""
        for key, _ in self._selector.select(max(0.0, seconds)):
            key.data()

    def _accept(self, listening: socket.socket, server: Server) -> None:
        connected, _ = listening.accept()
        connected.setblocking(False)
        link = Link(connected)
        self.watch(connected, lambda: self._receive(link, server))
        server.opened(link)

    def _receive(self, link: Link, server: Server) -> None:
        try:
            data = link.socket.recv(RECEIVED)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            link.buffer += data
            server.received(link)
        else:
            self._selector.unregister(link.socket)
            link.socket.close()
            server.closed(link)
