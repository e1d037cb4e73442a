"""`reins bench` for planners: tabletop, planning, first-call, soak, and reports side by side."""

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from reins.bench.console import Backend, JsonFile, Robot, finish, progressing
from reins.contracts.errors import ReinsError

if TYPE_CHECKING:
    from reins.bench.tabletop_episode import Episode
    from reins.planning.language.settings import LanguageSettings
    from reins.rig import RigSettings

Planner = Annotated[str, typer.Option(help="Planner: symbolic, scripted, llama_cpp, openai or transformers.")]
Model = Annotated[
    str, typer.Option(help="Model of a language model's backend: a path, or a name at the server; empty: what ships.")
]
Prompt = Annotated[str, typer.Option(help="Prompt of a language model: auto, chat or compact.")]
BaseUrl = Annotated[str, typer.Option(help="Address of an OpenAI-compatible server.")]
Mode = Annotated[str, typer.Option(help="When it plans: front_end, closed_loop or advisor.")]
Skills = Annotated[str, typer.Option(help="Skill backend: scripted or onnx.")]
Perception = Annotated[str, typer.Option(help="Perception backend: geometric, or state (simulator truth).")]
Words = Annotated[
    str, typer.Option(help="Words of the tasks: controlled (what symbolic reads), or ordinary ones: en or zh.")
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the suite.")]


class Through(str, Enum):
    """What a suite runs through."""

    RIG = "rig"
    ROS = "ros"


def tabletop(
    planner: Planner = "symbolic",
    model: Model = "",
    prompt: Prompt = "auto",
    base_url: BaseUrl = "",
    mode: Mode = "front_end",
    skills: Skills = "scripted",
    perception: Perception = "geometric",
    words: Words = "controlled",
    disturb: Annotated[
        bool,
        typer.Option("--disturb", help="Somebody moves, drops, swaps or adds an object in each task (rig only)."),
    ] = False,
    declined: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of tasks that call for a question or a refusal.")
    ] = 0.0,
    episodes: Annotated[int, typer.Option(min=1, help="How many tasks.")] = 50,
    seed: Seed = 1,
    through: Annotated[
        Through,
        typer.Option(help="rig: the cores in lock-step; ros: the launched graph."),
    ] = Through.RIG,
    jobs: Annotated[int, typer.Option(min=1, help="Episodes side by side (rig only).")] = 1,
    filter_cost: Annotated[
        bool, typer.Option("--filter-cost", help="Run each task without the safety filter, too (rig only).")
    ] = False,
    robot: Robot = "franka",
    backend: Backend = "mujoco",
    json_file: JsonFile = None,
) -> None:
    """Randomised tabletop tasks, success measured from physics."""
    from reins.bench.tabletop_tasks import TaskStyle

    if filter_cost and through is Through.ROS:
        raise ReinsError("--filter-cost is for --through rig only: in the graph nothing goes past the safety filter")
    if disturb and through is Through.ROS:
        raise ReinsError("--disturb is for --through rig only: nobody reaches onto the table of a graph")
    if filter_cost and (disturb or declined or words != "controlled"):
        raise ReinsError("--filter-cost compares the plain tasks; leave --disturb, --declined and --words out")
    style = TaskStyle(words, declined, disturb)
    _require_backend(backend, live=through is Through.ROS)
    settings = _rig_settings(planner, model, prompt, base_url, mode, skills, perception, robot, backend)
    with progressing("episodes", episodes * (2 if filter_cost else 1)) as progress:

        def advance(episode: "Episode") -> None:
            progress(_trouble(episode))

        if through is Through.ROS:
            from reins.bench.tabletop_ros import run_tabletop_ros

            report = run_tabletop_ros(settings, episodes, seed, advance, style)
        elif filter_cost:
            from reins.bench.unfiltered import with_cost

            report = with_cost(settings, episodes, seed, jobs, advance)
        else:
            from reins.bench.tabletop import run_tabletop

            report = run_tabletop(settings, episodes, seed, jobs, advance, style)
    finish(report, json_file)


def planning(
    planner: Planner = "symbolic",
    suite: Annotated[str, typer.Option(help="Suites, separated by commas, or all.")] = "all",
    episodes: Annotated[int, typer.Option(min=1, help="Instructions per suite.")] = 100,
    language: Annotated[str, typer.Option(help="Language of the instructions: en, zh or both.")] = "both",
    split: Annotated[
        str,
        typer.Option(help="What is in them that our model never saw: familiar, families, pairs or compositions."),
    ] = "familiar",
    model: Model = "",
    prompt: Prompt = "auto",
    base_url: BaseUrl = "",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the instructions and scenes.")] = 1,
    json_file: JsonFile = None,
) -> None:
    """Plans for random scenes without physics, judged against what was meant."""
    from reins.bench.planning import PlanningEpisode, chosen_suites, run_planning

    settings = _language_settings(model, prompt, base_url)
    suites = chosen_suites(suite)
    with progressing("instructions", episodes * len(suites)) as progress:

        def advance(_episode: PlanningEpisode) -> None:
            progress("")

        report = run_planning(planner, settings, suites, episodes, seed, language, split, advance)
    finish(report, json_file)


def first_call(
    model: Model = "",
    prompt: Prompt = "auto",
    episodes: Annotated[int, typer.Option(min=1, help="How many instructions.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the instructions and scenes.")] = 1,
    json_file: JsonFile = None,
) -> None:
    """Time from an instruction to its first skill call with llama_cpp, beside llama.cpp alone on as many tokens."""
    from reins.bench.first_call import run_first_call

    settings = _language_settings(model, prompt, "")
    with progressing("instructions", episodes) as progress:
        report = run_first_call(settings, episodes, seed, lambda: progress(""))
    finish(report, json_file)


def soak(
    tasks: Annotated[int, typer.Option(min=1, help="How many tasks.")] = 200,
    planner: Planner = "symbolic",
    model: Model = "",
    base_url: BaseUrl = "",
    mode: Mode = "front_end",
    skills: Skills = "scripted",
    perception: Perception = "geometric",
    words: Words = "controlled",
    seed: Seed = 1,
    robot: Robot = "franka",
    backend: Backend = "mujoco",
    json_file: JsonFile = None,
) -> None:
    """Tasks in a row in one launched graph: growth of each node's memory, and whatever gets stuck."""
    from reins.bench.soak import run_soak
    from reins.bench.tabletop_tasks import TaskStyle

    _require_backend(backend, live=True)
    settings = _rig_settings(planner, model, "auto", base_url, mode, skills, perception, robot, backend)
    with progressing("tasks", tasks) as progress:
        report = run_soak(settings, tasks, seed, TaskStyle(words), lambda episode: progress(_trouble(episode)))
    finish(report, json_file)


def compare(
    files: Annotated[list[Path], typer.Argument(help="Reports of one suite, as --json writes them.")],
    page: Annotated[Path, typer.Option("--out", help="Where the page goes.", dir_okay=False)] = Path("compare.html"),
) -> None:
    """Reports side by side as a page: shares with their confidence intervals, figures, and where they differ."""
    from reins.bench.compare import read_report, write_comparison

    write_comparison([read_report(file) for file in files], page)
    Console().print(f"wrote {page}", soft_wrap=True, markup=False)


def _language_settings(model: str, prompt: str, base_url: str) -> "LanguageSettings":
    """The settings of a language model from the command line. A model that is measured is asked every time.

    Raises:
        ReinsError: one of them is not valid; says which.
    """
    from pydantic import ValidationError

    from reins.planning.language.settings import LanguageSettings

    wanted = {"model": model, "prompt": prompt, "rest_limit": 0.0, **({"base_url": base_url} if base_url else {})}
    try:
        return LanguageSettings.model_validate(wanted)
    except ValidationError as error:
        first = error.errors()[0]
        raise ReinsError(f"--{first['loc'][0]} {first['input']}: {first['msg']}") from None


def _require_backend(backend: str, live: bool) -> None:
    """Make sure that there is such a backend.

    Args:
        backend: a simulator, or an arm behind its protocol.
        live: whether the tasks run in real time, through the graph.

    Raises:
        ReinsError: there is none, or it needs what is not there; says what to do.
    """
    from reins.contracts.errors import look_up
    from reins.peers.robot import PEERS
    from reins.sim.simulators import SIMULATORS, require_simulator

    look_up("backend", backend, {**SIMULATORS, **PEERS})
    if backend not in PEERS:
        require_simulator(backend)
    elif not live:
        raise ReinsError(f"backend '{backend}' is an arm behind its protocol, in real time: use --through ros")


def _rig_settings(
    planner: str,
    model: str,
    prompt: str,
    base_url: str,
    mode: str,
    skills: str,
    perception: str,
    robot: str,
    backend: str,
) -> "RigSettings":
    """What a task is run with. Whatever is missing is said now, and not by a stand-in in the middle of a run.

    Raises:
        ReinsError: no such planner, mode or arm, or the planner's model does not load.
    """
    from typing import get_args

    from reins.contracts.errors import UnknownName
    from reins.hardware.profile import load_profile
    from reins.planning.cadence import Cadence
    from reins.planning.cadence import Mode as CadenceMode
    from reins.planning.factory import require_planner
    from reins.rig import RigSettings

    if mode not in get_args(CadenceMode):
        raise UnknownName("mode", mode, get_args(CadenceMode))
    load_profile(robot)
    language = _language_settings(model, prompt, base_url)
    require_planner(planner, language)
    cadence = Cadence(mode)  # type: ignore[arg-type]
    return RigSettings(
        robot=robot,
        backend=backend,
        planner=planner,
        language=language,
        cadence=cadence,
        skills=skills,
        perception=perception,
    )


def _trouble(episode: "Episode") -> str:
    """What to print of an episode."""
    if episode.success:
        return ""
    struck = f" ({episode.struck})" if episode.struck else ""
    return f"seed {episode.seed}: {episode.instruction!r}{struck}: {episode.outcome}: {episode.reason}"
