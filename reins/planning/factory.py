"""Planners by name."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from reins.contracts.errors import look_up
from reins.planning.language.doors import BACKENDS
from reins.planning.language.planner import LanguagePlanner, Report
from reins.planning.language.settings import LanguageSettings
from reins.planning.planner import Planner
from reins.planning.reach import Reach
from reins.planning.scripted import ScriptedPlanner
from reins.planning.symbolic import SymbolicPlanner
from reins.planning.tracing.trace import UNTRACED, Trace
from reins.planning.walking.answer import choose as choose_walking
from reins.planning.walking.meaning import read as read_walking
from reins.skills.registry import SkillSpec

_LOG: Final = logging.getLogger(__name__)

Registry = Mapping[str, SkillSpec]


@dataclass(frozen=True, slots=True)
class _Needs:
    """What planners are made of; see `make_planner`."""

    registry: Registry
    settings: LanguageSettings
    report: Report
    trace: Trace
    reach: Reach | None


def _symbolic(needs: _Needs) -> Planner:
    return SymbolicPlanner(needs.registry, needs.reach)


def _walking(needs: _Needs) -> Planner:
    return SymbolicPlanner(needs.registry, understand=read_walking, hear=choose_walking)


def _scripted(needs: _Needs) -> Planner:
    return ScriptedPlanner(needs.registry)


def _language(name: str, needs: _Needs) -> Planner:
    load = partial(BACKENDS[name], needs.settings)
    return LanguagePlanner(name, load, needs.registry, needs.settings, needs.report, needs.trace, needs.reach)


PLANNERS: Final[Mapping[str, Callable[[_Needs], Planner]]] = {
    "symbolic": _symbolic,
    "scripted": _scripted,
    **{name: partial(_language, name) for name in BACKENDS},
}
"""Every planner of an arm, by the name that launch files and the command line use."""

WALKING: Final[Mapping[str, Callable[[_Needs], Planner]]] = {
    "symbolic": _walking,
    **{name: partial(_language, name) for name in BACKENDS},
}
"""Every planner that knows the skills of legs. Of language models those that converse; our own knows tables only."""

KINDS: Final[Mapping[str, tuple[str, Mapping[str, Callable[[_Needs], Planner]]]]] = {
    "arm": ("planner", PLANNERS),
    "quadruped": ("planner of legged robots", WALKING),
}
"""Kind of robot → what its planners are called, and the planners."""


def make_planner(
    name: str,
    registry: Registry,
    settings: LanguageSettings | None = None,
    report: Report = _LOG.warning,
    trace: Trace = UNTRACED,
    reach: Reach | None = None,
    kind: str = "arm",
) -> Planner:
    """The planner of that name. A language model is not loaded yet.

    Args:
        name: a key of PLANNERS, or of WALKING for legs.
        registry: the skills' declarations.
        settings: of language models; others take no notice.
        report: called with a sentence whenever a language model is done without, in the thread that plans.
        trace: takes the replies of a language model.
        reach: the robot's workspace; without it, plans are not held to one.
        kind: of robot.

    Raises:
        UnknownName: no such planner for that kind of robot; lists those that exist.
    """
    needs = _Needs(registry, settings or LanguageSettings(), report, trace, reach)
    what, planners = look_up("kind of robot", kind, KINDS)
    return look_up(what, name, planners)(needs)


def require_planner(name: str, settings: LanguageSettings) -> None:
    """Make sure that a planner can plan, its language model included: whoever measures it wants no stand-in.

    Raises:
        UnknownName: no such planner; lists those that exist.
        ModelError: its model does not load; says why.
    """
    planner = make_planner(name, {}, settings)
    if isinstance(planner, LanguagePlanner):
        try:
            planner.load()
        finally:
            planner.close()
