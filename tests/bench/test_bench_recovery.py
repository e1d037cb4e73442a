"""The recovery suite: what it draws, what it counts, and that a robot that does not get up is found out."""

from dataclasses import replace

import numpy as np
import pytest

from reins.bench import recovery
from reins.bench.recovery import RecoveryEpisode, drop, run_episode, run_recovery, summarise
from reins.contracts.errors import UnknownName
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.locomotion.walks import make_legs
from reins.sim.legged.ground import load_ground
from reins.sim.legged.simulators import make_walker

GO2 = load_profile("go2", QuadrupedProfile)
FLAT = load_ground("flat")
EPISODE = RecoveryEpisode("mujoco", 1, "left", 1.6, 0.8, 3.0, True, 0.4, 7.0, 200.0, ())


def test_it_falls_on_every_side_and_never_on_its_belly() -> None:
    walker = make_walker("mujoco", GO2, FLAT, 0, make_legs("scripted", GO2))
    random = np.random.default_rng(0)
    sides, places = set(), []
    for _ in range(12):
        sides.add(drop(walker, GO2, FLAT, random))
        assert GO2.has_fallen(walker.read().orientation) and walker.read().stamp == 0.0
        places.append(walker.read().odometry.position[:2])
    assert sides == {"left", "right", "back"}
    assert np.std(places, axis=0).min() > 0.3


def test_the_figures_are_those_of_the_episodes() -> None:
    lies = replace(EPISODE, lies_on="back", turned=None, stood=False, moved=0.9, hazards=("leg joint",))
    figures = summarise([EPISODE, replace(EPISODE, turned=5.0), lies, replace(lies, stood=True, turned=4.0)])
    assert figures["recovered_rate"] == 0.75 and figures["recovered_by_side"] == {"left": 1.0, "back": 0.5}
    assert figures["turn_over_seconds"] == {"median": 4.0, "longest": 5.0}
    assert (figures["moved"], figures["hazards"]) == (0.9, 2)
    assert summarise([lies])["turn_over_seconds"] is None


def test_an_episode_is_the_same_again() -> None:
    one, other = (run_episode(GO2, FLAT, "mujoco", 3) for _ in range(2))
    assert one == other and one.stood and one.turned is not None and one.turned < GO2.body.turn_over


def test_a_robot_without_strength_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def weak(*args: object) -> object:
        walker = make_walker(*args)  # type: ignore[arg-type]
        aim = walker.engine.aim
        walker.engine.aim = lambda joints, grip: aim(joints, grip / 12.0)  # type: ignore[method-assign]
        return walker

    monkeypatch.setattr(recovery, "make_walker", weak)
    episode = run_episode(GO2, FLAT, "mujoco", 1)
    assert episode.turned is None and not episode.stood


def test_the_report_names_what_was_run() -> None:
    told: list[RecoveryEpisode] = []
    report = run_recovery("go2", ["mujoco"], "flat", 2, 5, told.append)
    assert report.suite == "recovery" and [episode.seed for episode in told] == [5, 6]
    assert report.summary["episodes"] == 2
    with pytest.raises(UnknownName, match="gazebo"):
        run_recovery("go2", ["gazebo"], "flat", 1, 1)
