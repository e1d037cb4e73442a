"""Whatever is wrong with a model: one clear report, in time, and the symbolic planner goes on where it understands.

The faults are real ones: sockets, files on disk, llama.cpp itself.
"""

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from faulty_server import (
    Behaviour,
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
from planning_world import World

from reins.language_models import openai
from reins.planning.executor import TaskExecutor
from reins.planning.factory import make_planner
from reins.planning.language.planner import LanguagePlanner
from reins.planning.language.settings import LanguageSettings
from reins.planning.planner import History
from reins.skills.library import SKILLS

KNOWN = "put the red block in the blue bowl"
UNKNOWN = "would you pop the red cube into the bowl for me, pal"
HALF_JSON = streams('{"thought":"into the bowl","steps":[{"skill":"pi')
HTML = says(200, "<!DOCTYPE html><title>Sign in</title>", "text/html")
ERROR_PAGE = says(500, "<html><title>Internal Server Error</title></html>", "text/html")
SLOW_DOWN = says(429, {"error": {"message": "slow down"}})
LIMIT = 1.0

SERVERS: dict[str, tuple[Behaviour, str]] = {
    "times out": (hangs, "no whole reply within"),
    "trickles": (trickles, "no whole reply within"),
    "closes": (closes, "gave no"),
    "closes in the middle": (closes_in_the_middle, "closed in the middle|gave no whole reply"),
    "cuts its body": (cuts_the_body, "gave no"),
    "packs badly": (packs_badly, "gave no"),
    "half a JSON": (HALF_JSON, "ends in the middle of its JSON"),
    "a web page": (HTML, "“Sign in”"),
    "429": (SLOW_DOWN, "slow down|gave no whole reply"),
    "500": (ERROR_PAGE, "status 500|gave no whole reply"),
    "loops": (loops, "has no end"),
}


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai, "FIRST_WAIT", 0.01)


def made(backend: str, reports: list[str], **settings: object) -> LanguagePlanner:
    """A planner with a model that has something wrong with it."""
    wanted = {"answer_limit": LIMIT, "attempts": 2, "cache": 0, **settings}
    planner = make_planner(backend, SKILLS, LanguageSettings.model_validate(wanted), reports.append)
    assert isinstance(planner, LanguagePlanner)
    return planner


@pytest.mark.parametrize("fault", SERVERS)
def test_a_server_with_this_fault_costs_the_task_nothing_but_time(fault: str) -> None:
    behaviour, told = SERVERS[fault]
    reports: list[str] = []
    with serving(behaviour) as server:
        planner = made("openai", reports, base_url=server.url, model="m")
        begun = time.monotonic()
        done = World(tabletop()).drive(TaskExecutor(planner, SKILLS, KNOWN))
        seconds = time.monotonic() - begun
        planner.close()
    assert done.outcome == "succeeded" and planner.without_model == 1
    assert seconds < LIMIT + 10.0
    (report,) = reports
    assert server.url.removesuffix("/v1") in report and report.endswith("; the symbolic planner goes on")
    assert "\n" not in report and re.search(told, report)


@pytest.mark.parametrize("fault", ["times out", "half a JSON", "500"])
def test_where_nobody_understands_the_operator_is_asked_and_nothing_moves(fault: str) -> None:
    reports: list[str] = []
    world = World(tabletop())
    with serving(SERVERS[fault][0]) as server:
        planner = made("openai", reports, base_url=server.url, model="m")
        done = world.drive(TaskExecutor(planner, SKILLS, UNKNOWN))
        planner.close()
    assert done.outcome == "question" and "The language model gave no plan" in done.reason
    assert world.calls == [] and len(reports) == 1


def missing(folder: Path) -> Path:
    return folder / "missing.gguf"


def a_folder(folder: Path) -> Path:
    return folder


def a_web_page(folder: Path) -> Path:
    path = folder / "page.gguf"
    path.write_text("<html>404</html>", encoding="utf-8")
    return path


def truncated(folder: Path) -> Path:
    from tiny_gguf import write_tiny_gguf

    path = write_tiny_gguf(folder / "cut.gguf")
    path.write_bytes(path.read_bytes()[:-2000])
    return path


def of_no_known_architecture(folder: Path) -> Path:
    from tiny_gguf import write_tiny_gguf

    return write_tiny_gguf(folder / "odd.gguf", architecture="perceptron")


def that_loops(folder: Path) -> Path:
    from tiny_gguf import write_tiny_gguf

    return write_tiny_gguf(folder / "loop.gguf", metadata={"reins.prompt": "compact-3"})


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (missing, "there is no model file"),
        (a_folder, "is a folder"),
        (a_web_page, "is no GGUF file"),
        (truncated, "does not load"),
        (of_no_known_architecture, "unknown model architecture: 'perceptron'"),
        (that_loops, "was cut off after 40 tokens"),
    ],
)
def test_a_file_with_this_fault_costs_the_task_nothing(make: Callable[[Path], Path], told: str, tmp_path: Path) -> None:
    pytest.importorskip("llama_cpp", reason="the group llm is not set up")
    pytest.importorskip("gguf")
    reports: list[str] = []
    planner = made("llama_cpp", reports, model=str(make(tmp_path)), max_tokens=40, threads=1, answer_limit=30.0)
    done = World(tabletop()).drive(TaskExecutor(planner, SKILLS, KNOWN))
    planner.close()
    assert done.outcome == "succeeded" and planner.without_model == 1
    (report,) = reports
    assert told in report and report.endswith("; the symbolic planner goes on") and "\n" not in report


def test_once_the_fault_is_gone_the_model_plans_again() -> None:
    good = streams('{"thought":"so","steps":[{"skill":"pick","arguments":{"object":"red_block"}}]}')
    reports: list[str] = []
    scene = tabletop()
    with serving(SERVERS["a web page"][0], good) as server:
        planner = made("openai", reports, base_url=server.url, model="m")
        first, second = (planner.plan("pick up the red block", scene, History(scene)) for _ in range(2))
        planner.close()
    assert "without the language model" in first.thought and second.thought == "so" and len(reports) == 1
