"""The environments: what Gymnasium and Stable-Baselines3 ask of them, and what deployment asks of them."""
# ruff: noqa: E402 — without Gymnasium, which the imports below need, the file is skipped

import numpy as np
import pytest

gym = pytest.importorskip("gymnasium", reason="training needs the extra `train`")
pytest.importorskip("stable_baselines3", reason="training needs the extra `train`")

from gymnasium.utils.env_checker import check_env as gymnasium_check
from stable_baselines3.common.env_checker import check_env as stable_baselines_check

import reins.training.envs
from reins.contracts.errors import ReinsError
from reins.hardware.kinematics import ToolPose
from reins.hardware.robot import StopCategory
from reins.models.metadata import TWIST_SIZE
from reins.skills.observation import ObservationBuilder
from reins.training.envs.core import HOLD, LASTING, SkillEnv, terms_of
from reins.training.envs.randomisation import load_randomisation
from reins.training.envs.register import env_id
from reins.training.envs.stage import MujocoStage
from reins.training.envs.tasks import FREE, SUBJECT, TASKS
from reins.training.envs.view import ObjectCamera, ViewErrors

assert reins.training.envs.__doc__

NAMES = sorted(TASKS)


@pytest.fixture(params=NAMES)
def env(request: pytest.FixtureRequest) -> SkillEnv:
    made = gym.make(env_id(request.param))
    assert isinstance(made, SkillEnv)
    return made


@pytest.mark.filterwarnings("ignore")
def test_it_passes_both_checkers(env: SkillEnv) -> None:
    gymnasium_check(env, skip_render_check=True)
    stable_baselines_check(env)


def test_the_same_seed_gives_the_same_episode(env: SkillEnv) -> None:
    random = np.random.default_rng(0)
    actions = random.uniform(-1.0, 1.0, (20, 5)).astype(np.float32)

    def episode() -> list[np.ndarray]:
        observation, _ = env.reset(seed=5)
        seen = [np.concatenate([observation[key] for key in sorted(observation)])]
        for action in actions:
            observation, *_ = env.step(action)
            seen.append(np.concatenate([observation[key] for key in sorted(observation)]))
        return seen

    first = episode()
    env.reset(seed=9)
    np.testing.assert_array_equal(first, episode())


def test_a_policy_that_runs_beside_it_sees_the_errors_of_the_observation(env: SkillEnv) -> None:
    terms = terms_of(type(env.task))
    builder = ObservationBuilder(terms, len(env.profile.joints), TWIST_SIZE)
    observation, _ = env.reset(seed=3)
    errors = []
    for _ in range(40):
        np.testing.assert_array_equal(builder.build(env.view_input)[0], observation["observation"])
        errors.append(env.view_input.tool.position - env.tool.position)
        observation, *_ = env.step(np.zeros(5, np.float32))
    most = load_randomisation("training").noise.high
    assert 0.0 < np.std(errors) < 1.5 * most


def test_rewards_of_a_batch_are_those_of_its_rows(env: SkillEnv) -> None:
    random = np.random.default_rng(0)
    size = env.task.goal_size
    desired = random.uniform(-0.5, 0.5, (50, size))
    gaps = random.normal(0.0, 0.01, (50, size))
    rewards = env.compute_reward(desired + gaps, desired, {})
    expected = np.where(np.linalg.norm(gaps, axis=1) > env.task.tolerance, -1.0, 0.0)
    np.testing.assert_array_equal(rewards, expected)
    assert env.compute_reward(desired[0] + gaps[0], desired[0], {}) == expected[0]


@pytest.mark.parametrize("name", ["place", "stack"])
def test_the_hand_is_full_at_the_start(name: str) -> None:
    env = SkillEnv(name)
    for seed in range(10):
        observation, _ = env.reset(seed=seed)
        assert env.state.gripper_holding
        assert np.linalg.norm(observation["achieved_goal"][:3] - env.tool.position) < 0.03
        assert observation["achieved_goal"][3] == 0.0 and observation["desired_goal"][3] == FREE


def test_an_action_moves_nothing_before_the_next_period() -> None:
    env = SkillEnv("reach", randomisation="none")
    env.reset(seed=1)
    action = np.array([0.0, 1.0, 0.0, 0.0, 0.0], dtype=np.float32)
    start = env.state.reference
    env.step(action)
    period = 1.0 / env.profile.rates.command
    decoded = env._queue[0].velocity  # what still waits
    moved = env.state.reference - start
    first = decoded / HOLD  # both periods ramp with the same acceleration, and only the first of them has acted
    np.testing.assert_allclose(moved, first * period, atol=1e-4)


def test_style_scales_the_speed() -> None:
    speeds = []
    for style in (0.0, 1.0):
        env = SkillEnv("reach", randomisation="none", style=style)
        env.reset(seed=1)
        for _ in range(25):
            observation, *_ = env.step(np.array([0.0, 1.0, 0.0, 0.0, 0.0], dtype=np.float32))
        speeds.append(float(observation["observation"][4]))
    assert speeds[0] == pytest.approx(0.125, abs=0.02) and speeds[1] == pytest.approx(0.25, abs=0.02)


def test_success_ends_an_episode_once_it_has_lasted() -> None:
    env = SkillEnv("reach", randomisation="none", style=1.0)
    env.reset(seed=3)
    lasted = 0
    for _ in range(env.task.horizon):
        gap = env.setup.goal - env.tool.position
        action = np.concatenate([np.clip(gap * 12.0, -1.0, 1.0), [0.0, 1.0]]).astype(np.float32)
        _, reward, terminated, truncated, info = env.step(action)
        lasted = lasted + 1 if info["is_success"] else 0
        assert reward == (0.0 if info["is_success"] else -1.0) and not terminated
        if truncated:
            break
    assert lasted == LASTING


def test_a_fault_of_the_arm_ends_an_episode_and_is_named() -> None:
    env = SkillEnv("reach", randomisation="none")
    env.reset(seed=1)
    assert isinstance(env.stage, MujocoStage)
    still = np.zeros(5, dtype=np.float32)
    *_, terminated, truncated, info = env.step(still)
    assert not truncated and info["fault"] == ""
    env.stage.robot.stop(StopCategory.CONTROLLED, "the brakes are worn")
    *_, terminated, truncated, info = env.step(still)
    assert truncated and not terminated and info["fault"] == "the brakes are worn"
    env.reset(seed=1)
    assert env.step(still)[4]["fault"] == ""


def test_randomisation_changes_the_physics_and_goes_back() -> None:
    env = SkillEnv("pick")
    env.reset(seed=1)
    sizes = {round(float(env.task.size()[0]), 6)}
    for seed in range(2, 6):
        env.reset(seed=seed)
        sizes.add(round(float(env.task.size()[0]), 6))
    assert len(sizes) == 5 and all(0.9 * 0.04 <= size <= 1.15 * 0.04 for size in sizes)
    env.reset(seed=1)
    assert round(float(env.task.size()[0]), 6) in sizes


def test_without_randomisation_the_pose_is_the_true_one() -> None:
    env = SkillEnv("pick", randomisation="none")
    env.reset(seed=1)
    view = env.view_input.target
    assert view is not None
    np.testing.assert_allclose(view.position, env.stage.pose(SUBJECT)[:3], atol=1e-9)


@pytest.mark.parametrize(
    "text, said",
    [
        ("mass: {low: 2.0, high: 1.0, reason: they are the wrong way round}", "is above"),
        ("mass: {low: 0.5, high: 1.0}", "reason"),
        ("colour: {low: 0.5, high: 1.0, reason: there is no such thing}", "colour"),
    ],
)
def test_a_wrong_randomisation_is_refused_with_the_field(tmp_path, text: str, said: str) -> None:  # type: ignore[no-untyped-def]
    import yaml

    document = load_randomisation("none").model_dump()
    document.update(yaml.safe_load(text))
    path = tmp_path / "wrong.yaml"
    path.write_text(yaml.safe_dump(document))
    with pytest.raises(ReinsError, match=said):
        load_randomisation(str(path))


def camera(errors: ViewErrors | None = None) -> ObjectCamera:
    return ObjectCamera(np.random.default_rng(0), errors or ViewErrors(), np.full(3, 0.04))


def tool_at(*position: float) -> ToolPose:
    return ToolPose(np.array(position), np.diag([1.0, -1.0, -1.0]))


def block_at(*position: float) -> np.ndarray:
    return np.array([*position, 1.0, 0.0, 0.0, 0.0])


def test_the_camera_looks_five_times_a_second_and_not_through_the_hand() -> None:
    eye, away = camera(), tool_at(0.5, 0.3, 0.3)
    first = eye.look(0.0, block_at(0.5, 0.0, 0.02), away, False).position
    moved = block_at(0.5, 0.1, 0.02)
    assert eye.look(0.1, moved, away, False).position[1] == first[1]
    assert eye.look(0.2, moved, away, False).position[1] == pytest.approx(0.1)
    over, again = tool_at(0.5, 0.1, 0.1), block_at(0.5, 0.12, 0.02)
    assert eye.look(0.4, again, over, False).position[1] == pytest.approx(0.1)
    assert eye.look(0.6, again, away, False).position[1] == pytest.approx(0.12)


def test_what_is_held_moves_with_the_tool() -> None:
    eye = camera()
    eye.look(0.0, block_at(0.503, 0.004, 0.02), tool_at(0.5, 0.0, 0.03), False)
    eye.look(0.1, block_at(0.0, 0.0, 0.0), tool_at(0.5, 0.0, 0.03), True)
    held = eye.look(0.2, block_at(0.0, 0.0, 0.0), tool_at(0.5, 0.0, 0.13), True).position
    np.testing.assert_allclose(held, [0.503, 0.0, 0.12], atol=1e-9)
