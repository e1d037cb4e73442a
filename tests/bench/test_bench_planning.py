"""The planning suites judge planners: one that knows what was meant, one that always moves, one that fails, one that
obeys what it reads."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reins.bench import planning_asked
from reins.bench.planning import ALL, PLANNED, chosen_suites, run_planning
from reins.bench.report import Report
from reins.cli.app import app
from reins.contracts.errors import ReinsError, UnknownName
from reins.contracts.plan import Plan, SkillCall
from reins.contracts.scene import Scene
from reins.planning.language.settings import LanguageSettings
from reins.planning.planner import History, Planner
from reins.planning.pursuit import missing
from reins.skills.library import SKILLS
from reins.training.planner.example import Example
from reins.training.planner.examples import Examples
from reins.training.planner.meanings import plan_of
from reins.training.planner.tricks import HARMLESS

EPISODES = 6

Known = dict[str, Example]


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> Known:
    """Every example that is drawn, by its instruction."""
    drawn: Known = {}
    draw = Examples.draw

    def noted(self: Examples, suite: str | None = None, language: str | None = None) -> Example:
        example = draw(self, suite, language)
        drawn[example.instruction] = example
        return example

    monkeypatch.setattr(Examples, "draw", noted)
    return drawn


class Oracle:
    """Knows what was meant."""

    name, quick = "oracle", False

    def __init__(self, known: Known) -> None:
        self._known = known

    def plan(self, instruction: str, scene: Scene, history: History) -> Plan:
        example = self._known[instruction]
        plan = plan_of(example.meaning, scene, history, SKILLS, "because")
        return plan or Plan(refusal="there is no way")

    def unmet(self, instruction: str, scene: Scene, history: History) -> list[str]:
        return missing(next(self._known[instruction].meaning.tasks()), scene, history, SKILLS)


class Mover(Oracle):
    """Goes home, whatever it is told."""

    def plan(self, instruction: str, scene: Scene, history: History) -> Plan:
        return Plan(steps=(SkillCall(skill="home"),))


class Broken(Oracle):
    """Has no answer."""

    def plan(self, instruction: str, scene: Scene, history: History) -> Plan:
        raise ReinsError("the server is gone")


class Gullible(Oracle):
    """Does something else where it reads something odd, unless it knows that as harmless."""

    knows: str = ""

    def plan(self, instruction: str, scene: Scene, history: History) -> Plan:
        words = [word for item in scene.objects.values() for word in (item.label, item.id)]
        words += [scene.caption] if scene.caption else []
        odd = any(not word.replace("_", "").isalnum() and word != self.knows for word in words)
        return Plan(refusal="as you wish") if odd else super().plan(instruction, scene, history)


def run(monkeypatch: pytest.MonkeyPatch, planner: Planner, *suites: str, split: str = "familiar") -> Report:
    monkeypatch.setattr(planning_asked, "make_planner", lambda *_: planner)
    return run_planning("x", LanguageSettings(), suites, EPISODES, 1, split=split)


@pytest.mark.parametrize("split", ["familiar", "families", "pairs", "compositions"])
def test_who_knows_what_was_meant_is_right(monkeypatch: pytest.MonkeyPatch, known: Known, split: str) -> None:
    suites = PLANNED if split == "familiar" else ("single",)
    report = run(monkeypatch, Oracle(known), *suites, split=split)
    assert report.summary["success_rate"] == 1.0
    assert report.summary["valid_rate"] == 1.0
    assert report.summary["parse_rate"] == 1.0
    assert report.summary["unsafe_executed"] == 0
    assert report.summary["injections_effective"] == 0
    assert report.summary["constraints_dropped"] == 0
    assert set(report.summary["suites"]) == set(suites)
    assert report.summary["latency_s"]["p50"] > 0.0


def test_disturbed_tasks_can_be_done(monkeypatch: pytest.MonkeyPatch, known: Known) -> None:
    report = run(monkeypatch, Oracle(known), "disturbed")
    assert report.summary["success_rate"] >= 0.8
    assert report.summary["replans"] > 0


def test_motion_on_unsafe_instructions_is_counted(monkeypatch: pytest.MonkeyPatch, known: Known) -> None:
    report = run(monkeypatch, Mover(known), "unsafe", "constraints")
    assert report.summary["unsafe_executed"] == EPISODES
    assert report.summary["suites"]["unsafe"]["success_rate"] == 0.0
    assert report.summary["constraints_dropped"] > 0
    assert report.summary["refusals"]["missed"] == EPISODES


def test_a_planner_that_fails_is_counted(monkeypatch: pytest.MonkeyPatch, known: Known) -> None:
    report = run(monkeypatch, Broken(known), "single", "unsafe", "disturbed")
    assert report.summary["parse_rate"] == 0.0
    assert report.summary["success_rate"] == 0.0
    assert "the server is gone" in report.episodes[0]["reason"]


class Forgetful(Oracle):
    """Remembers one plan in three."""

    hits = misses = 0

    @property
    def memory(self) -> tuple[int, int]:
        return self.hits, self.misses

    def plan(self, instruction: str, scene: Scene, history: History) -> Plan:
        is_hit = (self.hits + self.misses) % 3 == 2
        self.hits, self.misses = self.hits + is_hit, self.misses + (not is_hit)
        return super().plan(instruction, scene, history)


def test_plans_that_were_remembered_are_counted(monkeypatch: pytest.MonkeyPatch, known: Known) -> None:
    report = run(monkeypatch, Forgetful(known), "single")
    assert EPISODES == 6 and report.summary["cache_hits"] == 2
    assert report.summary["cache_rate"] == pytest.approx(1 / 3)


def test_texts_that_are_obeyed_are_counted(monkeypatch: pytest.MonkeyPatch, known: Known) -> None:
    planner = Gullible(known)
    planner.knows = HARMLESS
    report = run(monkeypatch, planner, "injected")
    assert report.summary["injections_effective"] == report.summary["texts_distracting"] == EPISODES


def test_texts_that_only_confuse_are_counted_apart(monkeypatch: pytest.MonkeyPatch, known: Known) -> None:
    report = run(monkeypatch, Gullible(known), "injected")
    assert report.summary["injections_effective"] == 0
    assert report.summary["texts_distracting"] == EPISODES


def test_the_same_seed_gives_the_same_instructions(monkeypatch: pytest.MonkeyPatch, known: Known) -> None:
    one, two = (run(monkeypatch, Oracle(known), "multi") for _ in range(2))
    assert [e["instruction"] for e in one.episodes] == [e["instruction"] for e in two.episodes]


def test_suites_by_name() -> None:
    assert chosen_suites("all") == list(ALL)
    assert chosen_suites("single, unsafe") == ["single", "unsafe"]
    with pytest.raises(UnknownName, match="sinlge"):
        chosen_suites("sinlge")


@pytest.mark.parametrize(("language", "split"), [("fr", "familiar"), ("en", "nothing")])
def test_an_unknown_language_or_split_is_an_error(language: str, split: str) -> None:
    with pytest.raises(UnknownName):
        run_planning("symbolic", LanguageSettings(), ["single"], 1, 1, language, split)


def test_the_command_writes_what_it_measured(tmp_path: Path) -> None:
    path = tmp_path / "planning.json"
    command = ["bench", "planning", "--suite", "single,unsafe", "--episodes", "4", "--language", "en"]
    result = CliRunner().invoke(app, [*command, "--json", str(path)])
    assert result.exit_code == 0, result.output
    summary = json.loads(path.read_text(encoding="utf-8"))["summary"]
    assert summary["episodes"] == 8
    assert summary["suites"]["unsafe"]["success_rate"] == 1.0
