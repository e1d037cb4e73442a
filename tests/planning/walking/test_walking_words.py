"""Controlled English for legged robots, and the documented sentences in both languages."""

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from walking_ground import scene

from reins.contracts.plan import Constraint, SkillCall
from reins.contracts.scene import FALLEN, SITTING, Scene
from reins.hardware.legged import LeggedState, Odometry
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.planning.planner import History
from reins.planning.symbolic import SymbolicPlanner
from reins.planning.verifier import verify
from reins.planning.walking.meaning import read
from reins.planning.wording import is_chinese
from reins.sim.legged.ground import load_ground
from reins.sim.legged.outlook import scene_of
from reins.skills.legged.library import LEGGED_SKILLS

PLANNER = SymbolicPlanner(LEGGED_SKILLS, understand=read)


def calls(text: str) -> list[str]:
    return [str(stage.act) for stage in read(text, scene(), LEGGED_SKILLS).stages]


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("walk to the red door", ["go_to(object=red_door)"]),
        ("Please go to red_door, then sit down.", ["go_to(object=red_door)", "sit()"]),
        ("walk around the blue box to the red door, then sit", ["go_to(object=red_door)", "sit()"]),
        ("go to the door and then to the yellow marker", ["go_to(object=red_door)", "go_to(object=yellow_marker)"]),
        ("approach the person", ["go_to(object=person)"]),
        ("walk two metres forward", ["walk_to(x=2.0, y=0.0)"]),
        ("walk back 50 cm", ["walk_to(x=-0.5, y=0.0)"]),
        ("step to the left", ["walk_to(x=0.0, y=1.0)"]),
        ("go forward half a metre and turn around", ["walk_to(x=0.5, y=0.0)", f"turn(angle={round(math.pi, 4)})"]),
        ("turn right", [f"turn(angle={-round(math.pi / 2, 4)})"]),
        ("turn left by 45 degrees", [f"turn(angle={round(math.pi / 4, 4)})"]),
        ("look around, then wait for 3 seconds", ["look_around()", "wait(duration=3.0)"]),
        ("wait", ["wait()"]),
        ("stand up and follow the person for a minute", ["stand()", "follow(person=person, duration=60.0)"]),
        ("get up; lie down", ["stand()", "sit()"]),
        ("walk around the blue box, then go to the red door", ["go_to(object=red_door)"]),
        ("turn left by 360 degrees", ["turn(angle=6.2831)"]),
        ("turn clockwise half a circle", ["turn(angle=-3.1416)"]),
        ("walk a metre and a half", ["walk_to(x=1.5, y=0.0)"]),
        ("approach a marker", ["go_to(object=yellow_marker)"]),
        ("can you sit?", ["sit()"]),
        ("walk to the blue box. Halt!", ["go_to(object=blue_box)", "stop()"]),
    ],
)
def test_what_is_understood(text: str, steps: list[str]) -> None:
    assert calls(text) == steps


@pytest.mark.parametrize(
    ("text", "name"), [("go to the red door", "red_door"), ("follow the person", "person"), ("walk a metre", "")]
)
def test_a_goal_that_is_not_seen_any_more_is_named(text: str, name: str) -> None:
    before = scene()
    left = {key: item for key, item in before.objects.items() if key == "blue_box"}
    plan = PLANNER.plan(text, replace(before, objects=left), History(before))
    if name:
        assert plan.refusal is not None and plan.refusal.startswith(f"I no longer see {name}")
    else:
        assert plan.steps


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (
            "walk around the blue box to the red door, then sit, and keep a metre away from the person",
            [Constraint(kind="avoid", object="person", distance=1.0)],
        ),
        (
            "go to the marker, staying at least 1.5 m away from people and avoiding the green box",
            [
                Constraint(kind="avoid", object="person", distance=1.5),
                Constraint(kind="avoid", object="green_box"),
            ],
        ),
        ("walk slowly to the door", [Constraint(kind="speed", scale=0.5)]),
        ("don't go near the person, and sit", [Constraint(kind="avoid", object="person")]),
        ("sit", []),
        (
            "keep well away from the person, the blue box and the green box, and sit",
            [Constraint(kind="avoid", object=name) for name in ("person", "blue_box", "green_box")],
        ),
    ],
)
def test_what_is_kept_to(text: str, rules: list[Constraint]) -> None:
    assert list(read(text, scene(), LEGGED_SKILLS).constraints) == rules


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("walk to the purple box", "there is no purple box here; I see blue_box"),
        ("wolk to the door", "I do not know the word 'wolk'; did you mean 'walk'?"),
        ("walk to the sofa", "I do not know any 'sofa' (I see blue_box"),
        ("turn by 361 degrees", "angle is 6.3006; it must be a number from -6.28"),
        ("don't sit", "'don't': of things not to do I only understand what not to go near"),
        ("sit, avoid the blue people", "there is no blue people here"),
        ("walk 11 metres forward", "x is 11.0; it must be a number from -10.0 to 10.0 m"),
        ("follow the blue box", "'blue_box' is a box, not a person"),
        ("go to the person and keep two metres away from it", "I cannot go to person and keep away from it"),
        ("walk forward left", "I do not understand 'left'"),
        ("walk 2 m 3 cm forward", "I do not understand '3'"),
        ("stop turn left", "I do not understand 'turn'; I expected 'then', or the end"),
        ("wait for 3 metres", "I do not understand 'metres'; I expected a time"),
        ("turn back", "I can turn left, right or around, and not back"),
        ("the red door", "I do not understand 'the'; I expected a verb"),
        ("go 2 m to the door", "I can go to red_door, or in a direction, but not both at once"),
        ("keep a metre the person", "I expected 'away from' something"),
        ("please", "the instruction asks for nothing"),
        ("go " * 201, "the instruction has 201 words"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_reason(text: str, refusal: str) -> None:
    plan = PLANNER.plan(text, scene(), History(scene()))
    assert plan.refusal is not None and refusal in plan.refusal


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("walk to the box", "Which one do you mean by 'the box': green_box or blue_box?"),
        ("go", "Where shall I go"),
        ("walk around the blue box", "Around blue_box to where?"),
        ("walk around the blue box, then sit", "Around blue_box to where?"),
        ("follow", "Whom shall I follow? I see blue_box"),
        ("turn", "Which way shall I turn"),
        ("avoid the person", "What shall I do?"),
        ("go to it", "which one is 'it'?"),
    ],
)
def test_what_is_open_is_asked(text: str, question: str) -> None:
    plan = PLANNER.plan(text, scene(), History(scene()))
    assert plan.question is not None and question in plan.question


def test_a_robot_that_sits_is_told_to_stand_up_first() -> None:
    plan = PLANNER.plan("walk to the red door, then sit", scene(SITTING), History(scene(SITTING)))
    assert plan.steps == (
        SkillCall(skill="stand"),
        SkillCall(skill="go_to", arguments={"object": "red_door"}),
        SkillCall(skill="sit"),
    )
    assert "go_to red_door, then sit" in plan.thought


def test_a_robot_that_sits_stays_down_where_it_need_not_stand() -> None:
    plan = PLANNER.plan("wait for two seconds", scene(SITTING), History(scene(SITTING)))
    assert plan.steps == (SkillCall(skill="wait", arguments={"duration": 2.0}),)


DOCUMENT = (Path(__file__).parents[3] / "docs" / "walking.md").read_text(encoding="utf-8")
DOCUMENTED = re.findall(r"^\| ([a-z].*?) \| (.*?) \|$", DOCUMENT, re.M)
"""(English, Chinese) of each line of the table."""


def yard() -> Scene:
    profile = load_profile("go2", QuadrupedProfile)
    heading, n = np.array([0.0, 0.0, 0.0, 1.0]), len(profile.joints)
    odometry = Odometry(np.array([0.0, 0.0, 0.08]), heading, np.zeros(3), np.zeros(3))
    contact = np.zeros(4, dtype=bool)
    state = LeggedState(0.0, heading, profile.home, np.zeros(n), np.zeros(n), contact, 1.0, odometry)
    return scene_of(load_ground("yard"), state, profile)


def test_every_form_is_documented_in_both_languages() -> None:
    verbs = {
        str(stage.act).partition("(")[0] for pair in DOCUMENTED for stage in read(pair[0], yard(), LEGGED_SKILLS).stages
    }
    assert verbs == set(LEGGED_SKILLS) - {"recover"}, "nobody has fallen in the yard"
    assert all(is_chinese(chinese) and not is_chinese(english) for english, chinese in DOCUMENTED)


@pytest.mark.parametrize(("english", "chinese"), DOCUMENTED)
def test_the_documented_sentences_are_understood_and_mean_the_same(english: str, chinese: str) -> None:
    seen = yard()
    plan, twin = (PLANNER.plan(text, seen, History(seen)) for text in (english, chinese))
    assert plan.steps, plan.question or plan.refusal
    assert verify(plan, seen, LEGGED_SKILLS) == []
    assert (twin.steps, twin.constraints) == (plan.steps, plan.constraints), twin.question or twin.refusal


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("stand up", ["recover()"]),
        ("站起来", ["recover()"]),
        ("roll over, then sit", ["recover()", "sit()"]),
        ("walk to the red door", ["recover()", "go_to(object=red_door)"]),
        ("wait for 3 seconds", ["wait(duration=3.0)"]),
    ],
)
def test_a_robot_that_fell_turns_over_where_it_has_to(text: str, steps: list[str]) -> None:
    fallen = scene(FALLEN)
    plan = PLANNER.plan(text, fallen, History(fallen))
    assert [str(step) for step in plan.steps or ()] == steps, plan
    assert not verify(plan, fallen, LEGGED_SKILLS)


@pytest.mark.parametrize("text", ["recover", "翻身"])
def test_one_that_has_not_fallen_stands_up(text: str) -> None:
    plan = PLANNER.plan(text, scene(SITTING), History(scene(SITTING)))
    assert [str(step) for step in plan.steps or ()] == ["stand()"]
