"""How often policies succeed: alone, in each simulator, on held-out episodes, through their runtime and noisy poses."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from reins.bench.report import Report, success_interval
from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile, load_profile
from reins.models.registry import list_models
from reins.skills.onnx_factory import KIND
from reins.skills.policy import OnnxPolicy, load_policy
from reins.training.envs.core import SkillEnv
from reins.training.envs.tasks import TASKS
from reins.training.rl.measure import MEASURED, run_episodes, task_of


def run_skills(
    robot: str,
    sims: Sequence[str],
    episodes: int,
    skills: Sequence[str] = (),
    randomisation: str = "training",
    folder: Path | None = None,
    advance: Callable[[], None] = lambda: None,
) -> Report:
    """Run every policy that was trained in one of our environments, in every simulator.

    Args:
        robot: profile name.
        sims: simulators, e.g. ("mujoco", "pybullet").
        episodes: per policy and simulator; the same seeds in each.
        skills: tasks to measure; by default all that there is a policy for.
        randomisation: what changes from episode to episode.
        folder: where models lie; those that ship by default.
        advance: called after every episode.

    Raises:
        ReinsError: there is no policy for a task that was asked for.
    """
    policies = trained(load_profile(robot), skills, folder)
    summary: dict[str, dict[str, Any]] = {}
    records: list[dict[str, Any]] = []
    for task, policy in policies.items():
        summary[task] = {}
        for sim in sims:
            summary[task][sim], found = _measure(policy, task, sim, episodes, randomisation, advance)
            records += found
    settings = {"robot": robot, "sim": ",".join(sims), "episodes": episodes, "randomisation": randomisation}
    return Report("skills", settings, {"skills": summary}, records)


def trained(profile: RobotProfile, skills: Sequence[str] = (), folder: Path | None = None) -> dict[str, OnnxPolicy]:
    """The policies that were trained in one of our environments, by task.

    Raises:
        ReinsError: there is none for a task of `skills`, or none at all.
    """
    found: dict[str, OnnxPolicy] = {}
    for entry in list_models(folder):
        if entry.kind == KIND and entry.robot == profile.name:
            policy = load_policy(entry.path, profile)
            if policy.metadata.training.environment.startswith("reins/"):
                found[task_of(policy.metadata)] = policy
    missing = [name for name in skills if name not in found]
    if missing or not found:
        wanted = ", ".join(missing) or "any task"
        known = ", ".join(sorted(found)) or "none"
        raise ReinsError(
            f"there is no trained policy for {wanted} (there are: {known}); make one: reins train skill NAME"
        )
    return {name: found[name] for name in TASKS if name in found and (not skills or name in skills)}


def _measure(
    policy: OnnxPolicy, task: str, sim: str, episodes: int, randomisation: str, advance: Callable[[], None]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    env = SkillEnv(task, policy.metadata.robot, sim, randomisation)
    began = time.perf_counter()
    try:
        result, exceeded = run_episodes(policy, env, episodes, MEASURED, advance)
    finally:
        env.close()
    successes = sum(outcome.success for outcome in result.outcomes)
    lengths = [outcome.steps / policy.metadata.rate for outcome in result.outcomes if outcome.success]
    figures = {
        "episodes": episodes,
        "success_rate": successes / episodes,
        "success_ci95": list(success_interval(successes, episodes)),
        "duration_s": float(np.median(lengths)) if lengths else None,
        "limit_violations": exceeded,
        "wall_s": time.perf_counter() - began,
    }
    records = [
        {
            "skill": task,
            "sim": sim,
            "seed": MEASURED + index,
            "success": outcome.success,
            "steps": outcome.steps,
            "style": outcome.style,
        }
        for index, outcome in enumerate(result.outcomes)
    ]
    return figures, records
