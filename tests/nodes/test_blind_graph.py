"""Cameras fall silent in the launched graph: no step begins, the task says which camera, and it works again after."""

import time
from collections.abc import Iterator

import pytest
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from patience import patient
from task_helpers import LIMIT, ignore, travelled

from reins.demo.recording import Recording
from reins.demo.session import Session, graph
from reins.nodes.client import GraphClient
from reins.nodes.recorder import GraphRecorder

pytestmark = [pytest.mark.ros, pytest.mark.timeout(180)]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    log = tmp_path_factory.mktemp("blind") / "graph.log"
    with graph("sim", {"seed": "1"} | patient(), log, lambda missing: None) as running:
        yield running


def ask_cameras(client: GraphClient, transition: int) -> None:
    """Change the state of the simulated cameras; their heartbeat goes on."""
    request = {"transition": Transition(id=transition)}
    assert client.call(ChangeState, "sim_cameras/change_state", "sim_cameras", request).success


def test_without_pictures_no_step_begins_and_the_task_says_which_camera(session: Session) -> None:
    client, recording = session.client, Recording()
    recorder = GraphRecorder(client, recording)
    client.spin(0.5)
    ask_cameras(client, Transition.TRANSITION_DEACTIVATE)
    result = client.execute_task("put the red block in the blue bowl", LIMIT, ignore)
    client.spin(0.3)
    assert (result.outcome, result.plan.steps) == ("failed", ())
    assert "no new scene for 10 s" in result.reason
    assert "camera 'overhead' has given no good picture" in result.reason
    assert travelled(recording) < 0.01
    assert ("camera_stale", "overhead") in {(event.kind, event.source) for event in recording.events}

    ask_cameras(client, Transition.TRANSITION_ACTIVATE)
    end = time.monotonic() + LIMIT
    while "camera_back" not in {event.kind for event in recording.events}:
        assert time.monotonic() < end, "the cameras do not come back"
        client.spin(0.1)
    again = client.execute_task("pick up the red block", LIMIT, ignore)
    recorder.close()
    assert again.success, again.reason
