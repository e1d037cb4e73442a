"""A plan as YAML that a person can edit, and back. JSON is YAML, so a plan as JSON is read as well."""

from typing import Any, Final

import yaml
from pydantic import ValidationError

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Plan

MOST_TEXT: Final = 20_000
"""Characters of a plan; none is as long."""

ASKED: Final = ("thought", "steps", "constraints")
"""What an operator's plan has."""


def plan_to_text(plan: Plan, remarks: tuple[str, ...] = ()) -> str:
    """A plan to edit.

    Args:
        plan: of steps.
        remarks: comment lines that come first.
    """
    data: dict[str, Any] = {"steps": [step.model_dump(exclude_defaults=True) for step in plan.steps or ()]}
    if plan.constraints:
        rules = [rule.model_dump(mode="json", exclude_defaults=True) for rule in plan.constraints]
        data["constraints"] = rules
    notes = "".join(f"# {_plain(line)}\n" for line in remarks)
    return notes + yaml.safe_dump(data, sort_keys=False, allow_unicode=True, default_flow_style=None, width=120)


def _plain(text: str) -> str:
    """Text as one line of what YAML lets a comment have."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def plan_from_text(text: str) -> Plan:
    """The plan that a person wrote.

    Raises:
        ReinsError: it is no YAML, or no plan of steps; says where and what is valid.
    """
    if len(text) > MOST_TEXT:
        raise ReinsError(f"the text has {len(text)} characters; a plan has at most {MOST_TEXT}")
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}" if mark is not None else "somewhere"
        raise ReinsError(f"the plan is no YAML: {where}: {getattr(error, 'problem', None) or error}") from None
    except RecursionError:
        raise ReinsError("the plan is nested too deeply") from None
    if not isinstance(found, dict) or "steps" not in found:
        raise ReinsError(
            "a plan has 'steps:' and under it lines like “- {skill: pick, arguments: {object: red_block}}”"
        )
    if others := sorted(str(name) for name in found.keys() - set(ASKED)):
        raise ReinsError(f"a plan has no '{others[0]}'; it has {', '.join(ASKED)}")
    try:
        return Plan.model_validate(found)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "it"
        raise ReinsError(f"the plan is not valid: {where}: {first['msg']}") from None
    except RecursionError:
        raise ReinsError("the plan is nested too deeply") from None
