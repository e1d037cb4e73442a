"""What the tests of a running graph do: wait for a mode, run a skill from elsewhere, drive by hand."""

import threading
import time

import numpy as np
from std_msgs.msg import String

from reins.contracts.plan import SkillCall
from reins.demo.recording import Recording
from reins.demo.session import Session
from reins.nodes.client import GraphClient
from reins.nodes.outcomes import SkillProgress, TaskProgress
from reins.nodes.teleop import KEYS, KEYS_TOPIC
from reins.nodes.watch import GraphWatch

HOME = SkillCall(skill="home")
REACH = SkillCall(skill="move_to", arguments={"target": "red_block"})
"""Takes two seconds from the home pose."""
LIMIT = 60.0


def safety_mode(client: GraphClient) -> str:
    watch = GraphWatch(client)
    client.spin(0.5)
    watch.close()
    assert watch.status.safety is not None
    return watch.status.safety.mode


def wait_for_mode(client: GraphClient, mode: str) -> None:
    end = time.monotonic() + 10.0
    while (now := safety_mode(client)) != mode:
        assert time.monotonic() < end, f"safety is in mode {now}"


def wait_until_armed(client: GraphClient) -> None:
    watch = GraphWatch(client)
    end = time.monotonic() + 10.0
    while not watch.status.armed and time.monotonic() < end:
        client.spin(0.1)
    watch.close()
    assert watch.status.armed


def call(skill: str, **arguments: str | float) -> SkillCall:
    return SkillCall(skill=skill, arguments=arguments)


def ignore(progress: SkillProgress | TaskProgress) -> None:
    """Feedback that no test looks at."""


def travelled(recording: Recording) -> float:
    """How far any joint went [rad]."""
    return float(np.ptp(recording.positions(), axis=0).max())


class Meanwhile:
    """Runs a skill from another client in another thread."""

    def __init__(self, session: Session, skill: SkillCall) -> None:
        self.phases: list[str] = []
        self.reason = ""
        self.success = False
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(session, skill))
        self._thread.start()
        assert self._started.wait(15.0), "the skill never gave feedback"

    def _run(self, session: Session, skill: SkillCall) -> None:
        with GraphClient(domain=session.domain) as other:
            outcome = other.run_skill(skill, (), LIMIT, self._feedback)
        self.success, self.reason = outcome.success, outcome.reason

    def _feedback(self, progress: SkillProgress) -> None:
        self.phases.append(progress.phase)
        self._started.set()

    def join(self) -> None:
        self._thread.join(LIMIT)
        assert not self._thread.is_alive()


def drive_by_hand(domain: int, ready: threading.Event, begin: threading.Event, over: threading.Event) -> None:
    """Hold a key, as a terminal repeats it, from one event to another."""
    with GraphClient(domain=domain) as hand:
        keys = hand.node.create_publisher(String, KEYS_TOPIC, KEYS)
        while keys.get_subscription_count() == 0:
            hand.spin(0.1)
        ready.set()
        assert begin.wait(LIMIT)
        while not over.is_set():
            keys.publish(String(data="r"))
            hand.spin(0.03)
