"""`reins models`: the trained files, and whether they are what their cards say."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from reins.cli.console import ExitCode, out
from reins.contracts.errors import ReinsError, UnknownName, look_up

if TYPE_CHECKING:
    from reins.models.metadata import PolicyMetadata

app = typer.Typer(no_args_is_help=True, help="The trained models that reins ships.")


@app.command("list")
def list_models() -> None:
    """The models: what each is for, and how well it did when it was measured."""
    from reins.models.language import language_models, measured_of
    from reins.models.registry import list_models as models_here
    from reins.models.vision import measured_of as seen_by
    from reins.models.vision import vision_models

    table = Table(box=None, padding=(0, 2, 0, 0))
    for title in ("model", "skill", "robot", "measured", "size"):
        table.add_column(title, no_wrap=True)
    for entry in models_here():
        table.add_row(entry.name, entry.skill, entry.robot, entry.measured, f"{entry.size / 1e3:.0f} kB")
    for name, path in language_models().items():
        table.add_row(name, "planning", "any", measured_of(path), f"{path.stat().st_size / 1e3:.0f} kB")
    for name, path in vision_models().items():
        table.add_row(name, "perception", "any", seen_by(path), f"{path.stat().st_size / 1e3:.0f} kB")
    out.print(table)


@app.command()
def verify(
    name: Annotated[str, typer.Argument(help="One model; all of them by default.")] = "",
    measure: Annotated[
        bool, typer.Option("--measure", help="Also measure success again: is it what the card says, and enough?")
    ] = False,
    sim: Annotated[str, typer.Option(help="Simulators of that, separated by commas.")] = "mujoco",
    episodes: Annotated[int, typer.Option(min=1, help="Episodes of that, in each simulator.")] = 200,
) -> None:
    """Check checksums, metadata and cards, and ask language models for the plans that they are known to make.

    Exit status 1 when one is not as it should be, or is measured and would not be let in again.
    """
    from reins.models.language import language_models
    from reins.models.registry import find_model, known_models, verify_model
    from reins.models.vision import verify_vision_model, vision_models

    sims = _simulators(sim) if measure else []
    language, vision = language_models(), vision_models()
    known = [*known_models(), *language, *vision]
    if name and name not in known:
        raise UnknownName("model", name, known)
    if not known:
        out.print("no models are here; `reins train` makes them")
    wrong = False
    for model in [name] if name else known:
        try:
            if model in language:
                said = _planned(model, language[model])
            elif model in vision:
                verify_vision_model(model)
                said = ""
            else:
                metadata = verify_model(model)
                said = _measured(find_model(model).path, metadata, sims, episodes) if measure else ""
        except ReinsError as error:
            wrong = True
            out.print(f"[red]✗[/] {model}: {escape(str(error))}", soft_wrap=True)
        else:
            out.print(f"[green]✓[/] {model}{said}")
    if wrong:
        raise typer.Exit(int(ExitCode.FAILED))


def _planned(name: str, path: Path) -> str:
    """Check a language model and ask it for its golden plans, and what to say of it.

    Raises:
        ReinsError: it is not what its card says, or it plans otherwise.
    """
    from reins.models.language import verify_language_model

    card = verify_language_model(name)
    if find_spec("llama_cpp") is None:
        return ": its plans were not asked for; `./run setup llm` installs what runs it"
    from reins.training.planner.golden import changed_plans

    if changed := list(changed_plans(path, card.golden)):
        raise ReinsError(f"model '{name}': {'; '.join(changed)}")
    return f": plans as its card says, {len(card.golden)} of {len(card.golden)}"


def _simulators(text: str) -> list[str]:
    """The simulators that are named in `text`, with commas between them.

    Raises:
        UnknownName: one does not exist; lists those that do.
        ReinsError: none is named.
    """
    from reins.cli.train import needs_extra

    with needs_extra():
        from reins.training.envs.stage import STAGES
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        look_up("simulator of environments", name, STAGES)
    if not names:
        raise ReinsError("--sim names no simulator to measure in")
    return names


def _measured(path: Path, metadata: "PolicyMetadata", sims: list[str], episodes: int) -> str:
    """Measure a policy again in every simulator of `sims`, and what to say of it.

    Raises:
        ReinsError: it succeeds too seldom to be let in, or less often than its card says by more than chance explains.
    """
    from reins.models.metadata import FOOT_OFFSET

    if not metadata.training.environment.startswith("reins/") or metadata.measured is None:
        return ": not measured again; it was not trained in an environment of ours"
    if metadata.action.meaning == FOOT_OFFSET:
        return _walked(path, metadata, sims, episodes, metadata.measured.success_rate)
    from reins.cli.train import needs_extra

    with needs_extra():
        from reins.hardware.profile import load_profile
        from reins.skills.policy import load_policy
        from reins.training.rl.gate import ELSEWHERE, HERE, shortfall
        from reins.training.rl.measure import measure, task_of
    policy, task = load_policy(path, load_profile(metadata.robot)), task_of(metadata)
    found = {name: measure(policy, task, name, episodes, "training").success_rate for name in sims}
    stated = metadata.measured.success_rate
    here = found.get(HERE, stated)
    if short := shortfall(task, here, found.get(ELSEWHERE)):
        raise ReinsError(short)
    if HERE in found:
        _agrees(here, episodes, stated)
    return ": " + ", ".join(f"{rate:.1%} of {episodes} episodes in {name}" for name, rate in found.items())


def _walked(path: Path, metadata: "PolicyMetadata", sims: list[str], episodes: int, stated: float) -> str:
    """The same of a policy that walks, measured beside the trot alone; its card says `stated`.

    Raises:
        ReinsError: as `_measured`.
    """
    from reins.training.locomotion.gate import HERE, TITLES, shortfalls
    from reins.training.locomotion.measure import measure

    policy, trot = measure(metadata.robot, path, sims, episodes)
    if short := shortfalls(policy, trot):
        raise ReinsError("; ".join(short))
    if HERE in policy:
        _agrees(policy[HERE].no_fall, episodes, stated)
    return ": " + "; ".join(f"{walking} in {TITLES[sim]}, {episodes} episodes" for sim, walking in policy.items())


def _agrees(found: float, episodes: int, stated: float) -> None:
    """Raise ReinsError if a success rate is lower than `stated` by more than chance explains."""
    from reins.bench.report import success_interval

    if success_interval(round(found * episodes), episodes)[1] < stated:
        raise ReinsError(f"it succeeded in {found:.1%} of {episodes} episodes, and its card says {stated:.1%}")
