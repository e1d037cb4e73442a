"""A synchronous client of a running graph, for the command line and the demo: plain data, every wait bounded."""

import os
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import rclpy
from rclpy.action.client import ActionClient
from rclpy.context import Context
from rclpy.exceptions import InvalidNamespaceException
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future
from rclpy.validate_namespace import validate_namespace
from reins_msgs.action import ExecuteSkill, ExecuteTask
from reins_msgs.msg import Heartbeat, SafetyEvent
from reins_msgs.srv import AnswerPlan, Arm, EmergencyStop, HandBack, ListSkills, Reset, ResetWorld
from typing_extensions import Self

from reins.contracts.errors import ReinsError
from reins.contracts.event import GOAL_REJECTED
from reins.contracts.plan import Constraint, SkillCall
from reins.nodes.control_loop import Inbox
from reins.nodes.convert_scene import call_to_msg, constraint_to_msg, plan_from_msg
from reins.nodes.deadline import Deadline
from reins.nodes.outcomes import Reply, SkillEntry, SkillOutcome, SkillProgress, TaskOutcome, TaskProgress
from reins.nodes.qos import EVENTS, HEARTBEAT
from reins.nodes.unanswered import Unanswered

DISCOVERY: Final = 8.0
"""How long a node of the graph may take to be found [s]; on an idle machine it takes a fifth of a second."""

ANSWER: Final = 5.0
"""How long it may take to answer once found [s]."""

RESET: Final = 20.0
"""How long a reset may take, in which the robot recovers [s]: longer than safety waits for that."""

SILENCE: Final = 3.0
"""A task without feedback for this long makes the client look whether its node is alive [s]."""

POLL: Final = 0.03
"""Time between two looks at topics [s]. They are not left to the executor, which costs ten times as much a message."""

Tap = tuple[Inbox[Any], Callable[[Any], None]]

LISTEN: Final = 1.0
"""How long it listens for heartbeats then [s]; a live node beats many times meanwhile."""


class GraphClient:
    """One short-lived node that talks to a graph.

    Args:
        namespace: of the robot; empty for none.
        domain: ROS domain, or None for the environment's ROS_DOMAIN_ID.

    Raises:
        ReinsError: the namespace is not a valid ROS name.
    """

    def __init__(self, namespace: str = "", domain: int | None = None) -> None:
        self.namespace = namespace.strip("/")
        try:
            validate_namespace(f"/{self.namespace}")
        except InvalidNamespaceException:
            raise ReinsError(f"'{namespace}' is not a valid ROS namespace: letters, digits, _ and / only") from None
        self._context = Context()
        rclpy.init(args=[], context=self._context, domain_id=domain, signal_handler_options=SignalHandlerOptions.NO)
        name = f"reins_client_{os.getpid()}_{id(self) % 0xFFFF:04x}"
        self.node = Node(name, namespace=self.namespace, context=self._context, use_global_arguments=False)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._taps: list[Tap] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the graph."""
        self._executor.shutdown(timeout_sec=1.0)
        self.node.destroy_node()
        self._context.try_shutdown()

    def listen(self, kind: type, topic: str, qos: QoSProfile, callback: Callable[[Any], None]) -> Tap:
        """Give every message of a topic to `callback` whenever this client waits for something, until `ignore`."""
        tap: Tap = (Inbox(self.node, kind, topic, qos), callback)
        self._taps.append(tap)
        return tap

    def types_of(self, topic: str) -> set[str]:
        """Types under which a topic is published, as far as that is known by now, e.g. "std_msgs/msg/Bool"."""
        return {info.topic_type for info in self.node.get_publishers_info_by_topic(topic)}

    def ignore(self, tap: Tap) -> None:
        """Give no more messages of that topic."""
        self._taps.remove(tap)

    def step(self, timeout: float) -> None:
        """Wait for at most `timeout` [s], and take what has come."""
        self._executor.spin_once(timeout_sec=min(max(timeout, 0.0), POLL))
        for inbox, callback in list(self._taps):
            for message in inbox.drain():
                callback(message)

    def spin(self, duration: float) -> None:
        """Take messages for `duration` [s]."""
        end = time.monotonic() + duration
        while (left := end - time.monotonic()) > 0.0:
            self.step(left)

    def estop(self, who: str, reason: str) -> Reply:
        """Emergency stop; latches."""
        return self._ask(EmergencyStop, "safety/estop", "safety", requested_by=who, reason=reason)

    def reset(self, who: str) -> Reply:
        """Clear a stop or an emergency stop."""
        answer = self.call(Reset, "safety/reset", "safety", {"requested_by": who}, RESET)
        return Reply(answer.accepted, answer.message)

    def arm(self, who: str, on: bool) -> Reply:
        """Let safe commands reach the robot, or no longer."""
        return self._ask(Arm, "robot/arm", "robot", arm=on, requested_by=who)

    def hand_back(self, who: str) -> Reply:
        """Hand control back to the skills after teleop."""
        return self._ask(HandBack, "safety/hand_back", "safety", requested_by=who)

    def reset_world(self, seed: int) -> Reply:
        """Put the simulated world back to its start."""
        return self._ask(ResetWorld, "sim/reset", "robot", seed=seed)

    def skills(self) -> list[SkillEntry]:
        """The skills that the skills node can run."""
        answer = self.call(ListSkills, "skills/list", "skills", {})
        return [SkillEntry(*row) for row in zip(answer.names, answer.descriptions, answer.controllers, strict=True)]

    def run_skill(
        self,
        call: SkillCall,
        constraints: Sequence[Constraint],
        time_limit: float,
        on_progress: Callable[[SkillProgress], None],
    ) -> SkillOutcome:
        """Run one skill to its end; it is cancelled after `time_limit` [s] and on KeyboardInterrupt.

        Raises:
            ReinsError: nobody answers, the goal is rejected, or the node dies.
        """
        goal = ExecuteSkill.Goal(call=call_to_msg(call), constraints=[constraint_to_msg(c) for c in constraints])
        result = self._act(
            ExecuteSkill,
            "skills/execute",
            "skills",
            goal,
            time_limit,
            lambda feedback: on_progress(SkillProgress(feedback.phase, feedback.progress)),
        )
        return SkillOutcome(result.success, result.reason, result.duration)

    def execute_task(
        self,
        instruction: str,
        time_limit: float,
        on_progress: Callable[[TaskProgress], None],
        approve: str = "",
        meanwhile: Callable[[], None] = lambda: None,
        answers: bool = False,
    ) -> TaskOutcome:
        """Do what a sentence says; it is cancelled after `time_limit` [s] and on KeyboardInterrupt.

        Time while an operator drives or a plan waits for an answer does not count; the planner bounds that.

        Args:
            instruction: the sentence.
            time_limit: see above.
            on_progress: told how it goes.
            approve: which plans run unasked: always, risky, ask, or empty for what the planner is set to.
            meanwhile: called again and again; may call this client, and end the task by KeyboardInterrupt.
            answers: whether somebody here answers the planner's questions; if not, the task ends with the first one.

        Raises:
            ReinsError: nobody answers, the goal is rejected, or the node dies.
        """
        nobody = Unanswered(self._leave_question)

        def tell(feedback: Any) -> None:
            progress = _task_progress(feedback)
            nobody.hear(progress)
            on_progress(progress)

        def look() -> None:
            if not answers:
                nobody.look()
            meanwhile()

        result = self._act(
            ExecuteTask,
            "planner/execute_task",
            "planner",
            ExecuteTask.Goal(instruction=instruction, approve=approve),
            time_limit,
            tell,
            lambda feedback: feedback.stage in ("paused", "asking"),
            look,
        )
        return TaskOutcome(
            success=result.success,
            outcome=result.outcome,
            reason=result.reason,
            plan=plan_from_msg(result.plan),
            replans=result.replans,
            duration=result.duration,
        )

    def _leave_question(self) -> None:
        """Nobody here answers the question that is open; whoever else has answered it by now was first."""
        said = {"verdict": "leave", "requested_by": self.node.get_name()}
        self.call(AnswerPlan, "planner/answer", "planner", said)

    def alive(self, node: str) -> bool:
        """Whether a node's heartbeat is heard within LISTEN seconds."""
        heard: set[str] = set()

        def hear(beat: Heartbeat) -> None:
            heard.add(beat.node)

        tap = self.listen(Heartbeat, "heartbeat", HEARTBEAT, hear)
        end = time.monotonic() + LISTEN
        while node not in heard and time.monotonic() < end:
            self.step(LISTEN)
        self.ignore(tap)
        return node in heard

    def _absent(self, who: str) -> ReinsError:
        where = f" in namespace '{self.namespace}'" if self.namespace else ""
        return ReinsError(f"no {who} answers{where}; start a graph with `reins up sim`, or look with `reins status`")

    def _ask(self, kind: Any, name: str, who: str, **fields: object) -> Reply:
        answer = self.call(kind, name, who, fields)
        return Reply(answer.accepted, answer.message)

    def call(self, kind: Any, name: str, who: str, fields: dict[str, Any], timeout: float = ANSWER) -> Any:
        """The answer of a service of the node `who`. Raises ReinsError when it does not answer within `timeout` [s]."""
        client = self.node.create_client(kind, name)
        try:
            if not client.wait_for_service(timeout_sec=DISCOVERY):
                raise self._absent(who)
            return self._wait(client.call_async(kind.Request(**fields)), f"{who} ({name})", timeout)
        finally:
            self.node.destroy_client(client)

    def _wait(self, future: Future, what: str, timeout: float = ANSWER) -> Any:
        end = time.monotonic() + timeout
        while not future.done() and time.monotonic() < end:
            self.step(timeout)
        if not future.done():
            raise ReinsError(f"{what} gave no answer within {timeout:g} s")
        return future.result()

    def _act(
        self,
        kind: Any,
        name: str,
        who: str,
        goal: Any,
        time_limit: float,
        on_feedback: Callable[[Any], None],
        is_paused: Callable[[Any], bool] = lambda _: False,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> Any:
        deadline = Deadline(time_limit)

        def feedback(message: Any) -> None:
            deadline.heard(time.monotonic(), is_paused(message.feedback))
            on_feedback(message.feedback)

        reasons: list[str] = []

        def hear(event: SafetyEvent) -> None:
            if event.kind == GOAL_REJECTED and event.source == who:
                reasons.append(event.reason)

        tap = self.listen(SafetyEvent, "safety/events", EVENTS, hear)
        client = ActionClient(self.node, kind, name)
        try:
            if not client.wait_for_server(timeout_sec=DISCOVERY):
                raise self._absent(who)
            handle = self._wait(client.send_goal_async(goal, feedback_callback=feedback), f"{who} ({name})")
            if not handle.accepted:
                raise ReinsError(f"rejected by {who}: {self._reason(reasons)}")
            return self._follow(handle, who, deadline, meanwhile)
        finally:
            client.destroy()
            self.ignore(tap)

    def _reason(self, reasons: list[str]) -> str:
        """Why a goal was rejected; actions carry no reason, so the node tells it as an event."""
        end = time.monotonic() + LISTEN
        while not reasons and time.monotonic() < end:
            self.step(LISTEN)
        return reasons[0] if reasons else "it did not say why; its log does"

    def _follow(self, handle: Any, who: str, deadline: Deadline, meanwhile: Callable[[], None]) -> Any:
        result = handle.get_result_async()
        deadline.start(time.monotonic())
        try:
            while not result.done() and not deadline.passed(time.monotonic()):
                self.step(POLL)
                meanwhile()
                if deadline.silence(time.monotonic()) > SILENCE:
                    if not self.alive(who):
                        raise ReinsError(f"the {who} node died or hangs; the robot stops by itself")
                    deadline.heard(time.monotonic(), deadline.paused)
        except KeyboardInterrupt:
            pass
        if not result.done():
            self._wait(handle.cancel_goal_async(), f"{who}, asked to cancel,")
        return self._wait(result, f"{who}, cancelled,").result


def _task_progress(feedback: Any) -> TaskProgress:
    plan = feedback.plan
    is_made = bool(plan.steps or plan.question or plan.refusal or plan.thought)
    return TaskProgress(
        stage=feedback.stage,
        plan=plan_from_msg(plan) if is_made else None,
        step=feedback.step,
        step_text=feedback.step_text,
        phase=feedback.phase,
        progress=feedback.progress,
    )
