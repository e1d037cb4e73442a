"""Models that say what a test wants."""

import time
from collections.abc import Callable, Iterable, Mapping

from reins.language_models.model import (
    Bounds,
    Cancel,
    Completion,
    ModelError,
    Prompt,
    PromptFormat,
    Schema,
    unheard,
)
from reins.planning.language.planner import LanguagePlanner
from reins.planning.language.settings import LanguageSettings
from reins.skills.library import SKILLS
from reins.skills.registry import SkillSpec


class Parrot:
    """Says its lines one after the other, and the last one for ever.

    Args:
        lines: replies; an error of any kind is raised, None waits until it is cancelled or out of time.

    Attributes:
        prompts: what it was asked, as one text each.
        bounds: of each call.
    """

    name = "parrot"

    def __init__(self, *lines: str | Exception | None, takes: PromptFormat = "chat") -> None:
        self.takes = takes
        self.prompts: list[str] = []
        self.bounds: list[Bounds] = []
        self.closed = False
        self._lines = lines

    def complete(
        self,
        prompt: Prompt,
        schema: Schema,
        bounds: Bounds,
        cancel: Cancel,
        on_text: Callable[[str], None] = unheard,
    ) -> Completion:
        line = self._lines[min(len(self.prompts), len(self._lines) - 1)]
        self.prompts.append(text_of(prompt))
        self.bounds.append(bounds)
        end = time.monotonic() + bounds.seconds
        while line is None:
            cancel.check()
            if time.monotonic() > end:
                raise ModelError("the parrot said nothing in time")
            time.sleep(0.005)
        if isinstance(line, Exception):
            raise line
        on_text(line)
        return Completion(line, 100, 10, 0.0, 0.0, cut=line.endswith("…"))

    def close(self) -> None:
        self.closed = True


def text_of(prompt: Prompt) -> str:
    """All that a prompt says."""
    return prompt if isinstance(prompt, str) else "\n".join(f"[{turn.role}] {turn.content}" for turn in prompt)


def planner_of(
    model: Parrot, reports: list[str] | None = None, registry: Mapping[str, SkillSpec] = SKILLS, **settings: object
) -> LanguagePlanner:
    """A planner that asks this model."""
    heard = reports if reports is not None else []
    return LanguagePlanner(
        "parrot",
        lambda: model,
        registry,
        LanguageSettings.model_validate({"answer_limit": 5.0, **settings}),
        heard.append,
    )


def steps(*calls: str, thought: str = "", rules: Iterable[str] = ()) -> str:
    """A reply: calls as "skill value value", in the order of the skill's parameters; rules as JSON."""
    told = []
    for call in calls:
        skill, *values = call.split()
        names = [parameter.name for parameter in SKILLS[skill].parameters] if skill in SKILLS else ["object"]
        arguments = ",".join(f'"{name}":"{value}"' for name, value in zip(names, values, strict=False))
        told.append(f'{{"skill":"{skill}","arguments":{{{arguments}}}}}')
    constraints = f',"constraints":[{",".join(rules)}]' if rules else ""
    return f'{{"thought":"{thought}","steps":[{",".join(told)}]{constraints}}}'
