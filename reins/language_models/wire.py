"""What goes over the wire to and from an OpenAI-compatible server: forms of requests, shapes of replies, and errors in
words."""

import json
import re
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Final

import httpx
from pydantic import BaseModel, Field

from reins.language_models.grammar import grammar_of
from reins.language_models.model import Message, Prompt, Schema

RETRIED: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses after which the same request may succeed."""

REFUSED: Final = frozenset({400, 415, 422, 501})
"""Statuses with which servers turn down a form of request that they do not know."""

_LINE_END: Final = re.compile(r"[\r\n]")

_TITLE: Final = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)

Form = Callable[[Schema], dict[str, Any]]


def _json_schema(schema: Schema) -> dict[str, Any]:
    return {"response_format": {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}}


def _object_schema(schema: Schema) -> dict[str, Any]:
    return {"response_format": {"type": "json_object", "schema": schema}}


def _grammar(schema: Schema) -> dict[str, Any]:
    return {"grammar": grammar_of(schema)}


def _object(_schema: Schema) -> dict[str, Any]:
    return {"response_format": {"type": "json_object"}}


def _nothing(_schema: Schema) -> dict[str, Any]:
    return {}


CHAT_FORMS: Final[Sequence[Form]] = (_json_schema, _object_schema, _grammar, _object, _nothing)
"""Ways to hold a conversation to a schema: OpenAI's, two of llama.cpp, any JSON, none. Replies are checked anyway."""

TEXT_FORMS: Final[Sequence[Form]] = (_grammar, _json_schema, _nothing)
"""The same for a text to continue, which llama.cpp's servers hold to a grammar and others leave alone."""

OPTIONAL: Final = ("stream_options", "temperature", "seed")
"""Members of a request that are left out once a server has named them in a complaint."""


MEMBERS: Final = ("response_format", "json_schema", "json_object", "grammar", "max_tokens", "max_completion_tokens")
"""Members of a request that have other ways; a complaint that names one is about the form."""


class Piece(BaseModel):
    """Text of a turn, or of a part of one."""

    content: str | None = None


class Choice(BaseModel):
    """One reply, or a piece of it; a stream of a conversation has `delta`, a whole one `message`, other text `text`."""

    delta: Piece | None = None
    message: Piece | None = None
    text: str | None = None
    finish_reason: str | None = None

    @property
    def said(self) -> str:
        """The text, wherever it stands."""
        turn = self.delta or self.message
        return (turn.content if turn is not None else self.text) or ""


class Usage(BaseModel):
    """Tokens."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


class Document(BaseModel):
    """A completion, or a piece of one, or why there is none."""

    choices: list[Choice] | None = None
    usage: Usage | None = None
    error: Any = None


class Named(BaseModel):
    """A model that a server has."""

    id: str


class Models(BaseModel):
    """All of them."""

    data: list[Named] = Field(default_factory=list)


def asked(prompt: Prompt) -> tuple[str, dict[str, Any], Sequence[Form]]:
    """Where a prompt goes, how it is put, and the ways to hold the reply to a schema there."""
    if isinstance(prompt, str):
        return "completions", {"prompt": prompt}, TEXT_FORMS
    turns: list[Message] = list(prompt)
    messages = [{"role": turn.role, "content": content_of(turn)} for turn in turns]
    return "chat/completions", {"messages": messages}, CHAT_FORMS


def content_of(turn: Message) -> str | list[dict[str, Any]]:
    """What a turn says, as OpenAI's protocol has it: text, or parts where there are pictures."""
    if not turn.pictures:
        return turn.content
    seen = [{"type": "image_url", "image_url": {"url": picture.url}} for picture in turn.pictures]
    return [*seen, {"type": "text", "text": turn.content}]


async def events(response: httpx.Response) -> AsyncIterator[str]:
    """The data of server-sent events, each of which is one line here."""
    async for line in _lines(response):
        if line.startswith("data:"):
            yield line[len("data:") :].strip()
        elif line.startswith("error:"):  # llama-server's way to end a stream in trouble
            yield json.dumps({"error": line[len("error:") :].strip()})


async def _lines(response: httpx.Response) -> AsyncIterator[str]:
    """The lines of a stream of events. httpx's own end at U+2028 and its like as well, which JSON has as they are."""
    begun: list[str] = []
    async for text in response.aiter_text():
        end, *others = _LINE_END.split(text)
        begun.append(end)
        for line in others:
            yield "".join(begun)
            begun = [line]
    yield "".join(begun)


def words(error: Any) -> str:
    return str(error.get("message", error)) if isinstance(error, dict) else str(error)


def page_words(body: str) -> str:
    """What a body says to a person: the message of a JSON error, the title of a page, or its text."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):  # no JSON, or a number that is too long for Python
        title = _TITLE.search(body)
        return title[1] if title else body
    return words(document.get("error", document)) if isinstance(document, dict) else body


def retry_after(header: str) -> float:
    """Seconds to wait, as the server says; 0 if it does not, or says a date."""
    return float(header) if header.isdecimal() else 0.0
