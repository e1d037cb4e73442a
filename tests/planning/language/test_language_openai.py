"""Servers that work, each in its way, and servers that do not: each ends in a reply or one clear sentence, in time."""

import json
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from faulty_server import (
    PLAN,
    Behaviour,
    FaultyServer,
    Handler,
    closes,
    closes_in_the_middle,
    cuts_the_body,
    hangs,
    loops,
    packs_badly,
    says,
    serving,
    streams,
    trickles,
)
from planning_tables import tabletop

from reins.language_models import openai
from reins.language_models.model import Bounds, Cancel, Cancelled, Completion, Message, ModelError, unheard
from reins.language_models.openai import OpenAIModel
from reins.planning.factory import make_planner
from reins.planning.language.planner import LanguagePlanner
from reins.planning.language.schema import plan_schema
from reins.planning.language.settings import LanguageSettings
from reins.planning.planner import History
from reins.skills.library import SKILLS

SCHEMA = plan_schema(tabletop(), SKILLS)
TURNS = (Message("system", "plan"), Message("user", "go home"))
REFUSES = says(400, {"error": {"message": "response_format is not supported"}})
FAILS_OVER_IT = says(500, {"error": {"message": "validation error at ('body', 'response_format', 'type')"}})

Serve = Callable[..., FaultyServer]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start servers that end with the test."""
    opened = []

    def start(*behaviours: Behaviour) -> FaultyServer:
        context = serving(*behaviours)
        opened.append(context)
        return context.__enter__()

    yield start
    for context in opened:
        context.__exit__(None, None, None)


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai, "FIRST_WAIT", 0.01)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def ask(server: FaultyServer, seconds: float = 10.0, model: str = "some-model", **kwargs: object) -> Completion:
    """One completion."""
    asked = OpenAIModel(server.url, model, "OPENAI_API_KEY")
    try:
        return asked.complete(TURNS, SCHEMA, Bounds(tokens=50, seconds=seconds), Cancel(), **kwargs)  # type: ignore[arg-type]
    finally:
        asked.close()


class TestReplies:
    """What a server that works is asked, and what it answers."""

    def test_a_stream(self, serve: Serve) -> None:
        server = serve(streams())
        pieces: list[str] = []
        reply = ask(server, on_text=pieces.append)
        assert (reply.text, reply.prompt_tokens, reply.reply_tokens, reply.cut) == (PLAN, 12, 7, False)
        assert "".join(pieces) == PLAN and len(pieces) > 5
        assert 0.0 < reply.first <= reply.seconds
        (body,) = server.bodies
        assert body["messages"][1] == {"role": "user", "content": "go home"}
        assert body["response_format"]["json_schema"]["schema"] == SCHEMA
        assert (body["model"], body["max_tokens"], body["temperature"], body["seed"]) == ("some-model", 50, 0.0, 0)

    def test_a_reply_in_one_piece(self, serve: Serve) -> None:
        message = {
            "choices": [{"message": {"content": PLAN}, "finish_reason": "length"}],
            "usage": {"prompt_tokens": 3},
        }
        reply = ask(serve(says(200, message)))
        assert reply.text == PLAN and reply.cut and reply.prompt_tokens == 3

    def test_a_text_to_continue_is_held_to_a_grammar(self, serve: Serve) -> None:
        server = serve(streams())
        model = OpenAIModel(server.url, "m", "", takes="compact-3")
        assert model.takes == "compact-3"
        assert model.complete("#plan\n", SCHEMA, Bounds(), Cancel(), unheard).text == PLAN
        model.close()
        assert server.paths == ["/v1/completions"]
        assert server.bodies[0]["prompt"] == "#plan\n" and "root ::=" in server.bodies[0]["grammar"]

    def test_the_first_model_is_taken_where_none_is_named(self, serve: Serve) -> None:
        server = serve(streams())
        ask(server, model="")
        assert server.paths == ["/v1/models", "/v1/chat/completions"] and server.bodies[0]["model"] == "first-model"

    def test_a_server_that_refuses_schemas_is_asked_in_other_ways_and_that_is_kept(self, serve: Serve) -> None:
        server = serve(REFUSES, FAILS_OVER_IT, REFUSES, REFUSES, streams())
        model = OpenAIModel(server.url, "m", "")
        for _ in range(2):
            assert model.complete(TURNS, SCHEMA, Bounds(), Cancel()).text == PLAN
        model.close()
        forms = [body.get("response_format", {}).get("type") for body in server.bodies]
        assert forms == ["json_schema", "json_object", None, "json_object", None, None]
        assert "grammar" in server.bodies[2] and "grammar" not in server.bodies[4]

    def test_members_that_a_server_does_not_know_are_left_out(self, serve: Serve) -> None:
        def complaint(text: str) -> Behaviour:
            return says(400, {"error": {"message": text}})

        length = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        server = serve(complaint(length), complaint("'temperature' must be 1"), complaint("extra: seed"), streams())
        assert ask(server).text == PLAN
        last = server.bodies[-1]
        assert last["max_completion_tokens"] == 50 and not {"max_tokens", "temperature", "seed"} & set(last)
        assert last["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize(
    "trouble",
    [
        closes,
        closes_in_the_middle,
        cuts_the_body,
        packs_badly,
        says(500, "<html><title>Internal Server Error</title></html>", "text/html"),
        says(429, {"error": {"message": "slow down"}}),
        says(503, {"error": {"message": "Loading model"}}),
        says(200, '{"choices":[{"message":{"content":"{'),
        says(200, {"error": {"message": "out of memory"}}),
    ],
)
def test_what_may_pass_is_tried_again(serve: Serve, trouble: Behaviour) -> None:
    server = serve(trouble, trouble, streams())
    assert ask(server).text == PLAN
    assert len(server.bodies) == 3


def test_a_server_says_how_long_to_wait(serve: Serve) -> None:
    begun = time.monotonic()
    assert ask(serve(says(429, retry_after="1"), streams())).text == PLAN
    assert time.monotonic() - begun >= 1.0


@pytest.mark.parametrize(
    ("trouble", "told"),
    [
        (closes, "gave no reply within|gave no whole reply"),
        (closes_in_the_middle, "closed in the middle|gave no whole reply"),
        (cuts_the_body, "gave no reply within|gave no whole reply"),
        (packs_badly, "header|gave no whole reply"),
        (says(200, '{"choices":['), "not whole|gave no whole reply"),
        (says(500, "<html><title>Oops</title></html>", "text/html"), "status 500, “Oops”|gave no whole reply"),
        (says(429, {"error": {"message": "slow down"}}), "slow down|gave no whole reply"),
        (says(429, {"error": "no"}, retry_after="3600"), "status 429"),
        (hangs, "no whole reply within 0.6 s"),
        (trickles, "no whole reply within 0.6 s"),
    ],
)
def test_what_does_not_pass_ends_with_the_budget(serve: Serve, trouble: Behaviour, told: str) -> None:
    begun = time.monotonic()
    with pytest.raises(ModelError, match=told):
        ask(serve(trouble), seconds=0.6)
    assert time.monotonic() - begun < 10.0


@pytest.mark.parametrize(
    ("trouble", "told", "requests"),
    [
        (says(200, "<!DOCTYPE html><title>Sign in</title>", "text/html"), "a web page .“Sign in”.*base_url", 1),
        (says(404, {"error": {"message": "model 'x' not found"}}), "model 'x' not found.*base_url and model", 1),
        (says(401, {"error": {"message": "who are you"}}), "no key; set it in .OPENAI_API_KEY.*who are you", 1),
        (says(403, "no", content_encoding="gzip"), "no key; set it in .OPENAI_API_KEY: status 403", 1),
        (says(301, "", location="http://elsewhere"), "status 301", 1),
        (says(400, {"error": {"message": "context too long"}}), "does not take the request.*context too long", 5),
        (says(200, ["what"]), "no completion: all of it", 1),
        (says(200, {"choices": ["what"]}), "no completion: choices.0", 1),
        (says(200, {"choices": [{"message": {"content": 5}}]}), "no completion: choices.0.message.content", 1),
        (says(200, {"choices": [], "usage": {"prompt_tokens": "many"}}), "no completion: usage.prompt_tokens", 1),
        (loops, "has no end", 1),
    ],
)
def test_what_no_second_try_mends_is_told_at_once(serve: Serve, trouble: Behaviour, told: str, requests: int) -> None:
    server = serve(trouble)
    with pytest.raises(ModelError, match=told) as caught:
        ask(server)
    assert len(server.bodies) == requests and "\n" not in str(caught.value)


@pytest.mark.parametrize("models", [{}, {"data": []}, {"data": [{}]}, {"data": "x"}, [], None])
def test_a_server_without_models(serve: Serve, monkeypatch: pytest.MonkeyPatch, models: object) -> None:
    monkeypatch.setattr(Handler, "do_GET", lambda request: request.answer(200, json.dumps(models)))
    with pytest.raises(ModelError, match=r"lists no model|no completion"):
        ask(serve(streams()), model="")


def test_nobody_listens() -> None:
    with serving(streams()) as server:
        pass
    with pytest.raises(ModelError, match=r"gave no (whole )?reply within 0.3 s"):
        ask(server, seconds=0.3)


@pytest.mark.parametrize("url", ["", "nonsense", "ftp://host/v1", "http://", "http://[::1"])
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(ModelError, match="not an address"):
        OpenAIModel(url, "m", "")


@pytest.mark.parametrize("behaviour", [hangs, trickles, says(503)])
def test_a_cancel_ends_it_wherever_it_waits(serve: Serve, behaviour: Behaviour) -> None:
    model, cancel = OpenAIModel(serve(behaviour).url, "m", ""), Cancel()
    threading.Timer(0.15, cancel.give).start()
    begun = time.monotonic()
    with pytest.raises(Cancelled):
        model.complete(TURNS, SCHEMA, Bounds(seconds=60.0), cancel)
    model.close()
    assert time.monotonic() - begun < 10.0


def test_the_planner_degrades_when_the_server_is_gone() -> None:
    reports: list[str] = []
    settings = LanguageSettings(base_url="http://127.0.0.1:9/v1", model="m", answer_limit=0.5)
    planner = make_planner("openai", SKILLS, settings, reports.append)
    assert isinstance(planner, LanguagePlanner)
    scene = tabletop()
    plan = planner.plan("put the red block in the blue bowl", scene, History(scene))
    planner.close()
    assert plan.steps and "http://127.0.0.1:9/v1" in reports[0] and "symbolic" in reports[0]


def test_the_planner_plans_with_a_server(serve: Serve) -> None:
    server = serve(streams('{"thought":"so","steps":[{"skill":"pick","arguments":{"object":"red_block"}}]}'))
    planner = make_planner("openai", SKILLS, LanguageSettings(base_url=server.url, model="m"))
    assert isinstance(planner, LanguagePlanner)
    scene = tabletop()
    plan = planner.plan("grab the red thing", scene, History(scene))
    planner.close()
    assert [str(step) for step in plan.steps or ()] == ["pick(object=red_block)"]
