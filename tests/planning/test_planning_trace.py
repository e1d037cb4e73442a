"""What happens in a task is written down, line by line, and can be read back and shown whatever is in it."""

import json
import os
import re
import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning_tables import tabletop
from planning_world import World
from typer.testing import CliRunner, Result

from reins.cli.app import app
from reins.contracts.errors import ReinsError
from reins.contracts.plan import Plan, SkillCall
from reins.contracts.scene import Scene
from reins.language_models.model import Bounds, Cancel, Completion, ModelError, PromptFormat
from reins.planning.approval import Edit
from reins.planning.executor import TaskExecutor
from reins.planning.factory import make_planner
from reins.planning.language.planner import LanguagePlanner
from reins.planning.language.settings import LanguageSettings
from reins.planning.planner import History
from reins.planning.scripted import ScriptedPlanner
from reins.planning.tracing.page import line_of, write_page
from reins.planning.tracing.reading import Story, read_trace
from reins.planning.tracing.trace import TraceFolder, default_folder, newest, prune, traces_in
from reins.skills.library import SKILLS

INSTRUCTION = "put the red block in the blue bowl"


class Clumsy:
    """A model whose first reply is none, whose second is right, and that fails after that."""

    name = "clumsy"
    takes: PromptFormat = "chat"

    def __init__(self) -> None:
        pick = {"skill": "pick", "arguments": {"object": "red_block"}}
        place = {"skill": "place_in", "arguments": {"container": "blue_bowl"}}
        self.replies = ["<b>no</b>", json.dumps({"thought": "", "steps": [pick, place]})]

    def complete(self, prompt: Any, schema: Any, bounds: Bounds, cancel: Cancel, on_text: Any = None) -> Completion:
        if not self.replies:
            raise ModelError("it fell asleep")
        return Completion(self.replies.pop(0), 100, 20, 0.1, 0.5, cut=False)

    def close(self) -> None:
        """Nothing."""


def run(folder: Path, planner: str = "symbolic") -> Story:
    """A task of which one step fails, and its trace."""
    trace = TraceFolder(folder, 10)
    trace.begin(INSTRUCTION, planner)
    made: Any = make_planner("symbolic", SKILLS)
    if planner == "clumsy":
        made = LanguagePlanner(planner, Clumsy, SKILLS, LanguageSettings(), lambda _: None, trace)
    world = World(tabletop())
    world.faults = {("place_in", 0)}
    world.drive(TaskExecutor(made, SKILLS, INSTRUCTION, trace=trace))
    trace.close()
    return read_trace(newest(folder))


def test_a_task_is_told_from_its_beginning_to_its_end(tmp_path: Path) -> None:
    story = run(tmp_path)
    kinds = [entry["kind"] for entry in story.entries]
    assert kinds == ["task", "plan", "run", "step", "run", "step", "plan", "run", "step", "end"]
    assert story.instruction == INSTRUCTION and story.outcome == "succeeded" and story.is_whole
    failed = next(entry for entry in story.entries if entry.get("success") is False)
    assert (failed["call"], failed["reason"]) == ("place_in(container=blue_bowl)", "the fingers closed on nothing")
    plan = story.entries[1]
    assert plan["plan"]["steps"][0] == {"skill": "pick", "arguments": {"object": "red_block"}}
    assert plan["scene"]["objects"]["red_block"]["position"] == [0.45, 0.3, 0.02]
    assert "red_block on table" in plan["scene"]["relations"]
    figures = story.figures()
    assert (figures["plans"], figures["steps"], figures["failed_steps"], figures["model_calls"]) == (2, 3, 1, 0)


def test_replies_of_a_model_are_told_with_their_verdict(tmp_path: Path) -> None:
    story = run(tmp_path, "clumsy")
    bad, good = (entry for entry in story.entries if entry["kind"] == "call")
    assert "no JSON object" in bad["verdict"][0] and bad["reply"] == "<b>no</b>" and "Operator:" in bad["prompt"]
    assert good["verdict"] == [] and "That is not accepted" in good["prompt"]
    assert any(entry["kind"] == "trouble" and "fell asleep" in entry["why"] for entry in story.entries)
    figures = story.figures()
    assert (figures["model_calls"], figures["turned_down"], figures["prompt_tokens"]) == (2, 1, 200)
    assert figures["model_s"] == 1.0


def test_what_is_thought_too_late_tells_no_second_end(tmp_path: Path) -> None:
    trace = TraceFolder(tmp_path, 10)

    class Late(ScriptedPlanner):
        def plan(self, instruction: str, scene: Scene, history: History) -> Plan:
            executor.cancel("no plan within 1 s", "failed")  # by whoever waits for it
            trace.begin("another task", "symbolic")
            raise ReinsError("the language model was told to stop")

    trace.begin(INSTRUCTION, "late")
    executor = TaskExecutor(Late(SKILLS), SKILLS, INSTRUCTION, trace=trace)
    done = World(tabletop()).drive(executor)
    assert (done.outcome, done.reason) == ("failed", "no plan within 1 s")
    trace.close()
    ends = [[entry["kind"] for entry in read_trace(path).entries] for path in traces_in(tmp_path)]
    assert sorted(ends) == [["task"], ["task", "end"]]


class TestFolder:
    """One file for each task; trouble with files is no trouble for the task."""

    def test_names_tell_when_and_what(self, tmp_path: Path) -> None:
        trace = TraceFolder(tmp_path / "new", 10)
        for _ in range(2):
            trace.begin("Put it /../ in the “bowl”!", "symbolic")
        names = [path.name for path in traces_in(tmp_path / "new")]
        assert len(names) == 2
        assert all(re.fullmatch(r"trace_\d{8}T\d{6}Z_Put_it_in_the_bowl(-2)?\.jsonl", name) for name in names)

    def test_only_the_newest_stay_with_their_pages_and_other_files_are_left_alone(self, tmp_path: Path) -> None:
        names = [f"trace_2026010{day}T000000Z.jsonl" for day in range(1, 6)]
        for name in (*names, "notes.jsonl", "trace_20260101T000000Z.html"):
            (tmp_path / name).touch()
        prune(tmp_path, 2)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["notes.jsonl", *names[3:]]

    @pytest.mark.skipif(os.getuid() == 0, reason="root may write anywhere")
    def test_a_folder_that_cannot_be_written(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o500)
        self.check_trouble(tmp_path / "no")

    def test_a_folder_that_is_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        self.check_trouble(tmp_path / "file")

    def check_trouble(self, folder: Path) -> None:
        trace = TraceFolder(folder, 10)
        trace.begin(INSTRUCTION, "symbolic")
        assert "no trace is written to" in trace.take_trouble()
        trace.write("plan", plan={})
        trace.close()
        assert trace.take_trouble() == "", "it is told once"

    def test_trouble_after_the_beginning_is_kept_to_be_told(self, tmp_path: Path) -> None:
        trace = TraceFolder(tmp_path, 10)
        trace.begin(INSTRUCTION, "symbolic")
        assert trace.take_trouble() == ""
        with Path("/dev/full").open("w", encoding="utf-8", buffering=1) as full:
            trace._file = full
            trace.write("plan", plan={})
        trace.write("end", outcome="succeeded")
        trace.close()
        assert trace.take_trouble() == "the trace of this task has no end: No space left on device"
        assert trace.take_trouble() == ""
        trace.begin(INSTRUCTION, "symbolic")
        trace.close()
        assert trace.take_trouble() == "" and len(read_trace(newest(tmp_path)).entries) == 1

    @given(said=st.text(st.characters()), name=st.text(st.characters(categories=["Zl", "Zp", "Cc", "Cs"])))
    def test_whatever_is_said_is_written_and_read_back(self, said: str, name: str) -> None:
        with TemporaryDirectory() as folder:
            trace = TraceFolder(Path(folder), 10)
            trace.begin(said, "symbolic")
            trace.write("call", reply=name, verdict=[said])
            trace.write("end", outcome="succeeded")
            trace.close()
            story = read_trace(newest(Path(folder)))
            write_page(story, Path(folder) / "page.html")
        whole = [text.encode("utf-8", "replace").decode() for text in (said, name)]
        assert [story.instruction, story.entries[1]["reply"]] == whole and story.outcome == "succeeded"
        assert trace.take_trouble() == ""

    def test_what_is_written_between_tasks_is_lost(self, tmp_path: Path) -> None:
        trace = TraceFolder(tmp_path, 10)
        trace.write("plan")
        assert traces_in(tmp_path) == []

    def test_threads_do_not_mix_their_lines(self, tmp_path: Path) -> None:
        trace = TraceFolder(tmp_path, 10)
        trace.begin(INSTRUCTION, "symbolic")

        def write() -> None:
            for _ in range(50):
                trace.write("x", text="y" * 500)

        writers = [threading.Thread(target=write) for _ in range(4)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        assert len(read_trace(newest(tmp_path)).entries) == 201

    def test_where_they_are(self, tmp_path: Path) -> None:
        assert default_folder({"ROS_LOG_DIR": "/logs"}) == Path("/logs/traces")
        assert default_folder({"ROS_HOME": "/ros"}) == Path("/ros/reins/traces")
        with pytest.raises(ReinsError, match="no trace in"):
            newest(tmp_path)


class TestReading:
    """Files that are traces, in part, or not at all."""

    LINE = '{"at": 1.0, "kind": "task", "instruction": "x"}'

    def read(self, tmp_path: Path, text: str) -> Story:
        (tmp_path / "t.jsonl").write_text(text, encoding="utf-8")
        return read_trace(tmp_path / "t.jsonl")

    def test_a_task_that_was_killed(self, tmp_path: Path) -> None:
        story = self.read(tmp_path, f'{self.LINE}\n{{"at": 2.0, "kind": "pl')
        assert len(story.entries) == 1 and not story.is_whole and story.outcome == "unknown"

    def test_one_that_was_killed_in_the_middle_of_a_sign(self, tmp_path: Path) -> None:
        whole = f'{self.LINE}\n{{"at": 2.0, "kind": "好'.encode()
        for cut in (whole[:-1], whole[:-2], whole):
            (tmp_path / "t.jsonl").write_bytes(cut)
            assert len(read_trace(tmp_path / "t.jsonl").entries) == 1

    @pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85"])
    def test_signs_that_end_lines_elsewhere(self, tmp_path: Path, sign: str) -> None:
        text = f'{self.LINE}\n{{"at": 2.0, "kind": "call", "reply": "one{sign}two"}}\r\n{self.LINE}\n'
        entries = self.read(tmp_path, text).entries
        assert len(entries) == 3 and entries[1]["reply"] == f"one{sign}two"

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("", "is empty"),
            ("hello\n", "line 1"),
            (f"{LINE}\nhello\n{LINE}\n", "line 2"),
            (f'{LINE}\n{{"kind": "plan"}}\n', "line 2: 'at'"),
            (f'{LINE}\n["at"]\n', "line 2"),
            (f'{LINE}\n{{"kind": "plan", "at": "noon"}}\n', "line 2"),
        ],
    )
    def test_what_is_none_is_told_by_its_line(self, tmp_path: Path, text: str, told: str) -> None:
        with pytest.raises(ReinsError, match=told):
            self.read(tmp_path, text)

    def test_no_file_and_no_text(self, tmp_path: Path) -> None:
        with pytest.raises(ReinsError, match="there is no file"):
            read_trace(tmp_path / "nothing")
        (tmp_path / "raw").write_bytes(b"\xff\xfe\x00")
        with pytest.raises(ReinsError, match="cannot be read"):
            read_trace(tmp_path / "raw")


def test_the_page_shows_all_of_it_and_runs_nothing_of_it(tmp_path: Path) -> None:
    story = run(tmp_path, "clumsy")
    page = tmp_path / "page.html"
    write_page(story, page)
    text = page.read_text(encoding="utf-8")
    assert "<b>no</b>" not in text and "&lt;b&gt;no&lt;/b&gt;" in text
    assert INSTRUCTION in text and "the fingers closed on nothing" in text and "fell asleep" in text
    assert "pick red_block" in text and 'class="verdict succeeded"' in text
    assert "http" not in text


@given(st.dictionaries(st.sampled_from(["call", "plan", "reason", "verdict", "outcome", "instruction"]), st.text()))
def test_an_entry_of_any_kind_is_a_line(entry: dict[str, str]) -> None:
    for kind in ("task", "call", "trouble", "plan", "doubt", "ask", "answer", "why", "run", "step", "end", "other"):
        if not (kind == "plan" and "problems" in entry):
            assert isinstance(line_of({"kind": kind, "at": 0.0, **entry}), str)


def test_questions_and_answers_are_lines_of_the_timeline(tmp_path: Path) -> None:
    trace = TraceFolder(tmp_path, 10)
    trace.begin("push the red block left", "symbolic")
    world = World(tabletop())
    own = Plan(steps=(SkillCall(skill="move_to", arguments={"target": "white_plate"}),))
    world.answers = [Edit(own, "anna@desk")]
    planner = make_planner("symbolic", SKILLS)
    world.drive(TaskExecutor(planner, SKILLS, "push the red block left", trace=trace, approve="risky"))
    trace.write("why", question="why?", answer="because")
    trace.close()
    story = read_trace(newest(tmp_path))
    assert story.is_whole and story.outcome == "succeeded"
    lines = {entry["kind"]: line_of(entry) for entry in story.entries}
    assert lines["ask"].startswith("question 1: may this plan run? step 1, push red_block left, pushes without a grip")
    assert lines["answer"] == "question 1: anna@desk: edit: move_to white_plate"
    assert lines["why"] == "“why?” because"
    write_page(story, tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Operator asked" in text and "Operator said" in text and "Asked why" in text


class TestCommand:
    """`reins trace`."""

    def reins(self, *arguments: str) -> Result:
        return CliRunner().invoke(app, ["trace", *arguments])

    def test_the_newest_in_words_and_as_a_page(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ROS_LOG_DIR", str(tmp_path))
        monkeypatch.setenv("COLUMNS", "200")
        run(tmp_path / "traces")
        result = self.reins()
        assert result.exit_code == 0, result.output
        assert INSTRUCTION in result.output and "the fingers closed on nothing" in result.output
        assert newest(tmp_path / "traces").with_suffix(".html").is_file()

    def test_figures_for_programs(self, tmp_path: Path) -> None:
        run(tmp_path)
        result = self.reins(str(newest(tmp_path)), "--json")
        assert json.loads(result.output)["outcome"] == "succeeded"
        assert not list(tmp_path.glob("*.html"))

    def test_a_file_that_is_none(self, tmp_path: Path) -> None:
        result = self.reins(str(tmp_path / "nothing.jsonl"))
        assert result.exit_code != 0 and "there is no file" in result.output
