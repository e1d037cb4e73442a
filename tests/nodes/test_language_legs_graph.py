"""The launched graph of a simulated Go2 with a language model that plans: its plan is walked, what the sentence says to
keep away from holds whatever the model says, and the symbolic planner goes on where its server turns us away."""

import json
from collections.abc import Iterator

import numpy as np
import pytest
from faulty_server import FaultyServer, says, serving, streams
from patience import patient
from reins_msgs import msg as ros
from task_helpers import call, ignore, make_free

from reins.contracts.plan import SkillCall
from reins.contracts.scene import PERSON, ROBOT, SITTING, Relation
from reins.demo.session import Session, graph
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.nodes import convert_legged as convert
from reins.nodes.qos import CONTROL
from reins.nodes.watch import newest_scene
from reins.planning.tracing.reading import read_trace
from reins.planning.tracing.trace import default_folder, newest
from reins.sim.legged.ground import load_ground
from reins.sim.legged.outlook import edge_distance, named

pytestmark = [pytest.mark.ros, pytest.mark.slow, pytest.mark.timeout(300)]

LONG = 150.0
"""A task takes at most this long on a busy machine [s]."""


def plan_of(*steps: SkillCall) -> str:
    """A model's reply."""
    return json.dumps({"thought": "", "steps": [step.model_dump() for step in steps]})


@pytest.fixture(scope="module")
def server() -> Iterator[FaultyServer]:
    with serving(says(500)) as running:
        yield running


@pytest.fixture(scope="module")
def session(server: FaultyServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    log = tmp_path_factory.mktemp("legs") / "graph.log"
    model = {"planner": "openai", "model": "m", "base_url": server.url}
    arguments = {"seed": "1", "blackbox_folder": str(log.parent)} | model | patient("go2")
    with graph("go2_sim", arguments, log, lambda missing: None) as running:
        yield running


def test_a_models_plan_is_walked_and_what_the_sentence_keeps_away_from_holds(
    session: Session, server: FaultyServer
) -> None:
    client = session.client
    make_free(client)
    steps = (call("stand"), call("go_to", object="red_door"), call("sit"))
    server.behaviours = (streams(plan_of(*steps)),)
    places: list[np.ndarray] = []

    def note(message: ros.LeggedState) -> None:
        places.append(convert.legged_state_from_msg(message).odometry.position[:2])

    client.listen(ros.LeggedState, "robot_state", CONTROL, note)
    done = client.execute_task("mosey over to the crimson way out, and keep a metre away from the person", LONG, ignore)
    client.spin(0.5)
    assert done.success, done.reason
    assert server.bodies, "the server was not asked"
    ran = [entry["call"] for entry in read_trace(newest(default_folder())).entries if entry["kind"] == "run"]
    assert ran == [str(step) for step in steps]
    assert newest_scene(client).relations >= {Relation(ROBOT, "is", SITTING), Relation(ROBOT, "at", "red_door")}
    person, footprint = dict(named(load_ground("yard")))[PERSON], load_profile("go2", QuadrupedProfile).body.footprint
    assert min(edge_distance(person, place) for place in places) - footprint >= 1.0


def test_where_its_server_turns_us_away_the_symbolic_planner_goes_on(session: Session, server: FaultyServer) -> None:
    client = session.client
    make_free(client)
    server.behaviours = (says(403),)
    done = client.execute_task("stand up, then turn left, then sit", LONG, ignore)
    assert done.success, done.reason
    assert any("403" in entry.get("why", "") for entry in read_trace(newest(default_folder())).entries)
