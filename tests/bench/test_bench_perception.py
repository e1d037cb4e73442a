"""The perception suite: what its figures mean, and that it can be run."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from reins.bench.perception.bare import recorded
from reins.bench.perception.score import GATE, Score, judge
from reins.bench.perception.suite import PerceptionSettings, calibration_error, f1, run_perception
from reins.contracts.errors import ReinsError
from reins.contracts.scene import Relation, Scene
from reins.perception.state import StatePerception
from reins.sim.world_state import TruthObject, WorldState

UP = (0.0, 0.0, 0.0, 1.0)
CUBE = (0.04, 0.04, 0.04)


def true(name: str, colour: str, x: float, y: float) -> TruthObject:
    return TruthObject(name, "block", colour, (x, y, 0.02), UP, CUBE, touched=False)


@pytest.fixture
def world() -> WorldState:
    things = [true("red_block", "red", 0.5, 0.1), true("blue_block", "blue", 0.5, -0.1)]
    return WorldState(0.0, "render", 1, {item.id: item for item in things}, None, np.zeros(9))


@pytest.fixture
def seen(world: WorldState) -> Scene:
    return StatePerception().update_from_truth(world)


ALL = {"red_block": 1.0, "blue_block": 1.0}


def test_the_truth_is_right(world: WorldState, seen: Scene) -> None:
    score = judge(world, seen, ALL)
    assert (score.found, score.missed, score.invented) == (2, 0, 0)
    assert score.attributes == (4, 4) and score.errors == (0.0, 0.0) and not score.trouble
    right, every = score.relations
    assert right == every > 0


def test_names_do_not_matter_but_attributes_do(world: WorldState, seen: Scene) -> None:
    wrong = replace(seen.objects["red_block"], id="pink_block", colour="pink")
    scene = replace(
        seen, objects={"pink_block": wrong, "blue_block": seen.objects["blue_block"]}, relations=frozenset()
    )
    score = judge(world, scene, ALL)
    assert (score.found, score.attributes) == (2, (3, 4))
    assert score.relations[0] == 0 and score.relations[1] > 0
    assert "red_block seen as pink block" in score.trouble


@pytest.mark.parametrize("offset, found", [(GATE - 1e-6, 2), (GATE + 1e-6, 1)])
def test_a_thing_elsewhere_is_missed_and_invented(world: WorldState, seen: Scene, offset: float, found: int) -> None:
    x, y, z = seen.objects["red_block"].position
    moved = replace(seen.objects["red_block"], position=(x + offset, y, z))
    score = judge(world, replace(seen, objects={**seen.objects, "red_block": moved}), ALL)
    assert (score.found, score.missed, score.invented) == (found, 2 - found, 2 - found)


@pytest.mark.parametrize("share, missed", [(0.24, 0), (0.25, 1)])
def test_what_is_hidden_need_not_be_found(world: WorldState, seen: Scene, share: float, missed: int) -> None:
    scene = replace(seen, objects={"red_block": seen.objects["red_block"]}, relations=frozenset())
    score = judge(world, scene, {"red_block": 1.0, "blue_block": share})
    assert (score.missed, score.invented) == (missed, 0)


def test_a_relation_too_many_is_wrong(world: WorldState, seen: Scene) -> None:
    more = seen.relations | {Relation("red_block", "in", "blue_block")}
    right, every = judge(world, replace(seen, relations=more), ALL).relations
    assert right == every - 1


def test_f1() -> None:
    score = Score(3, 1, 0, (), (6, 6), (0, 0), (), (), ())
    assert f1([score]) == pytest.approx(6 / 7)
    assert f1([]) == 1.0


@pytest.mark.parametrize("pairs, error", [
    ([(0.9, True)] * 9 + [(0.9, False)], 0.0),
    ([(1.0, False)] * 4, 1.0),
    ([], 0.0),
])  # fmt: skip
def test_calibration_error(pairs: list[tuple[float, bool]], error: float) -> None:
    assert calibration_error(pairs) == pytest.approx(error)


def test_calls_are_recorded_as_they_were_and_can_be_made_again() -> None:
    image = np.zeros((8, 8), np.uint8)
    with recorded() as calls:
        cv2.rectangle(image, (1, 1), (3, 3), 255, -1)
        grown = cv2.dilate(image, np.ones((3, 3), np.uint8))
    assert [function.__name__ for function, _, _ in calls.made] == ["rectangle", "dilate"]
    assert not calls.made[0][1][0].any(), "as it was before the call"
    assert calls.replay() > 0.0
    assert not calls.made[0][1][0].any() and grown.any()
    assert cv2.dilate.__name__ == "dilate"


def settings(**changes: object) -> PerceptionSettings:
    base = PerceptionSettings("state", "mujoco", "franka", "held_out", "standard", 1, 0, 1)
    return replace(base, **changes)  # type: ignore[arg-type]


def test_the_suite_runs_and_the_truth_scores_full_marks() -> None:
    lines: list[str] = []
    report = run_perception(settings(episodes=2), lines.append)
    assert lines == ["", ""] and len(report.episodes) == 4
    assert report.summary["object_f1"] == report.summary["relation_accuracy"] == 1.0
    assert report.summary["position_error_mm"] == {"p50": 0.0, "p95": 0.0}


@pytest.mark.parametrize(("backend", "why"), [("apriltag", "shows a tag"), ("hybrid", "--vlm"), ("vlm", "'vlm'")])
def test_what_these_pictures_say_nothing_about_is_refused(backend: str, why: str) -> None:
    with pytest.raises(ReinsError, match=why):
        run_perception(settings(backend=backend), lambda _: None)


@pytest.mark.slow
def test_geometric_perception_reaches_its_figures() -> None:
    summary = run_perception(settings(backend="geometric", episodes=60, sequences=4), lambda _: None).summary
    assert summary["object_f1"] >= 0.98 and summary["attribute_accuracy"] >= 0.98
    assert summary["relation_accuracy"] >= 0.95
    assert summary["position_error_mm"]["p50"] <= 5.0 and summary["position_error_mm"]["p95"] <= 15.0


@pytest.mark.parametrize("changes", [
    {"backend": "geometrc"}, {"sim": "gazebo"}, {"randomisation": "wild"}, {"disturbances": "none"}, {"robot": "frank"},
])  # fmt: skip
def test_unknown_names_are_told(changes: dict[str, str]) -> None:
    with pytest.raises(ReinsError, match=next(iter(changes.values()))):
        run_perception(settings(**changes), lambda _: None)
