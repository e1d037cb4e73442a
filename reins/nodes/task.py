"""A task that the planner node carries out: its goal, what ends or interrupts it, what is told of it."""

import time
from typing import Any, Final

from rclpy.task import Future
from reins_msgs import msg as ros
from reins_msgs.action import ExecuteTask

from reins.language_models.model import Cancel
from reins.nodes.convert_scene import plan_to_msg
from reins.nodes.skills import TAKEN
from reins.planning.executor import TaskExecutor

HOW_TO_HAND_BACK: Final = "hand back with `reins handback` or the pad's button, and the task goes on"

HOW_TO_ANSWER: Final = (
    "`reins plan show` shows the plan, `reins plan approve` lets it run, `reins plan reject` does not"
)

HOW_TO_REPLY: Final = "`reins plan reply` answers it"


class RunningTask:
    """One task. Its waits end when the future `interrupted` is done: over from outside, taken over by hand, turned.

    Args:
        goal: of the action.
        executor: what to do.
        thought: ends what its planner thinks, now or later.

    Attributes:
        over: done when the task ended from outside; its result says why.
        failure: why, if that was not because somebody cancelled it.
        taken: an operator drives, or has not handed back yet.
        turned: the skill that runs is to end, because the planner has another plan.
        interrupted: see above; a new one after each hand-back and each turn.
    """

    def __init__(self, goal: Any, executor: TaskExecutor, thought: Cancel) -> None:
        self.goal, self.executor, self.thought = goal, executor, thought
        self.over, self.interrupted = Future(), Future()
        self.failure = ""
        self.taken = self.turned = False
        self._told = 0
        self._paused_at = 0.0

    def end(self, reason: str, failed: bool) -> None:
        """End it from outside, once."""
        if not self.over.done():
            self.failure = reason if failed else ""
            self.over.set_result(reason)
            self._interrupt()

    def take(self) -> None:
        """An operator took over."""
        if not self.taken:
            self.taken, self._paused_at = True, time.monotonic()
            self._interrupt()

    def hand_back(self) -> None:
        """Control is back: wait for other things again."""
        self.taken = False
        self._wait_again()

    def turn(self) -> None:
        """The planner has another plan than the skill that runs."""
        self.turned = True
        self._interrupt()

    def turn_done(self) -> bool:
        """The skill has ended: whether that was for a turn. Wait for other things again, unless somebody drives."""
        was, self.turned = self.turned, False
        if was and not self.taken:
            self._wait_again()
        return was

    @property
    def paused_for(self) -> float:
        """Time since the operator took over [s, steady clock]."""
        return time.monotonic() - self._paused_at

    def news(self) -> list[str]:
        """What changed while an operator drove, and what the planner doubted, once."""
        news = self.executor.notes[self._told :]
        self._told += len(news)
        return news

    def tell(self, t: float, phase: str = "", progress: float = 0.0) -> None:
        """Feedback at robot time `t` [s]: where the task is, and where its skill is."""
        self._publish(self.executor.stage, str(self.executor.current or ""), t, phase, progress)

    def tell_pause(self, t: float, safety: ros.SafetyState | None) -> None:
        """Feedback of a pause: who drives, and how to hand back."""
        who = TAKEN.get(safety.mode, "control is not back yet") if safety else "control is not back yet"
        self._publish("paused", f"{who.split(';')[0]}; {HOW_TO_HAND_BACK}", t)

    def tell_question(self, t: float, left: float, question: str) -> None:
        """Feedback of a plan, or a question of the planner, that waits for an answer for `left` more seconds."""
        how = f"{HOW_TO_REPLY}: {question}" if question else HOW_TO_ANSWER
        self._publish("asking", f"waits {left:.0f} s for an answer; {how}", t)

    def tell_news(self, t: float, text: str) -> None:
        """Feedback of what changed during a pause, or of a doubt; the task goes on."""
        self._publish("looking", text, t)

    def _publish(self, stage: str, text: str, t: float, phase: str = "", progress: float = 0.0) -> None:
        executor = self.executor
        feedback = ExecuteTask.Feedback(stage=stage, step=executor.step, step_text=text, phase=phase, progress=progress)
        if executor.plan is not None:
            feedback.plan = plan_to_msg(executor.plan, t)
        self.goal.publish_feedback(feedback)

    def _wait_again(self) -> None:
        if not self.over.done():
            self.interrupted = Future()

    def _interrupt(self) -> None:
        if not self.interrupted.done():
            self.interrupted.set_result(None)
