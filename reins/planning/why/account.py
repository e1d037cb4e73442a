"""An answer to "why did you do that?", in words: step, reason, what was seen, what it was held to, what failed."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint, SkillCall
from reins.planning.tracing.reading import Story
from reins.planning.why.episode import Done, Episode, Planned, read_episode
from reins.planning.why.naming import named_in
from reins.planning.why.purpose import purpose, seen
from reins.planning.why.question import Topic, says_more, step_asked, topic_of
from reins.planning.words import call_text, listed
from reins.skills.registry import SkillSpec

Registry = Mapping[str, SkillSpec]

NOTHING: Final = "nothing has been done yet, so there is nothing to explain"
MORE: Final = "only the question was read; if anything is to be done, say it by itself"

_END: Final = re.compile(r"[.!?…]$")


def explain(story: Story | None, question: str, registry: Registry) -> str:
    """The answer to a question about a task, in a few sentences.

    Args:
        story: the task's trace so far; None if there was no task.
        question: as people ask; empty for the last step.
        registry: the skills' declarations.
    """
    if story is None:
        return _sentences([NOTHING])
    try:
        episode = read_episode(story)
    except ReinsError as error:
        return _sentences([f"I cannot say: {error}"])
    told = _ANSWERS[topic_of(question)](episode, question, registry)
    return _sentences([*told, MORE if says_more(question) else ""])


def explain_step(story: Story, number: int, registry: Registry) -> str:
    """Why the step of that number, from 1, was done.

    Raises:
        ReinsError: there is no such step, or the trace cannot be read.
    """
    episode = read_episode(story)
    if not 1 <= number <= len(episode.steps):
        raise ReinsError(f"there is no step {number}; {_count(episode)}")
    return _sentences(_about_step(episode, number, registry))


def _step(episode: Episode, question: str, registry: Registry) -> list[str]:
    """The step that the question names by number or by words, else the last one."""
    if not episode.steps:
        return _unstarted(episode)
    number = step_asked(question)
    if number is not None and not 1 <= number <= len(episode.steps):
        return [f"there is no step {number}; {_count(episode)}"]
    return _about_step(episode, number or named_in(question, [step.call for step in episode.steps]), registry)


def _about_step(episode: Episode, number: int, registry: Registry) -> list[str]:
    done = episode.steps[number - 1]
    planned = done.planned
    if done.index is None:
        return [
            f"step {number} was {call_text(done.call)}, to get the arm out of the way of the cameras",
            _end_of(done),
        ]
    plan = planned.plan
    why = purpose(plan.steps or (), done.index, planned.state, registry)
    view = seen(done.call, planned.state)
    return [
        f"step {number} was {call_text(done.call)}{', ' + why if why else ''}",
        f"the task was “{episode.instruction}”" + (f", which I took to mean: {plan.thought}" if plan.thought else ""),
        f"the scene showed then that {view}" if view else "",
        f"it was planned because {planned.because}" if planned.because else "",
        *_bounds(planned),
        *(f"a doubt was that {doubt}" for doubt in plan.doubts),
        planned.answer,
        _end_of(done),
    ]


def _story(episode: Episode, question: str, registry: Registry) -> list[str]:
    """Everything that was done, in a line for each step."""
    steps = [f"{number}. {call_text(step.call)}: {_end_of(step)}" for number, step in enumerate(episode.steps, 1)]
    return [f"the task was “{episode.instruction}”", *(steps or ["no step has run"]), _outcome(episode)]


def _end(episode: Episode, question: str, registry: Registry) -> list[str]:
    """How the task ended, and the last thing that went wrong before."""
    failed = [step for step in episode.steps if step.success is False]
    before = [f"before that, {call_text(failed[-1].call)} had failed: {failed[-1].reason}"] if failed else []
    return [_outcome(episode), *(before if episode.outcome not in ("", "succeeded") else [])]


def _again(episode: Episode, question: str, registry: Registry) -> list[str]:
    """Why each plan after the first was made."""
    causes = [f"I planned again because {planned.because}" for planned in episode.plans[1:] if planned.because]
    return causes or ["I planned once and kept to it" if episode.plans else NOTHING]


def _speed(episode: Episode, question: str, registry: Registry) -> list[str]:
    """What holds the robot back."""
    bounds = [text for planned in episode.plans[-1:] for text in _bounds(planned) if "speed" in text]
    return bounds or ["nothing in the task asks for less than the full speed; safety may hold the arm back besides"]


def _left_out(episode: Episode, question: str, registry: Registry) -> list[str]:
    """The constraints that the question is about, else how the task ended."""
    asked = question.lower()
    rules = [rule for planned in episode.plans[-1:] for rule in planned.plan.constraints if rule.kind == "avoid"]
    about = [rule.object for rule in rules if named_in(asked, [_touch(rule)], default=0)]
    others = [text for planned in episode.plans[-1:] for text in planned.held_to if text.startswith("avoid")]
    if about:
        return [f"{listed(about)} must not be touched: the plan for “{episode.instruction}” says so"]
    if others:
        return [f"somebody has set the rule: {listed(others)}", _outcome(episode)]
    return [*_refused(episode), _outcome(episode)]


def _waiting(episode: Episode, question: str, registry: Registry) -> list[str]:
    """Why a plan waits, or waited."""
    shown = episode.plans if episode.waits else [planned for planned in episode.plans if planned.answer]
    if not shown:
        return [_outcome(episode)]
    what = "the plan waits for an operator's answer" if episode.waits else f"a plan was shown, and {shown[-1].answer}"
    return [what, *(f"a person should look at it because {risk}" for risk in shown[-1].risks)]


_ANSWERS: Final[Mapping[Topic, Callable[[Episode, str, Registry], list[str]]]] = {
    Topic.STEP: _step,
    Topic.STORY: _story,
    Topic.END: _end,
    Topic.AGAIN: _again,
    Topic.SPEED: _speed,
    Topic.LEFT_OUT: _left_out,
    Topic.WAITING: _waiting,
}


def _unstarted(episode: Episode) -> list[str]:
    """Why no step has run."""
    return ["no step has run", *_refused(episode), _outcome(episode)]


def _refused(episode: Episode) -> list[str]:
    """What was wrong with the last plan."""
    return [
        f"the last plan did not pass: {problem}" for planned in episode.plans[-1:] for problem in planned.problems[:1]
    ]


def _bounds(planned: Planned) -> list[str]:
    """What a plan was held to."""
    own = [str(rule) for rule in planned.plan.constraints]
    told = [f"the plan is held to: {listed(own)}"] if own else []
    return told + ([f"others hold the robot to: {listed(planned.held_to)}"] if planned.held_to else [])


def _end_of(step: Done) -> str:
    if step.success is None:
        return "its end is not known yet"
    return "it succeeded" if step.success else f"it failed: {step.reason}"


def _outcome(episode: Episode) -> str:
    if episode.outcome:
        return f"the task “{episode.instruction}” {_ENDS.get(episode.outcome, episode.outcome)}: {episode.reason}"
    return "a plan waits for an operator's answer" if episode.waits else f"the task “{episode.instruction}” still runs"


_ENDS: Final = {"question": "ended with a question", "cancelled": "was cancelled", "refused": "was refused"}


def _count(episode: Episode) -> str:
    return f"{len(episode.steps)} ran" if episode.steps else "none has run"


def _touch(rule: Constraint) -> SkillCall:
    """A constraint as a call, so that words that name one name the other."""
    return SkillCall(skill="", arguments={"object": rule.object})


def _sentences(told: list[str]) -> str:
    """Clauses as sentences; names stay as they are written."""
    kept = [text.strip() for text in told if text.strip()]
    begun = [text[0].upper() + text[1:] if text.split()[0].isalpha() else text for text in kept]
    return " ".join(text if _END.search(text) else f"{text}." for text in begun)
