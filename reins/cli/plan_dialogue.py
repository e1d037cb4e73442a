"""A plan or a question on the screen that waits for an answer, and what a person may type to it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Protocol

from rich.console import Console
from rich.markup import escape

from reins.cli.editor import edit_text
from reins.cli.lines import TypedLines
from reins.cli.task_view import plan_lines
from reins.contracts.errors import ReinsError

if TYPE_CHECKING:
    from reins.contracts.plan import Plan
    from reins.nodes.outcomes import PlanQuestion, Reply
    from reins.planning.approval import Answer

PROMPT: Final = (
    "[bold]y[/] run it · [bold]n[/] do not · [bold]n WHY[/] make another one · [bold]e[/] edit it · "
    "[bold]i SENTENCE[/] do this instead · [bold]q[/] end the task · or ask why"
)
PROMPT_IN_WORDS: Final = (
    "type the answer · [bold]never mind[/] or [bold]q[/] end the task · [bold]instead SENTENCE[/] do this instead · "
    "or ask why"
)
ELSEWHERE: Final = "answer it in another terminal: `reins plan approve`, `reins plan reject`, `reins plan edit`"

YES: Final = ("y", "yes", "approve", "是", "好", "可以")
NO: Final = ("n", "no", "reject", "不", "不要")
EDIT: Final = ("e", "edit")
INSTEAD: Final = ("i", "instead")
QUIT: Final = ("q", "quit", "abort")


class Answers(Protocol):
    """Where answers go."""

    def answer(self, answer: "Answer", number: int = 0) -> "Reply":
        """Give one."""
        ...

    def explain(self, question: str) -> str:
        """Ask why."""
        ...


def question_lines(question: "PlanQuestion") -> list[str]:
    """A plan or a question that waits, in lines."""
    if question.plan.question:
        return [f"about “{question.instruction}”, for {question.limit:.0f} s at most: {question.plan.question}"]
    head = f"plan {question.number} for “{question.instruction}” waits for an answer, {question.limit:.0f} s at most"
    return [head, *plan_lines(question.plan), *(f"  look: {risk}" for risk in question.risks)]


def edit_plan(plan: "Plan", remarks: tuple[str, ...], draft: str | None = None) -> tuple[str, "Plan"] | None:
    """Let the person edit a plan in their editor, $VISUAL or $EDITOR; text and plan, or None if nothing was changed.

    Args:
        plan: what is edited.
        remarks: comment lines above it.
        draft: what they wrote before, to go on with.

    Raises:
        ReinsError: the editor does not run, or what they wrote is no plan; the text is in the error's `args[1]`.
    """
    from reins.planning.plan_text import plan_from_text, plan_to_text

    begin = draft if draft is not None else plan_to_text(plan, remarks)
    text = edit_text(begin, "plan.yaml")
    if not text.strip() or (draft is None and text == begin):
        return None
    try:
        return text, plan_from_text(text)
    except ReinsError as error:
        raise ReinsError(str(error), text) from None


class PlanDialogue:
    """Shows what waits and takes what is typed.

    Args:
        console: where.
        lines: what is typed.
        answers: where answers go.
        who: who answers.
        edit: lets the person edit a plan: `edit_plan`.
        before: called before a plan is shown, to clear the screen for it.
        takes_words: whether questions of the planner are shown and answered here; plans always are.
    """

    def __init__(
        self,
        console: Console,
        lines: TypedLines,
        answers: Answers,
        who: str,
        edit: Callable[..., tuple[str, "Plan"] | None] = edit_plan,
        before: Callable[[], None] = lambda: None,
        takes_words: bool = True,
    ) -> None:
        self._console, self._lines, self._answers, self._who = console, lines, answers, who
        self._edit, self._before, self._takes_words = edit, before, takes_words
        self._open: PlanQuestion | None = None
        self._draft: str | None = None

    def take(self, question: "PlanQuestion | None") -> None:
        """A plan or a question waits from now on, or none does any more."""
        self._open, self._draft = question, None
        if question is not None and (self._takes_words or not question.plan.question):
            self._before()
            for line in question_lines(question):
                self._console.print(escape(line), soft_wrap=True, style="yellow" if "look:" in line else None)
            self._console.print(ELSEWHERE if self._lines.closed else _prompt(question), soft_wrap=True)

    def look(self) -> None:
        """Do what was typed, if anything was.

        Raises:
            KeyboardInterrupt: the person wants the task to end.
        """
        line = self._lines.next()
        if line is None:
            return
        if self._open is None:
            self._say("no plan waits for an answer now; Ctrl-C ends the task")
            return
        try:
            if self._open.plan.question:
                self._reply(line.strip(), self._open)
            else:
                self._do(line.strip(), self._open)
        except ReinsError as error:
            self._say(str(error), "red")
            if self._open is not None:
                self._console.print(_prompt(self._open), soft_wrap=True)

    def _reply(self, text: str, question: "PlanQuestion") -> None:
        """What was typed to a question of the planner: words, of which a few mean something else."""
        from reins.planning.approval import Reply, Reword
        from reins.planning.why.question import is_about_the_past

        word, _, rest = text.partition(" ")
        if not text:
            self._console.print(_prompt(question), soft_wrap=True)
        elif text.lower() in QUIT:
            raise KeyboardInterrupt
        elif word.lower().rstrip(",:") == INSTEAD[-1] and rest:
            self._give(Reword(rest.strip(), self._who), question)
        elif text == "?" or is_about_the_past(text):
            self._say(self._answers.explain("" if text == "?" else text))
        else:
            self._give(Reply(text, self._who), question)

    def _do(self, text: str, question: "PlanQuestion") -> None:
        from reins.planning.approval import Approve, Reject, Reword
        from reins.planning.why.question import is_about_the_past

        word, _, rest = text.partition(" ")
        word, rest = word.lower().rstrip(",:."), rest.strip()
        if word in YES and not rest:
            self._give(Approve(self._who), question)
        elif word in NO:
            self._give(Reject(rest, self._who), question)
        elif word in INSTEAD and rest:
            self._give(Reword(rest, self._who), question)
        elif word in EDIT and not rest:
            self._edited(question)
        elif word in QUIT and not rest:
            raise KeyboardInterrupt
        elif text == "?" or is_about_the_past(text):
            self._say(self._answers.explain("" if text == "?" else text))
        else:
            self._console.print(PROMPT, soft_wrap=True)

    def _edited(self, question: "PlanQuestion") -> None:
        from reins.planning.approval import Edit

        remarks = (f"for: {question.instruction}", "save and leave to run it; leave without a change to go back")
        try:
            found = self._edit(question.plan, remarks, self._draft)
        except ReinsError as error:
            self._draft = error.args[1] if len(error.args) > 1 else self._draft
            raise
        if found is None:
            self._console.print(PROMPT, soft_wrap=True)
            return
        self._draft = found[0]
        self._give(Edit(found[1], self._who), question)

    def _give(self, answer: "Answer", question: "PlanQuestion") -> None:
        """Give an answer; one that is not taken leaves the question open."""
        reply = self._answers.answer(answer, question.number)
        if not reply.accepted:
            raise ReinsError(reply.message)
        self._say(reply.message)
        self._open = None

    def _say(self, text: str, style: str = "cyan") -> None:
        self._console.print(escape(text), style=style, soft_wrap=True)


def _prompt(question: "PlanQuestion") -> str:
    return PROMPT_IN_WORDS if question.plan.question else PROMPT
