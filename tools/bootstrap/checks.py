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
WHOLE: Final = ("-x", "-v", "-q", "-s")
"""Arguments of pytest that select nothing."""

PARALLEL: Final = ("-n", "auto", "--dist", "loadscope")
"""A module's tests stay together: they share what it has started."""

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


def pytest_commands(layout: Layout, arguments: Sequence[str]) -> list[list[str]]:
    """How to run the tests: all but the slow ones, unless `--all` or a `-m` of the user's says otherwise.

    The whole suite goes in two parts: first what has no real-time deadline, side by side on all cores, then the tests
    of ROS nodes, one after another. What the user selects goes as one, as it is.
    """
    rest = [argument for argument in arguments if argument != ALL]
    slow = len(rest) != len(arguments)
    pytest = [str(layout.python), "-m", "pytest"]
    if any(argument not in WHOLE and not argument.startswith("--rerun-graphs=") for argument in rest):
        return [[*pytest, *([] if slow else ["-m", "not slow"]), *rest]]
    more = "" if slow else " and not slow"
    return [[*pytest, "-m", f"not ros{more}", *PARALLEL, *rest], [*pytest, "-m", f"ros{more}", *rest]]


def _passes(layout: Layout, console: Console, name: str, module: Sequence[str], env: Mapping[str, str]) -> bool:
    try:
        console.run(f"checking {name}", f"check-{name}", [layout.python, "-m", *module], env, layout.root)
    except StepFailed as failure:
        console.say(str(failure))
        return False
    return True
