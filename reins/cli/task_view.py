"""A running task on the screen: the plan with its current step, or plain lines where there is no terminal."""

from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text
from typing_extensions import Self

if TYPE_CHECKING:
    from reins.contracts.plan import Plan
    from reins.nodes.outcomes import TaskProgress

BAR_WIDTH = 20
"""Characters of the progress bar."""

NOT_OF_A_SKILL = ("paused", "looking")
"""Stages whose text is not about a step of the plan, but about an operator who drives or drove by hand."""


class TaskView:
    """Shows one task while it runs.

    Args:
        console: where.
        instruction: what was asked.
    """

    def __init__(self, console: Console, instruction: str) -> None:
        self._console = console
        self._instruction = instruction
        self._spinner = Spinner("dots", style="cyan")
        self._noticed = ""
        self._told: tuple[object, ...] = ()
        self._last_plan: Plan | None = None
        self._live = Live(console=console, refresh_per_second=8) if console.is_terminal else None

    def __enter__(self) -> Self:
        self._console.print(f"[bold]{escape(self._instruction)}[/]", soft_wrap=True)
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def update(self, progress: "TaskProgress") -> None:
        """Take the newest feedback. While a plan waits, the screen is left to whoever shows it and takes the answer."""
        if progress.stage == "asking":
            self.pause()
            return
        self._notice(progress)
        if self._live is not None:
            self._live.start()
            self._live.update(self._render(progress))
        else:
            self._print(progress)

    def pause(self) -> None:
        """Leave the screen to others until the next feedback that is about a task that goes on."""
        if self._live is not None and self._live.is_started:
            self._live.update(Text(""))
            self._live.stop()

    def _notice(self, progress: "TaskProgress") -> None:
        """Lines that stay: that an operator drives and how to hand back, and what changed meanwhile."""
        text = f"{progress.stage}: {progress.step_text}" if progress.stage in NOT_OF_A_SKILL else ""
        if progress.step_text and text and text != self._noticed:
            self._console.print(escape(text), style="yellow", soft_wrap=True)
        self._noticed = text

    def _print(self, progress: "TaskProgress") -> None:
        if progress.plan is not None and progress.plan != self._last_plan:
            self._last_plan = progress.plan
            for line in plan_lines(progress.plan):
                self._console.print(escape(line), soft_wrap=True)
        now = (progress.stage, progress.step, progress.step_text)
        if now != self._told and not (progress.stage in NOT_OF_A_SKILL and progress.step_text):
            self._told = now
            step = f" {progress.step + 1}: {progress.step_text}" if progress.step_text else ""
            self._console.print(escape(f"{progress.stage}{step}"), soft_wrap=True)

    def _render(self, progress: "TaskProgress") -> RenderableType:
        head = Text(progress.stage, style="cyan")
        if progress.plan is None or not progress.plan.steps:
            self._spinner.update(text=head)
            return self._spinner
        self._spinner.text = Text()
        rows = Table(show_header=False, box=None, padding=(0, 1, 0, 0))
        for index, step in enumerate(progress.plan.steps):
            if index < progress.step:
                rows.add_row("[green]✓[/]", Text(str(step), style="dim"), "")
            elif index == progress.step:
                filled = round(progress.progress * BAR_WIDTH)
                bar = f"[cyan]{'━' * filled}[/][dim]{'━' * (BAR_WIDTH - filled)}[/] {escape(progress.phase)}"
                rows.add_row(self._spinner, Text(str(step), style="bold"), bar)
            else:
                rows.add_row("[dim]·[/]", Text(str(step)), "")
        return Group(*(Text(line, style="dim") for line in _notes(progress.plan)), rows, head)


def _notes(plan: "Plan") -> list[str]:
    notes = [plan.thought] if plan.thought else []
    for constraint in plan.constraints:
        if constraint.kind == "avoid":
            notes.append(f"must not touch {constraint.object}")
        elif constraint.kind == "speed":
            notes.append(f"at most {constraint.scale:.0%} of the speed")
        else:
            notes.append(str(constraint))
    return notes


def plan_lines(plan: "Plan") -> list[str]:
    """A plan in lines: thought, constraints, then the steps, the question or the refusal."""
    steps = [f"  {number}. {step}" for number, step in enumerate(plan.steps or (), start=1)]
    said = [text for text in (plan.question, plan.refusal) if text]
    return [*(f"  {note}" for note in _notes(plan)), *steps, *(f"  {text}" for text in said)]
