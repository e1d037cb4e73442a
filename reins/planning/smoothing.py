"""Sub-goals that follow each other, made smooth: no repeats, as few and even strokes as can be, numbers that stay.

A small model says one thing twice, or another centimetre in every plan. What comes out asks for the same in sum, with
numbers that the skills take; whoever uses it checks the plan again and keeps the rougher one if that is needed.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from math import ceil
from typing import Final

from reins.contracts.plan import SkillCall
from reins.skills.registry import Parameter, SkillSpec

SAME: Final = 0.011
"""Numbers that differ by no more are meant to be the same [m]: a centimetre, and what rounding adds."""


def smoothed(
    steps: Sequence[SkillCall], before: Sequence[SkillCall], registry: Mapping[str, SkillSpec]
) -> tuple[SkillCall, ...]:
    """The steps, smooth.

    Args:
        steps: all of them valid.
        before: what is left of the plan before, to whose numbers these keep where they hardly differ.
        registry: the skills' declarations.
    """
    joined: list[SkillCall] = []
    for _, run in groupby(steps, lambda call: _aim(call, registry)):
        joined += _joined(list(run), registry)
    old = [*before, *[None] * len(joined)]
    return tuple(_kept(new, was, registry) for new, was in zip(joined, old, strict=False))


def _joined(run: Sequence[SkillCall], registry: Mapping[str, SkillSpec]) -> list[SkillCall]:
    """A run of calls that differ in numbers at most."""
    spec = registry[run[0].skill]
    numbers = [parameter for parameter in spec.parameters if parameter.kind == "number"]
    strokes = [parameter for parameter in numbers if parameter.along is not None]
    if len(run) > 1 and len(strokes) == 1 == len(numbers):
        return _even(run, strokes[0])
    kept = list(run[:1])
    for call in run[1:]:
        if any(abs(_number(call, parameter) - _number(kept[-1], parameter)) > SAME for parameter in numbers):
            kept.append(call)
    return kept


def _even(run: Sequence[SkillCall], stroke: Parameter) -> list[SkillCall]:
    """The same way in all, in as few strokes as fit, none longer than the others."""
    way = sum(_number(call, stroke) for call in run)
    count = ceil(round(way / stroke.upper, 6))
    each = min(round(way / count, 4), stroke.upper)
    return [run[0].model_copy(update={"arguments": {**run[0].arguments, stroke.name: each}})] * count


def _kept(new: SkillCall, old: SkillCall | None, registry: Mapping[str, SkillSpec]) -> SkillCall:
    """The call with the old one's numbers, if they aim at the same and hardly differ."""
    if old is None or _aim(new, registry) != _aim(old, registry):
        return new
    numbers = [parameter for parameter in registry[new.skill].parameters if parameter.kind == "number"]
    is_close = all(abs(_number(new, parameter) - _number(old, parameter)) <= SAME for parameter in numbers)
    return old if is_close else new


def _aim(call: SkillCall, registry: Mapping[str, SkillSpec]) -> tuple[object, ...]:
    """What a call is about, without its numbers."""
    spec = registry[call.skill]
    arguments = spec.with_defaults(call.arguments)
    return call.skill, *(arguments.get(item.name) for item in spec.parameters if item.kind != "number")


def _number(call: SkillCall, parameter: Parameter) -> float:
    value = call.arguments.get(parameter.name, parameter.default)
    return float(value if value is not None else 0.0)
