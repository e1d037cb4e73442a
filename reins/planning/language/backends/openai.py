"""The `openai` backend: any server that speaks OpenAI's protocol (llama-server, vLLM, Ollama, a cloud).

A client of our own over httpx, because what matters here is what the `openai` package leaves to its user: one budget
for everything, retries included, a request that can be cancelled while it waits, and ways around servers that refuse a
schema. Servers differ in how they take one: they are asked in the order of `CHAT_FORMS` or `TEXT_FORMS`, and what was
accepted is kept.
"""

import asyncio
import json
import os
import random
import re
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from typing import Any, Final

import httpx

from reins.planning.language.grammar import grammar_of
from reins.planning.language.model import (
    Bounds,
    Cancel,
    Cancelled,
    Completion,
    Message,
    ModelError,
    Prompt,
    PromptFormat,
    unheard,
)
from reins.planning.language.reply import MOST_REPLY
from reins.planning.language.schema import Schema

RETRIED: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses after which the same request may succeed."""

REFUSED: Final = frozenset({400, 415, 422, 501})
"""Statuses with which servers turn down a form of request that they do not know."""

FIRST_WAIT: Final = 0.5
"""Pause before the second try [s]; it doubles from try to try, and a server's Retry-After counts instead."""

CONNECT: Final = 5.0
"""Longest that a connection may take to come about [s]."""

_QUOTED: Final = 200  # characters of a server's words in an error
_TITLE: Final = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)

_Form = Callable[[Schema], dict[str, Any]]


def _json_schema(schema: Schema) -> dict[str, Any]:
    return {"response_format": {"type": "json_schema", "json_schema": {"name": "plan", "schema": schema}}}


def _object_schema(schema: Schema) -> dict[str, Any]:
    return {"response_format": {"type": "json_object", "schema": schema}}


def _grammar(schema: Schema) -> dict[str, Any]:
    return {"grammar": grammar_of(schema)}


def _object(_schema: Schema) -> dict[str, Any]:
    return {"response_format": {"type": "json_object"}}


def _nothing(_schema: Schema) -> dict[str, Any]:
    return {}


CHAT_FORMS: Final[Sequence[_Form]] = (_json_schema, _object_schema, _grammar, _object, _nothing)
"""Ways to hold a conversation to a schema: OpenAI's, two of llama.cpp, any JSON, none. Replies are checked anyway."""

TEXT_FORMS: Final[Sequence[_Form]] = (_grammar, _json_schema, _nothing)
"""The same for a text to continue, which llama.cpp's servers hold to a grammar and others leave alone."""

OPTIONAL: Final = ("stream_options", "temperature", "seed")
"""Members of a request that are left out once a server has named them in a complaint."""


MEMBERS: Final = ("response_format", "json_schema", "json_object", "grammar", "max_tokens", "max_completion_tokens")
"""Members of a request that have other ways; a complaint that names one is about the form."""


class _Transient(Exception):
    """A failure after which the same request may succeed: why, and how long the server wants to be left alone [s]."""

    def __init__(self, why: str, wait: float = 0.0) -> None:
        super().__init__(why)
        self.wait = wait


class _Turned(Exception):
    """The server does not take the request in this form; why."""


@dataclass
class _Reply:
    """A reply as it comes."""

    begun: float
    on_text: Callable[[str], None]
    text: str = ""
    first: float = 0.0
    usage: Mapping[str, Any] = field(default_factory=dict)
    end: str = ""

    def add(self, piece: str) -> None:
        """One more piece.

        Raises:
            ModelError: it is longer than any plan.
        """
        if not piece:
            return
        self.first = self.first or time.monotonic() - self.begun
        self.text += piece
        if len(self.text) > MOST_REPLY:
            raise ModelError(f"the server's reply has no end: it is longer than {MOST_REPLY} characters")
        self.on_text(piece)


class OpenAIModel:
    """A model at a server.

    Args:
        base_url: address of the server up to and with "/v1".
        model: its name there; empty for the first that the server has.
        key_variable: environment variable that holds the key, if there is one. The key is in no message.
        takes: the prompt that the model was made for; a server does not say.
    """

    def __init__(self, base_url: str, model: str, key_variable: str, takes: PromptFormat = "chat") -> None:
        self.takes: Final = takes
        self._base_url = base_url.rstrip("/")
        self._model = model
        self._key_variable = key_variable
        self._key = os.environ.get(key_variable, "").strip() if key_variable else ""
        try:
            url = httpx.URL(self._base_url)
        except httpx.InvalidURL as error:
            raise ModelError(f"base_url '{base_url}' is not an address: {error}") from error
        if url.scheme not in ("http", "https") or not url.host:
            raise ModelError(f"base_url '{base_url}' is not an address; write e.g. http://127.0.0.1:8080/v1")
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        timeout = httpx.Timeout(None, connect=CONNECT)  # the budget of a call bounds the rest
        self._client = httpx.AsyncClient(headers=headers, timeout=timeout)
        self._form = 0
        self._length = "max_tokens"
        self._left_out: set[str] = set()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._run, name="openai", daemon=True).start()

    @property
    def name(self) -> str:
        """The backend, the model and the server."""
        return f"openai: {self._model or 'a model'} at {self._base_url}"

    def complete(
        self,
        prompt: Prompt,
        schema: Schema,
        bounds: Bounds,
        cancel: Cancel,
        on_text: Callable[[str], None] = unheard,
    ) -> Completion:
        """The reply; tried again within the bounds where that may help. See `LanguageModel`."""
        work = self._within(self._persevere(prompt, schema, bounds, on_text), bounds.seconds)
        future = asyncio.run_coroutine_threadsafe(work, self._loop)

        def stop() -> None:
            future.cancel()

        with cancel.calls(stop):
            try:
                return future.result()
            except CancelledError:
                raise Cancelled from None

    def close(self) -> None:
        """Close the connections."""
        asyncio.run_coroutine_threadsafe(self._client.aclose(), self._loop).result(CONNECT)
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _run(self) -> None:
        self._loop.run_forever()
        self._loop.close()

    async def _within(self, work: Any, seconds: float) -> Completion:
        try:
            return await asyncio.wait_for(work, seconds)
        except asyncio.TimeoutError:
            raise ModelError(f"{self.name} gave no whole reply within {seconds:.3g} s") from None

    async def _persevere(
        self, prompt: Prompt, schema: Schema, bounds: Bounds, on_text: Callable[[str], None]
    ) -> Completion:
        """Try until there is a reply; whoever calls sets the time limit."""
        deadline = time.monotonic() + bounds.seconds
        wait = FIRST_WAIT
        while True:
            try:
                if not self._model:
                    self._model = await self._first_model()
                return await self._once(prompt, schema, bounds, on_text)
            except _Turned as turned:
                self._give_way(str(turned), _asked(prompt)[2])
            except (_Transient, httpx.TransportError) as trouble:
                why = self._plain(str(trouble)) or type(trouble).__name__
                pause = max(getattr(trouble, "wait", 0.0), wait * random.uniform(0.8, 1.2))
                if time.monotonic() + pause >= deadline:
                    raise ModelError(f"{self.name} gave no reply within {bounds.seconds:.3g} s: {why}") from None
                await asyncio.sleep(pause)
                wait *= 2.0

    def _give_way(self, complaint: str, forms: Sequence[_Form]) -> None:
        """Ask in another way from now on.

        Raises:
            ModelError: there is none left.
        """
        named = {name for name in OPTIONAL if name in complaint} - self._left_out
        if "max_completion_tokens" in complaint and self._length == "max_tokens":
            self._length = "max_completion_tokens"
        elif named:
            self._left_out |= named
        elif self._form + 1 < len(forms):
            self._form += 1
        else:
            self._form = 0  # it was not the form
            raise ModelError(f"{self.name} does not take the request: {complaint}")

    async def _once(self, prompt: Prompt, schema: Schema, bounds: Bounds, on_text: Callable[[str], None]) -> Completion:
        begun = time.monotonic()
        path, asked, forms = _asked(prompt)
        optional = {"temperature": bounds.temperature, "seed": bounds.seed, "stream_options": {"include_usage": True}}
        body = {
            **asked,
            **forms[self._form](schema),
            **{name: value for name, value in optional.items() if name not in self._left_out},
            "model": self._model,
            self._length: bounds.tokens,
            "stream": True,
        }
        reply = _Reply(begun, on_text)
        async with self._client.stream("POST", f"{self._base_url}/{path}", json=body) as response:
            if response.status_code != httpx.codes.OK:
                await self._complain(response)
            if "event-stream" in response.headers.get("content-type", ""):
                await self._read_stream(response, reply)
            else:
                self._take(self._json(await response.aread(), response), reply)
        if not reply.end:
            raise _Transient("the connection was closed in the middle of the reply")
        prompt_tokens, reply_tokens = (int(reply.usage.get(f"{what}_tokens", 0)) for what in ("prompt", "completion"))
        seconds = time.monotonic() - begun
        return Completion(reply.text, prompt_tokens, reply_tokens, reply.first, seconds, reply.end == "length")

    async def _read_stream(self, response: httpx.Response, reply: _Reply) -> None:
        """Take server-sent events until the last one."""
        async for data in _events(response):
            if data == "[DONE]":
                reply.end = reply.end or "stop"
                return
            self._take(self._json(data.encode(), response), reply)

    def _take(self, document: Any, reply: _Reply) -> None:
        """One piece of a stream, or a whole reply."""
        if not isinstance(document, dict):
            raise ModelError(f"{self.name} answered something that is no completion: {self._plain(str(document))}")
        if error := document.get("error"):
            raise _Transient(f"the server broke off: {self._plain(_words(error))}")
        reply.usage = document.get("usage") or reply.usage
        for choice in (document.get("choices") or ())[:1]:
            piece = choice.get("delta") or choice.get("message") or {"content": choice.get("text")}
            reply.add(piece.get("content") or "")
            reply.end = choice.get("finish_reason") or reply.end

    async def _first_model(self) -> str:
        response = await self._client.get(f"{self._base_url}/models")
        if response.status_code != httpx.codes.OK:
            await self._complain(response)
        document = self._json(response.content, response)
        models = document.get("data") if isinstance(document, dict) else None
        if not models or "id" not in models[0]:
            raise ModelError(f"the server at {self._base_url} lists no model; name one in the parameter 'model'")
        return str(models[0]["id"])

    async def _complain(self, response: httpx.Response) -> None:
        """Say what a status that is not 200 means."""
        body = (await response.aread())[: 50 * _QUOTED].decode("utf-8", "replace")
        status, said = response.status_code, self._plain(_page_words(body))
        told = f"status {status}{f', “{said}”' if said else ''}"
        if any(name in body for name in (*OPTIONAL, *MEMBERS)) and status not in (401, 403):
            raise _Turned(self._plain(body))  # some servers say so with status 500
        if status in RETRIED:
            raise _Transient(told, _retry_after(response.headers.get("retry-after", "")))
        if status in (401, 403):
            held = f"the key in ${self._key_variable}" if self._key else f"no key; set it in ${self._key_variable}"
            raise ModelError(f"{self._base_url} does not let us in with {held}: {told}")
        if status in REFUSED and not response.request.url.path.endswith("/models"):
            raise _Turned(told)
        raise ModelError(f"{self.name} answered {told}; are base_url and model right?")

    def _json(self, body: bytes, response: httpx.Response) -> Any:
        try:
            return json.loads(body)
        except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
            text = body[: 50 * _QUOTED].decode("utf-8", "replace")
            if "html" in response.headers.get("content-type", "") or text.lstrip().startswith("<"):
                raise ModelError(
                    f"{self._base_url} answered a web page (“{self._plain(_page_words(text))}”), not a completion; is "
                    "base_url right?"
                ) from None
            raise _Transient(f"the server sent JSON that is not whole: “{self._plain(text)}”") from None

    def _plain(self, text: str) -> str:
        """A server's words, bounded, on one line, and without the key, which some servers repeat."""
        line = " ".join((text.replace(self._key, "…") if self._key else text).split())
        return line if len(line) <= _QUOTED else f"{line[:_QUOTED]}…"


def _asked(prompt: Prompt) -> tuple[str, dict[str, Any], Sequence[_Form]]:
    """Where a prompt goes, how it is put, and the ways to hold the reply to a schema there."""
    if isinstance(prompt, str):
        return "completions", {"prompt": prompt}, TEXT_FORMS
    turns: list[Message] = list(prompt)
    messages = [{"role": turn.role, "content": turn.content} for turn in turns]
    return "chat/completions", {"messages": messages}, CHAT_FORMS


async def _events(response: httpx.Response) -> AsyncIterator[str]:
    """The data of server-sent events, each of which is one line here."""
    async for line in response.aiter_lines():
        if line.startswith("data:"):
            yield line[len("data:") :].strip()
        elif line.startswith("error:"):  # llama-server's way to end a stream in trouble
            yield json.dumps({"error": line[len("error:") :].strip()})


def _words(error: Any) -> str:
    return str(error.get("message", error)) if isinstance(error, dict) else str(error)


def _page_words(body: str) -> str:
    """What a body says to a person: the message of a JSON error, the title of a page, or its text."""
    try:
        document = json.loads(body)
    except (json.JSONDecodeError, RecursionError):
        title = _TITLE.search(body)
        return title[1] if title else body
    return _words(document.get("error", document)) if isinstance(document, dict) else body


def _retry_after(header: str) -> float:
    """Seconds to wait, as the server says; 0 if it does not, or says a date."""
    return float(header) if header.isdigit() else 0.0
