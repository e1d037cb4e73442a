"""The planner that asks a language model, checks what it says, and does without it where it fails.

The model is asked; its reply is read, tightened and verified against the scene. What does not pass is sent back with
the reason, a bounded number of times. If nothing passes, or there is no reply, the symbolic planner plans; if it has no
plan, the operator is asked. So the model proposes, and never decides what is allowed.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint, Plan
from reins.contracts.scene import Scene
from reins.language_models.foreign import foreign
from reins.language_models.model import (
    Bounds,
    Cancel,
    Cancelled,
    Completion,
    LanguageModel,
    ModelError,
    Prompt,
    prompt_text,
)
from reins.planning.answers import CannotDo, Unclear
from reins.planning.clarify import Clear, clarified
from reins.planning.language.access import ModelAccess, NoPlan
from reins.planning.language.cache import PlanCache, key_of
from reins.planning.language.chat import again, chat_prompt
from reins.planning.language.compact import compact_prompt, kind_names, plain_instruction
from reins.planning.language.domain import Domain, domain_of
from reins.planning.language.fidelity import against_the_words
from reins.planning.language.guard import tightest
from reins.planning.language.harm import harm_refusal
from reins.planning.language.plain import Names, Naming
from reins.planning.language.reply import read_reply
from reins.planning.language.schema import plan_schema
from reins.planning.language.settings import LanguageSettings
from reins.planning.language.until import PlannerUntil
from reins.planning.language.votes import Proposal, agreement, counted, most_frequent, with_doubt
from reins.planning.planner import History, unmet_effects
from reins.planning.pursuit import missing
from reins.planning.reach import Reach
from reins.planning.smoothing import smoothed
from reins.planning.symbolic import SymbolicPlanner
from reins.planning.tracing.trace import UNTRACED, Trace
from reins.planning.verifier import verify
from reins.planning.words import call_text
from reins.skills.registry import SkillSpec

Report = Callable[[str], None]


@dataclass(frozen=True)
class _Question:
    """What the planner was asked."""

    instruction: str
    scene: Scene
    history: History
    clear: Clear

    @cached_property
    def said(self) -> str:
        """All that the operator said, in one line."""
        return ", ".join((self.instruction, *(exchange.answer for exchange in self.history.exchanges)))

    @property
    def meant(self) -> str:
        """The instruction as it is meant, if that is known, else all that the operator said."""
        return self.clear.text if self.clear.is_sure else self.said


class LanguagePlanner:
    """Plans by asking a language model.

    Args:
        name: of the backend.
        load: makes the model; called at the first plan, and again after it failed. While it takes longer than a plan
            may, plans are made without it.
        registry: the skills' declarations.
        settings: bounds, votes and attempts.
        report: called, in the thread that plans, with a sentence whenever the model fails.
        trace: takes every reply with its verdict.
        reach: the robot's workspace, if plans are to be checked against it.
    """

    quick: Final = False

    def __init__(
        self,
        name: str,
        load: Callable[[], LanguageModel],
        registry: Mapping[str, SkillSpec],
        settings: LanguageSettings,
        report: Report,
        trace: Trace = UNTRACED,
        reach: Reach | None = None,
    ) -> None:
        self.name: Final = name
        self._registry = registry
        self._settings = settings
        self._report = report
        self._trace = trace
        self._reach = reach
        self._domain: Final = domain_of(registry)
        self._symbolic = SymbolicPlanner(registry, reach, self._domain.read)
        self.without_model = 0
        """Plans for which the model was done without; a benchmark of the model has to know."""
        self.cache: Final = PlanCache(settings.cache)
        """The plans that passed; tells its hit rate."""
        self._access = ModelAccess(name, load, settings.rest_limit)
        self._closing = Cancel()

    def plan(self, instruction: str, scene: Scene, history: History) -> Plan:
        """The model's plan if it passes, else the symbolic planner's, else a question to the operator.

        What would harm people or things is refused, and no model asked.

        Raises:
            Cancelled: it was closed meanwhile.
        """
        return self._plan_until(Cancel(), instruction, scene, history)

    def until(self, cancel: Cancel) -> PlannerUntil:
        """The same for one task, whose plans end with `cancel`. See `Cancellable`."""
        return PlannerUntil(self, self._plan_until, cancel)

    def _plan_until(self, cancel: Cancel, instruction: str, scene: Scene, history: History) -> Plan:
        deadline = time.monotonic() + self._settings.answer_limit
        with self._closing.calls(cancel.give):
            cancel.check()
            question = _Question(instruction, scene, history, self._clarified(instruction, history))
            return self._plan(question, deadline, cancel)

    def _plan(self, question: _Question, deadline: float, cancel: Cancel) -> Plan:
        try:
            plain_instruction(question.instruction)
            plain_instruction(question.meant)
        except ReinsError as error:
            return Plan(refusal=str(error))
        if refusal := harm_refusal(question.said):
            self._trace.write("refused", why=refusal)
            return Plan(refusal=refusal)
        if (plan := self._remembered(question)) is not None:
            return plan
        try:
            with self._access.use(deadline, cancel) as model:
                plan = self._ask(model, question, deadline, cancel)
            self.cache.put(key_of(question.instruction, question.scene, question.history), plan)
            return plan
        except Cancelled:
            raise
        except ModelError as error:
            cancel.check()
            return self._without_model(question, f"{error}{self._access.rest()}")

    def unmet(self, instruction: str, scene: Scene, history: History) -> list[str]:
        """Lasting effects that are not seen; where the words of the instruction are all known, its goals besides."""
        if lost := unmet_effects(scene, history, self._registry):
            return lost
        clear = self._clarified(instruction, history)
        if not clear.is_sure:
            return []
        try:
            task = self._domain.read(clear.text, history.initial, self._registry)
            return missing(task, scene, history, self._registry)
        except (Unclear, CannotDo):
            return []

    def _clarified(self, instruction: str, history: History) -> Clear:
        return clarified(instruction, history, self._registry, self._domain.read, self._domain.choose)

    def load(self) -> None:
        """Load the model, if it is not loaded yet, however long that takes.

        Raises:
            ModelError: it does not load; says why. Cancelled: the planner was closed.
        """
        self._access.load(self._closing)

    def warm_up(self) -> None:
        """Load the model; what goes wrong is reported, and tried again at the first plan."""
        try:
            self.load()
        except Cancelled:
            return  # it is closed already
        except ModelError as error:
            self._report(f"{error}; until that is mended, the symbolic planner plans")

    def close(self) -> None:
        """End every plan, then give the model back, unless it does not come to an end. No plan is made after that."""
        self._closing.give()
        try:
            self._access.close()
        except ModelError as error:
            self._report(str(error))

    @property
    def memory(self) -> tuple[int, int]:
        """Questions that were answered from memory so far, and those that were not."""
        return self.cache.hits, self.cache.misses

    def _remembered(self, question: _Question) -> Plan | None:
        """The plan that passed when things stood the same, if it still passes."""
        key = key_of(question.instruction, question.scene, question.history)
        plan = self.cache.get(key, lambda kept: not self._problems(kept, question))
        if plan is None:
            return None
        self._trace.write("cache", hits=self.cache.hits, misses=self.cache.misses)
        return plan

    def _ask(self, model: LanguageModel, question: _Question, deadline: float, cancel: Cancel) -> Plan:
        """The first plan of the model that passes.

        Raises:
            ModelError: there is none before the deadline [s, monotonic clock].
            NoPlan: no reply passed.
            Cancelled: it was cancelled.
        """
        dialogue = _Dialogue(question, self._registry, self._format(model), self._domain)
        problems: tuple[str, ...] = ()
        for attempt in range(self._settings.attempts):
            proposals, why = counted(self._votes(model, dialogue, question, attempt, deadline, cancel))
            if why:
                self._report(f"{why}; the replies before that count, {len(proposals)} of {self._settings.replies}")
            best = most_frequent([proposal for proposal in proposals if not proposal.problems])
            if best is not None and best.plan is not None:
                return with_doubt(best.plan, agreement(best, proposals, self._settings.replies))
            worst = most_frequent(proposals) or proposals[0]
            problems = worst.problems
            dialogue.turned_down(worst)
        raise NoPlan(f"{model.name} made no plan that works in {self._settings.attempts} attempts: {problems[0]}")

    def _votes(
        self,
        model: LanguageModel,
        dialogue: "_Dialogue",
        question: _Question,
        attempt: int,
        deadline: float,
        cancel: Cancel,
    ) -> Iterator[Proposal]:
        """Replies to one prompt."""
        prompt = dialogue.prompt()
        schema = plan_schema(question.scene, self._registry, dialogue.names, self._domain.distances)
        votes = self._settings.replies
        for vote in range(votes):
            left = deadline - time.monotonic()
            if left <= 0.0:
                raise ModelError(f"{model.name} made no plan that works within {self._settings.answer_limit:g} s")
            cancel.check()
            seed = self._settings.seed + attempt * votes + vote
            bounds = Bounds(self._settings.max_tokens, left, self._settings.temperature, seed)
            with foreign(f"the language model ({self.name})"):
                completion = model.complete(prompt, schema, bounds, cancel)
            proposal = self._judged(completion.text, question, dialogue.names, cut=completion.cut)
            if not attempt and self._settings.attempts > 1:
                proposal = self._asked_again(proposal, question)
            self._write(model, attempt, vote, prompt, completion, proposal)
            yield proposal

    def _write(
        self,
        model: LanguageModel,
        attempt: int,
        vote: int,
        prompt: Prompt,
        completion: Completion,
        proposal: Proposal,
    ) -> None:
        """A reply goes into the trace."""
        self._trace.write(
            "call",
            model=model.name,
            attempt=attempt,
            vote=vote,
            prompt=prompt_text(prompt),
            reply=completion.text,
            prompt_tokens=completion.prompt_tokens,
            known=completion.known,
            reply_tokens=completion.reply_tokens,
            first=round(completion.first, 4),
            seconds=round(completion.seconds, 4),
            cut=completion.cut,
            verdict=proposal.problems,
        )

    def _judged(self, text: str, question: _Question, names: Naming, *, cut: bool) -> Proposal:
        """A reply as a tightened plan, and what is wrong with it."""
        try:
            plan = names.restore(read_reply(text))
        except ReinsError as error:
            why = f"it was cut off after {self._settings.max_tokens} tokens" if cut else str(error)
            return Proposal(text, None, (why,))
        plan = self._tightened(plan, question)
        problems = self._problems(plan, question)
        return Proposal(text, plan if problems else self._smooth(plan, question), tuple(problems))

    def _asked_again(self, proposal: Proposal, question: _Question) -> Proposal:
        """A proposal without steps is doubted, once, where every word of the instruction is known and a plan found that
        keeps the rules. A model that then says so again is heard: it may have a reason that no rule knows."""
        if proposal.problems or proposal.plan is None or proposal.plan.steps is not None or question.history.steps:
            return proposal
        known = self._tightened(self._symbolic.plan(question.instruction, question.scene, question.history), question)
        if not known.steps or self._problems(known, question):
            return proposal
        way = ", then ".join(map(call_text, known.steps))
        return replace(proposal, problems=(f"it can be done, and touches nothing that must not be touched: {way}",))

    def _smooth(self, plan: Plan, question: _Question) -> Plan:
        """A plan that passes with its sub-goals made smooth, if it still passes then."""
        if self._domain.repeats:
            return plan
        steps = smoothed(plan.steps or (), question.history.left, self._registry)
        if plan.steps is None or steps == plan.steps:
            return plan
        smooth = plan.model_copy(update={"steps": steps})
        return plan if self._problems(smooth, question) else smooth

    def _tightened(self, plan: Plan, question: _Question) -> Plan:
        """The plan with the constraints that the operator's words, and earlier plans of the task, hold it to."""
        history, here = question.history, question.scene.objects
        texts = dict.fromkeys((question.instruction, question.meant))
        said = [rule for text in texts for rule in self._domain.said(text, history.initial, self._registry)]
        kept = [rule for rule in (*history.agreed, *said) if rule.kind != "avoid" or rule.object in here]
        return plan.model_copy(update={"constraints": tightest((*plan.constraints, *kept))})

    def _problems(self, plan: Plan, question: _Question) -> list[str]:
        """What is wrong with a plan, what others have forbidden included."""
        forbidden = question.history.forbidden & set(question.scene.objects)
        rules = (Constraint(kind="avoid", object=name) for name in sorted(forbidden))
        bound = plan.model_copy(update={"constraints": (*plan.constraints, *rules)})
        problems = verify(bound, question.scene, self._registry, reach=self._reach)
        if problems or plan.steps is None:
            return problems
        if not plan.steps:
            unmet = self.unmet(question.instruction, question.scene, question.history)
            return [f"it has no steps, and {clause}" for clause in unmet]
        if not question.clear.is_sure:
            return []  # there is nothing certain to compare with
        return against_the_words(
            plan.steps, question.meant, question.scene, question.history, self._registry, self._domain
        )

    def _without_model(self, question: _Question, why: str) -> Plan:
        """What the symbolic planner says, else what is left of the plan at hand, else a question to the operator."""
        self._trace.write("trouble", why=why)
        self.without_model += 1
        plan = self._symbolic.plan(question.instruction, question.scene, question.history)
        if plan.refusal is None:
            self._report(f"{why}; the symbolic planner goes on")
            thought = "; ".join(filter(None, (plan.thought, "planned without the language model")))
            plan = with_doubt(plan.model_copy(update={"thought": thought}), "it was planned without the language model")
            return self._tightened(plan, question)
        if question.history.left:
            self._report(f"{why}; the plan at hand goes on")
            return self._tightened(Plan(thought="the plan at hand goes on", steps=question.history.left), question)
        self._report(f"{why}; the symbolic planner has no plan either: {plan.refusal}")
        asked = (
            f"The language model gave no plan ({why}), and without it: {plan.refusal}. Can you say it in other words?"
        )
        return Plan(thought="there is no plan", question=asked)

    def _format(self, model: LanguageModel) -> str:
        """Which prompt the model gets.

        Raises:
            ModelError: there is none that suits it for this robot.
        """
        form = model.takes if self._settings.prompt == "auto" else self._settings.prompt
        if form != "chat" and not self._domain.is_compact:
            raise ModelError(f"{model.name} takes the short prompt, which is about tables; use a model that converses")
        return form


class _Dialogue:
    """The prompts to one question: the first, then those that say what was wrong with the reply before."""

    def __init__(self, question: _Question, registry: Mapping[str, SkillSpec], form: str, domain: Domain) -> None:
        self._question, self._registry = question, registry
        self._is_chat = form == "chat"
        self._history = question.history
        self.names: Final[Naming] = (
            Names(question.scene) if self._is_chat else kind_names(question.scene, question.history.initial)
        )
        """What the objects are called."""
        self._turns = (
            chat_prompt(question.instruction, question.scene, question.history, registry, domain.manner)
            if self._is_chat
            else ()
        )

    def prompt(self) -> Prompt:
        """The next one."""
        if self._is_chat:
            return self._turns
        return compact_prompt(self._question.meant, self._question.scene, self._history, self._registry)

    def turned_down(self, proposal: Proposal) -> None:
        """A reply did not pass."""
        self._history = self._history.rejected(list(proposal.problems))
        if self._is_chat:
            self._turns = (*self._turns, *again(proposal.text, proposal.problems))
