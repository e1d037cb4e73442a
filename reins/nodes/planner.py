"""The planner node: a sentence to a plan, a plan to skills, one task at a time as an action, closed loop."""

import threading
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final

from rclpy.action.server import ActionServer, CancelResponse, GoalResponse
from rclpy.task import Future
from reins_msgs import msg as ros
from reins_msgs.action import ExecuteTask
from reins_msgs.srv import Explain

from reins.contracts.errors import ReinsError, UnknownName
from reins.contracts.event import GOAL_REJECTED, LANGUAGE_MODEL, SafetyEvent, Severity
from reins.contracts.plan import Plan
from reins.contracts.scene import Scene, sensible
from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.profile_base import Profile
from reins.language_models.model import Cancel
from reins.nodes.advising import Advising
from reins.nodes.base import ManagedNode
from reins.nodes.control_loop import Inbox
from reins.nodes.convert import event_to_msg, time_from_msg
from reins.nodes.convert_scene import plan_to_msg, scene_from_msg
from reins.nodes.plan_desk import PlanDesk
from reins.nodes.plan_rules import PlanRules
from reins.nodes.planner_settings import PlannerSettings
from reins.nodes.qos import CONTROL, EVENTS, LATCHED
from reins.nodes.running import run
from reins.nodes.skill_client import SkillClient
from reins.nodes.skills import TAKEN, obstacle
from reins.nodes.task import RunningTask
from reins.nodes.waiting import Thinking, first_of
from reins.nodes.wires import wire_of
from reins.planning.actions import Action, Ask, Done, Limits, Look, RunSkill
from reins.planning.approval import MODES, ApprovalMode
from reins.planning.cadence import Cadence
from reins.planning.executor import TaskExecutor
from reins.planning.factory import make_planner
from reins.planning.planner import Cancellable, Planner
from reins.planning.reach import Reach
from reins.planning.tracing.trace import TraceFolder, default_folder
from reins.planning.why.account import explain
from reins.planning.why.question import is_about_the_past
from reins.skills.catalogue import skills_of

PATIENCE: Final = 0.5
"""How long to wait for a newer scene before asking the executor again, which bounds the looking [s]."""

SETTLE: Final = 1.0
"""Safety has this long to let go of a stop when a task begins, and to say that an operator took a skill away [s]."""

MODEL_SHARE: Final = 0.9
"""Share of `think_limit` that a language model may take, so that there is time left to plan without it."""

LIVE: Final = frozenset(
    {
        "pause_limit",
        "approve",
        "approve_limit",
        "questions",
        "question_limit",
        "mode",
        "advice_period",
        "advice_stall",
    }
)
"""Parameters that may change while the node runs; a task keeps to what they were when it began, but for the limits."""

PAUSE_FEEDBACK: Final = 1.0
"""Time between two feedbacks of a pause [s]."""


def _reach_of(profile: Profile) -> Reach | None:
    """The box that an arm's plans keep to; a robot that walks has none."""
    return Reach(profile.workspace.lower, profile.workspace.upper) if isinstance(profile, RobotProfile) else None


class PlannerNode(ManagedNode[PlannerSettings]):
    """Everything is awaited; the planner itself thinks in a thread of its own."""

    def __init__(self) -> None:
        super().__init__("planner", PlannerSettings, live=LIVE)
        self._server: ActionServer | None = None
        self._skills: SkillClient | None = None
        self._task: RunningTask | None = None
        self._advising: Advising | None = None  # about the skill that runs
        self._accepting = False
        self._safety: ros.SafetyState | None = None
        self._planner: Planner | None = None
        self._slow: Cancellable | None = None  # the same, if it may take long
        self._reports: SimpleQueue[str] = SimpleQueue()  # from the threads that think

    def configure(self) -> None:
        """Make the planner, the action server and the client of the skills."""
        folder = self.settings.trace_folder
        self._trace = TraceFolder(Path(folder).expanduser() if folder else default_folder(), self.settings.trace_keep)
        profile = load_profile(self.settings.robot, Profile)
        self._registry = skills_of(profile.kind)
        self._planner = self._make_planner(profile)
        wire = wire_of(profile)
        self._scene: ros.Scene | None = None
        self._seen = Future()
        self._mode_told = Future()
        self._states: Inbox[Any] = Inbox(self, wire.state, "robot_state", CONTROL)
        self._time = 0.0
        self._plans = self.create_publisher(ros.Plan, "plan", LATCHED)
        self._events = self.create_publisher(ros.SafetyEvent, "safety/events", EVENTS)
        self._blind: dict[str, str] = {}
        self.create_subscription(ros.Scene, "scene", self._on_scene, LATCHED)
        self.create_subscription(ros.SafetyEvent, "safety/events", self._on_event, EVENTS)
        self.create_subscription(ros.SafetyState, "safety/state", self._on_safety, LATCHED)
        self._skills = SkillClient(self, wire, self.robot_time, self._is_taken, self._is_held)
        self._rules = PlanRules(self)
        self._desk = PlanDesk(self, self.robot_time, self._seen_scene)
        self.create_service(Explain, "planner/explain", self._on_explain)
        self._server = ActionServer(
            self,
            ExecuteTask,
            "planner/execute_task",
            execute_callback=self._execute,
            goal_callback=self._on_goal,
            handle_accepted_callback=self._on_accepted,
            cancel_callback=self._on_cancel,
        )

    def activate(self) -> None:
        """Take tasks."""
        self._accepting = True

    def deactivate(self) -> None:
        """End the task that runs, and take none."""
        self._accepting = False
        if self._task is not None:
            self._task.end("the planner node is being deactivated", failed=True)

    def cleanup(self) -> None:
        """Close the action server and the client."""
        if self._server is not None:
            self._server.destroy()
            self._server = None
        if self._skills is not None:
            self._skills.destroy()
            self._skills = None
        if self._slow is not None:
            self._slow.close()
        self._planner = self._slow = None

    def _make_planner(self, profile: Profile) -> Planner:
        """The planner that is set; a language model is loaded beside everything else, for that may take long."""
        self._reach = _reach_of(profile)
        limit = min(self.settings.answer_limit, MODEL_SHARE * self.settings.think_limit)
        settings = self.settings.model_copy(update={"answer_limit": limit})
        planner = make_planner(
            settings.backend, self._registry, settings, self._reports.put, self._trace, self._reach, profile.kind
        )
        if isinstance(planner, Cancellable):
            self._slow = planner
            threading.Thread(target=planner.warm_up, name="loading", daemon=True).start()
        return planner

    def robot_time(self) -> float:
        """Robot time now, from the newest state [s]; 0 before the first."""
        for state in self._states.drain():
            self._time = time_from_msg(state.header.stamp)
        return self._time

    def _is_taken(self) -> bool:
        return self._safety is not None and self._safety.mode in TAKEN

    def _is_held(self) -> bool:
        return self._safety is not None and self._safety.speed_scale == 0.0

    def _on_event(self, message: ros.SafetyEvent) -> None:
        """Perception says which camera does not see, and when it sees again."""
        if message.kind in ("camera_frozen", "camera_stale"):
            self._blind[message.source] = message.reason
        elif message.kind == "camera_back":
            self._blind.pop(message.source, None)

    def _on_scene(self, message: ros.Scene) -> None:
        self._scene = message
        seen, self._seen = self._seen, Future()
        seen.set_result(None)
        if self._advising is not None and (scene := self._seen_scene()) is not None:
            self._advising.look(scene, self.robot_time())

    def _on_safety(self, message: ros.SafetyState) -> None:
        self._safety = message
        told, self._mode_told = self._mode_told, Future()
        told.set_result(None)
        if self._task is None:
            return
        if message.mode in TAKEN:
            self._task.take()
            self._task.tell_pause(self._time, message)
        elif why := obstacle(message):
            self._task.end(f"{why}; ask again once the robot may move", failed=True)

    def _on_goal(self, request: ExecuteTask.Goal) -> GoalResponse:
        if not self._accepting:
            return self._reject(f"the planner node is {self.state}, not active")
        if is_about_the_past(request.instruction):
            return GoalResponse.ACCEPT
        if request.approve not in ("", *MODES):
            return self._reject(str(UnknownName("way to approve", request.approve, MODES)))
        if self._task is not None:
            running = self._task.executor.instruction
            return self._reject(f"“{running}” is being done, and tasks run one at a time; cancel it or wait")
        return GoalResponse.ACCEPT

    def _reject(self, reason: str) -> GoalResponse:
        self._tell(Severity.WARN, GOAL_REJECTED, reason)
        return GoalResponse.REJECT

    def _tell(self, severity: Severity, kind: str, reason: str) -> None:
        self.log(severity, f"{kind}: {reason}")
        self._events.publish(event_to_msg(SafetyEvent(self.robot_time(), severity, kind, self.get_name(), reason)))

    def _on_accepted(self, goal: Any) -> None:
        if not is_about_the_past(goal.request.instruction):
            self._task = self._begin(goal)
        goal.execute()

    def _begin(self, goal: Any) -> RunningTask:
        """A new task, and its trace."""
        instruction = " ".join(goal.request.instruction.split())
        assert self._planner is not None
        self._trace.begin(instruction, self._planner.name)
        self._tell_trace_trouble()
        thought = Cancel()
        planner = self._planner_until(thought)
        cadence = Cadence(self.settings.mode, self.settings.advice_period, self.settings.advice_stall)
        approve: ApprovalMode = goal.request.approve or self.settings.approve
        limits = Limits(questions=self.settings.questions)
        executor = TaskExecutor(
            planner, self._registry, instruction, limits, self._trace, cadence, approve, self._reach
        )
        return RunningTask(goal, executor, thought)

    def _planner_until(self, cancel: Cancel) -> Planner:
        """The planner, whose plans end when `cancel` is given, if they may take long."""
        assert self._planner is not None
        return self._slow.until(cancel) if self._slow is not None else self._planner

    def _on_cancel(self, goal: Any) -> CancelResponse:
        if self._task is not None and self._task.goal is goal:
            self._task.end("cancelled by the operator", failed=False)
        return CancelResponse.ACCEPT

    async def _execute(self, goal: Any) -> ExecuteTask.Result:
        task = self._task
        if task is None or task.goal is not goal:
            goal.succeed()
            answer = self._explain(goal.request.instruction)
            return ExecuteTask.Result(success=True, outcome="answered", reason=answer)
        begin = self.robot_time()
        try:
            done = await self._carry_out(task)
        except ReinsError as error:
            done = Done("failed", str(error), task.executor.plan)
        finally:
            complaint = await self._rules.release()
            self._task = None
        if complaint:
            self._tell(Severity.WARN, "constraint_stays", complaint)
        if done.outcome == "succeeded":
            goal.succeed()
        elif goal.is_cancel_requested:
            goal.canceled()
        else:
            goal.abort()
        if not task.executor.over:  # it still thinks, too late, and is not to write into the next task's trace
            task.executor.cancel(done.reason, done.outcome)
        self._trace.close()
        self._tell_trace_trouble()
        end = self.robot_time()
        self.get_logger().info(f"“{task.executor.instruction}” {done.outcome}: {done.reason}")
        return ExecuteTask.Result(
            success=done.outcome == "succeeded",
            outcome=done.outcome,
            reason=done.reason,
            plan=plan_to_msg(done.plan, end) if done.plan else ros.Plan(),
            replans=task.executor.replans,
            duration=end - begin,
        )

    def _explain(self, question: str) -> str:
        answer = explain(self._trace.notebook.story(), question, self._registry)
        self._trace.write("why", question=question, answer=answer)
        self.get_logger().info(f"“{question}” {answer}")
        return answer

    def _on_explain(self, request: Explain.Request, response: Explain.Response) -> Explain.Response:
        response.answer = self._explain(request.question)
        return response

    async def _carry_out(self, task: RunningTask) -> Done:
        """Drive the executor to its end. Every wait is bounded, and ends when the task ends from outside."""
        if not task.executor.instruction:
            return Done("refused", "the instruction is empty; say what to do", None)
        if why := await self._obstacle():
            return Done("failed", why, None)
        told: Plan | None = None
        task.executor.rules.standing = await self._rules.standing()
        while not task.over.done():
            if task.taken:
                await self._pause(task)
                continue
            task.tell(self._time)
            action = await self._next(task)
            self._tell_news(task)
            if task.executor.plan is not None and task.executor.plan is not told:
                told = task.executor.plan
                self._plans.publish(plan_to_msg(told, self.robot_time()))
            if isinstance(action, Done):
                return action
            if isinstance(action, Look):
                await first_of(self, PATIENCE, self._seen, task.interrupted)
            elif isinstance(action, Ask):
                limit = self.settings.question_limit if action.question else self.settings.approve_limit
                await self._desk.wait(task, action, limit)
                task.executor.rules.standing = await self._rules.standing()
            elif isinstance(action, RunSkill):
                await self._run(task, action)
        task.executor.cancel(task.over.result())
        return Done("failed" if task.failure else "cancelled", task.over.result(), task.executor.plan)

    async def _pause(self, task: RunningTask) -> None:
        """Wait until the operator has handed back, for `pause_limit` at most. No skill runs; see `_run`."""
        limit = self.settings.pause_limit
        task.executor.pause(self._seen_scene())
        self.get_logger().info(f"“{task.executor.instruction}” pauses: an operator drives by hand")
        while obstacle(self._safety) and not task.over.done():
            if task.paused_for > limit:
                task.end(f"an operator drove by hand and did not hand back within {limit:g} s", failed=True)
                return
            task.tell_pause(self._time, self._safety)
            left = limit - task.paused_for
            await first_of(self, min(PAUSE_FEEDBACK, max(left, 0.0)), self._mode_told, task.over)
        task.hand_back()
        task.executor.rules.standing = await self._rules.standing()
        task.executor.resume(self.robot_time())

    def _tell_trace_trouble(self) -> None:
        if trouble := self._trace.take_trouble():
            self._tell(Severity.WARN, "no_trace", trouble)

    def _tell_reports(self) -> None:
        while not self._reports.empty():
            self._tell(Severity.ERROR, LANGUAGE_MODEL, self._reports.get())

    def _tell_news(self, task: RunningTask) -> None:
        for text in task.news():
            self.get_logger().info(f"“{task.executor.instruction}” goes on; {text}")
            task.tell_news(self._time, text)

    async def _obstacle(self) -> str:
        """Why the robot may not move, if it still may not after SETTLE."""
        for _ in range(2):
            if not obstacle(self._safety):
                return ""
            await first_of(self, SETTLE / 2)
        return obstacle(self._safety)

    async def _next(self, task: RunningTask) -> Action | None:
        """The executor's next action; None if the task ended from outside meanwhile.

        A takeover waits until it has thought: the executor is not to be paused in the middle of that.
        """
        scene, now = self._seen_scene(), self.robot_time()
        task.executor.blind = "; ".join(self._blind.values())
        thinking = Thinking(self, lambda: task.executor.next(scene, now))
        await first_of(self, self.settings.think_limit, thinking.done, task.over)
        self._tell_reports()
        if thinking.done.done():
            return thinking.result()
        task.thought.give()
        if task.over.done():
            return None
        return Done("failed", f"no plan within {self.settings.think_limit:g} s", None)

    async def _run(self, task: RunningTask, action: RunSkill) -> None:
        """Run a skill to its end. One that an operator takes away is ended and confirmed so, and does not count."""
        assert self._skills is not None
        limit = self._registry[action.call.skill].time_limit
        await self._rules.hold(task.executor.rules.own)
        if task.interrupted.done():  # while it was thought of
            task.executor.skill_finished(False, "not begun", self.robot_time(), interrupted=True)
            return

        advising = self._advising = Advising(self, task, self._planner_until)

        def tell(phase: str, progress: float) -> None:
            advising.progressed(progress)
            task.tell(self._time, phase, progress)

        task.tell(self._time)
        try:
            end = await self._skills.run(action.call, action.constraints, limit, tell, task.interrupted)
        finally:
            self._advising = None
            advising.end()
        if end.reason in TAKEN.values():  # the skills node knows already; safety tells it to this node, too
            await first_of(self, SETTLE, task.interrupted)
        if not task.over.done():
            taken = task.turn_done() or task.taken or end.reason in TAKEN.values()
            task.executor.skill_finished(end.success, end.reason, self.robot_time(), interrupted=taken)
            task.executor.rules.standing = await self._rules.standing()

    def _seen_scene(self) -> Scene | None:
        """Nothing is planned with what makes no sense; the safety monitor tells of it."""
        return sensible(scene_from_msg(self._scene)) if self._scene is not None else None


def main() -> int:
    """Run the planner node."""
    return run(PlannerNode)
