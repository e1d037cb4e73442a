"""What one policy step costs beside bare ONNX Runtime on the same model in the same run."""

import time
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from reins.bench.report import Report
from reins.contracts.errors import ReinsError, look_up
from reins.hardware.kinematics import Kinematics
from reins.hardware.legs import Sense
from reins.hardware.profile import RobotProfile, load_profile
from reins.hardware.profile_base import Profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import RobotState
from reins.locomotion.policy import PolicyWalk, shipped_walks
from reins.models.metadata import TOOL_TWIST
from reins.models.registry import find_model, list_models
from reins.skills.action import TwistDecoder
from reins.skills.observation import ObjectView, PolicyInput
from reins.skills.onnx_factory import KIND
from reins.skills.policy import OnnxPolicy, load_policy

BLOCK: Final = 100
"""Steps of one kind before the other kind's turn: both see the same machine."""


def run_policy(robot: str, name: str | None, steps: int, folder: Path | None = None) -> Report:
    """Time a policy's step (build the observation, infer, build the action) and bare `InferenceSession.run`. What a
    walking policy's action needs beyond that is the trot.

    Args:
        robot: profile name.
        name: of the policy; by default the one with the most inputs.
        steps: of each.
        folder: where models lie; those that ship by default.

    Raises:
        ReinsError: no such policy.
    """
    profile = load_profile(robot, Profile)
    stepped: Stepped | _SteppedWalk
    if isinstance(profile, QuadrupedProfile):
        path = _walk(profile, name, folder)
        stepped, data, named = _SteppedWalk(PolicyWalk(profile, path)), path.read_bytes(), path.stem
    else:
        arm = load_profile(robot)
        policy, data = _policy(arm, name, folder)
        stepped, named = Stepped(policy, arm), policy.name
    bare = _Bare(data)
    ours: list[float] = []
    decoded: list[float] = []
    theirs: list[float] = []
    stepped.time(BLOCK)
    bare.time(BLOCK)
    for _ in range(max(1, steps // BLOCK)):
        ours += stepped.time(BLOCK)
        decoded += stepped.time_decoding(BLOCK)
        theirs += bare.time(BLOCK)
    summary = {
        "episodes": len(ours),
        "step_us": _percentiles(ours),
        "decode_us": _percentiles(decoded),
        "bare_onnx_us": _percentiles(theirs),
        "ratio": float(np.median(ours) / np.median(theirs)),
    }
    return Report("policy", {"robot": robot, "policy": named, "steps": len(ours)}, summary)


def _policy(profile: RobotProfile, name: str | None, folder: Path | None) -> tuple[OnnxPolicy, bytes]:
    if name is not None:
        path = find_model(name, folder).path
        return load_policy(path, profile), path.read_bytes()
    entries = [entry for entry in list_models(folder) if entry.kind == KIND and entry.robot == profile.name]
    if not entries:
        raise ReinsError(f"there is no policy for '{profile.name}'")
    policies = [(load_policy(entry.path, profile), entry.path) for entry in entries]
    policy, path = max(policies, key=lambda pair: pair[0].metadata.observation_size)
    return policy, path.read_bytes()


class Stepped:
    """A policy's whole step on a standing arm over a block."""

    def __init__(self, policy: OnnxPolicy, profile: RobotProfile) -> None:
        self._policy = policy
        joints, kinematics = np.array(profile.home), Kinematics(profile)
        zero = np.zeros(len(joints))
        state = RobotState(0.0, joints, zero, zero, joints, profile.gripper.max_width, False, 0)
        tool, jacobian = kinematics.tool_jacobian(joints)
        view = ObjectView(tool.position - np.array([0.0, 0.0, 0.1]), 0.3, np.full(3, 0.04))
        self._inputs = PolicyInput(state, tool, tool, policy.last_action, np.zeros(3), view, 0.5)
        self._posture = (joints, joints, tool.position, tool.rotation, jacobian.copy())
        twist = policy.metadata.action.meaning == TOOL_TWIST
        self._decoder = TwistDecoder(policy.metadata.action, profile) if twist else None

    def time(self, steps: int) -> list[float]:
        """How long each of `steps` took [µs]."""
        policy, inputs, clock = self._policy, self._inputs, time.perf_counter
        step = policy.step if self._decoder is None else policy.act
        taken = []
        for _ in range(steps):
            begin = clock()
            step(inputs)
            taken.append(1e6 * (clock() - begin))
        return taken

    def time_decoding(self, steps: int) -> list[float]:
        """How long the inverse kinematics of each of `steps` took [µs]; nothing for joint velocities."""
        decoder, clock = self._decoder, time.perf_counter
        action = np.full(len(self._policy.metadata.action.scale), 0.3)
        if decoder is None:
            return [0.0] * steps
        taken = []
        for _ in range(steps):
            begin = clock()
            decoder.aim(action, 1.0, *self._posture)
            decoder.step()
            taken.append(1e6 * (clock() - begin))
        return taken


def _walk(profile: QuadrupedProfile, name: str | None, folder: Path | None) -> Path:
    """The file of a walking policy: the one of that name, or the first for this robot."""
    walks = shipped_walks(folder)
    if name is not None:
        return look_up("walking policy", name, walks)
    if not walks:
        raise ReinsError(f"there is no policy for '{profile.name}'; make one: reins train locomotion")
    return next(iter(walks.values()))


class _SteppedWalk:
    """A walking policy's step on a robot that stands, told to walk."""

    def __init__(self, walk: PolicyWalk) -> None:
        self._walk = walk
        joints = walk.stance[None]
        self._command = np.array([[0.5, 0.0, 0.1]])
        self._sense = Sense(
            np.array([[0.0, 0.0, 1.0]]), np.zeros((1, 3)), joints, np.zeros_like(joints), np.ones((1, 4), dtype=bool)
        )

    def time(self, steps: int) -> list[float]:
        """How long each of `steps` took [µs]."""
        act, sense, command, clock = self._walk.act, self._sense, self._command, time.perf_counter
        taken = []
        for _ in range(steps):
            begin = clock()
            act(sense, command)
            taken.append(1e6 * (clock() - begin))
        return taken

    def time_decoding(self, steps: int) -> list[float]:
        """How long the trot took for each of `steps` [µs]."""
        trot, sense, command, clock = self._walk.trot, self._sense, self._command, time.perf_counter
        taken = []
        for _ in range(steps):
            begin = clock()
            trot.step(sense, command)
            taken.append(1e6 * (clock() - begin))
        return taken


class _Bare:
    """`InferenceSession.run` and nothing else."""

    def __init__(self, data: bytes) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        entry = self._session.get_inputs()[0]
        self._feed: dict[str, NDArray[np.float32]] = {entry.name: np.zeros(entry.shape, dtype=np.float32)}

    def time(self, steps: int) -> list[float]:
        """How long each of `steps` took [µs]."""
        session, feed, clock = self._session, self._feed, time.perf_counter
        taken = []
        for _ in range(steps):
            begin = clock()
            session.run(None, feed)
            taken.append(1e6 * (clock() - begin))
        return taken


def _percentiles(times: list[float]) -> dict[str, Any]:
    p50, p99 = np.percentile(times, (50, 99)).tolist()
    return {"p50": p50, "p99": p99}
