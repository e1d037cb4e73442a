"""What lets us in at a server, a key or a name and a password: it goes there, and into no message and no log."""

import base64
import logging

import pytest
from faulty_server import PLAN, FaultyServer, says, serving, streams
from planning_tables import tabletop

from reins.language_models import openai
from reins.language_models.model import Bounds, Cancel, Message, ModelError
from reins.language_models.openai import OpenAIModel
from reins.planning.factory import make_planner
from reins.planning.language.schema import plan_schema
from reins.planning.language.settings import LanguageSettings
from reins.planning.planner import History
from reins.skills.library import SKILLS

SCHEMA = plan_schema(tabletop(), SKILLS)
TURNS = (Message("system", "plan"), Message("user", "go home"))
KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai, "FIRST_WAIT", 0.01)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def ask(model: OpenAIModel) -> str:
    """What it answers, within a short time."""
    try:
        return model.complete(TURNS, SCHEMA, Bounds(seconds=0.5), Cancel()).text
    finally:
        model.close()


class TestKey:
    """The key comes from the environment."""

    def test_it_goes_to_the_server(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with serving(streams()) as server:
            ask(OpenAIModel(server.url, "m", "OPENAI_API_KEY"))
            monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
            ask(OpenAIModel(server.url, "m", "OPENAI_API_KEY"))
        assert server.keys == ["", f"Bearer {KEY}"]

    @pytest.mark.parametrize("status", [400, 401, 403, 404, 429])
    def test_it_is_in_no_message_and_no_log(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, status: int
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        caplog.set_level(logging.DEBUG)
        with serving(says(status, {"error": {"message": f"bad key {KEY}"}})) as server:
            model = OpenAIModel(server.url, "m", "OPENAI_API_KEY")
            with pytest.raises(ModelError) as caught:
                ask(model)
        assert not any(KEY in text for text in (str(caught.value), repr(caught.value), caplog.text))

    @pytest.mark.parametrize("key", ["sk-one\nsk-two", "sk-é", "sk-\x07"])
    def test_what_is_no_key_is_told_without_it(self, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", key)
        with pytest.raises(ModelError, match=r"what \$OPENAI_API_KEY holds is no key") as caught:
            OpenAIModel("http://127.0.0.1:9/v1", "m", "OPENAI_API_KEY")
        assert "sk-" not in str(caught.value)


class TestUser:
    """A name and a password in the address go to the server and nowhere else."""

    SENT = base64.b64encode(b"me:sk/secret").decode()
    SECRETS = ("sk/secret", "sk%2Fsecret", SENT)

    def model(self, server: FaultyServer, user: str = "me:sk%2Fsecret") -> OpenAIModel:
        return OpenAIModel(server.url.replace("://", f"://{user}@"), "", "OPENAI_API_KEY")

    def test_they_are_asked_with_and_not_shown(self, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.DEBUG)
        with serving(streams()) as server:
            model = self.model(server)
            assert ask(model) == PLAN
        assert server.keys == [f"Basic {self.SENT}"]
        assert model.name == f"openai: first-model at {server.url}"
        assert f"{server.url}/chat/completions" in caplog.text, "httpx logs what it asks"
        assert not any(secret in caplog.text for secret in self.SECRETS)

    @pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 429, 500])
    def test_they_are_in_no_message(self, status: int) -> None:
        with serving(says(status, {"error": {"message": f"who is {self.SENT}, sk/secret?"}})) as server:
            model = self.model(server)
            with pytest.raises(ModelError) as caught:
                ask(model)
        assert not any(secret in f"{caught.value} {caught.value!r}" for secret in self.SECRETS)

    def test_who_is_turned_away_is_told_what_with(self) -> None:
        with serving(says(401)) as server:
            model = self.model(server)
            with pytest.raises(ModelError, match="does not let us in with the user of base_url: status 401"):
                ask(model)

    def test_a_name_alone_is_a_secret_too(self) -> None:
        with serving(says(404, "no sk-alone here")) as server:
            model = self.model(server, "sk-alone")
            with pytest.raises(ModelError, match="“no … here”") as caught:
                ask(model)
        assert "sk-alone" not in str(caught.value)

    @pytest.mark.parametrize(
        "url",
        [
            "http://me:sk-secret@",
            "http://me:sk-secret@host:port/v1",
            "http://me:sk-se/cret@host/v1",
            "http://me:1/sk-secret@host/v1",
            "http://me:1#sk-secret@host/v1",
            "http://host/v1?key=sk-secret",
            "http://host/v1#sk-secret",
            "ftp://me:sk-secret@host/v1",
            "me:sk-secret@host/v1",
            "sk-secret@host",
        ],
    )
    def test_an_address_that_is_none_is_told_without_them(self, url: str) -> None:
        with pytest.raises(ModelError, match=r"base_url '.*' (is not an address|has .* after its host)") as caught:
            OpenAIModel(url, "m", "")
        assert "sk-" not in str(caught.value)

    def test_no_report_of_the_planner_has_them(self) -> None:
        reports: list[str] = []
        settings = LanguageSettings(base_url="http://me:sk-secret@127.0.0.1:9/v1", model="m", answer_limit=0.3)
        planner = make_planner("openai", SKILLS, settings, reports.append)
        plan = planner.plan("yeet it", tabletop(), History(tabletop()))
        assert "127.0.0.1:9/v1" in reports[0] and plan.question is not None
        assert "sk-secret" not in reports[0] + plan.question
