"""Runs the demo from the graph's start to the printed verdict."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from reins.cli.task_view import TaskView
from reins.contracts.errors import ReinsError, UnknownName
from reins.demo.criteria import Criterion, by_the_model, forbidden_by, goals_of, judge, within_limits
from reins.demo.recording import Recording
from reins.demo.report import Outcome, as_json, write_report
from reins.demo.session import Session, graph
from reins.demo.video import write_video
from reins.hardware.profile import load_profile
from reins.nodes.outcomes import TaskOutcome, TaskProgress
from reins.nodes.recorder import GraphRecorder
from reins.planning.factory import make_planner
from reins.planning.language.doors import BACKENDS as LANGUAGE_BACKENDS
from reins.sim.predicates import Predicate
from reins.sim.simulators import require_simulator
from reins.sim.world import load_world
from reins.skills.factory import BACKENDS
from reins.skills.library import SKILLS

INSTRUCTION: Final = "put the red block in the blue bowl but don't touch the yellow block"
GOALS: Final[tuple[Predicate, ...]] = (("in", "red_block", "blue_bowl"),)
FORBIDDEN: Final = ("yellow_block",)
"""What the demo asks for, and what physics must show for it, written independently of any planner."""

TASK_LIMIT: Final = 180.0
"""Longest that the task may take [s]."""

REST: Final = 0.6
"""Recorded before the task and after it [s]: objects come to rest, the last truth arrives."""

ROBOT: Final = "franka"


@dataclass(frozen=True, slots=True)
class DemoSettings:
    """What the demo runs; `folder` takes what it writes."""

    instruction: str
    seed: int
    world: str
    backend: str
    planner: str
    model: str
    skills: str
    folder: Path
    video: bool

    def check(self) -> None:
        """Raise ReinsError for an unknown world or backend before anything is started or written."""
        load_world(self.world)
        require_simulator(self.backend)
        if self.skills not in BACKENDS:
            raise UnknownName("skills backend", self.skills, BACKENDS)
        make_planner(self.planner, SKILLS)

    def arguments(self) -> dict[str, str]:
        """For the launch file."""
        return {
            "world": self.world,
            "seed": str(self.seed),
            "backend": self.backend,
            "planner": self.planner,
            "model": self.model,
            "skills": self.skills,
        }


def run_demo(settings: DemoSettings, console: Console) -> bool:
    """Run it, write video and report, print where they are.

    Returns:
        Whether the task says that it succeeded and physics agrees.

    Raises:
        ReinsError: an unknown name, a graph that does not come up, or no way to render; nothing moves then.
    """
    settings.check()
    folder = settings.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ReinsError(f"cannot write to '{folder}': {error.strerror}; give --out another folder") from None
    recording = Recording()
    with console.status("starting the graph") as status:
        on_change = _teller(console, status.update)
        with graph("sim", settings.arguments(), folder / "graph.log", on_change) as session:
            status.stop()
            said = _do(settings, session, recording, console)
    outcome = _judge(settings, said, recording)
    video = folder / "demo.mp4" if settings.video and _film(settings, recording, folder / "demo.mp4", console) else None
    profile = load_profile(ROBOT)
    named = {"instruction": settings.instruction, "robot": ROBOT, **settings.arguments()}
    write_report(folder / "report.html", settings.instruction, outcome, recording, profile, named, video)
    (folder / "result.json").write_text(json.dumps(as_json(outcome, named), indent=2) + "\n", encoding="utf-8")
    _conclude(outcome, folder, video, console)
    return outcome.success


def _teller(console: Console, update: Callable[[str], None]) -> Callable[[list[str]], None]:
    """Shows what the graph still lacks: in place on a terminal, in lines elsewhere."""

    def tell(missing: list[str]) -> None:
        text = f"starting the graph; waiting for {', '.join(missing)}" if missing else "the graph is up"
        if console.is_terminal:
            update(text)
        else:
            console.print(text, soft_wrap=True)

    return tell


def _do(settings: DemoSettings, session: Session, recording: Recording, console: Console) -> TaskOutcome:
    """Give the task, record until it has ended."""
    recorder = GraphRecorder(session.client, recording)
    session.client.spin(REST)
    with TaskView(console, settings.instruction) as view:

        def on_progress(progress: TaskProgress) -> None:
            recording.on_progress(progress)
            view.update(progress)

        said = session.client.execute_task(settings.instruction, TASK_LIMIT, on_progress)
    recording.finish()
    session.client.spin(REST)
    recorder.close()
    return said


def _judge(settings: DemoSettings, said: TaskOutcome, recording: Recording) -> Outcome:
    if not recording.worlds or len(recording.states) < 2:
        raise ReinsError("the simulation told no truth (robot_state, sim/world_state): nothing can be measured")
    if settings.instruction == INSTRUCTION:
        goals, forbidden = list(GOALS), list(FORBIDDEN)
    else:
        goals, forbidden = goals_of(recording.calls), forbidden_by(said.plan)
    criteria: list[Criterion] = judge(goals, forbidden, recording)
    criteria.append(within_limits(recording, load_profile(ROBOT)))
    if settings.planner in LANGUAGE_BACKENDS:
        criteria.append(by_the_model(settings.planner, recording))
    return Outcome(said.outcome, said.reason, said.replans, said.duration, said.plan, criteria)


def _film(settings: DemoSettings, recording: Recording, path: Path, console: Console) -> bool:
    """Render the video; False, with a line that says why, where that cannot work."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        bar = progress.add_task("rendering the video", total=None)

        def caption(t: float) -> tuple[str, str]:
            return settings.instruction, f"{t - recording.start:5.1f} s   {recording.text_at(t)}"

        def on_frame(done: int, total: int) -> None:
            progress.update(bar, completed=done, total=total)

        try:
            write_video(path, recording.worlds, load_profile(ROBOT), load_world(settings.world), caption, on_frame)
        except ReinsError as error:
            console.print(f"[yellow]no video:[/] {escape(str(error))}", soft_wrap=True)
            with suppress(FileNotFoundError):
                path.unlink()
            return False
    return True


def _conclude(outcome: Outcome, folder: Path, video: Path | None, console: Console) -> None:
    for criterion in outcome.criteria:
        mark = "[green]✓[/]" if criterion.met else "[red]✗[/]"
        console.print(f"{mark} {escape(criterion.text)} [dim]({escape(criterion.measured)})[/]", soft_wrap=True)
    colour = "green" if outcome.success else "red"
    verdict = "succeeded" if outcome.success else "did not succeed"
    console.print(
        f"[bold {colour}]{verdict}[/]: the task says {outcome.said} ({escape(outcome.reason)}), after "
        f"{outcome.duration:.1f} s",
        soft_wrap=True,
    )
    if video is not None:
        console.print(f"video   {video}", soft_wrap=True)
    console.print(f"report  {folder / 'report.html'}", soft_wrap=True)
