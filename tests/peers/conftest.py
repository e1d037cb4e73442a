"""Tests against peers that have a clock of their own: they need the processor when the peer expects an answer.

A module says in `ARM` which arm it is about (`driver_tests.ArmUnderTest`); its tests share one peer and one
driver, both brought back to how they were before each of them.
"""

import os
from collections.abc import Iterator

import pytest

from reins.hardware.conformance.subject import Subject
from reins.nodes.scheduling import set_scheduling
from reins.peers.process import PeerProcess

pytest.register_assert_rewrite("driver_tests")  # before it is imported

from driver_tests import ArmUnderTest  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def _prompt() -> Iterator[None]:
    """Real-time priority where the machine allows it, for this thread and those that it starts."""
    set_scheduling(os.SCHED_FIFO, 40, [0])
    yield
    set_scheduling(os.SCHED_OTHER, 0, [0])


@pytest.fixture(scope="module")
def arm(request: pytest.FixtureRequest) -> ArmUnderTest:
    """The arm that the module is about."""
    arm: ArmUnderTest = request.module.ARM
    return arm


@pytest.fixture(scope="module")
def shared_peer(arm: ArmUnderTest) -> Iterator[PeerProcess]:
    """The peer that the module's tests share."""
    with arm.start() as peer:
        yield peer


@pytest.fixture
def peer(arm: ArmUnderTest, shared_peer: PeerProcess) -> PeerProcess:
    """The shared peer, well again."""
    shared_peer.thaw()
    for word in arm.well:
        shared_peer.ask(word)
    return shared_peer


@pytest.fixture(scope="module")
def shared_subject(arm: ArmUnderTest, shared_peer: PeerProcess) -> Iterator[Subject]:
    """The driver that the module's tests share, connected to the peer that they share."""
    subject = arm.subject(shared_peer)
    subject.open()
    yield subject
    subject.close()


@pytest.fixture
def subject(peer: PeerProcess, shared_subject: Subject) -> Subject:
    """The shared driver, without a fault."""
    if shared_subject.read().fault and shared_subject.recover().fault:
        shared_subject.reopen()
    return shared_subject


@pytest.fixture
def lone_peer(peer: PeerProcess, shared_subject: Subject) -> Iterator[PeerProcess]:
    """The shared peer with nobody connected."""
    shared_subject.close()
    yield peer
    shared_subject.reopen()
