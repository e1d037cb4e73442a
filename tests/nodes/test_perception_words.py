"""The perception node with a vision-language model behind a real HTTP server: words, doubts, answers, and trouble."""

import json

import pytest
from fake_cameras import FakeCameras, perception_with_cameras
from faulty_server import FaultyServer, Handler, closes, serving, streams
from typer.testing import CliRunner, Result

from reins.cli.app import app
from reins.cli.console import ExitCode

pytestmark = pytest.mark.ros

BOX = {"left": 400, "top": 400, "right": 600, "bottom": 600}
UNICORN = {"name": "unicorn", "kind": "other", "colour": "pink", "attributes": [], "box": BOX}
DESCRIPTION = json.dumps({"objects": [UNICORN], "relations": [], "caption": "A unicorn."})
NOTHING = json.dumps({"objects": [], "relations": [], "caption": "An empty table."})
ANSWER = '{"verdict":"yes","answer":"It is upside down."}'

WARN = 1


def model_at(server: FaultyServer) -> tuple[str, ...]:
    """Parameters of the node."""
    patient = ("image_age:=30.0", "frozen_after:=0.0")  # what cameras do is not what these tests are about
    return (
        *("vlm:=openai", f"base_url:={server.url}", "model:=m", "describe_period:=0.1", "answer_limit:=5.0"),
        *patient,
    )


def describes_and_answers(description: str) -> object:
    """A server that tells a question from a picture to describe."""

    def behave(request: Handler) -> None:
        asked = json.dumps(request.server.bodies[-1]["messages"])
        streams(ANSWER if "Question: " in asked else description)(request)

    return behave


def ask(domain: int, question: str) -> Result:
    return CliRunner().invoke(app, ["look", "--ask", question], env={"ROS_DOMAIN_ID": str(domain), "COLUMNS": "160"})


def is_described(cameras: FakeCameras) -> bool:
    stamp = cameras.scenes[-1].described
    return bool(stamp.sec or stamp.nanosec)


def test_words_doubts_and_answers() -> None:
    with (
        serving(describes_and_answers(DESCRIPTION)) as server,
        perception_with_cameras(*model_at(server)) as cameras,
    ):
        cameras.until(lambda: is_described(cameras), "a description")
        scene = cameras.scenes[-1]
        assert scene.source == "geometric, vlm" and not scene.objects and not scene.stale
        assert list(scene.doubted) == ["the model sees “pink unicorn”, and no object was measured there"]
        assert "unicorn" not in scene.caption
        cameras.until(lambda: cameras.says("openai", "describes"), "diagnostics")
        result = ask(cameras.domain, "is the mug upside down?")
        assert result.exit_code == 0 and "It is upside down." in result.output, result.output
        asked = server.bodies[-1]["messages"] if "Question" in json.dumps(server.bodies[-1]) else None
        assert asked is None or sum(part["type"] == "image_url" for part in asked[1]["content"]) == 2, "both cameras"


@pytest.mark.parametrize("behaviour", [closes, streams("I see nothing of note."), streams("")])
def test_a_model_in_trouble_is_a_diagnostic_and_scenes_go_on(behaviour: object) -> None:
    with (
        serving(behaviour) as server,
        perception_with_cameras(*model_at(server), "answer_limit:=0.5", "attempts:=1") as cameras,
    ):
        cameras.until(lambda: cameras.level("openai") == WARN, "diagnostics")
        seen = cameras.good_scenes
        cameras.until(lambda: cameras.good_scenes > seen + 5, "scenes go on")
        assert not is_described(cameras)
        result = ask(cameras.domain, "is the mug upside down?")
        assert result.exit_code == ExitCode.ERROR and result.output.strip()


def test_with_vlm_alone_prose_marks_the_last_scene_stale() -> None:
    talks = [streams(NOTHING), streams("I see a table."), streams("I see a table.")]
    with serving(*talks) as server, perception_with_cameras("backend:=vlm", *model_at(server)) as cameras:
        cameras.until(lambda: any(not s.stale for s in cameras.scenes), "a good scene")
        cameras.until(lambda: "prose where JSON was asked for" in cameras.scenes[-1].stale, "stale")
        assert cameras.scenes[-1].source == "vlm" and is_described(cameras)


def test_without_a_model_a_question_says_what_to_set() -> None:
    with perception_with_cameras() as cameras:
        assert cameras.scenes[-1].source == "geometric"
        result = ask(cameras.domain, "is the mug upside down?")
        assert result.exit_code == ExitCode.ERROR and "set perception's parameter 'vlm'" in result.output
