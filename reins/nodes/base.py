"""What every reins node is: a managed node with typed parameters, a heartbeat, and a clean way to start and stop."""

import os
import signal
from typing import Any, ClassVar, Generic

from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.msg import SetParametersResult
from rclpy.executors import (
    Executor,
    MultiThreadedExecutor,
    SingleThreadedExecutor,
)
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.parameter import Parameter
from rclpy.service import Service

from reins.contracts.errors import ReinsError
from reins.contracts.event import Severity
from reins.nodes.heartbeat import Heartbeats
from reins.nodes.parameters import ParameterTable, SettingsT
from reins.nodes.replies import PatientReplies


class ManagedNode(LifecycleNode, Generic[SettingsT]):
    """A lifecycle node. Subclasses name their settings and fill in four hooks; everything else is here.

    `configure` makes publishers, subscriptions, services and cores from `self.settings`, `activate` starts work,
    `deactivate` stops it, `cleanup` closes what is not a ROS entity (the entities made in `configure` are destroyed
    by themselves). A ReinsError from a hook is logged as one sentence and the transition fails; the node stays up and
    can be tried again.

    Parameters are read in `configure`; those in `live` may also change while the node runs and are told to
    `settings_changed`.

    Args:
        name: the node's name unless a launch file gives another.
        model: the settings model.
        live: names of the parameters that may change at any time.
    """

    niceness: ClassVar[int] = 0
    """Added to the niceness of all threads but the heartbeat's: 10 for what must never hold up a control loop. Not
    where real-time scheduling keeps the control loops safe anyway: niced threads look dead on a busy machine."""

    threads: ClassVar[int] = 1
    """Threads of the executor."""

    def __init__(self, name: str, model: type[SettingsT], live: frozenset[str] = frozenset()) -> None:
        self._replies = PatientReplies(self)
        super().__init__(name)
        self._live = live
        self._made_in_init: set[int] = set()
        self._table = ParameterTable(self, model)
        self.settings: SettingsT = model()
        for service in self.services:  # those that rclpy makes elsewhere than in create_service
            self._replies.tend(service)
        self._change_state = self._service_change_state.callback
        self._service_change_state.callback = self._change_state_if_possible
        self.add_on_set_parameters_callback(self._check_parameters)
        self.add_post_set_parameters_callback(self._take_parameters)
        self.faults: list[Exception] = []
        self._heartbeat = Heartbeats(self, lambda: self.state, self.pulse)
        self._made_in_init = {id(entity) for entity in self._entities()}

    @property
    def state(self) -> str:
        """Lifecycle state in words: unconfigured, inactive, active, finalized or a transition."""
        return str(self._state_machine.current_state[1])

    def configure(self) -> None:
        """Make everything from `self.settings`. Raises ReinsError when that cannot work."""

    def activate(self) -> None:
        """Start work. Raises ReinsError when that cannot work."""

    def deactivate(self) -> None:
        """Stop work; whatever moves stands still afterwards."""

    def cleanup(self) -> None:
        """Close what `configure` opened. Also called after a failed `configure`: some of it may not exist."""

    def settings_changed(self) -> None:
        """Live parameters changed; `self.settings` has the new values."""

    def pulse(self) -> bool:
        """Whether the node's own loop is alive; False withholds the heartbeat. Called from the heartbeat's thread."""
        return True

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Read the parameters, then `configure`."""
        try:
            self.settings = self._table.read()
            self.configure()
        except ReinsError as error:
            self.get_logger().error(f"cannot configure: {error}")
            self._clear()
            return TransitionCallbackReturn.FAILURE
        except Exception as error:  # rclpy drops whatever a transition raises; say it, then go to error processing
            return self._broken("configure", error)
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """`activate`."""
        managed = super().on_activate(state)
        if managed != TransitionCallbackReturn.SUCCESS:
            return managed
        try:
            self.activate()
        except ReinsError as error:
            self.get_logger().error(f"cannot activate: {error}")
            super().on_deactivate(state)
            return TransitionCallbackReturn.FAILURE
        except Exception as error:
            return self._broken("activate", error)
        return TransitionCallbackReturn.SUCCESS

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """`deactivate`."""
        try:
            self.deactivate()
        except Exception as error:
            return self._broken("deactivate", error)
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """`cleanup`, then destroy what `configure` made."""
        managed = super().on_cleanup(state)
        self._clear()
        return managed

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop and close, from whatever state."""
        if state.label == "active":
            self.on_deactivate(state)
        if state.label in ("active", "inactive"):
            self._clear()
        return super().on_shutdown(state)

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """After a fault in a transition: stop and close everything, back to unconfigured."""
        try:
            self.deactivate()
            self._clear()
        except Exception as error:
            self.get_logger().error(f"cannot clean up after the error: {type(error).__name__}: {error}")
            return TransitionCallbackReturn.FAILURE
        return TransitionCallbackReturn.SUCCESS

    def create_service(self, *args: Any, **kwargs: Any) -> Service:
        """As in rclpy, but a client that has just joined cannot hold up the process (see `replies`)."""
        service: Service = super().create_service(*args, **kwargs)
        self._replies.tend(service)
        return service

    def log(self, severity: Severity, text: str) -> None:
        """Log from any thread without holding it up: the executor's thread writes the line.

        rclpy looks through the stack and the source files for every line, which can take a tenth of a second.
        """
        executor = self.executor
        if executor is None:
            self._log_now(severity, text)
        else:
            executor.create_task(self._log_now, severity, text)

    def _log_now(self, severity: Severity, text: str) -> None:
        log = self.get_logger()
        if severity is Severity.ERROR:  # a line each: rclpy ties a severity to the place that it is logged from
            log.error(text)
        elif severity is Severity.WARN:
            log.warning(text)
        else:
            log.info(text)

    def fail(self, fault: Exception) -> None:
        """End the process because of a fault that no transition can mend; from any thread."""
        self.faults.append(fault)
        os.kill(os.getpid(), signal.SIGTERM)  # wakes `run`

    def close(self) -> None:
        """Stop and close, whatever the state. The executor must not run any more."""
        if self.state in ("unconfigured", "inactive", "active"):
            self.trigger_shutdown()
        self._heartbeat.stop()

    def start_heartbeat(self) -> None:
        """Beat from now on, once the node is complete; `run` does it."""
        self._heartbeat.start()

    def make_executor(self) -> Executor:
        """The executor that `run` spins."""
        return SingleThreadedExecutor() if self.threads == 1 else MultiThreadedExecutor(self.threads)

    def _change_state_if_possible(
        self, request: ChangeState.Request, response: ChangeState.Response
    ) -> ChangeState.Response:
        try:
            return self._change_state(request, response)
        except rclpy_implementation.RCLError:  # rclpy lets it through, and the node would die of a wrong request
            wanted = request.transition.label or request.transition.id
            self.get_logger().warning(f"transition {wanted} is not possible from state '{self.state}'")
            response.success = False
            return response

    def _broken(self, hook: str, error: Exception) -> TransitionCallbackReturn:
        self.get_logger().error(f"fault in {hook}: {type(error).__name__}: {error}")
        return TransitionCallbackReturn.ERROR

    def _clear(self) -> None:
        self.cleanup()
        for entity in self._entities():
            if id(entity) not in self._made_in_init:
                self._destroy(entity)

    def _entities(self) -> list[object]:
        return [
            *self.timers,
            *self.subscriptions,
            *self.publishers,
            *self.services,
            *self.clients,
        ]

    def _destroy(self, entity: Any) -> None:
        self._managed_entities.discard(entity)
        for destroy in (
            self.destroy_timer,
            self.destroy_subscription,
            self.destroy_publisher,
            self.destroy_service,
            self.destroy_client,
        ):
            if destroy(entity):
                return

    def _check_parameters(self, parameters: list[Parameter]) -> SetParametersResult:
        fixed = [p.name for p in parameters if p.name in type(self.settings).model_fields and p.name not in self._live]
        if fixed and self.state in ("inactive", "active"):
            reason = f"parameter '{fixed[0]}' is read when the node is configured: clean the node up, set it, configure"
            return SetParametersResult(successful=False, reason=reason)
        return self._table.check(parameters)

    def _take_parameters(self, parameters: list[Parameter]) -> None:
        if any(p.name in self._live for p in parameters) and self.state in (
            "inactive",
            "active",
        ):
            self.settings = self._table.read()
            self.settings_changed()
