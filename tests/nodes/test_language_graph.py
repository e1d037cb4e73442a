"""The graph with a language model whose server is slow, turns us away, or changes its mind in the middle of a step."""

import json
import time
from collections.abc import Iterator

import pytest
from faulty_server import FaultyServer, hangs, says, serving, streams
from patience import patient
from task_helpers import LIMIT, call, ignore, set_parameter, travelled

from reins.contracts.plan import SkillCall
from reins.demo.recording import Recording
from reins.demo.session import Session, graph
from reins.nodes.recorder import GraphRecorder
from reins.planning.tracing.reading import read_trace
from reins.planning.tracing.trace import default_folder, newest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(180)]


PICK_RED, PICK_GREEN = call("pick", object="red_block"), call("pick", object="green_block")
PLACE = call("place_in", container="blue_bowl")


def plan_of(*steps: SkillCall) -> str:
    """A model's reply."""
    return json.dumps({"thought": "", "steps": [step.model_dump() for step in steps]})


@pytest.fixture(scope="module")
def server() -> Iterator[FaultyServer]:
    with serving(hangs, says(403)) as running:
        yield running


@pytest.fixture(scope="module")
def session(server: FaultyServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    model = {"planner": "openai", "model": "m", "base_url": server.url, "mode": "advisor"}
    log = tmp_path_factory.mktemp("language") / "graph.log"
    with graph("sim", {"seed": "1", "cameras": "false"} | model | patient(), log, lambda missing: None) as running:
        yield running


def test_a_task_can_be_cancelled_while_the_model_thinks_and_the_next_one_is_done_without_it(
    session: Session, server: FaultyServer
) -> None:
    client, recording = session.client, Recording()
    recorder = GraphRecorder(client, recording)
    client.spin(0.5)
    begun = time.monotonic()
    cancelled = client.execute_task("put the red block in the blue bowl", 2.0, ignore)
    assert server.bodies, "the server was not asked"
    assert (cancelled.outcome, cancelled.success) == ("cancelled", False)
    assert time.monotonic() - begun < 15.0
    assert travelled(recording) < 0.01

    done = client.execute_task("put the red block in the blue bowl", LIMIT, ignore)
    client.spin(0.5)
    recorder.close()
    assert done.success, done.reason
    written = read_trace(newest(default_folder()))
    assert written.outcome == "succeeded" and any("403" in entry.get("why", "") for entry in written.entries)
    told = [event.reason for event in recording.events if event.kind == "language_model"]
    assert told and "403" in told[0] and "the symbolic planner goes on" in told[0]


def test_an_advisor_that_changes_its_mind_in_the_middle_of_a_step_is_followed(
    session: Session, server: FaultyServer
) -> None:
    server.bodies.clear()
    server.behaviours = (streams(plan_of(PICK_RED)), streams(plan_of(PICK_GREEN, PLACE)))
    set_parameter(session.client, "planner", "advice_period", 1.0)
    done = session.client.execute_task("yeet something into the blue thing", LIMIT, ignore)
    assert done.success, done.reason
    assert done.replans == 1 and len(server.bodies) >= 3
    entries = read_trace(newest(default_folder())).entries
    ran = [entry["call"] for entry in entries if entry["kind"] == "run"]
    assert ran == [str(step) for step in (PICK_RED, PICK_GREEN, PLACE)]
    advice = [entry["because"] for entry in entries if entry["kind"] == "advice"]
    assert advice[0] == f"the planner had another plan in the middle of {PICK_RED}"
    (again,) = (entry for entry in entries if entry["kind"] == "plan" and entry["because"])
    assert again["because"] == advice[0]
