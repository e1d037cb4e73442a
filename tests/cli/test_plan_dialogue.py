"""What a person types to a plan that waits is what the planner hears, and only while they have seen the plan."""

import io
import os
import sys
from pathlib import Path

import pytest
from rich.console import Console

from reins.cli.editor import edit_text
from reins.cli.lines import TypedLines, descriptor_of
from reins.cli.plan_dialogue import PlanDialogue
from reins.contracts.errors import ReinsError
from reins.contracts.plan import Plan, SkillCall
from reins.nodes.outcomes import PlanQuestion, Reply
from reins.planning.approval import Answer, Approve, Edit, Reject, Reword
from reins.planning.approval import Reply as Words

PLAN = Plan(steps=(SkillCall(skill="push", arguments={"object": "red_block", "direction": "left"}),))
QUESTION = PlanQuestion(3, "push [it]", PLAN, ("it slides",), 60.0)
WHICH = PlanQuestion(4, "push it", Plan(question="Which [one] is it?"), (), 30.0)
ME = "anna@desk"


class Planner:
    """Hears answers; refuses edits of more than one step."""

    def __init__(self) -> None:
        self.heard: list[tuple[Answer, int]] = []
        self.asked: list[str] = []

    def answer(self, answer: Answer, number: int = 0) -> Reply:
        if isinstance(answer, Edit) and len(answer.plan.steps or ()) > 1:
            return Reply(False, "the edited plan is not accepted: too long")
        self.heard.append((answer, number))
        return Reply(True, "so be it")

    def explain(self, question: str) -> str:
        self.asked.append(question)
        return "because of [reasons]"


class Desk:
    """A dialogue with somebody who types."""

    def __init__(self, editor: str = "", answers: bool = True) -> None:
        read, self._write = os.pipe()
        self.screen, self.planner = io.StringIO(), Planner()
        self.drafts: list[str | None] = []
        self.texts = [editor]
        console = Console(file=self.screen, width=200, color_system=None)
        self.lines = TypedLines(read)
        self.dialogue = PlanDialogue(console, self.lines, self.planner, ME, self._edit, takes_words=answers)

    def _edit(self, plan: Plan, remarks: tuple[str, ...], draft: str | None) -> tuple[str, Plan] | None:
        from reins.planning.plan_text import plan_from_text

        self.drafts.append(draft)
        text = self.texts.pop(0)
        try:
            return (text, plan_from_text(text)) if text else None
        except ReinsError as error:
            raise ReinsError(str(error), text) from None

    def types(self, text: str) -> None:
        os.write(self._write, text.encode())
        self.dialogue.look()

    def leaves(self) -> None:
        os.close(self._write)
        self.dialogue.look()

    @property
    def shown(self) -> str:
        return self.screen.getvalue()


@pytest.fixture
def desk() -> Desk:
    made = Desk()
    made.dialogue.take(QUESTION)
    return made


def test_it_shows_the_plan_the_risk_and_what_may_be_typed(desk: Desk) -> None:
    for text in (
        "plan 3 for “push [it]”",
        "60 s",
        "push(object=red_block, direction=left)",
        "look: it slides",
        "y run it",
    ):
        assert text in desk.shown


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("y", Approve(ME)),
        ("YES", Approve(ME)),
        ("好", Approve(ME)),
        ("n", Reject("", ME)),
        ("no, not so fast", Reject("not so fast", ME)),
        ("n 不要碰绿色的方块", Reject("不要碰绿色的方块", ME)),
        ("i go home", Reword("go home", ME)),
        ("instead: go home", Reword("go home", ME)),
    ],
)
def test_an_answer(desk: Desk, typed: str, answer: Answer) -> None:
    desk.types(f"{typed}\n")
    assert desk.planner.heard == [(answer, 3)] and "so be it" in desk.shown


@pytest.mark.parametrize("typed", ["", "yes please do", "maybe", "i", "e now", "yy", "y; rm -rf /"])
def test_what_is_no_answer_is_none(desk: Desk, typed: str) -> None:
    desk.types(f"{typed}\n")
    assert desk.planner.heard == [] and desk.shown.count("y run it") == 2


def test_an_answer_counts_when_the_line_is_complete(desk: Desk) -> None:
    desk.types("y")
    assert desk.planner.heard == []
    desk.types("\n")
    assert len(desk.planner.heard) == 1


def test_what_was_typed_before_the_plan_was_shown_lets_nothing_run() -> None:
    desk = Desk()
    desk.types("y\n")
    desk.dialogue.take(QUESTION)
    desk.dialogue.look()
    assert desk.planner.heard == [] and "no plan waits" in desk.shown


def test_a_second_answer_does_not_hit_the_next_plan(desk: Desk) -> None:
    desk.types("y\ny\n")
    desk.dialogue.look()
    assert len(desk.planner.heard) == 1


def test_why_is_answered_and_the_plan_still_waits(desk: Desk) -> None:
    desk.types("why do you want to push it?\n")
    desk.types("?\n")
    assert desk.planner.asked == ["why do you want to push it?", ""] and "because of [reasons]" in desk.shown
    desk.types("y\n")
    assert len(desk.planner.heard) == 1


def test_q_ends_the_task(desk: Desk) -> None:
    with pytest.raises(KeyboardInterrupt):
        desk.types("q\n")


def test_an_edit_that_is_refused_can_be_gone_on_with(desk: Desk) -> None:
    home = "steps: [{skill: home}]"
    desk.texts = ["", "steps: home", "steps: [{skill: home}, {skill: home}]", home]
    for _ in range(4):
        desk.types("e\n")
    assert desk.drafts == [None, None, "steps: home", "steps: [{skill: home}, {skill: home}]"]
    assert "not valid" in desk.shown and "too long" in desk.shown
    assert desk.planner.heard == [(Edit(Plan(steps=(SkillCall(skill="home"),)), ME), 3)]


def test_where_nobody_can_type_it_says_how_to_answer_elsewhere(desk: Desk) -> None:
    desk.leaves()
    assert desk.lines.closed
    desk.dialogue.take(QUESTION)
    assert "reins plan approve" in desk.shown
    assert TypedLines(None).closed and TypedLines(None).next() is None
    assert descriptor_of(io.StringIO()) is None and descriptor_of(object()) is None


def test_a_last_line_without_an_end_and_bytes_that_are_no_text() -> None:
    read, write = os.pipe()
    lines = TypedLines(read)
    os.write(write, b"\xff\xfe\nlast")
    assert lines.next() == "��" and lines.next() is None
    os.close(write)
    assert lines.next() == "last" and lines.next() is None and lines.closed


class TestWords:
    """What is typed to a question of the planner is the answer, but for a few words."""

    @pytest.fixture
    def asked(self) -> Desk:
        made = Desk()
        made.dialogue.take(WHICH)
        return made

    def test_the_question_is_shown_with_what_may_be_typed(self, asked: Desk) -> None:
        for text in ("about “push it”", "30 s", "Which [one] is it?", "type the answer"):
            assert text in asked.shown
        assert "run it" not in asked.shown

    @pytest.mark.parametrize(
        ("typed", "answer"),
        [
            ("the left one", Words("the left one", ME)),
            ("y", Words("y", ME)),
            ("no, the red one", Words("no, the red one", ME)),
            ("i mean the red one", Words("i mean the red one", ME)),
            ("never mind", Words("never mind", ME)),
            ("蓝色的", Words("蓝色的", ME)),
            ("instead go home", Reword("go home", ME)),
        ],
    )
    def test_an_answer(self, asked: Desk, typed: str, answer: Answer) -> None:
        asked.types(f"  {typed} \n")
        assert asked.planner.heard == [(answer, 4)] and "so be it" in asked.shown

    def test_what_is_no_answer(self, asked: Desk) -> None:
        asked.types("\n")
        asked.types("why do you ask?\n")
        assert asked.planner.heard == [] and asked.planner.asked == ["why do you ask?"]
        with pytest.raises(KeyboardInterrupt):
            asked.types("q\n")

    def test_where_nobody_answers_it_is_not_shown_but_plans_are(self) -> None:
        desk = Desk(answers=False)
        desk.dialogue.take(WHICH)
        assert desk.shown == ""
        desk.dialogue.take(QUESTION)
        assert "y run it" in desk.shown


class TestEditor:
    """The person's own editor."""

    def script(self, tmp_path: Path, code: str) -> str:
        file = tmp_path / "my editor.py"
        file.write_text(f"import sys, pathlib\nfile = pathlib.Path(sys.argv[1])\n{code}\n", encoding="utf-8")
        return f"{sys.executable} '{file}'"

    def test_what_it_leaves_is_taken(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("VISUAL", raising=False)
        monkeypatch.setenv("EDITOR", self.script(tmp_path, "file.write_text(file.read_text() + 'more')"))
        assert edit_text("some", "plan.yaml") == "somemore"

    @pytest.mark.parametrize(
        ("code", "why"),
        [
            ("sys.exit(3)", "status 3"),
            ("file.write_bytes(b'\\xff')", "does not run"),
            ("file.unlink()", "does not run"),
        ],
    )
    def test_one_that_fails(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, why: str) -> None:
        monkeypatch.setenv("VISUAL", self.script(tmp_path, code))
        with pytest.raises(ReinsError, match=why):
            edit_text("some", "plan.yaml")

    @pytest.mark.parametrize(("editor", "why"), [("/no/such/editor", "name one in"), ("'", "is no command")])
    def test_one_that_is_none(self, monkeypatch: pytest.MonkeyPatch, editor: str, why: str) -> None:
        monkeypatch.setenv("VISUAL", editor)
        with pytest.raises(ReinsError, match=why):
            edit_text("some", "plan.yaml")

    def test_none_at_all(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("VISUAL", "EDITOR"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("PATH", "/nowhere")
        with pytest.raises(ReinsError, match="no editor is found"):
            edit_text("some", "plan.yaml")
