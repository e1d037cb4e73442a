"""Policies of others beside ours: what they see and what they move, and two walks on the same episodes."""

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from reins.bench.legged_gym import DAMPING, SCALE, STANCE, STIFFNESS, LeggedGymWalk, legged_gym_legs
from reins.bench.locomotion import beside, run_locomotion
from reins.contracts.errors import ReinsError
from reins.hardware.legged import AS_USUAL
from reins.hardware.legs import Sense
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray

GO2 = load_profile("go2", QuadrupedProfile)
VELOCITY = np.array([0.5, -0.2, 0.3])


def policy(path: Path, seen: int = 45, gain: FloatArray | None = None) -> Path:
    """An ONNX file whose action is what it sees times (seen, 12); by default nothing."""
    weights = np.zeros((seen, 12)) if gain is None else gain
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["obs", "weights"], ["actions"])],
        "policy",
        [helper.make_tensor_value_info("obs", TensorProto.FLOAT, [1, seen])],
        [helper.make_tensor_value_info("actions", TensorProto.FLOAT, [1, 12])],
        [numpy_helper.from_array(weights.astype(np.float32), "weights")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path.write_bytes(model.SerializeToString())
    return path


def sense(joints: FloatArray, speeds: FloatArray | None = None) -> Sense:
    """A robot with these joints (4, 3), level, turning."""
    moving = np.zeros((4, 3)) if speeds is None else speeds
    return Sense(
        np.array([[0.0, 0.0, 1.0]]), np.array([[0.4, 0.8, 1.2]]), joints[None], moving[None], np.ones((1, 4), bool)
    )


def picked(*numbers: int) -> FloatArray:
    """What makes these numbers of what is seen the first of the action."""
    gain = np.zeros((45, 12))
    gain[list(numbers), range(len(numbers))] = 1.0
    return gain


def test_joints_are_seen_and_moved_leg_by_leg(tmp_path: Path) -> None:
    """A policy whose action is the joints that it sees brings every joint nearer to the stance by its own scale."""
    walk = LeggedGymWalk(GO2, policy(tmp_path / "p.onnx", gain=picked(*range(9, 21))))
    joints = STANCE + np.random.default_rng(1).uniform(-0.3, 0.3, (4, 3))
    assert walk.advance(sense(joints), VELOCITY, AS_USUAL)[0] == pytest.approx(
        STANCE + SCALE * (joints - STANCE), abs=1e-6
    )


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ((0, 1, 2), (0.1, 0.2, 0.3)),  # turn rates by a quarter
        ((3, 4, 5), (0.0, 0.0, -1.0)),  # gravity points down
        ((6, 7, 8), tuple(VELOCITY)),
        ((21, 22, 23), (0.05, 0.1, 0.15)),  # speeds of the right front leg by a twentieth
        ((33, 34, 35), (0.0, 0.0, 0.0)),  # no action before the first
    ],
)
def test_what_is_seen_is_in_its_place(tmp_path: Path, numbers: tuple[int, ...], expected: tuple[float, ...]) -> None:
    walk = LeggedGymWalk(GO2, policy(tmp_path / "p.onnx", gain=picked(*numbers)))
    speeds = np.zeros((4, 3))
    speeds[GO2.feet.index("FR")] = [1.0, 2.0, 3.0]
    moved = walk.advance(sense(STANCE, speeds), VELOCITY, AS_USUAL)[0] - STANCE
    assert moved[GO2.feet.index("FR")] == pytest.approx(SCALE * expected, abs=1e-6)
    assert not moved[GO2.feet.index("FL")].any()


def test_the_action_before_is_seen_until_it_begins_anew(tmp_path: Path) -> None:
    gain = picked(6)
    gain[33, 1] = 1.0  # the second number is the first of the action before
    walk = LeggedGymWalk(GO2, policy(tmp_path / "p.onnx", gain=gain))
    right = GO2.feet.index("FR")
    moved = [walk.advance(sense(STANCE), VELOCITY, AS_USUAL)[0, right, 1] for _ in range(2)]
    walk.begin()
    moved.append(walk.advance(sense(STANCE), VELOCITY, AS_USUAL)[0, right, 1])
    assert np.array(moved) - STANCE[right, 1] == pytest.approx([0.0, SCALE[1] * VELOCITY[0], 0.0], abs=1e-6)


def test_its_robot_has_the_gains_that_it_was_trained_with(tmp_path: Path) -> None:
    soft, _ = legged_gym_legs(GO2, policy(tmp_path / "p.onnx"))
    assert {(motor.stiffness, motor.damping) for motor in soft.build.motors} == {(STIFFNESS, DAMPING)}
    assert soft.build.motors[2].friction == GO2.build.motors[2].friction
    slow = GO2.model_copy(update={"rates": GO2.rates.model_copy(update={"command": 100.0})})
    with pytest.raises(ReinsError, match="runs at 50 Hz"):
        legged_gym_legs(slow, tmp_path / "p.onnx")


def test_a_network_of_another_layout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReinsError, match=r"'p.onnx' is refused: its network has shapes \[\[1, 48\], \[1, 12\]\]"):
        LeggedGymWalk(GO2, policy(tmp_path / "p.onnx", seen=48))


def test_two_walks_meet_the_same_commands_and_pushes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reins.bench.locomotion.WALKING", 3.0)
    still = f"legged_gym:{policy(tmp_path / 'p.onnx')}"  # it stands in its stance, whatever it is told
    report = beside(*(run_locomotion("go2", ["mujoco"], walk, "flat", 2, 5) for walk in ("scripted", still)))
    assert report.settings["walk"] == "scripted" and report.settings["beside"] == still
    assert report.summary["velocity_error"]["linear"] < report.summary["beside"]["velocity_error"]["linear"]
    assert [episode["walk"] for episode in report.episodes] == ["scripted", "scripted", still, still]
    assert report.episodes[0]["commands"] == report.episodes[2]["commands"]
