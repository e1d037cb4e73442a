"""The locomotion suite: what it draws, what it counts, and that a robot that does not walk is found out."""

from dataclasses import replace

import numpy as np
import pytest

from reins.bench.locomotion import LOW, WalkEpisode, run_episode, run_locomotion, summarise
from reins.contracts.errors import ReinsError, UnknownName
from reins.hardware.legged import Gait
from reins.hardware.legs import Sense
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray, StopCategory
from reins.locomotion.posture import Legs
from reins.locomotion.walks import TrotWalk
from reins.safety.legged.limits import speed_use
from reins.sim.legged.ground import load_ground
from reins.sim.legged.simulators import make_engine, make_walker
from reins.sim.legged.walker import SimulatedWalker
from reins.training.locomotion.commands import draw_velocity

GO2 = load_profile("go2", QuadrupedProfile)
EPISODE = WalkEpisode("mujoco", 1, ((0.0,) * 3, (0.0,) * 3), None, 0.1, 0.2, 50.0, 1)


class Lame(TrotWalk):
    """Walks, and its right front leg is never put down."""

    def advance(self, sense: Sense, velocity: FloatArray, gait: Gait) -> FloatArray:
        joints = super().advance(sense, velocity, gait)
        joints[0, 1] = [0.0, 1.5, -2.7]
        return joints


class Deaf(TrotWalk):
    """Stands, whatever it is told."""

    def advance(self, sense: Sense, velocity: FloatArray, gait: Gait) -> FloatArray:
        return super().advance(sense, np.zeros(3), gait)


def walk(walk: TrotWalk, seed: int) -> WalkEpisode:
    legs = Legs(GO2, walk, 1.0 / GO2.rates.command)
    return run_episode(make_walker("mujoco", GO2, load_ground("flat"), 0, legs), GO2, "mujoco", seed)


def test_commands_are_within_the_limits_and_some_stand() -> None:
    random = np.random.default_rng(0)
    drawn = [draw_velocity(GO2.body.velocity, random) for _ in range(500)]
    assert all(speed_use(command, GO2.body.velocity) <= 1.0 for command in drawn)
    assert 20 < sum(not command.any() for command in drawn) < 90
    assert max(command[0] for command in drawn) > 1.2 and min(command[0] for command in drawn) < -0.8


def test_the_figures_are_those_of_the_episodes() -> None:
    fallen = replace(EPISODE, fell=0.1, linear=0.9, turn=0.6, violations=0)
    figures = summarise([EPISODE, replace(EPISODE, linear=0.3, turn=0.4), fallen, replace(fallen, fault="silence")])
    assert figures["no_fall_rate"] == 0.5
    assert figures["velocity_error"] == pytest.approx({"linear": 0.55, "turn": 0.45})
    assert figures["violations"] == 2
    assert figures["faults"] == 1


def test_the_trot_walks_on_where_others_are_found_out() -> None:
    whole, deaf = walk(TrotWalk(GO2), 5), walk(Deaf(GO2), 5)
    assert whole.fell is None and whole.linear < 0.25
    assert deaf.linear > whole.linear + 0.2
    lame = walk(Lame(GO2), 5)
    assert lame.fell is not None and lame.linear > deaf.linear - 0.1, "who lies does not track either"


class Low(TrotWalk):
    """Stands low, and never comes up again."""

    def advance(self, sense: Sense, velocity: FloatArray, gait: Gait) -> FloatArray:
        feet = self.trot.kinematics.feet(self.stance)
        feet[:, 2] += 0.13
        return self.trot.kinematics.joints(feet)[None]


def test_who_stays_lower_than_a_robot_on_its_legs_has_fallen() -> None:
    low = walk(Low(GO2), 5)
    assert low.fell is not None and low.fell >= LOW


def test_whom_the_driver_stops_has_fallen_and_stands_still_from_then_on() -> None:
    class Stopped(SimulatedWalker):
        def push(self, change: FloatArray) -> None:
            self.stop(StopCategory.CONTROLLED, "a cable is out")

    legs = Legs(GO2, TrotWalk(GO2), 1.0 / GO2.rates.command)
    ground = load_ground("flat")
    robot = Stopped(GO2, ground, 0, make_engine("mujoco", GO2, ground), legs)
    stopped, whole = run_episode(robot, GO2, "mujoco", 5), walk(TrotWalk(GO2), 5)
    assert stopped.fault == "a cable is out" and stopped.fell is not None
    assert stopped.linear > whole.linear


def test_an_episode_is_the_same_every_time() -> None:
    assert walk(TrotWalk(GO2), 7) == walk(TrotWalk(GO2), 7)


@pytest.mark.slow
def test_processes_share_the_episodes_and_nothing_changes() -> None:
    alone, shared = (run_locomotion("go2", ["mujoco"], "scripted", "flat", 12, 40, jobs=jobs) for jobs in (1, 2))
    assert shared.episodes == alone.episodes
    assert [episode["seed"] for episode in shared.episodes] == list(range(40, 52))


@pytest.mark.parametrize(
    ("robot", "sims", "name", "ground", "complaint"),
    [
        ("franka", ["mujoco"], "scripted", "flat", "quadruped"),
        ("go2", ["gazebo"], "scripted", "flat", "gazebo"),
        ("go2", ["mujoco"], "canter", "flat", "canter"),
        ("go2", ["mujoco"], "scripted", "moon", "moon"),
        ("go2", ["mujoco"], "nothing.onnx", "flat", "cannot be read"),
        ("go2", ["mujoco"], "legged_gym:nothing.onnx", "flat", "'nothing.onnx' cannot be read"),
        ("go2", ["dds"], "legged_gym:nothing.onnx", "flat", "is measured in mujoco and pybullet only"),
    ],
)
def test_what_does_not_exist_is_told(robot: str, sims: list[str], name: str, ground: str, complaint: str) -> None:
    with pytest.raises((ReinsError, UnknownName), match=complaint):
        run_locomotion(robot, sims, name, ground, 1, 0)
