"""`./run test`: style, types and tests, with pytest's summary last."""

import subprocess
from collections.abc import Mapping, Sequence

from bootstrap.console import Console
from bootstrap.layout import Layout
from bootstrap.problems import StepFailed

ALL = "--all"


def run_checks(layout: Layout, console: Console, arguments: Sequence[str], env: Mapping[str, str]) -> int:
    """Run every check, whichever of them fail.

    Args:
        layout: the checkout to check.
        console: where the static checks report.
        arguments: for pytest; `--all` among them runs the slow tests too.
        env: the environment to run in.

    Returns:
        0 if all passed, else the exit status of what failed.
    """
    static = [_passes(layout, console, *check, env=env) for check in static_checks()]
    pytest = [str(layout.python), "-m", "pytest", *pytest_arguments(arguments)]
    status = subprocess.run(pytest, env=dict(env), cwd=layout.root, check=False).returncode
    if not all(static):
        console.say("Style or types failed: see above pytest's output.")
    return status or int(not all(static))


def static_checks() -> list[tuple[str, str, list[str]]]:
    """What is checked without running: title, name of the log, module and arguments."""
    return [
        ("checking style", "ruff-check", ["ruff", "check", "."]),
        ("checking format", "ruff-format", ["ruff", "format", "--check", "."]),
        ("checking types", "mypy", ["mypy"]),
    ]


def pytest_arguments(arguments: Sequence[str]) -> list[str]:
    """What pytest gets: all but the slow tests, unless `--all` or a `-m` of the user's says otherwise."""
    rest = [argument for argument in arguments if argument != ALL]
    return rest if len(rest) < len(arguments) else ["-m", "not slow", *rest]


def _passes(
    layout: Layout, console: Console, title: str, name: str, module: Sequence[str], env: Mapping[str, str]
) -> bool:
    try:
        console.run(title, name, [layout.python, "-m", *module], env, layout.root)
    except StepFailed as failure:
        console.say(str(failure))
        return False
    return True
