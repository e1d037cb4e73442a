"""The launched graph of a simulated Go2 that sees for itself: its camera's topics, and that it walks by what it saw."""

import math
import time
from collections.abc import Iterator

import pytest
from patience import patient
from reins_msgs import msg as ros
from sensor_msgs.msg import CameraInfo, Image
from task_helpers import LIMIT, ignore, make_free

from reins.contracts.scene import CAMERAS, OCCLUDED, PERSON
from reins.demo.session import Session, graph
from reins.hardware.legged import LeggedState
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.nodes import convert_legged as convert
from reins.nodes.client import GraphClient
from reins.nodes.qos import CONTROL, IMAGES
from reins.nodes.watch import newest_scene
from reins.sim.legged.ground import load_ground
from reins.sim.legged.outlook import edge_distance, named, scene_of

pytestmark = [pytest.mark.ros, pytest.mark.slow, pytest.mark.timeout(300)]

GO2 = load_profile("go2", QuadrupedProfile)
YARD = load_ground("yard")
LONG = 150.0
"""A task takes at most this long on a busy machine [s]."""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    log = tmp_path_factory.mktemp("go2_sight") / "graph.log"
    arguments = {"seed": "1", "cameras": "true", "blackbox_folder": str(log.parent)} | patient("go2")
    with graph("go2_sim", arguments, log, lambda missing: None) as running:
        yield running


@pytest.fixture
def client(session: Session) -> GraphClient:
    make_free(session.client)
    return session.client


def test_its_camera_has_the_topics_of_any_camera(client: GraphClient) -> None:
    colours: list[Image] = []
    depths: list[Image] = []
    infos: list[CameraInfo] = []
    client.listen(Image, "camera/head/color", IMAGES, colours.append)
    client.listen(Image, "camera/head/depth", IMAGES, depths.append)
    client.listen(CameraInfo, "camera/head/camera_info", IMAGES, infos.append)
    end = time.monotonic() + LIMIT
    while not (colours and depths and infos) and time.monotonic() < end:
        client.spin(0.2)
    camera, colour, depth, info = GO2.build.camera, colours[0], depths[0], infos[0]
    assert (colour.encoding, colour.width, colour.height) == ("rgb8", camera.width, camera.height)
    assert (depth.encoding, depth.width, depth.height) == ("32FC1", camera.width, camera.height)
    assert colour.header.frame_id == depth.header.frame_id == info.header.frame_id == "head_optical"
    focal = camera.height / 2.0 / math.tan(math.radians(camera.fovy) / 2.0)
    assert info.k[0] == pytest.approx(focal) and info.k[4] == pytest.approx(focal)


def test_it_knows_what_it_has_seen_and_walks_by_it(client: GraphClient) -> None:
    states: list[LeggedState] = []
    client.listen(ros.LeggedState, "robot_state", CONTROL, lambda it: states.append(convert.legged_state_from_msg(it)))
    before = newest_scene(client)
    assert before.source == "geometric" and len(before.objects) < len(YARD.things)
    result = client.execute_task("stand up, then look around", LONG, ignore)
    assert result.success and result.outcome == "succeeded", result.reason
    client.spin(1.0)
    scene, state = newest_scene(client), states[-1]
    truth = scene_of(YARD, state, GO2)
    assert scene.objects.keys() == truth.objects.keys()
    for name, item in scene.objects.items():
        assert math.dist(item.position[:2], truth.find(name).position[:2]) < 0.2, name
    assert any(relation.predicate == OCCLUDED and relation.object == CAMERAS for relation in scene.relations)

    result = client.execute_task("walk around the blue box to the red door, then sit", LONG, ignore)
    assert result.success and result.outcome == "succeeded", result.reason
    things, places = dict(named(YARD)), [each.odometry.position[:2] for each in states]
    assert edge_distance(things["red_door"], places[-1]) - GO2.body.footprint < 0.6
    assert min(edge_distance(things[PERSON], place) for place in places) - GO2.body.footprint > 0.5
