"""An answer to "why did you do that?", in words: step, reason, what was seen, what it was held to, what failed."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint, SkillCall
from reins.planning.tracing.reading import Story
from reins.planning.why.episode import Done, Episode, Planned, read_episode
from reins.planning.why.naming import named_in
from reins.planning.why.purpose import purpose, seen
from reins.planning.why.question import Topic, says_more, step_asked, topic_of
from reins.planning.why.wording import Words
from reins.skills.registry import SkillSpec

Registry = Mapping[str, SkillSpec]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question about an episode, and the words to answer in."""

    question: str
    episode: Episode
    registry: Registry
    words: Words


def explain(story: Story | None, question: str, registry: Registry) -> str:
    """The answer to a question about a task, in a few sentences of the question's language.

    Args:
        story: the task's trace so far; None if there was no task.
        question: as people ask; empty for the last step.
        registry: the skills' declarations.
    """
    words = Words(question)
    if story is None:
        return words.sentences([words.say("nothing")])
    try:
        asked = _Asked(question, read_episode(story), registry, words)
    except ReinsError as error:
        return words.sentences([words.say("unreadable", why=error)])
    told = _ANSWERS[topic_of(question)](asked)
    return words.sentences([*told, words.say("more") if says_more(question) else ""])


def explain_step(story: Story, number: int, registry: Registry) -> str:
    """Why the step of that number, from 1, was done.

    Raises:
        ReinsError: there is no such step, or the trace cannot be read.
    """
    asked = _Asked("", read_episode(story), registry, Words(""))
    if not 1 <= number <= len(asked.episode.steps):
        raise ReinsError(_no_step(asked, number))
    return asked.words.sentences(_about_step(asked, number))


def _step(asked: _Asked) -> Iterator[str]:
    """The step that the question names by number or by words, else the last one."""
    steps, number = asked.episode.steps, step_asked(asked.question)
    if not steps:
        yield asked.words.say("no_steps")
        yield from _problem(asked)
        yield _outcome(asked)
    elif number is not None and not 1 <= number <= len(steps):
        yield _no_step(asked, number)
    else:
        yield from _about_step(asked, number or named_in(asked.question, [step.call for step in steps]))


def _about_step(asked: _Asked, number: int) -> Iterator[str]:
    """Everything about one step."""
    step, words = asked.episode.steps[number - 1], asked.words
    yield _step_head(asked, number)
    if step.index is not None:
        plan, instruction = step.planned.plan, asked.episode.instruction
        meant = "task_meant" if plan.thought else "task"
        yield words.say(meant, instruction=instruction, thought=plan.thought)
        if facts := seen(step.call, step.planned.state):
            yield words.say("seen", facts=words.facts(facts))
        if step.planned.because:
            yield words.say("because", why=step.planned.because)
        yield from _bounds(asked, step.planned)
        yield from (words.say("doubt", doubt=doubt) for doubt in plan.doubts)
        yield step.planned.answer
    yield _end_of(asked, step)


def _step_head(asked: _Asked, number: int) -> str:
    """What a step was, and what for."""
    step, words = asked.episode.steps[number - 1], asked.words
    told = {"number": number, "call": words.call(step.call)}
    if step.index is None:
        return words.say("step_aside", **told)
    steps = step.planned.plan.steps or ()
    why = purpose(steps, step.index, step.planned.state, asked.registry)
    if why.needed_by is not None:
        return words.say("step_for", **told, facts=words.facts(why.facts), later=words.call(why.needed_by))
    if why.facts:
        return words.say("step_goal", **told, facts=words.facts(why.facts))
    return words.say("step" if asked.registry[step.call.skill].effects else "step_own", **told)


def _story(asked: _Asked) -> Iterator[str]:
    """Everything that was done, in a line for each step."""
    words = asked.words
    yield words.say("task", instruction=asked.episode.instruction)
    if not asked.episode.steps:
        yield words.say("no_steps")
    for number, step in enumerate(asked.episode.steps, 1):
        yield words.say("line", number=number, call=words.call(step.call), end=_end_of(asked, step))
    yield _outcome(asked)


def _end(asked: _Asked) -> Iterator[str]:
    """How the task ended, and the last thing that went wrong before."""
    yield _outcome(asked)
    failed = [step for step in asked.episode.steps if step.success is False]
    if failed and asked.episode.outcome not in ("", "succeeded"):
        yield asked.words.say("before", call=asked.words.call(failed[-1].call), why=failed[-1].reason)


def _again(asked: _Asked) -> Iterator[str]:
    """Why each plan after the first was made."""
    causes = [planned.because for planned in asked.episode.plans[1:] if planned.because]
    yield from (asked.words.say("again", why=why) for why in causes)
    if not causes:
        yield asked.words.say("once" if asked.episode.plans else "nothing")


def _speed(asked: _Asked) -> Iterator[str]:
    """What holds the robot back."""
    slow = [planned for planned in asked.episode.plans[-1:] if any("speed" in rule for rule in _rules(planned))]
    for planned in slow:
        yield from _bounds(asked, planned)
    if not slow:
        yield asked.words.say("full_speed")


def _left_out(asked: _Asked) -> Iterator[str]:
    """The constraints that the question is about, else how the task ended."""
    words, last = asked.words, asked.episode.plans[-1:]
    rules = [rule for planned in last for rule in planned.plan.constraints if rule.kind == "avoid"]
    about = [rule.object for rule in rules if named_in(asked.question, [_touch(rule)], default=0)]
    others = [text for planned in last for text in planned.held_to if text.startswith("avoid")]
    if about:
        yield words.say("untouched", names=words.listed(about), instruction=asked.episode.instruction)
        return
    if others:
        yield words.say("rule", rules=words.listed(others))
    yield from _problem(asked)
    yield _outcome(asked)


def _waiting(asked: _Asked) -> Iterator[str]:
    """Why a plan waits, or waited."""
    episode, words = asked.episode, asked.words
    shown = episode.plans if episode.waits else [planned for planned in episode.plans if planned.answer]
    if not shown:
        yield _outcome(asked)
        return
    question = shown[-1].plan.question
    key = ("waits" if episode.waits else "shown") + ("_question" if question else "")
    yield words.say(key, answer=shown[-1].answer, question=question)
    yield from (words.say("risk", risk=risk) for risk in shown[-1].risks)


_ANSWERS: Final[Mapping[Topic, Callable[[_Asked], Iterator[str]]]] = {
    Topic.STEP: _step,
    Topic.STORY: _story,
    Topic.END: _end,
    Topic.AGAIN: _again,
    Topic.SPEED: _speed,
    Topic.LEFT_OUT: _left_out,
    Topic.WAITING: _waiting,
}


def _problem(asked: _Asked) -> Iterator[str]:
    """What was wrong with the last plan."""
    for planned in asked.episode.plans[-1:]:
        yield from (asked.words.say("problem", why=problem) for problem in planned.problems[:1])


def _bounds(asked: _Asked, planned: Planned) -> Iterator[str]:
    """What a plan was held to."""
    if planned.plan.constraints:
        yield asked.words.say("held_to", rules=asked.words.listed(map(str, planned.plan.constraints)))
    if planned.held_to:
        yield asked.words.say("others", rules=asked.words.listed(planned.held_to))


def _rules(planned: Planned) -> list[str]:
    return [*map(str, planned.plan.constraints), *planned.held_to]


def _end_of(asked: _Asked, step: Done) -> str:
    if step.success is None:
        return asked.words.say("running")
    return asked.words.say("succeeded") if step.success else asked.words.say("failed", why=step.reason)


def _outcome(asked: _Asked) -> str:
    """How the task ended, or that it has not."""
    episode, words = asked.episode, asked.words
    if episode.outcome:
        outcome = words.say(f"end_{episode.outcome}")
        return words.say("end", instruction=episode.instruction, outcome=outcome, why=episode.reason)
    return words.say("waits") if episode.waits else words.say("still", instruction=episode.instruction)


def _no_step(asked: _Asked, number: int) -> str:
    count = len(asked.episode.steps)
    ran = asked.words.say("count", count=count) if count else asked.words.say("none_ran")
    return asked.words.say("no_step", number=number, count=ran)


def _touch(rule: Constraint) -> SkillCall:
    """A constraint as a call, so that words that name one name the other."""
    return SkillCall(skill="", arguments={"object": rule.object})
