"""The navigation suite: what it draws, and that a robot which goes wrong is found out."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reins.bench.navigation.suite import Judge, NavigationEpisode, run_navigation, run_task, summarise
from reins.bench.navigation.tasks import FAMILIES, Goal, NavigationTask, draw_task
from reins.bench.navigation.words import DISTANCES, language_of
from reins.contracts.errors import UnknownName
from reins.contracts.scene import PERSON
from reins.hardware.legged import LeggedState, Odometry
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.legged_rig import LeggedRigSettings, LeggedTick
from reins.planning.walking.meaning import read
from reins.planning.wording import is_chinese
from reins.sim.legged.ground import GroundSpec
from reins.sim.legged.outlook import edge_distance, named, scene_of
from reins.skills.legged.library import LEGGED_SKILLS

GO2 = load_profile("go2", QuadrupedProfile)
GROUND = GroundSpec.model_validate(
    {
        "name": "test",
        "title": "test",
        "things": [
            {"label": "door", "colour": "red", "size": (0.06, 1.0, 2.0), "at": (3.0, 0.0)},
            {"label": "marker", "colour": "blue", "size": (0.3, 0.3, 0.01), "at": (0.0, 2.0)},
            {"label": "person", "colour": "orange", "size": (0.5, 0.5, 1.75), "at": (-3.0, 0.0)},
        ],
    }
)
EPISODE = NavigationEpisode(1, "door", "en", "", True, "succeeded", "", 0.1, (), 2.0, False, (), 10.0, ())


def state_at(
    x: float, y: float, yaw: float = 0.0, height: float = 0.29, fault: str = "", tilt: float = 0.0
) -> LeggedState:
    heading = np.array([0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)])
    tilted = np.array([math.sin(tilt / 2), 0.0, 0.0, math.cos(tilt / 2)])
    zero, n = np.zeros(3), len(GO2.joints)
    odometry = Odometry(np.array([x, y, height]), heading, zero, zero)
    contact = np.ones(4, dtype=bool)
    return LeggedState(0.0, tilted, GO2.home, np.zeros(n), np.zeros(n), contact, 1.0, odometry, height, fault=fault)


def task(goal: Goal, distance: float = 0.0) -> NavigationTask:
    return NavigationTask(1, "test", GROUND, "en", "", goal, distance)


def seen(judge: Judge, *states: LeggedState) -> Judge:
    for state in states:
        judge.see(LeggedTick(state, None, scene_of(GROUND, state, GO2)))
    return judge


class TestTasks:
    def test_the_same_numbers_give_the_same_task(self) -> None:
        assert draw_task(1, 3, GO2) == draw_task(1, 3, GO2)
        assert draw_task(1, 3, GO2).ground != draw_task(2, 3, GO2).ground

    @pytest.mark.parametrize("number", range(50))
    def test_in_chinese_it_is_the_same_task(self, number: int) -> None:
        english, chinese = (draw_task(1, number, GO2, language) for language in ("en", "zh"))
        assert replace(chinese, language="en", instruction=english.instruction) == english
        scene = scene_of(english.ground, state_at(0.0, 0.0), GO2)
        meant, twin = (read(task.instruction, scene, LEGGED_SKILLS) for task in (english, chinese))
        assert is_chinese(chinese.instruction) and (twin.stages, twin.constraints) == (meant.stages, meant.constraints)

    @pytest.mark.parametrize("number", range(3 * len(FAMILIES)))
    def test_it_can_be_read_and_there_is_room(self, number: int) -> None:
        drawn = draw_task(7, number, GO2)
        assert drawn.family == list(FAMILIES)[number % len(FAMILIES)]
        things = dict(named(drawn.ground))
        scene = scene_of(drawn.ground, state_at(0.0, 0.0), GO2)
        meant = read(drawn.instruction, scene, LEGGED_SKILLS)
        last = [stage.act for stage in meant.stages if stage.act is not None and "object" in stage.act.arguments]
        assert (last[-1].arguments["object"] if last else "") == drawn.goal.thing
        asked = {rule.object: rule.distance for rule in meant.constraints}
        assert asked == ({PERSON: drawn.distance} if drawn.distance else {})
        assert drawn.distance in (0.0, *DISTANCES)
        kept = {name: max(drawn.distance, 1.0) if name == PERSON else 0.1 for name in things}
        for name, thing in things.items():
            assert edge_distance(thing, np.zeros(2)) > GO2.body.footprint + kept[name]
            for other, second in things.items():
                if other != name:
                    gap = edge_distance(thing, np.array(second.at)) - 0.5 * math.hypot(*second.size[:2])
                    assert gap > 2.0 * GO2.body.footprint + max(kept[name], kept[other])

    @pytest.mark.parametrize(("family", "between"), [("around", "box"), ("past", PERSON)])
    def test_something_stands_before_the_door(self, family: str, between: str) -> None:
        drawn = draw_task(5, list(FAMILIES).index(family), GO2)
        things = dict(named(drawn.ground))
        door = np.array(things[drawn.goal.thing].at)
        line = np.linspace(0.0, 1.0, 50)[:, None] * door
        nearest = min(
            edge_distance(thing, point) for thing in things.values() if thing.label == between for point in line
        )
        assert nearest < GO2.body.footprint

    def test_both_languages_take_turns(self) -> None:
        assert [language_of(number, "both") for number in range(4)] == ["en", "zh", "en", "zh"]
        assert {language_of(number, "zh") for number in range(4)} == {"zh"}
        with pytest.raises(UnknownName, match=r"no language 'ch'.*known: both, en, zh"):
            language_of(0, "ch")


class TestJudge:
    @pytest.mark.parametrize(
        ("goal", "x", "y", "error"),
        [
            (Goal(thing="red_door"), 3.0 - 0.03 - GO2.body.footprint - 0.3, 0.0, 0.0),
            (Goal(thing="red_door"), 3.0 - 0.03 - GO2.body.footprint - 0.5, 0.0, 0.2),
            (Goal(thing="red_door"), 3.0 - 0.03 - GO2.body.footprint, 0.0, 0.3),
            (Goal(thing="blue_marker"), 0.0, 1.6, 0.4),
            (Goal(ahead=(1.0, 0.0)), 0.2, 1.0, 0.2),
            (Goal(), 5.0, 5.0, None),
        ],
    )
    def test_how_far_off_it_is(self, goal: Goal, x: float, y: float, error: float | None) -> None:
        judge = Judge(task(goal), GO2, state_at(0.0, 0.0, math.pi / 2))
        assert judge.error(state_at(x, y)) == (None if error is None else pytest.approx(error))

    @pytest.mark.parametrize(("x", "asked", "found"), [(-1.4, 1.0, True), (-1.4, 0.9, False), (-1.9, 0.0, True)])
    def test_who_comes_too_near_to_a_person_once_is_found_out(self, x: float, asked: float, found: bool) -> None:
        judge = seen(Judge(task(Goal(), asked), GO2, state_at(0.0, 0.0)), state_at(x, 0.0), state_at(0.0, 0.0))
        assert judge.violations() == ((PERSON,) if found else ())

    def test_a_door_is_not_walked_into_and_a_marker_is(self) -> None:
        judge = seen(Judge(task(Goal()), GO2, state_at(0.0, 0.0)), state_at(2.6, 0.0), state_at(0.0, 2.0))
        assert judge.violations() == ("red_door",)

    @pytest.mark.parametrize(("height", "sits", "wrong"), [(0.29, True, 1), (0.08, True, 0), (0.08, False, 1)])
    def test_the_posture_counts(self, height: float, sits: bool, wrong: int) -> None:
        judge = Judge(task(Goal(sits=sits)), GO2, state_at(0.0, 0.0))
        assert len(judge.wrong(state_at(0.0, 0.0, height=height))) == wrong

    @pytest.mark.parametrize(("yaw", "wrong"), [(-2.9, 0), (-2.6, 1), (2.0, 1)])
    def test_the_heading_counts_where_it_is_asked_for(self, yaw: float, wrong: int) -> None:
        judge = Judge(task(Goal(turned=math.pi / 2)), GO2, state_at(0.0, 0.0, math.pi / 2 + 0.2))
        assert len(judge.wrong(state_at(0.0, 0.0, yaw))) == wrong

    @pytest.mark.parametrize("changes", [{"fault": "stopped"}, {"tilt": 1.5}])
    def test_a_fall_is_seen(self, changes: dict[str, Any]) -> None:
        start = Judge(task(Goal()), GO2, state_at(0.0, 0.0))
        assert not seen(start, state_at(0.0, 0.0)).fell
        assert seen(start, state_at(0.0, 0.0, **changes)).fell


def test_the_figures_of_some_episodes() -> None:
    bad = replace(
        EPISODE, success=False, family="turn", language="zh", error=None, violations=("person", "box"), fell=True
    )
    summary = summarise([EPISODE, replace(EPISODE, duration=20.0, error=0.3), bad])
    assert summary["success_rate"] == pytest.approx(2 / 3)
    assert (summary["keep_out_violations"], summary["falls"]) == (2, 1)
    assert summary["mean_error"] == pytest.approx(0.2)
    assert summary["mean_duration"] == pytest.approx(40 / 3)
    assert summary["by_family"] == {"door": 1.0, "turn": 0.0}
    assert summary["by_language"] == {"en": 1.0, "zh": 0.0}


def test_two_tasks_of_the_suite_and_what_is_written_of_them(tmp_path: Path) -> None:
    told: list[NavigationEpisode] = []
    report = run_navigation(LeggedRigSettings(), 2, 1, told.append, "both")
    assert [episode.language for episode in told] == ["en", "zh"]
    assert report.summary["success_rate"] == 1.0, [episode.reason for episode in told]
    assert report.summary["keep_out_violations"] == 0
    report.write_json(tmp_path / "navigation.json")
    written = json.loads((tmp_path / "navigation.json").read_text())
    assert written["summary"]["episodes"] == len(written["episodes"]) == 2
    assert written["settings"]["seed"] == 1


def test_a_task_that_is_not_carried_out_fails() -> None:
    drawn = draw_task(1, list(FAMILIES).index("turn"), GO2)
    episode = run_task(replace(drawn, instruction="stand up"), LeggedRigSettings())
    assert episode.outcome == "succeeded" and not episode.success
    assert len(episode.wrong) == 2


@pytest.mark.slow
def test_a_robot_that_sees_for_itself_looks_around_before_its_task() -> None:
    drawn = draw_task(1, list(FAMILIES).index("door"), GO2)
    episode = run_task(drawn, LeggedRigSettings(perception="geometric"))
    assert episode.success, episode.reason
    assert [step.partition("(")[0] for step in episode.steps] == ["go_to"], "it stood up and looked around before"
