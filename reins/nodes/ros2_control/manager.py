"""Asks the controller manager now and then whether the controller is active, where its messages are installed."""

import time
from importlib import import_module
from typing import Any, Final

from reins.hardware.ros2_control import Ros2ControlDrive
from reins.nodes.ros2_control.link import Link, absolute

EVERY: Final = 1.0
"""Time between two questions [s]."""

PATIENCE: Final = 3.0
"""A question without an answer for this long is asked again [s]."""

LOOK: Final = 0.05
"""Time between two looks for the answer [s]."""

ACTIVE: Final = "active"


def load_manager_messages() -> Any:
    """The services of controller_manager_msgs; None where that package is not installed, as with ROS from wheels."""
    try:
        return import_module("controller_manager_msgs.srv")
    except ImportError:
        return None


class ControllerManager:
    """Knows the controller's state as of a second ago. Without the messages, or a manager that answers, it knows
    nothing, and whether the arm follows has to say it.

    Args:
        link: to ask over.
        drive: names the controller and the manager.
    """

    def __init__(self, link: Link, drive: Ros2ControlDrive) -> None:
        self._link = link
        self._drive = drive
        self._messages = load_manager_messages()
        self._client: Any = None
        if self._messages is not None:
            service = f"{absolute(drive.controller_manager)}/list_controllers"
            self._client = link.node.create_client(self._messages.ListControllers, service)
        self._future: Any = None
        self._asked = self._looked = float("-inf")
        self._trouble = ""

    def trouble(self) -> str:
        """Why the controller takes no setpoints; empty if it does, or if that is not known. Never waits."""
        if self._client is None:
            return ""
        now = time.monotonic()
        if self._future is None and now - self._asked > EVERY and self._client.service_is_ready():
            self._asked = now
            self._future = self._client.call_async(self._messages.ListControllers.Request())
        elif self._future is not None and now - self._looked > LOOK:
            self._looked = now
            self._take(now)
        return self._trouble

    def ask_now(self, timeout: float) -> str:
        """As `trouble`, but waits for the answer, at most `timeout` [s]."""
        if self._client is None or not self._client.wait_for_service(timeout_sec=timeout):
            return ""
        future = self._client.call_async(self._messages.ListControllers.Request())
        if self._link.wait(future, timeout):
            self._trouble = self._judge(future.result())
        return self._trouble

    def _take(self, now: float) -> None:
        self._link.look()
        if self._future.done():
            self._trouble = self._judge(self._future.result())
            self._future = None
        elif now - self._asked > PATIENCE:
            self._client.remove_pending_request(self._future)
            self._future = None

    def _judge(self, answer: Any) -> str:
        name = self._drive.controller.strip("/").rsplit("/", 1)[-1]
        states = {controller.name: controller.state for controller in answer.controller}
        if name not in states:
            known = ", ".join(sorted(states)) or "none"
            return f"the controller manager has no controller '{name}' (it has: {known}); load and activate it"
        if states[name] != ACTIVE:
            do = f"ros2 control set_controller_state {name} {ACTIVE}"
            return f"controller '{name}' is {states[name]}; activate it (`{do}`)"
        return ""
