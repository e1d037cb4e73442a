"""A model's reply as text, and back. Whatever a model says is checked here before anything else looks at it."""

import json
import re
from typing import Any, Final, NoReturn

from pydantic import ValidationError

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint, Plan
from reins.language_models.model import MOST_REPLY

_THINKING: Final = re.compile(r"<think>.*?</think>", re.DOTALL)
_QUOTED: Final = 60  # characters of a reply that are quoted in an error


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
    if len(text) > MOST_REPLY:
        raise ReinsError(f"the reply has {len(text)} characters; a plan has at most {MOST_REPLY}")
    said = _THINKING.sub("", text)
    begin = said.find("{")
    if begin < 0:
        raise ReinsError(f"the reply has no JSON object in it: “{_quote(said)}”")
    try:
        found, _ = _DECODER.raw_decode(said, begin)
    except json.JSONDecodeError as error:
        is_cut = error.pos >= len(said.rstrip()) or error.msg.startswith("Unterminated")
        what = "ends in the middle of its JSON" if is_cut else "is not valid JSON"
        raise ReinsError(
            f"the reply {what}, at character {error.pos}: {error.msg}: “{_quote(said[begin:])}”"
        ) from error
    except RecursionError:
        raise ReinsError("the reply is nested too deeply to be a plan") from None
    if set_by := [rule for rule in _rules(found) if isinstance(rule, dict) and {"set_by", "id"} & rule.keys()]:
        raise ReinsError(f"a constraint of a reply has no set_by and no id: {set_by[0]}")
    if isinstance(found, dict) and "doubts" in found:
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


def _rules(found: Any) -> list[Any]:
    rules = found.get("constraints") if isinstance(found, dict) else None
    return rules if isinstance(rules, list) else []


def _quote(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _QUOTED else f"{line[:_QUOTED]}…"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Nothing is said twice, or readers could differ in which of the two they take."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ReinsError(f"the reply says '{_quote(name)}' twice")
        if isinstance(value, bool):
            raise ReinsError(f"the reply says '{_quote(name)}' is {str(value).lower()}, and a plan has no such values")
        found[name] = value
    return found


def _no_number(name: str) -> NoReturn:
    raise ReinsError(f"the reply has {name} in it, which is no number")


_DECODER: Final = json.JSONDecoder(strict=False, object_pairs_hook=_unique, parse_constant=_no_number)
