"""Who else commands the controller: a controller has one commander at a time."""

from typing import Final

from reins.hardware.ros2_control import Controls, Ros2ControlDrive
from reins.nodes.ros2_control.controller import topic_of
from reins.nodes.ros2_control.link import Link, absolute

ACTION: Final = "follow_joint_trajectory"
"""By which MoveIt, and whatever else plans trajectories, commands a controller of trajectories."""


class Commanders:
    """Other publishers of the controller's topic, and clients of its action; as far as they are discovered.

    The action's messages are not needed: that a client exists is seen in the graph, as with publishers.

    Args:
        link: to look over; its own publisher does not count.
        drive: names the controller.
    """

    def __init__(self, link: Link, drive: Ros2ControlDrive) -> None:
        self._link = link
        self._topic = topic_of(drive)
        has_action = drive.controls is Controls.TRAJECTORY
        self._action = f"{absolute(drive.controller)}/{ACTION}" if has_action else ""

    def there(self) -> bool:
        """Whether there is one beside this driver, which publishes; at little cost."""
        node = self._link.node
        return node.count_publishers(self._topic) > 1 or bool(self._action and node.count_clients(_goals(self._action)))

    def told(self) -> str:
        """Who they are and by what they command; empty if there are none, or if they were there a moment ago."""
        clauses = []
        if publishers := self._link.others(self._topic):
            clauses.append(f"{self._topic} has another publisher: {', '.join(publishers)}")
        if self._action and (clients := self._link.clients(_goals(self._action))):
            clauses.append(f"the action {self._action} has a client: {', '.join(clients)}")
        return "; ".join(clauses)


def _goals(action: str) -> str:
    """The service by which an action is given goals."""
    return f"{action}/_action/send_goal"
