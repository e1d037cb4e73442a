"""A client that has just joined does not hold up a node whose service it calls."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
import rclpy
from rclpy.client import Client
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.utilities import try_shutdown
from std_srvs.srv import Trigger

from reins.demo.session import free_domain
from reins.nodes import replies
from reins.nodes.base import ManagedNode
from reins.nodes.parameters import Settings

pytestmark = pytest.mark.ros

SOON = 10.0

LOOKS_AWAY = 20
"""So many times the graph does not know the client's reader yet."""


class Forgetful(ManagedNode[Settings]):
    """Its graph learns of readers late, as it does when a client joins."""

    def __init__(self) -> None:
        super().__init__("forgetful", Settings)
        self.blind = 0
        self.ticks = 0
        self.create_service(Trigger, "question", lambda _request, response: response)
        self.create_timer(0.002, self._tick)

    def get_subscriptions_info_by_topic(self, topic_name: str, no_mangle: bool = False) -> Any:
        self.blind -= 1
        return [] if self.blind >= 0 else super().get_subscriptions_info_by_topic(topic_name, no_mangle)

    def _tick(self) -> None:
        self.ticks += 1


class Talk:
    """The node, somebody who asks, and the executor that runs both."""

    def __init__(self) -> None:
        self.node, self.asker = Forgetful(), Node("asker")
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.executor.add_node(self.asker)

    def ask(self, client: Client) -> float:
        """Call; seconds until the answer came."""
        assert client.wait_for_service(SOON)
        begin = time.monotonic()
        service_type: Any = client.srv_type
        answer = client.call_async(service_type.Request())
        self.executor.spin_until_future_complete(answer, SOON)
        assert answer.done(), "no answer came"
        return time.monotonic() - begin


@pytest.fixture
def talk() -> Iterator[Talk]:
    rclpy.init(domain_id=free_domain())
    yield Talk()
    try_shutdown()


def test_the_node_goes_on_until_the_reader_is_known_and_then_replies(talk: Talk) -> None:
    client = talk.asker.create_client(Trigger, "question")
    talk.ask(client)
    before, talk.node.blind = talk.node.ticks, LOOKS_AWAY
    assert talk.ask(client) >= (LOOKS_AWAY - 1) * replies.LOOK_PERIOD
    assert talk.node.ticks - before >= LOOKS_AWAY / 2, "other callbacks ran meanwhile"
    assert len(list(talk.node.timers)) == 1, "the timer of the waiting reply is gone"


def test_a_reader_that_stays_unknown_is_left_to_the_middleware(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replies, "LOOKS", 3)
    client = talk.asker.create_client(Trigger, "question")
    talk.node.blind = 10**9
    assert talk.ask(client) < SOON


@pytest.mark.parametrize("name", ["question", "forgetful/get_state", "forgetful/get_parameters"])
def test_every_service_waits(talk: Talk, name: str) -> None:
    service = next(service for service in talk.node.services if service.service_name == f"/{name}")
    client = talk.asker.create_client(service.srv_type, name)
    talk.ask(client)
    talk.node.blind = LOOKS_AWAY
    assert talk.ask(client) >= (LOOKS_AWAY - 1) * replies.LOOK_PERIOD
