"""Replies of services that hold up nobody.

rmw_fastrtps keeps a reply back until it has matched the client's reader, and waits up to 100 ms for that inside
`rmw_send_response`; rclpy holds the interpreter's lock meanwhile, so that a client that has just joined would stop a
control thread of the same process for as long (https://github.com/ros2/rmw_fastrtps/pull/390). Here the reply waits in
the executor instead, until the graph knows the reader.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from rclpy.service import Service
from rclpy.topic_endpoint_info import TopicEndpointInfo

LOOK_PERIOD: Final = 0.005
"""Time between two looks for a client's reader [s]."""

LOOKS: Final = 200
"""Looks before the reply is left to the middleware, which waits and warns."""

_PREFIX_BYTES: Final = 12
"""Of an endpoint's GUID, those that name its participant (RTPS 2.5, 9.3.1)."""

_STEADY: Final = Clock(clock_type=ClockType.STEADY_TIME)


class PatientReplies:
    """Makes the services of one node wait for their clients' readers without holding up the process.

    Args:
        node: the owner; its executor does the waiting.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._group = ReentrantCallbackGroup()

    def tend(self, service: Service) -> None:
        """Let this service's replies wait from now on. Safe to call twice."""
        if "send_response" in vars(service):
            return
        send = service.send_response
        vars(service)["send_response"] = lambda response, header: self._send(service, lambda: send(response, header))

    def _send(self, service: Service, send: Callable[[], None]) -> None:
        if self._all_can_hear(service):
            send()
            return
        looks = 0

        def look() -> None:
            nonlocal looks
            looks += 1
            if looks >= LOOKS or self._all_can_hear(service):
                self._node.destroy_timer(timer)
                send()

        timer = self._node.create_timer(LOOK_PERIOD, look, callback_group=self._group, clock=_STEADY)

    def _all_can_hear(self, service: Service) -> bool:
        """Whether each client that asks has a reader for replies; rclpy does not tell which of them asked."""
        name = service.service_name
        asking = _participants(self._node.get_publishers_info_by_topic(f"rq{name}Request", no_mangle=True))
        hearing = _participants(self._node.get_subscriptions_info_by_topic(f"rr{name}Reply", no_mangle=True))
        return asking <= hearing


def _participants(endpoints: list[TopicEndpointInfo]) -> Counter[Any]:
    return Counter(bytes(endpoint.endpoint_gid[:_PREFIX_BYTES]) for endpoint in endpoints)
