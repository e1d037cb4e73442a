"""Odd signs: halves, ends of lines that JSON does not know, numbers without end. None of them breaks anything."""

import json

import pytest
from faulty_server import Behaviour, FaultyServer, Handler, says, sends, serving, streams
from language_models import steps
from planning_tables import tabletop

from reins.contracts.errors import ReinsError
from reins.language_models import openai
from reins.language_models.json_text import first_object
from reins.language_models.model import Bounds, Cancel, ModelError
from reins.language_models.openai import OpenAIModel
from reins.planning.factory import make_planner
from reins.planning.language.reply import read_reply
from reins.planning.language.schema import plan_schema
from reins.planning.language.settings import LanguageSettings
from reins.planning.planner import History
from reins.skills.library import SKILLS

SCENE = tabletop()
SCHEMA = plan_schema(SCENE, SKILLS)
KNOWN = "put the red block in the blue bowl"
GOOD = steps("pick red_block", "place_in blue_bowl", thought="so")
LONG_NUMBER = f'{{"a":{"9" * 5000}}}'
"""Python reads no number of more than 4300 digits, and says so with an error that is none of JSON's."""


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai, "FIRST_WAIT", 0.01)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def reply_of(server: FaultyServer) -> str:
    """What a server's model answers; its pieces are the same."""
    model, pieces = OpenAIModel(server.url, "m", ""), list[str]()
    try:
        text = model.complete("#plan\n", SCHEMA, Bounds(seconds=10.0), Cancel(), pieces.append).text
    finally:
        model.close()
    assert "".join(pieces) == text
    return text


@pytest.mark.parametrize(
    ("sent", "heard"),
    [
        (("a\ud83d", "\ude00b"), "a\N{GRINNING FACE}b"),
        (("a\ud83d", "b"), "a\N{REPLACEMENT CHARACTER}b"),
        (("\ude00", "b"), "\N{REPLACEMENT CHARACTER}b"),
        (("b\ud83d",), "b\N{REPLACEMENT CHARACTER}"),
        (("好\N{GRINNING FACE}",), "好\N{GRINNING FACE}"),
        (("one\u2028two\x85three\u2029", "four\x1e"), "one\u2028two\x85three\u2029four\x1e"),
    ],
)
def test_signs_are_whole_and_stay(sent: tuple[str, ...], heard: str) -> None:
    with serving(sends(*sent)) as server:
        assert reply_of(server) == heard


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_events_end_their_lines_in_three_ways(end: str) -> None:
    def behave(request: Handler) -> None:
        request.begin_stream()
        event = json.dumps({"choices": [{"text": "yes", "finish_reason": "stop"}]})
        request.wfile.write(f"data: {event}{end}{end}data: [DONE]{end}{end}".encode())

    with serving(behave) as server:
        assert reply_of(server) == "yes"


def test_a_reply_of_half_signs_is_sent_back_and_the_next_one_counts() -> None:
    reports: list[str] = []
    with serving(sends('{"thought":"\ud83d'), streams(GOOD)) as server:
        planner = make_planner("openai", SKILLS, LanguageSettings(base_url=server.url, model="m"), reports.append)
        plan = planner.plan(KNOWN, SCENE, History(SCENE))
    assert plan.thought == "so" and reports == []
    assert '{"thought":"\N{REPLACEMENT CHARACTER}' in server.bodies[1]["messages"][-2]["content"]


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ('{"thought":"\\ud83d","steps":[]}', "half a sign"),
        ('{"thought":"","steps":[{"skill":"pick","arguments":{"\\ud83d":"x"}}]}', "half a sign"),
        ('{"\\ud83d":1,"\\ud83d":2}', r"says '\?' twice"),
        (LONG_NUMBER, "a number of thousands of digits"),
        ('{"steps":[{"skill":"push","arguments":{"distance":1e999}}]}', "1e999 in it, which is no number"),
    ],
)
def test_what_a_model_says_in_odd_signs_is_told_in_whole_ones(reply: str, told: str) -> None:
    with pytest.raises(ReinsError, match=told) as caught:
        read_reply(reply)
    assert str(caught.value).isprintable()


def test_both_halves_of_a_sign_are_one() -> None:
    assert first_object('{"a":"\\ud83d\\ude00"}') == {"a": "\N{GRINNING FACE}"}


@pytest.mark.parametrize(
    ("behaviour", "told"),
    [
        (says(404, {"error": {"message": "no \ud83d"}}), r"“no \?”"),
        (says(404, LONG_NUMBER), "status 404"),
        (says(200, LONG_NUMBER), "not whole|gave no whole reply"),
        (says(503, "busy", retry_after="²"), "busy|gave no whole reply"),
    ],
)
def test_what_a_server_says_in_odd_signs_is_told_in_whole_ones(behaviour: Behaviour, told: str) -> None:
    with serving(behaviour) as server:
        model = OpenAIModel(server.url, "m", "")
        with pytest.raises(ModelError, match=told) as caught:
            model.complete("#plan\n", SCHEMA, Bounds(seconds=0.3), Cancel())
        model.close()
    assert str(caught.value).isprintable()


def test_a_server_whose_model_has_an_odd_name_is_asked_for_it_in_whole_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = json.dumps({"data": [{"id": "m\ud83d"}]})
    monkeypatch.setattr(Handler, "do_GET", lambda request: request.answer(200, odd))
    with serving(streams()) as server:
        model = OpenAIModel(server.url, "", "")
        model.complete("#plan\n", SCHEMA, Bounds(seconds=10.0), Cancel())
        model.close()
    assert server.bodies[0]["model"] == "m?" and "m?" in model.name
