"""The skills node: one skill at a time as an action, stepped by the robot's states, out on `command/skill`."""

import time
from pathlib import Path
from typing import Any, Final

from pydantic import Field
from rcl_interfaces.msg import SetParametersResult
from rclpy.action.server import ActionServer, CancelResponse, GoalResponse
from rclpy.parameter import Parameter
from rclpy.task import Future
from reins_msgs import msg as ros
from reins_msgs.action import ExecuteSkill
from reins_msgs.srv import ListSkills

from reins.contracts.errors import ReinsError
from reins.contracts.event import GOAL_REJECTED, SafetyEvent, Severity
from reins.contracts.scene import sensible
from reins.hardware.profile import load_profile
from reins.hardware.profile_base import Profile
from reins.nodes.base import ManagedNode
from reins.nodes.control_loop import ControlLoop, Inbox
from reins.nodes.convert import event_to_msg
from reins.nodes.convert_scene import call_from_msg, constraint_from_msg, scene_from_msg
from reins.nodes.parameters import Settings
from reins.nodes.qos import CONTROL, EVENTS, LATCHED
from reins.nodes.running import run
from reins.nodes.skill_worker import Job, JobResult, SkillWorker
from reins.nodes.waiting import first_of, wake
from reins.nodes.wires import wire_of
from reins.skills.kinds import SCRIPTED, Repertoire, make_repertoire
from reins.skills.onnx_factory import OnnxFactory
from reins.skills.policy import OnnxPolicy

FEEDBACK_PERIOD: Final = 0.1
"""Time between two feedbacks of a skill [s]."""

CHECK_PERIOD: Final = 0.05
"""Time between two looks at the age of the robot's state [s]."""

GRACE: Final = 1.0
"""Safety has this long to let the first commands of a skill through [s]."""

STOPPED: Final = {
    ros.SafetyState.STARTING: "safety is still starting",
    ros.SafetyState.STOPPING: "safety is stopping the robot",
    ros.SafetyState.STOPPED: "the robot was stopped; `reins reset` clears it",
    ros.SafetyState.ESTOP: "emergency stop; `reins reset` clears it",
}
TAKEN: Final = {
    ros.SafetyState.ACTIVE_TELEOP: "the operator drives by hand",
    ros.SafetyState.HOLD: "the operator took over by hand; `reins handback` gives control back",
}
OBSTACLES: Final = {**STOPPED, **TAKEN}
"""Modes of the safety monitor in which no skill runs, and why."""


class SkillsSettings(Settings):
    """Parameters of the skills node."""

    robot: str = Field("franka", description="robot profile: a name, or the path of a YAML file")
    backend: str = Field("scripted", description="what carries the skills out: scripted, or trained policies (arms)")
    policy: str = Field(
        "",
        description="ONNX file of a policy that takes the place of the one for the same skills, from its next step on; "
        "one that does not fit is refused, and the one in use stays",
    )
    trace: bool = Field(False, description="stamp every command with the time it was sent, for latency measurements")


def obstacle(safety: ros.SafetyState | None) -> str:
    """Why no skill can run in this state of the safety monitor; empty if one can."""
    if safety is None:
        return "safety has said nothing yet; is its node up?"
    why = OBSTACLES.get(safety.mode, "")
    return f"{why} ({safety.reason})" if why and safety.reason else why


def _controller_name(repertoire: Repertoire, skill: str) -> str:
    """What carries a skill out: SCRIPTED, or the name of a policy."""
    factory = repertoire.factories[skill]
    return factory.slot(skill).policy.name if isinstance(factory, OnnxFactory) else SCRIPTED


class SkillsNode(ManagedNode[SkillsSettings]):
    """Actions and slow topics in the executor's thread; states and commands in a control thread."""

    def __init__(self) -> None:
        super().__init__("skills", SkillsSettings, live=frozenset({"policy"}))
        self._offered: OnnxPolicy | None = None
        self._loop: ControlLoop | None = None
        self._server: ActionServer | None = None
        self._goal: Any = None
        self._safety: ros.SafetyState | None = None

    def configure(self) -> None:
        """Load the robot and the controllers."""
        profile = self._profile = load_profile(self.settings.robot, Profile)
        self._wire = wire_of(profile)
        self._repertoire = make_repertoire(self.settings.backend, profile)
        if self.settings.policy:
            self._policies.use(self._policies.accept(Path(self.settings.policy)))
        self._worker: SkillWorker[Any, Any] = SkillWorker(self._repertoire.runner, self._wire.stands)
        self._states: Inbox[Any] = Inbox(self, self._wire.state, "robot_state", CONTROL)
        self._commands = self.create_publisher(self._wire.command, "command/skill", CONTROL)
        self._events = self.create_publisher(ros.SafetyEvent, "safety/events", EVENTS)
        self.create_subscription(ros.Scene, "scene", self._on_scene, LATCHED)
        self.create_subscription(ros.SafetyState, "safety/state", self._on_safety, LATCHED)
        self.create_service(ListSkills, "skills/list", self._on_list)
        self._server = ActionServer(
            self,
            ExecuteSkill,
            "skills/execute",
            execute_callback=self._execute,
            goal_callback=self._on_goal,
            handle_accepted_callback=self._on_accepted,
            cancel_callback=self._on_cancel,
        )

    def activate(self) -> None:
        """Start the control thread."""
        inboxes = [(self._states, self._on_state)]
        self._loop = ControlLoop(self, CHECK_PERIOD, self._check, inboxes, self.fail, real_time=True)
        self._loop.start()

    def deactivate(self) -> None:
        """End the skill that runs; safety stops the robot when its commands end."""
        self._worker.interrupt("the skills node is being deactivated")
        if self._loop is not None:
            self._loop.stop()
            self._loop = None

    def cleanup(self) -> None:
        """Close the action server."""
        if self._server is not None:
            self._server.destroy()
            self._server = None

    @property
    def _policies(self) -> OnnxFactory:
        """What runs policies.

        Raises:
            ReinsError: nothing here does.
        """
        for factory in self._repertoire.factories.values():
            if isinstance(factory, OnnxFactory):
                return factory
        raise ReinsError(f"backend '{self.settings.backend}' runs no policies; launch with skills:=onnx")

    def _check_parameters(self, parameters: list[Parameter]) -> SetParametersResult:
        """Also that a policy that is offered fits."""
        result = super()._check_parameters(parameters)
        offered = [parameter.value for parameter in parameters if parameter.name == "policy"]
        if not (offered and offered[-1] and result.successful) or self.state not in ("inactive", "active"):
            return result
        try:
            self._offered = self._policies.accept(Path(offered[-1]))
        except ReinsError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return result

    def settings_changed(self) -> None:
        """Use the policy that was offered."""
        fresh, self._offered = self._offered, None
        if fresh is not None:
            self._policies.use(fresh)
            self.get_logger().info(f"policy '{fresh.name}' from now on, for {', '.join(fresh.metadata.skills)}")

    def pulse(self) -> bool:
        """The control thread ticks, while there is one."""
        loop = self._loop
        return loop is None or loop.alive(1.0)

    def _on_scene(self, message: ros.Scene) -> None:
        """Nothing is done with what makes no sense; the safety monitor tells of it."""
        self._worker.on_scene(sensible(scene_from_msg(message)))

    def _on_state(self, message: Any) -> None:
        """In the control thread. A state that makes no sense is none; the safety monitor tells of it."""
        state = self._wire.state_from_msg(message)
        if self._wire.objection(state, self._profile):
            return
        command = self._worker.on_state(state, time.monotonic())
        if command is not None:
            answer = self._wire.command_to_msg(command)
            if self.settings.trace:
                answer.trace_ns = time.monotonic_ns()
            self._commands.publish(answer)

    def _check(self, _due: float) -> None:
        """In the control thread."""
        self._worker.tick(time.monotonic())

    def _on_safety(self, message: ros.SafetyState) -> None:
        self._safety = message
        self._worker.hold(message.speed_scale == 0.0)
        if self._worker.call is not None and (why := obstacle(message)):
            self._worker.interrupt(why)

    def _on_goal(self, request: ExecuteSkill.Goal) -> GoalResponse:
        if self._loop is None:
            return self._reject(f"{request.call.skill}: the skills node is {self.state}, not active")
        if self._goal is not None:
            running = self._worker.call or "a skill"
            return self._reject(f"{request.call.skill}: {running} is running, and skills run one at a time")
        return GoalResponse.ACCEPT

    def _reject(self, reason: str) -> GoalResponse:
        self.get_logger().warning(f"goal rejected: {reason}")
        event = SafetyEvent(self._worker.stamp, Severity.WARN, GOAL_REJECTED, self.get_name(), reason)
        self._events.publish(event_to_msg(event))
        return GoalResponse.REJECT

    def _on_accepted(self, goal: Any) -> None:
        self._goal = goal
        goal.execute()

    def _on_cancel(self, _goal: Any) -> CancelResponse:
        self._worker.cancel("cancelled")
        return CancelResponse.ACCEPT

    async def _execute(self, goal: Any) -> ExecuteSkill.Result:
        try:
            result = await self._carry_out(goal)
        finally:
            self._goal = None
        if result.success:
            goal.succeed()
        elif goal.is_cancel_requested:
            goal.canceled()
        else:
            goal.abort()
        call = goal.request.call.skill
        how = "succeeded" if result.success else f"failed: {result.reason}"
        self.get_logger().info(f"{call} {how} ({result.duration:.1f} s)")
        return ExecuteSkill.Result(success=result.success, reason=result.reason, duration=result.duration)

    async def _carry_out(self, goal: Any) -> JobResult:
        """Submit the goal, give feedback, wait for its end.

        The worker bounds the wait: by the skill's time limit, by the age of the robot's state, and by safety.
        """
        done = Future()

        def finish(result: JobResult) -> None:
            done.set_result(result)
            wake(self)

        if why := obstacle(self._safety):
            return JobResult(False, why, 0.0)
        try:
            constraints = [constraint_from_msg(message) for message in goal.request.constraints]
            self._worker.submit(Job(call_from_msg(goal.request.call), constraints, finish), time.monotonic())
        except ValueError as error:
            return JobResult(False, f"invalid constraint: {error}", 0.0)
        except ReinsError as error:
            return JobResult(False, str(error), 0.0)
        if goal.is_cancel_requested:
            self._worker.cancel("cancelled")
        begin, passed = time.monotonic(), False
        while not await first_of(self, FEEDBACK_PERIOD, done):
            phase, progress = self._worker.progress()
            goal.publish_feedback(ExecuteSkill.Feedback(phase=phase, progress=progress))
            passed = passed or (self._safety is not None and self._safety.mode == ros.SafetyState.ACTIVE_SKILL)
            if not passed and time.monotonic() - begin > GRACE:
                mode = self._safety.mode_name if self._safety else "unknown"
                self._worker.cancel(f"safety lets no command of the skill through (mode {mode})")
        result: JobResult = done.result()
        return result

    def _on_list(self, _request: ListSkills.Request, response: ListSkills.Response) -> ListSkills.Response:
        can = self._repertoire
        response.names = [name for name in can.registry if name in can.factories]
        response.descriptions = [can.registry[name].description for name in response.names]
        response.controllers = [_controller_name(can, name) for name in response.names]
        return response


def main() -> int:
    """Run the skills node."""
    return run(SkillsNode)
