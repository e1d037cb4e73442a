"""A language model that plans for a robot with legs: what it is told, what of its plans passes, what holds anyway."""

import json

import pytest
from language_models import Parrot, planner_of
from language_schemas import fits

from reins.contracts.plan import Constraint, Plan, SkillCall
from reins.contracts.scene import PERSON, ROBOT, SITTING, STANDING, Relation, Scene, SceneObject, by_id
from reins.language_models.model import ModelError
from reins.planning.actions import Done, Look, RunSkill
from reins.planning.executor import TaskExecutor
from reins.planning.language.chat import SHOTS, chat_prompt, system_text
from reins.planning.language.examples import Example, ground_examples, most_similar
from reins.planning.language.on_legs import KEPT, ON_LEGS
from reins.planning.language.planner import LanguagePlanner
from reins.planning.language.reply import reply_text
from reins.planning.language.schema import plan_schema
from reins.planning.planner import History, StepRecord
from reins.planning.verifier import verify
from reins.skills.legged.library import LEGGED_SKILLS

KEPT_AWAY = "walk to the red door, and keep a metre away from the person"


def thing(name: str, label: str, colour: str, x: float, y: float) -> SceneObject:
    return SceneObject(name, label, colour, (x, y, 0.2), (0.0, 0.0, 0.0, 1.0), (0.5, 0.5, 0.5), 1.0, 0.0)


THINGS = by_id(
    [
        thing("red_door", "door", "red", 4.5, 1.0),
        thing("blue_box", "box", "blue", 2.0, 0.0),
        thing("person", PERSON, "orange", 3.0, -1.8),
    ]
)


def ground(posture: str = STANDING, at: str = "", stamp: float = 0.0) -> Scene:
    relations = {Relation(ROBOT, "is", posture)} | ({Relation(ROBOT, "at", at)} if at else set())
    return Scene(stamp, "test", THINGS, frozenset(relations))


def call(skill: str, **arguments: str | float) -> SkillCall:
    return SkillCall(skill=skill, arguments=dict(arguments))


def says(*steps: SkillCall) -> str:
    return reply_text(Plan(thought="so", steps=steps))


def planner(model: Parrot, reports: list[str] | None = None) -> LanguagePlanner:
    return planner_of(model, reports, LEGGED_SKILLS)


def plan(model: Parrot, instruction: str, scene: Scene, reports: list[str] | None = None) -> Plan:
    return planner(model, reports).plan(instruction, scene, History(scene))


class TestPrompt:
    def last_turn(self, scene: Scene, history: History) -> list[str]:
        return chat_prompt("sit", scene, history, LEGGED_SKILLS, ON_LEGS)[-1].content.splitlines()

    def test_what_stands_about_is_told_the_nearest_first_and_how_the_robot_is(self) -> None:
        assert self.last_turn(ground(at="blue_box"), History(ground())) == [
            "Scene:",
            "- blue_box: blue box, x 2.0 y 0.0, 2.0 away, the robot is at it",
            "- person: orange person, x 3.0 y -1.8, 3.5 away",
            "- red_door: red door, x 4.5 y 1.0, 4.6 away",
            "The robot is on its legs.",
            "Operator: sit",
        ]
        assert "The robot sits." in self.last_turn(ground(SITTING), History(ground(SITTING)))

    def test_what_was_done_is_told(self) -> None:
        scene = ground()
        record = StepRecord(call("go_to", object="blue_box"), False, "the way is blocked", scene, scene)
        lines = self.last_turn(scene, History(scene).then(record))
        assert "- go_to object blue_box: failed: the way is blocked" in lines

    def test_every_skill_of_legs_is_told_and_nothing_of_arms(self) -> None:
        text = system_text(LEGGED_SKILLS, ON_LEGS)
        assert all(f"- {spec.name}: {spec.description}" in text for spec in LEGGED_SKILLS.values())
        assert "gripper" not in text and "block" not in text and "four legs" in text
        assert '"distance": METRES' in text


class TestExamples:
    """Each of them is what a model may answer, and right."""

    @pytest.mark.parametrize("example", ground_examples(), ids=lambda example: example.instruction)
    def test_they_fit_the_schema_and_pass(self, example: Example) -> None:
        schema = plan_schema(example.scene, LEGGED_SKILLS, distances=KEPT)
        assert fits(json.loads(reply_text(example.plan)), schema)
        assert verify(example.plan, example.scene, LEGGED_SKILLS) == []

    def test_every_kind_of_answer_is_shown(self) -> None:
        plans = [example.plan for example in ground_examples()]
        assert any(plan.question for plan in plans) and any(plan.refusal for plan in plans)
        assert any(plan.steps == () for plan in plans)
        assert {rule.kind for plan in plans for rule in plan.constraints} == {"avoid", "speed"}

    def test_the_most_similar_one_comes_last(self) -> None:
        chosen = most_similar("please go to the yellow marker, and wait for a minute", SHOTS, ground_examples())
        assert chosen[-1].instruction == "go to the yellow marker and wait there for ten seconds"


class TestPlans:
    def test_what_the_sentence_says_to_keep_away_from_holds_whatever_the_model_says(self) -> None:
        found = plan(Parrot(says(call("go_to", object="red_door"))), KEPT_AWAY, ground())
        assert found.steps == (call("go_to", object="red_door"),)
        assert found.constraints == (Constraint(kind="avoid", object="person", distance=1.0),)

    def test_words_that_nobody_knows_are_left_to_the_model(self) -> None:
        wanted = (call("look_around"), call("follow", person="person", duration=20))
        found = plan(Parrot(says(*wanted)), "scan the yard, then tag along with our guest for a bit", ground())
        assert found.steps == wanted and found.thought == "so"

    def test_steps_that_follow_their_like_all_stay(self) -> None:
        twice = (call("walk_to", x=1.0), call("walk_to", x=1.0))
        assert plan(Parrot(says(*twice)), "hop forward, and once more", ground()).steps == twice

    def test_a_plan_that_cannot_be_done_is_sent_back_with_the_reason(self) -> None:
        model = Parrot(says(call("go_to", object="red_door")), says(call("stand"), call("go_to", object="red_door")))
        found = plan(model, "off to the red door with you", ground(SITTING))
        assert [step.skill for step in found.steps or ()] == ["stand", "go_to"]
        assert "That is not accepted: step 1" in model.prompts[1]

    def test_another_thing_than_was_said_is_sent_back(self) -> None:
        model = Parrot(says(call("go_to", object="blue_box")), says(call("go_to", object="red_door")))
        found = plan(model, "go to the red door", ground())
        assert found.steps == (call("go_to", object="red_door"),)

    def test_without_the_model_the_words_of_legs_are_understood(self) -> None:
        reports: list[str] = []
        found = plan(Parrot(ModelError("the server is gone")), KEPT_AWAY, ground(), reports)
        assert [step.skill for step in found.steps or ()] == ["go_to"]
        assert found.constraints == (Constraint(kind="avoid", object="person", distance=1.0),)
        assert reports == ["the server is gone; the symbolic planner goes on"]

    def test_a_model_that_takes_the_short_prompt_is_not_asked(self) -> None:
        model, reports = Parrot(says(call("sit")), takes="compact-3"), list[str]()
        assert plan(model, "sit", ground(), reports).steps == (call("sit"),)
        assert model.prompts == [] and "use a model that converses" in reports[0]

    def test_what_would_hurt_people_is_refused_unasked(self) -> None:
        model = Parrot(says(call("go_to", object="person")))
        assert plan(model, "ram the person as hard as you can", ground()).refusal is not None
        assert model.prompts == []


class TestTask:
    """From a sentence that only the model understands to its end."""

    @pytest.fixture
    def task(self) -> TaskExecutor:
        steps = (call("stand"), call("go_to", object="red_door"), call("sit"))
        return TaskExecutor(
            planner(Parrot(says(*steps))), LEGGED_SKILLS, "off to the red door with you, and rest there"
        )

    def test_it_is_done_when_its_effects_are_seen(self, task: TaskExecutor) -> None:
        t, scene, ran = 0.0, ground(SITTING), list[str]()
        after = {"stand": (STANDING, ""), "go_to": (STANDING, "red_door"), "sit": (SITTING, "red_door")}
        for _ in range(40):
            action = task.next(scene, t)
            t += 1.0
            if isinstance(action, RunSkill):
                ran.append(action.call.skill)
                posture, at = after[action.call.skill]
                task.skill_finished(True, "", t)
                scene = ground(posture, at, t + 0.5)
                t += 1.0
            elif isinstance(action, Look):
                scene = Scene(t, "test", scene.objects, scene.relations)
            elif isinstance(action, Done):
                assert (action.outcome, ran) == ("succeeded", ["stand", "go_to", "sit"]), action.reason
                return
        raise AssertionError("it does not end")
