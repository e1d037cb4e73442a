"""Controlled English for legged robots: what is understood, and how what is not is answered."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

from reins.contracts.plan import Constraint, SkillCall
from reins.contracts.scene import PERSON, ROBOT, SITTING, STANDING, Relation, Scene, SceneObject, by_id
from reins.hardware.legged import LeggedState, Odometry
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.planning.planner import History
from reins.planning.symbolic import SymbolicPlanner
from reins.planning.verifier import verify
from reins.planning.walking.meaning import read
from reins.sim.legged.ground import load_ground
from reins.sim.legged.outlook import scene_of
from reins.skills.legged.library import LEGGED_SKILLS

PLANNER = SymbolicPlanner(LEGGED_SKILLS, understand=read)


def thing(name: str, label: str, colour: str, x: float, y: float) -> SceneObject:
    return SceneObject(name, label, colour, (x, y, 0.2), (0.0, 0.0, 0.0, 1.0), (0.5, 0.5, 0.5), 1.0, 0.0)


THINGS = by_id(
    [
        thing("blue_box", "box", "blue", 2.0, 0.0),
        thing("green_box", "box", "green", 1.0, -2.0),
        thing("red_door", "door", "red", 4.5, 1.0),
        thing("yellow_marker", "marker", "yellow", 2.5, 2.5),
        thing("person", PERSON, "orange", 3.0, -1.8),
    ]
)


def scene(posture: str = STANDING, at: str = "") -> Scene:
    relations = {Relation(ROBOT, "is", posture)} | ({Relation(ROBOT, "at", at)} if at else set())
    return Scene(0.0, "test", THINGS, frozenset(relations))


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
        ("walk to the blue box. Halt!", ["go_to(object=blue_box)", "stop()"]),
    ],
)
def test_what_is_understood(text: str, steps: list[str]) -> None:
    assert calls(text) == steps


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
    ],
)
def test_what_is_kept_to(text: str, rules: list[Constraint]) -> None:
    assert list(read(text, scene(), LEGGED_SKILLS).constraints) == rules


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("walk to the purple box", "there is no purple box here; I see blue_box"),
        ("wolk to the door", "I do not know the word 'wolk'; did you mean 'walk'?"),
        ("walk 11 metres forward", "x is 11.0; it must be a number from -10.0 to 10.0 m"),
        ("follow the blue box", "'blue_box' is a box, not a person"),
        ("go to the person and keep two metres away from it", "I cannot go to person and keep away from it"),
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
DOCUMENTED = [
    line for block in re.findall(r"```walking\n(.*?)```", DOCUMENT, re.S) for line in block.splitlines() if line.strip()
]


@pytest.mark.parametrize("instruction", DOCUMENTED)
def test_the_documented_sentences_are_understood(instruction: str) -> None:
    profile = load_profile("go2", QuadrupedProfile)
    heading, n = np.array([0.0, 0.0, 0.0, 1.0]), len(profile.joints)
    odometry = Odometry(np.array([0.0, 0.0, 0.08]), heading, np.zeros(3), np.zeros(3))
    contact = np.zeros(4, dtype=bool)
    state = LeggedState(0.0, heading, profile.home, np.zeros(n), np.zeros(n), contact, 1.0, odometry)
    seen = scene_of(load_ground("yard"), state, profile)
    plan = PLANNER.plan(instruction, seen, History(seen))
    assert plan.steps, plan.question or plan.refusal
    assert verify(plan, seen, LEGGED_SKILLS) == []
