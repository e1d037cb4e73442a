"""`./run test`: style and types here, then pytest."""

from collections.abc import Mapping, Sequence
from typing import Final

from bootstrap.console import Console
from bootstrap.layout import Layout
from bootstrap.problems import StepFailed

ALL: Final = "--all"
STATIC_CHECKS: Final = {
    "style": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "."],
    "types": ["mypy"],
}
TYPES_FROM: Final = (3, 11)
"""The NumPy of an older Python describes its arrays with other types."""


def check_style_and_types(layout: Layout, console: Console, env: Mapping[str, str]) -> bool:
    """Run every static check, whichever of them fail. Returns whether all passed."""
    passed = [_passes(layout, console, name, module, env) for name, module in static_checks(layout, console).items()]
    return all(passed)


def static_checks(layout: Layout, console: Console) -> dict[str, list[str]]:
    """The static checks that this Python's packages allow. One that is left out is told."""
    if layout.python_version >= TYPES_FROM:
        return STATIC_CHECKS
    console.say("· not checking types: that takes the NumPy of Python {}.{} or newer".format(*TYPES_FROM))
    return {name: module for name, module in STATIC_CHECKS.items() if name != "types"}


def pytest_command(layout: Layout, arguments: Sequence[str]) -> list[str]:
    """How to run the tests: all but the slow ones, unless `--all` or a `-m` of the user's says otherwise."""
    rest = [argument for argument in arguments if argument != ALL]
    selection = ["-m", "not slow"] if len(rest) == len(arguments) else []
    return [str(layout.python), "-m", "pytest", *selection, *rest]


def _passes(layout: Layout, console: Console, name: str, module: Sequence[str], env: Mapping[str, str]) -> bool:
    try:
        console.run(f"checking {name}", f"check-{name}", [layout.python, "-m", *module], env, layout.root)
    except StepFailed as failure:
        console.say(str(failure))
        return False
    return True
