"""The `openai` backend: any server that speaks OpenAI's protocol (llama-server, vLLM, Ollama, a cloud).

A client of our own over httpx, because what matters here is what the `openai` package leaves to its user: one budget
for everything, retries included, a request that can be cancelled while it waits, and ways around servers that refuse a
schema. Servers differ in how they take one: they are asked in one way after the other (`wire.py`), and what was
accepted is kept.
"""

import asyncio
import json
import os
import random
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from typing import Any, Final, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from reins.language_models.address import read_address
from reins.language_models.model import (
    Bounds,
    Cancel,
    Cancelled,
    Completion,
    ModelError,
    Prompt,
    PromptFormat,
    Schema,
    unheard,
)
from reins.language_models.plain import quoted, whole_signs
from reins.language_models.streamed import Reply
from reins.language_models.wire import (
    MEMBERS,
    OPTIONAL,
    REFUSED,
    RETRIED,
    Document,
    Form,
    Models,
    asked,
    events,
    page_words,
    retry_after,
    words,
)

FIRST_WAIT: Final = 0.5
"""Pause before the second try [s]; it doubles from try to try, and a server's Retry-After counts instead."""

CONNECT: Final = 5.0
"""Longest that a connection may take to come about [s]."""

ModelT = TypeVar("ModelT", bound=BaseModel)

_PASSING: Final = (httpx.TransportError, httpx.DecodingError)
"""Failures after which the same request may succeed: of the connection, or of a body that was packed."""

_QUOTED: Final = 200  # characters of a server's words in an error


class _Transient(Exception):
    """A failure after which the same request may succeed: why, and how long the server wants to be left alone [s]."""

    def __init__(self, why: str, wait: float = 0.0) -> None:
        super().__init__(why)
        self.wait = wait


class _Turned(Exception):
    """The server does not take the request in this form; why."""


class OpenAIModel:
    """A model at a server.

    Args:
        base_url: address of the server up to and with "/v1"; a name and a password in it are in no message.
        model: its name there; empty for the first that the server has.
        key_variable: environment variable that holds the key, if there is one. The key is in no message.
        takes: the prompt that the model was made for; a server does not say.
    """

    def __init__(self, base_url: str, model: str, key_variable: str, takes: PromptFormat = "chat") -> None:
        self.takes: Final = takes
        address = read_address(base_url)
        self._base_url = address.url
        self._has_user = address.user is not None
        self._model = model
        self._key_variable = key_variable
        self._key = os.environ.get(key_variable, "").strip() if key_variable else ""
        if not (self._key.isascii() and self._key.isprintable()):
            raise ModelError(f"what ${key_variable} holds is no key: keys are plain signs on one line")
        self._secrets = tuple(filter(None, (self._key, *address.secrets)))
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        timeout = httpx.Timeout(None, connect=CONNECT)  # the budget of a call bounds the rest
        self._client = httpx.AsyncClient(headers=headers, auth=address.user, timeout=timeout)
        self._form = 0
        self._length = "max_tokens"
        self._left_out: set[str] = set()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._run, name="openai", daemon=True).start()

    @property
    def name(self) -> str:
        """The backend, the model and the server."""
        return f"openai: {self._plain(self._model) or 'a model'} at {self._base_url}"

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
                self._give_way(str(turned), asked(prompt)[2])
            except (_Transient, *_PASSING) as trouble:
                why = self._plain(str(trouble)) or type(trouble).__name__
                pause = max(getattr(trouble, "wait", 0.0), wait * random.uniform(0.8, 1.2))
                if time.monotonic() + pause >= deadline:
                    raise ModelError(f"{self.name} gave no reply within {bounds.seconds:.3g} s: {why}") from None
                await asyncio.sleep(pause)
                wait *= 2.0

    def _give_way(self, complaint: str, forms: Sequence[Form]) -> None:
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
        path, members, forms = asked(prompt)
        optional = {"temperature": bounds.temperature, "seed": bounds.seed, "stream_options": {"include_usage": True}}
        body = {
            **members,
            **forms[min(self._form, len(forms) - 1)](schema),
            **{name: value for name, value in optional.items() if name not in self._left_out},
            "model": self._model,
            self._length: bounds.tokens,
            "stream": True,
        }
        reply = Reply(self.name, begun, on_text)
        async with self._client.stream("POST", f"{self._base_url}/{path}", json=body) as response:
            if response.status_code != httpx.codes.OK:
                await self._complain(response)
            if "event-stream" in response.headers.get("content-type", ""):
                await self._read_stream(response, reply)
            else:
                self._take(self._json(await response.aread(), response), reply)
        reply.finish()
        if not reply.end:
            raise _Transient("the connection was closed in the middle of the reply")
        seconds = time.monotonic() - begun
        tokens = reply.usage.prompt_tokens, reply.usage.completion_tokens
        return Completion(reply.text, *tokens, reply.first, seconds, reply.end == "length")

    async def _read_stream(self, response: httpx.Response, reply: Reply) -> None:
        """Take server-sent events until the last one."""
        async for data in events(response):
            if data == "[DONE]":
                reply.end = reply.end or "stop"
                return
            self._take(self._json(data.encode(), response), reply)

    def _take(self, found: Any, reply: Reply) -> None:
        """One piece of a stream, or a whole reply."""
        document = self._shaped(Document, found)
        if document.error:
            raise _Transient(f"the server broke off: {self._plain(words(document.error))}")
        reply.usage = document.usage or reply.usage
        for choice in (document.choices or ())[:1]:
            reply.add(choice.said)
            reply.end = choice.finish_reason or reply.end

    async def _first_model(self) -> str:
        response = await self._client.get(f"{self._base_url}/models")
        if response.status_code != httpx.codes.OK:
            await self._complain(response)
        models = self._shaped(Models, self._json(response.content, response)).data
        if not models:
            raise ModelError(f"the server at {self._base_url} lists no model; name one in the parameter 'model'")
        return whole_signs(models[0].id)

    def _shaped(self, shape: type[ModelT], found: Any) -> ModelT:
        try:
            return shape.model_validate(found)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "all of it"
            raise ModelError(f"{self.name} answered something that is no completion: {where}: {first['msg']}") from None

    async def _complain(self, response: httpx.Response) -> None:
        """Say what a status that is not 200 means."""
        try:
            body = (await response.aread())[: 50 * _QUOTED].decode("utf-8", "replace")
        except httpx.DecodingError:  # packed badly; the status says enough
            body = ""
        status, said = response.status_code, self._plain(page_words(body))
        told = f"status {status}{f', “{said}”' if said else ''}"
        if any(name in body for name in (*OPTIONAL, *MEMBERS)) and status not in (401, 403):
            raise _Turned(self._plain(body))  # some servers say so with status 500
        if status in RETRIED:
            raise _Transient(told, retry_after(response.headers.get("retry-after", "")))
        if status in (401, 403):
            held = f"the key in ${self._key_variable}" if self._key else f"no key; set it in ${self._key_variable}"
            held = "the user of base_url" if self._has_user else held
            raise ModelError(f"{self._base_url} does not let us in with {held}: {told}")
        if status in REFUSED and not response.request.url.path.endswith("/models"):
            raise _Turned(told)
        raise ModelError(f"{self.name} answered {told}; are base_url and model right?")

    def _json(self, body: bytes, response: httpx.Response) -> Any:
        try:
            return json.loads(body)
        except (ValueError, RecursionError):  # no JSON, no text, or a number that is too long for Python
            text = body[: 50 * _QUOTED].decode("utf-8", "replace")
            if "html" in response.headers.get("content-type", "") or text.lstrip().startswith("<"):
                raise ModelError(
                    f"{self._base_url} answered a web page (“{self._plain(page_words(text))}”), not a completion; is "
                    "base_url right?"
                ) from None
            raise _Transient(f"the server sent JSON that is not whole: “{self._plain(text)}”") from None

    def _plain(self, text: str) -> str:
        """A server's words, bounded, on one line, and without the key and the password, which some servers repeat."""
        for secret in self._secrets:
            text = text.replace(secret, "…")
        return quoted(text, _QUOTED)
