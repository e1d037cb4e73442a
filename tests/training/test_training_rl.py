"""Training of skills: what is exported computes what PyTorch computes, an interrupted run goes on where it stopped."""
# ruff: noqa: E402 — without PyTorch, which the imports below need, the file is skipped

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")
pytest.importorskip("stable_baselines3", reason="training needs the extra `train`")

import onnxruntime as ort
from small_runs import after, few, new_agent, replay_of, silent, taught
from stable_baselines3.common.vec_env import DummyVecEnv

from reins.contracts.errors import ReinsError
from reins.hardware.kinematics import ToolPose
from reins.hardware.profile import load_profile
from reins.models.metadata import TWIST_SIZE, Measurement
from reins.models.registry import list_models, read_contract, verify_model
from reins.skills.observation import ObservationBuilder, PolicyInput
from reins.skills.policy import OnnxPolicy
from reins.training.envs.core import SkillEnv, goal_flag, terms_of
from reins.training.envs.tasks import TASKS
from reins.training.envs.teacher import teach
from reins.training.rl import checkpoint
from reins.training.rl.agent import policy_of
from reins.training.rl.cards import commit, describe
from reins.training.rl.checkpoint import CurvePoint, Progress
from reins.training.rl.curves import read_curve, write_curve
from reins.training.rl.demos import Demonstrations, demonstrate
from reins.training.rl.export import contract, export, observation_of, write
from reins.training.rl.keeper import Keeper, Limits
from reins.training.rl.measure import MEASURED, run_episodes, task_of
from reins.training.rl.network import GoalExtractor, normalisation
from reins.training.rl.recipe import CURVES, SkillResult, alone, curves_of, draw, make_skill
from reins.training.rl.rollouts import HELD_OUT, evaluate
from reins.training.rl.run import begin, make_envs, prepare, train
from reins.training.rl.settings import settings_for
from reins.training.rl.symmetry import Symmetries
from reins.training.rl.vec_env import SkillVecEnv

PROFILE = load_profile("franka")

torch.set_num_threads(1)  # threads that wait for each other on a busy machine are slower than one


@pytest.mark.parametrize("task", sorted(TASKS))
def test_the_teacher_succeeds(task: str) -> None:
    env = SkillEnv(task)
    successes = 0
    for seed in range(4):
        env.reset(seed=seed)
        cut = False
        while not cut:
            _, _, _, cut, info = env.step(teach(task, env.view_input))
        successes += bool(info["is_success"])
    assert successes >= 3


def test_side_by_side_environments_are_what_they_are_one_by_one() -> None:
    def started(kind: type[DummyVecEnv]) -> DummyVecEnv:
        made = kind([lambda: SkillEnv("reach")] * 3)
        made.seed(5)
        return made

    random, vectors, ended = np.random.default_rng(0), [started(DummyVecEnv), started(SkillVecEnv)], 0
    first, second = (vector.reset() for vector in vectors)
    np.testing.assert_equal(first, second)
    for _ in range(TASKS["reach"].horizon + 5):
        actions = random.uniform(-0.3, 0.3, (3, TWIST_SIZE)).astype(np.float32)
        one_by_one, together = (vector.step(actions) for vector in vectors)
        np.testing.assert_equal(together, one_by_one)
        ended += int(together[2].sum())
    assert ended >= 3
    for vector in vectors:
        vector.close()


@pytest.mark.parametrize("task", sorted(TASKS))
def test_the_teacher_can_be_asked_anywhere(task: str) -> None:
    env = SkillEnv(task)
    successes = 0
    for seed in range(4):
        env.reset(seed=seed)
        astray = np.random.default_rng(seed).uniform(-0.8, 0.8, 4)
        for _ in range(12):
            env.step(np.append(astray, teach(task, env.view_input)[4]).astype(np.float32))
        cut = False
        while not cut:
            _, _, _, cut, info = env.step(teach(task, env.view_input))
        successes += bool(info["is_success"])
    assert successes >= 3


@pytest.mark.parametrize("task", sorted(TASKS))
def test_the_teacher_goes_by_nothing_that_a_policy_does_not_see(task: str) -> None:
    env, random = SkillEnv(task), np.random.default_rng(0)
    builder = ObservationBuilder(observation_of(task), len(PROFILE.joints), TWIST_SIZE)
    env.reset(seed=3)
    for _ in range(60):
        inputs, action = env.view_input, teach(task, env.view_input)
        unseen = replace(
            inputs,
            state=replace(inputs.state, stamp=0.0, position=inputs.state.position + 1.0, reference=np.zeros(7)),
            last_action=random.uniform(-1.0, 1.0, TWIST_SIZE),
        )
        np.testing.assert_array_equal(builder.build(unseen).copy(), builder.build(inputs))
        np.testing.assert_array_equal(teach(task, unseen), action)
        env.step(action)


@pytest.mark.parametrize("task", sorted(TASKS))
def test_what_the_teacher_does_turns_with_what_it_sees(task: str) -> None:
    env, symmetries = SkillEnv(task), Symmetries(task)
    normalised = GoalExtractor(env.observation_space, *(part.tolist() for part in normalisation(task)))  # type: ignore[arg-type]
    builder = ObservationBuilder(terms_of(task), len(PROFILE.joints), TWIST_SIZE)
    env.reset(seed=5)
    for step in range(80):
        inputs, way = env.view_input, step % 8
        quarters, side = way % 4, 1.0 if way < 4 else -1.0
        changed = moved(inputs, quarters, side)

        def seen(inputs: PolicyInput) -> Any:
            goal = torch.tensor([[*inputs.goal.position, *goal_flag(task)]])
            row = normalised({"observation": torch.tensor(builder.build(inputs)), "desired_goal": goal})
            return row[0, 2:]  # from the tool's height on

        before, after = teach(task, inputs), teach(task, changed)
        np.testing.assert_allclose(symmetries.inputs[way][2:, 2:] @ seen(inputs), seen(changed), atol=2e-4)
        np.testing.assert_allclose(symmetries.actions[way] @ torch.tensor(before), after, atol=2e-4)
        env.step(before)


def moved(inputs: PolicyInput, quarters: int, side: float) -> PolicyInput:
    """What would be seen if everything on the table were mirrored, where `side` is -1, and turned about the base."""
    angle = quarters * np.pi / 2
    turn = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
    change = turn @ np.diag([1.0, side, 1.0])
    view, velocity = inputs.target, inputs.velocity
    assert velocity is not None
    # A mirrored hand is a hand again, for its two fingers are alike.
    rotation = change @ inputs.tool.rotation @ np.diag([1.0, side, 1.0])
    if view is not None:
        view = replace(view, position=change @ view.position, yaw=side * view.yaw + angle)
    tool = ToolPose(change @ inputs.tool.position, rotation)
    goal = ToolPose(change @ inputs.goal.position, rotation)
    return replace(inputs, tool=tool, goal=goal, target=view, velocity=change @ velocity)


def test_examples_are_changed_in_all_eight_ways() -> None:
    symmetries = Symmetries("stack")
    inputs, actions = torch.randn(1, len(normalisation("stack")[0])), torch.randn(1, 5)
    seen, done = symmetries.apply(inputs.expand(16, -1), actions.expand(16, -1))
    assert torch.equal(seen[0], inputs[0]) and torch.equal(done[1], actions[0])
    assert len(seen.unique(dim=0)) == len(done.unique(dim=0)) == 8
    torch.testing.assert_close(done.norm(dim=1), actions.norm().expand(16))


def test_coming_down_turns_evenly_into_the_stroke() -> None:
    env = SkillEnv("push", randomisation="none", style=1.0)
    env.reset(seed=3)
    while env.tool.position[2] > env.setup.goal[2] + 0.035:
        env.step(teach("push", env.view_input))
    inputs = env.view_input

    def at(height: float) -> np.ndarray:
        position = np.array([*inputs.tool.position[:2], height])
        return teach("push", replace(inputs, tool=ToolPose(position, inputs.tool.rotation)))

    actions = np.array([at(height) for height in np.arange(0.016, 0.06, 0.001)])
    forward = np.linalg.norm(actions[:, :2], axis=1)
    assert forward.max() > 0.4 and forward.min() < 0.2
    assert np.abs(np.diff(actions, axis=0)).max() < 0.15


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("task", ["place", "stack", "push"])
def test_what_the_teacher_shows_can_be_learned_by_imitation(task: str, tmp_path: Path) -> None:
    short: dict[str, object] = {"demos": 20, "lessons": 5, "studied": 800, "settled": 1000, "attempts": 15}
    env, settings = SkillEnv(task), settings_for(task, **short, warm_up=0, evaluated=1)
    assert evaluate(env, policy_of(taught(settings, env, tmp_path)), 10).success_rate >= 0.3


def test_attempts_are_kept_with_what_would_have_been_right(tmp_path: Path) -> None:
    settings, told = few("place", attempts=2), list[str]()
    examined = SkillEnv("place", randomisation="none")
    found = replay_of(taught(settings, examined, tmp_path, told.append)).demos
    shown, _ = demonstrate(examined, settings.demos, settings.seed)
    assert found is not None and len(found) > len(shown)
    np.testing.assert_array_equal(found.meant[: len(shown)], shown.meant)
    tried = found.actions[len(shown) :] - found.meant[len(shown) :]
    assert np.all(np.any(np.abs(tried) > 1e-3, axis=1))
    assert any("of 2 attempts" in line for line in told)


def test_lessons_end_early_once_two_evaluations_are_good(tmp_path: Path) -> None:
    settings, told = few(lessons=9, lessons_evaluated=1), list[str]()
    curve = [CurvePoint(0, 0.0, settings.gate, 1.0)] * 2
    model, progress = new_agent(settings), Progress(curve=curve)
    assert prepare(Keeper(settings, Limits(), tmp_path, SkillEnv("reach"), model, progress, told.append))
    assert sum(line.startswith("lesson") for line in told) == 1 and progress.lessons == 9


def test_a_warm_up_teaches_the_critics_and_leaves_the_actor_as_its_lessons_made_it(tmp_path: Path) -> None:
    examined = SkillEnv("reach", randomisation="none")
    with_it, without = (taught(few(warm_up=steps), examined, tmp_path) for steps in (10, 0))
    for one, other in zip(with_it.actor.parameters(), without.actor.parameters(), strict=True):
        assert torch.equal(one, other)
    critics = zip(with_it.critic.parameters(), without.critic.parameters(), strict=True)
    assert not all(torch.equal(one, other) for one, other in critics)


@pytest.mark.parametrize("task", ["reach", "pick", "stack"])
def test_the_exported_policy_computes_what_torch_computes(task: str) -> None:
    settings = few(task, demos=0)
    env = make_envs(settings, processes=False)
    model = begin(settings, env)
    metadata = contract(settings, 0, None)
    session = ort.InferenceSession(export(model, metadata), providers=["CPUExecutionProvider"])
    act, random = policy_of(model), np.random.default_rng(0)
    size = metadata.observation_size - 3
    worst = 0.0
    for _ in range(1000):
        seen = random.normal(0.0, 0.5, size).astype(np.float32)
        way = random.normal(0.0, 0.2, 3).astype(np.float32)
        goal = np.array([*(seen[:3] + way), *goal_flag(task)])
        wanted = act({"observation": seen, "desired_goal": goal, "achieved_goal": goal})
        given = np.concatenate([seen, (goal[:3].astype(np.float32) - seen[:3])])[None]
        (action,) = session.run(None, {"observation": given})
        worst = max(worst, float(np.abs(action[0] - wanted).max()))
    assert worst < 1e-5
    env.close()


def test_the_policy_file_acts_in_its_runtime_as_the_agent_does(tmp_path: Path) -> None:
    settings, examined = few("pick"), SkillEnv("pick", randomisation="none")
    model = taught(settings, examined, tmp_path)
    policy = OnnxPolicy(export(model, contract(settings, 0, None)), PROFILE, "pick")
    act = policy_of(model)
    observation, _ = examined.reset(seed=1)
    for _ in range(30):
        action = act(observation)
        np.testing.assert_allclose(policy.act(examined.view_input), action, atol=1e-4)
        observation, *_ = examined.step(action)


def test_a_policy_file_has_its_contract_and_its_cards(tmp_path: Path) -> None:
    settings = few("stack", demos=0)
    env = make_envs(settings, processes=False)
    model = begin(settings, env)
    data = export(model, contract(settings, 7, None))
    write(tmp_path / "policies", data, "stack", "about it")
    assert (tmp_path / "policies" / "stack.md").read_text() == "about it"
    metadata = verify_model("stack", tmp_path)
    assert metadata == read_contract(data)
    assert metadata.rate == 50.0 and metadata.style is not None and metadata.training.samples == 7
    assert task_of(metadata) == "stack"
    assert [entry.name for entry in list_models(tmp_path)] == ["stack"]
    env.close()


def test_lessons_that_were_interrupted_go_on_where_they_stopped(tmp_path: Path) -> None:
    settings, told = few(lessons=4, lessons_evaluated=9), list[str]()
    whole = train(settings, tmp_path / "whole", Limits(), silent)
    parts: list[tuple[str, int, int]] = []
    paused = train(settings, tmp_path / "parts", after(2), told.append, lambda *part: parts.append(part))
    assert parts == [("lessons", 0, 4), ("lessons", 1, 4), ("lessons", 2, 4)]
    assert not paused.done and paused.progress.lessons == 2 and paused.progress.curve == []
    done = train(settings, tmp_path / "parts", Limits(), told.append)
    assert [line.split(":")[0] for line in told if line.startswith("lesson")] == [f"lesson {n}" for n in range(1, 5)]
    first, second = whole.progress.curve, done.progress.curve
    assert [(point.step, point.success) for point in first] == [(point.step, point.success) for point in second]
    for name, value in whole.model.policy.state_dict().items():
        assert torch.equal(value, done.model.policy.state_dict()[name]), name


@pytest.mark.parametrize(
    "here, there, said",
    [
        (0.95, 0.85, ""),
        (0.94, 0.94, "94.0% of its episodes in MuJoCo, and needs 95%"),
        (1.0, 0.89, "89.0% of its episodes in PyBullet, over 10% less than the 100.0%"),
        (1.0, None, "not installed; run `./run setup pybullet`"),
    ],
)
def test_a_policy_enters_only_if_it_is_good_in_both_simulators(here: float, there: float | None, said: str) -> None:
    def measured(rate: float) -> Measurement:
        return Measurement(environment="e", episodes=100, success_rate=rate, criterion="c", limit_violations=0)

    run: Any = None  # what led to the policy does not count
    result = SkillResult(run, measured(here), None, None if there is None else measured(there))
    assert said in result.objection("pick")
    assert result.enters("pick") == (said == "")


def test_a_card_tells_success_per_simulator_and_the_commit() -> None:
    settings = few("pick", demos=0)
    env = make_envs(settings, processes=False)
    figures: dict[str, Any] = {"episodes": 200, "criterion": "c", "limit_violations": 0}
    measured, elsewhere = (
        Measurement(environment=f"reins/Pick-v0, {sim}", success_rate=rate, **figures)
        for sim, rate in (("mujoco", 0.995), ("pybullet", 0.97))
    )
    card = describe(export(begin(settings, env), contract(settings, 0, measured)), settings, [], 3.2e-7, elsewhere)
    for text in (
        "1,000 inputs",
        "3.2e-07",
        "99.5% of 200",
        "reins/Pick-v0, mujoco",
        "97.0% of 200",
        "reins/Pick-v0, pybullet",
        commit(),
    ):
        assert text in card
    assert max(map(len, card.splitlines())) <= 125
    env.close()


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    settings = few()
    paused = train(settings, tmp_path, after(70), silent)
    own = paused.model.num_timesteps
    assert not paused.done and 0 < own < settings.steps
    shown = replay_of(paused.model).demos
    assert shown is not None and paused.steps == own + len(shown)
    before = {name: value.clone() for name, value in paused.model.policy.state_dict().items()}
    moments = paused.model.actor.optimizer.state_dict()["state"][0]["exp_avg"].clone()

    env = make_envs(settings, processes=False)
    model, progress = checkpoint.restore(tmp_path, settings, env)
    assert model.num_timesteps == own
    assert progress.curve == paused.progress.curve
    for name, value in model.policy.state_dict().items():
        assert torch.equal(value, before[name]), name
    assert torch.equal(model.actor.optimizer.state_dict()["state"][0]["exp_avg"], moments)
    first, second = replay_of(paused.model), replay_of(model)
    assert (first.pos, first.full) == (second.pos, second.full)
    ended = first.ep_length > 0  # the others end where the run was paused
    np.testing.assert_array_equal(first.ep_length[ended], second.ep_length[ended])
    np.testing.assert_array_equal(first.observations["observation"], second.observations["observation"])
    assert second.demos is not None and first.demos is not None and len(second.demos) == len(first.demos)
    env.close()

    parts: list[tuple[str, int, int]] = []
    done = train(settings, tmp_path, Limits(), silent, lambda *part: parts.append(part))
    assert done.done and done.model.num_timesteps >= settings.steps
    assert parts[0] == ("own steps", own + settings.envs, settings.steps)
    assert [point.step for point in done.progress.curve] == sorted({point.step for point in done.progress.curve})


def test_two_runs_that_go_on_from_the_same_checkpoint_are_the_same(tmp_path: Path) -> None:
    import shutil

    settings = few()
    train(settings, tmp_path / "a", after(70), silent)
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    ends = [train(settings, tmp_path / name, Limits(), silent).model.policy.state_dict() for name in ("a", "b")]
    for name, value in ends[0].items():
        assert torch.equal(value, ends[1][name]), name


def test_a_checkpoint_of_other_settings_is_refused(tmp_path: Path) -> None:
    train(few(), tmp_path, Limits(seconds=0.0), silent)
    with pytest.raises(ReinsError, match="gamma"):
        train(few(gamma=0.9), tmp_path, Limits(), silent)
    with pytest.raises(ReinsError, match="no checkpoint"):
        checkpoint.restore(tmp_path / "nowhere", few(), make_envs(few(), processes=False))


def test_the_share_of_demonstrations_decays(tmp_path: Path) -> None:
    settings = few(demo_decay=300, demo_share=0.5, demo_least=0.1)
    result = train(settings, tmp_path, Limits(), silent)
    assert replay_of(result.model).share == pytest.approx(0.1)
    assert result.model.imitation == 0.0


def test_demonstrations_keep_what_was_done_and_what_was_meant(tmp_path: Path) -> None:
    found, _ = demonstrate(SkillEnv("reach", randomisation="none"), 4, seed=1)
    disturbed = np.any(found.actions[:, :4] != found.meant[:, :4], axis=1)
    assert 0.05 < disturbed.mean() < 0.5
    found.save(tmp_path / "demos.npz")
    again = Demonstrations.load(tmp_path / "demos.npz")
    np.testing.assert_array_equal(again.meant, found.meant)
    batch, meant = again.sample(8)
    assert batch.observations["observation"].shape[0] == meant.shape[0] == 8


def test_evaluations_are_the_same_every_time() -> None:
    env = SkillEnv("reach")
    results = [evaluate(env, lambda _: np.zeros(5, dtype=np.float32), 2) for _ in range(2)]
    assert results[0] == results[1]
    assert abs(HELD_OUT - MEASURED) > 100_000


def test_a_curve_is_read_as_it_was_written(tmp_path: Path) -> None:
    points = [CurvePoint(0, 0.0, 0.25, 100.0), CurvePoint(500, 1.5, 0.5, 80.0)]
    write_curve(tmp_path / "curve.csv", points)
    assert read_curve(tmp_path / "curve.csv") == points


def test_the_curves_with_and_without_demonstrations_are_drawn_together(tmp_path: Path) -> None:
    folder, points = tmp_path / "pick-1", [CurvePoint(0, 0.0, 0.0, 250.0), CurvePoint(500, 1.5, 0.5, 80.0)]
    write_curve(folder / "curve.csv", points)
    assert list(curves_of(folder)) == ["with demonstrations"]
    write_curve(alone(folder) / "curve.csv", points[:1])
    assert curves_of(folder) == {"with demonstrations": points, "without demonstrations": points[:1]}
    draw(folder, "pick")
    assert (folder / CURVES).read_bytes()[:4] == b"\x89PNG"


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_recipe_runs_from_end_to_end(tmp_path: Path) -> None:
    settings = few(steps=400)
    result = make_skill(settings, tmp_path / "reach-1", Limits(), 3, silent, out=tmp_path / "models")
    assert result.measured is not None and result.measured.episodes == 3 and result.policy is not None
    assert result.measured.limit_violations == 0
    for picture in (tmp_path / "reach-1" / CURVES, result.policy.with_suffix(".png")):
        assert picture.stat().st_size > 1000
    assert (tmp_path / "models" / "reach.onnx").is_file() == result.enters("reach")
    policy = OnnxPolicy(result.policy.read_bytes(), PROFILE, "reach")
    evaluation, _ = run_episodes(policy, SkillEnv("reach", randomisation="none"), 3, MEASURED)
    assert evaluation.success_rate == result.measured.success_rate


@pytest.mark.parametrize("finish", [False, True])
def test_when_the_time_is_up_what_there_is_is_exported_if_asked(tmp_path: Path, finish: bool) -> None:
    result = make_skill(few(), tmp_path / "reach-1", Limits(seconds=0.0), 1, silent, finish=finish)
    assert not result.run.done
    assert (result.policy is not None) == (result.measured is not None) == finish


def test_a_pause_that_was_asked_for_exports_nothing(tmp_path: Path) -> None:
    result = make_skill(few(), tmp_path / "reach-1", Limits(stopped=lambda: True), 1, silent, finish=True)
    assert result.policy is None and not result.enters("reach")
