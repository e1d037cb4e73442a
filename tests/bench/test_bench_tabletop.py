"""The tabletop suite: the same tasks in other words, tasks to be declined, disturbances, and what planning costs."""

import json
from math import hypot
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from reins.bench.disturbances import KINDS, Meddler, possible_kinds
from reins.bench.planner_figures import planner_figures, summary_of
from reins.bench.tabletop import run_episode, run_tabletop
from reins.bench.tabletop_tasks import BenchTask, TaskStyle, draw_task
from reins.cli.app import app
from reins.contracts.errors import UnknownName
from reins.hardware.profile import load_profile
from reins.planning.cadence import Cadence
from reins.planning.language.settings import LanguageSettings
from reins.planning.tracing.reading import Story
from reins.rig import RigSettings
from reins.sim.placement import TablePose, place, spacing
from reins.sim.simulators import make_simulator
from reins.sim.tasks import generate_task, has_room
from reins.sim.world import load_world
from reins.training.planner.golden import start_scene

STATE = RigSettings(perception="state")
SEEDS = st.integers(0, 2**31 - 2)
SOME = settings(max_examples=15)


def first(kind: str, start: int = 0) -> BenchTask:
    """The first task from a seed on that is disturbed so."""
    seeds = range(start, start + 1000)
    return next(task for task in (draw_task(s, TaskStyle(disturb=True)) for s in seeds) if task.disturbance == kind)


class TestTasks:
    """What is asked."""

    @SOME
    @given(SEEDS)
    def test_a_task_is_the_same_in_all_words(self, seed: int) -> None:
        plain, english, chinese = (draw_task(seed, TaskStyle(words)) for words in ("controlled", "en", "zh"))
        assert plain.task == generate_task(seed)
        for other in (english, chinese):
            assert (other.task.goal, other.task.forbidden) == (plain.task.goal, plain.task.forbidden)
            assert other.task.instruction.strip() and other.wanted == "steps"
        assert any("\u4e00" <= sign <= "\u9fff" for sign in chinese.task.instruction)

    @SOME
    @given(SEEDS)
    def test_the_shortest_plan_has_two_steps_for_each_thing_that_is_carried(self, seed: int) -> None:
        asked = draw_task(seed, TaskStyle())
        assert asked.least == sum(1 if goal[0] == "moved" else 2 for goal in asked.task.goal)

    @SOME
    @given(SEEDS)
    def test_what_is_to_be_declined_has_no_goal(self, seed: int) -> None:
        asked = draw_task(seed, TaskStyle(declined=1.0))
        assert asked.wanted in ("question", "refusal") and asked.task.instruction
        assert asked.task.goal == () and asked.least == 0 and not asked.disturbance

    def test_words_that_nobody_speaks(self) -> None:
        with pytest.raises(UnknownName, match=r"no words 'fr' \(known: controlled, en, zh\)"):
            TaskStyle("fr")


class TestMeddler:
    """Who disturbs a task leaves it possible."""

    @pytest.mark.parametrize("kind", ["moved", "swapped", "added"])
    @pytest.mark.parametrize("start", [0, 1000, 2000])
    def test_it_acts_once_and_leaves_room(self, kind: str, start: int) -> None:
        asked, profile = first(kind, start), load_profile("franka")
        world = load_world(asked.task.world)
        robot = make_simulator("mujoco", profile, world, asked.task.seed)
        robot.connect()
        meddler = Meddler(kind, asked.task, robot, profile)
        meddler.begin(0.0)
        before = robot.world_state()
        while not meddler.struck and robot.read().stamp < 20.0:
            robot.step(0.05)
            meddler.look(robot.read())
        struck = robot.world_state()
        meddler.look(robot.read())
        changed = [
            n for n in world.by_id if before.find(n).position != pytest.approx(struck.find(n).position, abs=1e-3)
        ]
        assert len(changed) == (2 if kind == "swapped" else 1) and all(name in meddler.struck for name in changed)
        assert not set(changed) & set(asked.task.forbidden)
        poses = {name: item.position for name, item in struck.objects.items()}
        for name in changed:
            for other in set(poses) - {name}:
                apart = hypot(poses[name][0] - poses[other][0], poses[name][1] - poses[other][1])
                assert apart >= spacing(world.by_id[name], world.by_id[other], world.placement) - 1e-6
        robot.close()

    @SOME
    @given(SEEDS)
    def test_what_is_to_be_pushed_is_not_moved_and_what_is_named_is_not_missing(self, seed: int) -> None:
        task = generate_task(seed)
        kinds = possible_kinds(task)
        assert set(kinds) <= set(KINDS)
        if all(goal[0] == "moved" for goal in task.goal):
            assert set(kinds) <= {"added"}

    def test_room_is_what_a_push_needs(self) -> None:
        task = next(t for t in map(generate_task, range(100)) if t.goal[0][0] == "moved" and len(t.goal) == 1)
        poses = place(load_world(task.world), task.seed)
        assert has_room(task, poses)
        block = task.goal[0][1]
        at = poses[block]
        crowded = {name: pose if name == block else TablePose(at.x + 0.08, at.y, 0.0) for name, pose in poses.items()}
        assert not has_room(task, crowded)


class TestEpisodes:
    """Whole tasks, with physics."""

    @pytest.mark.slow
    def test_what_slips_out_of_the_hand_is_picked_up_again(self) -> None:
        asked = first("dropped")
        episode = run_episode(STATE, TaskStyle(disturb=True), asked.task.seed)
        assert "slipped out of the hand" in episode.struck and episode.disturbance == "dropped"
        assert episode.success, episode.reason
        assert episode.replans >= 1 and len(episode.steps) > episode.least

    def test_something_to_decline_is_declined_and_nothing_moves(self) -> None:
        report = run_tabletop(STATE, 3, 1, 1, style=TaskStyle(declined=1.0))
        for episode in report.episodes:
            assert episode["success"] == (episode["answered"] == episode["wanted"]) and episode["steps"] == []
        right = report.summary["questions"]["right"] + report.summary["refusals"]["right"]
        assert right == round(3 * report.summary["success_rate"])

    def test_plans_without_the_model_are_counted_as_such(self) -> None:
        language = LanguageSettings(base_url="http://127.0.0.1:9/v1", model="m", answer_limit=0.2)
        closed_loop = RigSettings(
            perception="state", planner="openai", language=language, cadence=Cadence("closed_loop")
        )
        seed = next(seed for seed in range(100) if draw_task(seed, TaskStyle()).least == 2)
        episode = run_episode(closed_loop, TaskStyle(), seed)
        assert episode.success and episode.planner.without_model >= 2 and episode.planner.model_calls == 0
        assert episode.planner.plans >= 2  # one for every step


class TestFigures:
    """What is counted from a trace."""

    def story(self) -> Story:
        call: dict[str, Any] = {"prompt_tokens": 100, "reply_tokens": 10, "verdict": []}
        step, avoid = {"skill": "home"}, {"kind": "avoid", "object": "red_block"}
        entries = [
            {"kind": "task"},
            {**call, "kind": "call", "seconds": 0.5, "verdict": ["no"]},
            {**call, "kind": "call", "seconds": 0.25},
            {"kind": "plan", "plan": {"steps": [step], "constraints": [avoid]}, "problems": []},
            {"kind": "trouble", "why": "gone"},
            {"kind": "plan", "plan": {"steps": [step]}, "problems": ["it cannot be done"]},
            {"kind": "cache", "hits": 1, "misses": 2},
            {"kind": "plan", "plan": {"refusal": "no"}, "problems": []},
            {"kind": "end", "outcome": "failed", "cache_hits": 1, "cache_misses": 2},
        ]
        return Story([{"at": float(at), **entry} for at, entry in enumerate(entries)])

    def test_each_is_what_it_says(self) -> None:
        figures = planner_figures(self.story(), ["red_block"])
        assert (figures.plans, figures.valid, figures.without_model) == (3, 2, 1)
        assert (figures.cache_hits, figures.cache_misses) == (1, 2)
        assert (figures.model_calls, figures.turned_down) == (2, 1)
        assert (figures.prompt_tokens, figures.reply_tokens) == (200, 20)
        assert figures.plan_s == [0.75] and figures.dropped == 1

    def test_many_tasks_add_up(self) -> None:
        figures = planner_figures(self.story(), [])
        summary = summary_of([figures, figures])
        assert summary["plans"] == 6 and summary["valid_rate"] == pytest.approx(4 / 6)
        assert summary["valid_ci95"][0] < 4 / 6 < summary["valid_ci95"][1]
        assert summary["cache_hits"] == 2 and summary["cache_rate"] == pytest.approx(1 / 3)
        assert summary["plan_s"] == {"p50": 0.75, "p99": 0.75} and summary["constraints_dropped"] == 0


class TestCommand:
    """`reins bench tabletop`."""

    def test_figures_by_kind_of_disturbance(self, tmp_path: Path) -> None:
        path = tmp_path / "tabletop.json"
        command = ["bench", "tabletop", "--perception", "state", "--disturb", "--episodes", "1", "--json", str(path)]
        result = CliRunner().invoke(app, command)
        assert result.exit_code == 0, result.output
        report = json.loads(path.read_text(encoding="utf-8"))
        assert report["settings"]["disturb"] is True and report["settings"]["mode"] == "front_end"
        groups, kinds = report["summary"]["disturbances"], {episode["disturbance"] for episode in report["episodes"]}
        assert set(groups) == {"disturbed", *kinds} and groups["disturbed"]["episodes"] == 1

    @pytest.mark.parametrize(
        ("options", "told"),
        [
            (["--planner", "clever"], "no planner 'clever'"),
            (["--planner", "llama_cpp", "--model", "/no/such.gguf"], "no model file /no/such.gguf"),
            (["--mode", "never"], "no mode 'never'"),
            (["--words", "fr"], "no words 'fr'"),
            (["--robot", "ur"], "no robot 'ur'; did you mean 'ur5e'?"),
            (["--robot", "go2"], "is of kind 'quadruped'"),
            (["--prompt", "loud"], "--prompt loud: "),
            (["--disturb", "--through", "ros"], "--disturb is for --through rig only"),
            (["--disturb", "--filter-cost"], "--filter-cost compares the plain tasks"),
        ],
    )
    def test_what_cannot_be_run_is_said_at_once(self, options: list[str], told: str) -> None:
        if "llama_cpp" in options:
            pytest.importorskip("llama_cpp", reason="the group llm is not set up")
        result = CliRunner().invoke(app, ["bench", "tabletop", *options])
        assert result.exit_code == 2 and told in " ".join(result.output.split())


def test_the_scene_at_the_start_is_the_one_that_is_there() -> None:
    task = generate_task(5)
    profile = load_profile("franka")
    robot = make_simulator("mujoco", profile, load_world(task.world), task.seed)
    truth, scene = robot.world_state(), start_scene(task.world, task.seed)
    for name, item in truth.objects.items():
        assert scene.objects[name].position == pytest.approx(item.position, abs=2e-3)
    robot.close()
