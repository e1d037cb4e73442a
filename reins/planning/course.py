"""How far a task has come: what the parts that carry it out share."""

from dataclasses import dataclass, field
from typing import Any

from reins.contracts.plan import Plan
from reins.contracts.scene import Scene
from reins.planning.actions import Done, Outcome, Stage
from reins.planning.planner import History, Planner, StepRecord, memory_of
from reins.planning.rules import TaskRules
from reins.planning.tracing.trace import Trace


@dataclass(slots=True)
class Course:
    """One task, as far as it is.

    Attributes:
        instruction: what is to be done; an operator who is asked may say it in other words.
        planner: makes its plans.
        rules: what the task is held to.
        trace: takes what happens.
        stage: what is being done.
        plan: the plan that is being followed, or the last one.
        step: index of the current step in the plan.
        made_in: the scene that the plan was made for.
        history: the task so far; None before the first scene.
        is_operators: the plan is an operator's own: it is followed to its end as it is.
        valid: whether the plan may go on.
        trouble: why it may not; None where planning again is not held against the task.
        failures: how often each call has failed, by its text.
        replans: how often it planned again because the world disagreed.
        notes: what is told in the result besides, a sentence each.
        done: how it ended, once it has.
    """

    instruction: str
    planner: Planner
    rules: TaskRules
    trace: Trace
    stage: Stage = "looking"
    plan: Plan | None = None
    step: int = 0
    made_in: Scene | None = None
    history: History | None = None
    is_operators: bool = False
    valid: bool = False
    trouble: str | None = None
    failures: dict[str, int] = field(default_factory=dict)
    replans: int = 0
    notes: list[str] = field(default_factory=list)
    done: Done | None = None
    _memory: tuple[int, int] = field(init=False)  # of the planner, before this task

    def __post_init__(self) -> None:
        self._memory = memory_of(self.planner)

    def follow(self, plan: Plan) -> None:
        """This is the plan from now on, and it may run."""
        self.plan, self.step = plan, 0
        self.valid, self.trouble = True, None
        self.rules.follow(plan)

    def leave(self, trouble: str | None) -> None:
        """The plan may not go on; see `trouble`."""
        self.valid, self.trouble = False, trouble

    def record(self, history: History, record: StepRecord, t: float) -> None:
        """A step has ended, as it was judged at robot time `t` [s]."""
        self.history = history.then(record)
        self.trace.write("step", t=t, call=str(record.call), success=record.success, reason=record.reason)
        if record.success:
            self.step += 1
        else:
            self.leave(f"{record.call} failed: {record.reason}")
            name = str(record.call)
            self.failures[name] = self.failures.get(name, 0) + 1

    def start_over(self, instruction: str) -> None:
        """The operator has said it in other words: a new task, from what is seen next."""
        self.instruction = " ".join(instruction.split())
        self.history = None
        self.failures.clear()
        self.rules.start_over()

    def end(self, outcome: Outcome, reason: str) -> Done:
        """It is over; one that is over already stays as it is."""
        if self.done is None:
            notes = self.notes if outcome in ("succeeded", "failed") else []
            self.done = Done(outcome, "; ".join((reason, *notes)), self.plan)
            self.trace.write("end", **self._ending(self.done))
        return self.done

    def _ending(self, done: Done) -> dict[str, Any]:
        """How it ended, as a trace tells it: with the plans that were remembered, and those that were not."""
        hits, misses = (now - then for now, then in zip(memory_of(self.planner), self._memory, strict=True))
        remembered = {"cache_hits": hits, "cache_misses": misses} if hits or misses else {}
        return {"outcome": done.outcome, "reason": done.reason, "replans": self.replans, **remembered}
