"""The declared skills of legged robots, and that each kind of robot is offered its own only."""

import json

import pytest

from reins.contracts.errors import ReinsError, UnknownName
from reins.contracts.facts import DERIVED
from reins.contracts.plan import SkillCall
from reins.contracts.scene import FALLEN, PERSON, ROBOT, SITTING, STANDING, Relation, Scene, SceneObject, by_id
from reins.hardware.profile import known_profiles, load_profile
from reins.hardware.profile_base import Profile
from reins.planning.language.schema import numbers, plan_schema
from reins.planning.simulation import SymbolicState
from reins.skills.catalogue import REGISTRIES, skills_of
from reins.skills.legged.library import LEGGED_SKILLS
from reins.skills.library import SKILLS
from reins.skills.registry import ANY, SkillSpec

UPRIGHT = (0.0, 0.0, 0.0, 1.0)
DOOR = SceneObject("red_door", "door", "red", (3.0, 0.0, 0.7), UPRIGHT, (0.06, 0.9, 2.0), 1.0, 0.0)
WALKER = SceneObject("person", PERSON, "orange", (2.0, 1.0, 0.6), UPRIGHT, (0.45, 0.45, 1.75), 1.0, 0.0)


def scene(posture: str) -> Scene:
    return Scene(0.0, "test", by_id([DOOR, WALKER]), frozenset({Relation(ROBOT, "is", posture)}))


@pytest.mark.parametrize("kind", ["arm", "quadruped"])
def test_every_skill_of_a_kind_fits_it_and_no_other(kind: str) -> None:
    assert {spec.kinds for spec in skills_of(kind).values()} == {(kind,)}


def test_every_robot_that_ships_has_skills_of_its_kind() -> None:
    for name in known_profiles():
        assert skills_of(load_profile(name, Profile).kind)


def test_what_an_arm_is_offered_has_not_changed() -> None:
    assert skills_of("arm") is SKILLS
    assert not set(SKILLS) & set(LEGGED_SKILLS)


def test_an_unknown_kind_is_told_with_those_that_exist() -> None:
    with pytest.raises(UnknownName, match=r"no kind of robot 'boat'.*arm, quadruped"):
        skills_of("boat")
    assert set(REGISTRIES) == {"arm", "quadruped"}


@pytest.mark.parametrize("spec", LEGGED_SKILLS.values(), ids=list(LEGGED_SKILLS))
class TestDeclarations:
    def test_conditions_name_parameters_and_what_scenes_of_legged_robots_show(self, spec: SkillSpec) -> None:
        names = {parameter.name for parameter in spec.parameters}
        for condition in (*spec.preconditions, *spec.effects):
            predicate, subject, what = condition.fact
            assert predicate not in DERIVED
            assert subject == ROBOT
            assert what in {"is": {STANDING, SITTING, FALLEN, ANY}, "at": {*names, ANY}}[predicate]

    def test_numbers_have_bounds_a_unit_and_defaults_within_them(self, spec: SkillSpec) -> None:
        for parameter in spec.parameters:
            if parameter.kind == "number":
                assert parameter.lower < parameter.upper and parameter.unit
                assert parameter.default is None or parameter.lower <= float(parameter.default) <= parameter.upper

    def test_a_model_chooses_among_few_numbers_with_the_default_among_them(self, spec: SkillSpec) -> None:
        for parameter in spec.parameters:
            if parameter.kind == "number":
                values = numbers(parameter)
                assert values[0] == parameter.lower and values[-1] == parameter.upper
                assert len(values) <= 601
                assert parameter.default is None or parameter.default in values

    def test_it_may_take_longer_than_it_is_told_to(self, spec: SkillSpec) -> None:
        durations = [parameter.upper for parameter in spec.parameters if parameter.name == "duration"]
        assert spec.time_limit > max(durations, default=0.0)


def test_the_schema_of_a_reply_names_the_skills_of_legs_and_what_fits_them() -> None:
    text = json.dumps(plan_schema(scene(STANDING), LEGGED_SKILLS))
    assert all(f'"{name}"' in text for name in LEGGED_SKILLS)
    alone = Scene(0.0, "test", by_id([DOOR]))
    assert '"follow"' not in json.dumps(plan_schema(alone, LEGGED_SKILLS))


def test_a_robot_that_sits_stands_up_before_it_walks() -> None:
    call = SkillCall(skill="go_to", arguments={"object": "red_door"})
    spec, state = LEGGED_SKILLS["go_to"], SymbolicState.of(scene(SITTING))
    values = spec.complete(call, scene(SITTING))
    assert [condition.fact for condition in state.unmet(spec, values)] == [("is", ROBOT, STANDING)]
    up = state.after(LEGGED_SKILLS["stand"], {})
    assert not up.unmet(spec, values)
    there = up.after(spec, values)
    assert ("at", ROBOT, "red_door") in there.facts
    away = there.after(LEGGED_SKILLS["walk_to"], {"x": 1.0, "y": 0.0})
    assert not [fact for fact in away.facts if fact[0] == "at"]
    assert away.after(LEGGED_SKILLS["sit"], {}).facts == SymbolicState.of(scene(SITTING)).facts


@pytest.mark.parametrize(
    ("skill", "arguments", "complaint"),
    [
        ("walk_to", {"x": 10.001}, "x is 10.001; it must be a number from -10.0 to 10.0 m"),
        ("walk_to", {}, "walk_to needs 'x'"),
        ("go_to", {"object": "green_door"}, "no object 'green_door'"),
        ("follow", {"person": "red_door"}, "'red_door' is a door, not a person"),
        ("follow", {"person": "person", "distance": 0.99}, "distance is 0.99"),
        ("turn", {"angle": 7.0}, "angle is 7.0"),
        ("wait", {"duration": 1e9}, "duration is 1000000000.0"),
    ],
)
def test_what_does_not_fit_is_refused(skill: str, arguments: dict[str, str | float], complaint: str) -> None:
    with pytest.raises(ReinsError, match=complaint.replace("(", r"\(")):
        LEGGED_SKILLS[skill].complete(SkillCall(skill=skill, arguments=arguments), scene(STANDING))
