"""A model's reply as text, and back."""

import json
from typing import Any

from pydantic import ValidationError

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint, Plan
from reins.language_models.json_text import first_object


def reply_text(plan: Plan) -> str:
    """The shortest JSON that `read_reply` reads as this plan.

    Keys are in the order thought, steps or question or refusal, constraints. What has its default value is left out,
    except the thought; so is who set a constraint, for that is not a model's to say.
    """
    reply: dict[str, Any] = {"thought": plan.thought}
    if plan.steps is not None:
        reply["steps"] = [
            {"skill": step.skill, **({"arguments": step.arguments} if step.arguments else {})} for step in plan.steps
        ]
    reply |= {name: said for name in ("question", "refusal") if (said := getattr(plan, name)) is not None}
    if plan.constraints:
        reply["constraints"] = [_rule(constraint) for constraint in plan.constraints]
    return json.dumps(_shortest(reply), ensure_ascii=False, separators=(",", ":"))


def read_reply(text: str) -> Plan:
    """The plan that a reply says: the first JSON object in it. What a model thinks aloud or writes around is ignored.

    Raises:
        ReinsError: there is no JSON object, it is cut off, or it is no plan; says what is wrong.
    """
    found = first_object(text)
    if set_by := [rule for rule in _rules(found) if isinstance(rule, dict) and {"set_by", "id"} & rule.keys()]:
        raise ReinsError(f"a constraint of a reply has no set_by and no id: {set_by[0]}")
    if "doubts" in found:
        raise ReinsError("a reply has no doubts: whether a plan is doubtful is not its own to say")
    try:
        return Plan.model_validate(found)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "it"
        raise ReinsError(f"the reply is not a plan: {where}: {first['msg']}") from error


def _shortest(value: Any) -> Any:
    """Whole numbers without a fraction."""
    if isinstance(value, dict):
        return {name: _shortest(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_shortest(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _rule(constraint: Constraint) -> dict[str, Any]:
    return {"kind": constraint.kind, **constraint.model_dump(exclude_defaults=True, exclude={"kind", "set_by", "id"})}


def _rules(found: dict[str, Any]) -> list[Any]:
    rules = found.get("constraints")
    return rules if isinstance(rules, list) else []
