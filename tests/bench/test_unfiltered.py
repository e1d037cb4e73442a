"""What the safety filter costs is measured against the same tasks without it."""

import numpy as np
import pytest

from reins.bench.unfiltered import Unfiltered, cost
from reins.hardware.profile import load_profile
from reins.rig import Rig, RigSettings
from reins.safety.settings import SafetySettings


def episode(duration: float, success: bool = True) -> dict[str, object]:
    return {"duration": duration, "success": success}


def test_only_tasks_that_succeed_both_ways_are_compared() -> None:
    filtered = [episode(11.0), episode(22.0), episode(99.0)]
    unfiltered = [episode(10.0), episode(20.0), episode(1.0, success=False)]
    figures = cost(filtered, unfiltered)
    assert figures["success_rate"] == pytest.approx(2 / 3)
    assert figures["duration_s"] == 15.0
    assert figures["longer"] == pytest.approx(0.1)


def test_without_such_a_task_there_is_no_figure() -> None:
    assert cost([episode(1.0, False)], [episode(1.0)]) == {"success_rate": 1.0, "duration_s": None, "longer": None}


def test_it_lets_through_what_the_filter_would_not_and_brakes_with_the_robots_own_limits() -> None:
    profile = load_profile("franka")
    free = Unfiltered(profile, SafetySettings())
    wild = np.full(len(profile.joints), 50.0)
    verdict = free.step(profile.home, np.zeros_like(wild), wild, 0.01)
    assert verdict.velocity is wild and not verdict.changed
    slow = free.brake(profile.home, 0.5 * profile.velocity, 0.01)
    assert (slow < 0.5 * profile.velocity).all()
    assert (0.5 * profile.velocity - slow <= profile.acceleration * 0.01 + 1e-12).all()
    assert not free.brake(profile.home, slow, 10.0).any()


def test_the_rig_does_a_task_without_the_filter() -> None:
    settings = RigSettings(perception="state", make_filter=Unfiltered)
    with Rig(settings, 3) as rig:
        result = rig.run("put the red block in the blue bowl")
    assert result.outcome == "succeeded"
    assert not [event for event in result.events if event.kind == "limit_clipped"]
