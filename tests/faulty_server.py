"""An OpenAI-compatible server that does what a test wants, right or wrong, one behaviour for each request."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Behaviour = Callable[["Handler"], None]

PLAN = '{"thought":"","steps":[{"skill":"home"}]}'


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    server: "FaultyServer"

    def do_GET(self) -> None:
        self.server.paths.append(self.path)
        self.answer(200, json.dumps({"data": [{"id": "first-model"}, {"id": "second-model"}]}))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.paths.append(self.path)
        self.server.bodies.append(json.loads(body))
        self.server.keys.append(self.headers.get("authorization", ""))
        behaviours = self.server.behaviours
        behaviours[min(len(self.server.bodies), len(behaviours)) - 1](self)

    def answer(self, status: int, body: str, kind: str = "application/json", **headers: str) -> None:
        data = body.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True

    def event(self, data: str) -> None:
        self.wfile.write(f"data: {data}\n\n".encode())
        self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        """Nothing."""


class FaultyServer(ThreadingHTTPServer):
    """The server; see `serving`.

    Attributes:
        behaviours: of the requests in order, the last one for all that follow.
        bodies, keys, paths: what was asked.
        over: set when the test is over, so that nothing hangs any more.
    """

    daemon_threads = True

    def __init__(self, behaviours: tuple[Behaviour, ...]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behaviours = behaviours
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.paths: list[str] = []
        self.over = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, *_: Any) -> None:
        """A client that has gone away is nothing to tell of."""


@contextmanager
def serving(*behaviours: Behaviour) -> Iterator[FaultyServer]:
    """A server on a free port of this machine."""
    server = FaultyServer(behaviours)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()


def sends(*pieces: str) -> Behaviour:
    """Sends these pieces, with every sign as it is; half signs are escaped, for they cannot be sent otherwise."""

    def behave(request: Handler) -> None:
        request.begin_stream()
        for piece in pieces:
            choice = {"delta": {"content": piece}, "text": piece, "finish_reason": None}
            is_whole = piece.encode("utf-8", "ignore").decode() == piece
            request.event(json.dumps({"choices": [choice]}, ensure_ascii=not is_whole))
        request.event(json.dumps({"choices": [{"delta": {}, "finish_reason": "stop"}]}))
        request.event("[DONE]")

    return behave


def streams(text: str = PLAN, finish: str | None = "stop", *, is_done: bool = True) -> Behaviour:
    """Sends the text in pieces of five signs, as a conversation's turn."""

    def behave(request: Handler) -> None:
        request.begin_stream()
        for start in range(0, len(text), 5):
            piece = {"delta": {"content": text[start : start + 5]}, "text": text[start : start + 5]}
            request.event(json.dumps({"choices": [{**piece, "finish_reason": None}]}))
        if finish:
            request.event(json.dumps({"choices": [{"delta": {}, "text": "", "finish_reason": finish}]}))
        request.event(json.dumps({"choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": 7}}))
        if is_done:
            request.event("[DONE]")

    return behave


def says(status: int, body: Any = "", kind: str = "application/json", **headers: str) -> Behaviour:
    """Answers at once; a body that is no string as JSON."""
    text = body if isinstance(body, str) else json.dumps(body)
    return lambda request: request.answer(status, text, kind, **headers)


def hangs(request: Handler) -> None:
    """Says nothing."""
    request.close_connection = True
    request.server.over.wait(20.0)


def trickles(request: Handler) -> None:
    """Says something now and then, and comes to no end."""
    request.begin_stream()
    while not request.server.over.wait(0.02):
        request.event(json.dumps({"choices": [{"delta": {"content": "x"}, "finish_reason": None}]}))


def loops(request: Handler) -> None:
    """Says the same for ever, fast."""
    request.begin_stream()
    while not request.server.over.is_set():
        request.event(json.dumps({"choices": [{"delta": {"content": "na " * 300}, "finish_reason": None}]}))


def closes(request: Handler) -> None:
    """Hangs up without a word."""
    request.close_connection = True


def closes_in_the_middle(request: Handler) -> None:
    """Hangs up after some of the reply."""
    streams(PLAN[:20], finish=None, is_done=False)(request)


def packs_badly(request: Handler) -> None:
    """Says that its reply is packed, and it is not."""
    request.answer(200, json.dumps({"choices": []}), content_encoding="gzip")


def cuts_the_body(request: Handler) -> None:
    """Promises more than it sends."""
    request.send_response(200)
    request.send_header("content-type", "application/json")
    request.send_header("content-length", "1000")
    request.end_headers()
    request.wfile.write(b'{"choices":')
    request.close_connection = True
