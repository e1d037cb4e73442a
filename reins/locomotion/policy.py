"""A policy that moves the feet from where the trot puts them, from an ONNX file that says what it is for."""

import logging
from collections.abc import Mapping
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import Final

import numpy as np
import onnxruntime as ort

from reins.contracts.errors import ReinsError
from reins.hardware.legged import Gait
from reins.hardware.legs import Sense
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.locomotion.observation import (
    ACTIONS,
    CLIP,
    ENVIRONMENT,
    REACH,
    SIZE,
    TERMS,
    VERSION,
    observe,
    offsets,
)
from reins.locomotion.trot import Trot, TrotSettings
from reins.models.metadata import FOOT_OFFSET, ActionSpec, ObservationTerm, PolicyMetadata
from reins.models.registry import list_models, read_contract

_LOG: Final = logging.getLogger(__name__)


def shipped_walks(folder: Path | None = None) -> dict[str, Path]:
    """Name → file of the walking policies in `folder`, by default of those that ship with reins."""
    return {entry.name: entry.path for entry in list_models(folder) if entry.meaning == FOOT_OFFSET}


def terms() -> tuple[ObservationTerm, ...]:
    """Its observation, in the words of its contract."""
    return tuple(ObservationTerm(name=name, size=size, scale=scale, clip=CLIP) for name, size, scale in TERMS)


def action() -> ActionSpec:
    """Its action, in the words of its contract."""
    return ActionSpec(meaning=FOOT_OFFSET, scale=tuple(REACH.tolist()))


def trot_of(settings: TrotSettings) -> dict[str, float | tuple[float, float]]:
    """The trot that it moves the feet of, in the words of its contract."""
    return asdict(settings)


def gains(profile: QuadrupedProfile) -> dict[str, float]:
    """Of the loops around it."""
    parts = zip(("hip", "thigh", "calf"), profile.build.motors, strict=True)
    return {f"{name}_{kind}": getattr(motor, kind) for name, motor in parts for kind in ("stiffness", "damping")}


class PolicyWalk:
    """One robot that a policy carries; implements `reins.locomotion.posture.Walk`.

    Args:
        profile: the robot.
        path: of the ONNX file.

    Raises:
        ReinsError: there is no such file, it is damaged, or it does not fit the robot; says what.
    """

    def __init__(self, profile: QuadrupedProfile, path: Path) -> None:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise ReinsError(f"policy '{path}' cannot be read: {error.strerror}") from error
        try:
            self.metadata = read_contract(data)
            _check(self.metadata, profile)
            self._session = load_session(data, SIZE, ACTIONS)
        except ReinsError as error:
            raise ReinsError(f"policy '{path.name}' is refused: {error}") from error
        self._name, self._told = path.name, False
        self.trot = Trot(profile, 1, 1.0 / profile.rates.command)
        self.stance = self.trot.stance
        self._last = np.zeros((1, ACTIONS))

    @property
    def stands(self) -> bool:
        """Whether it takes no steps."""
        return not self.trot.memory.stepping[0]

    def begin(self) -> None:
        """It stands."""
        self.trot.reset()
        self._last = np.zeros((1, ACTIONS))

    def advance(self, sense: Sense, velocity: FloatArray, gait: Gait) -> FloatArray:
        """(1, 4, 3) target positions of the joints [rad]; those of the trot alone where the network's output is not
        finite, which is said once."""
        command = np.asarray(velocity, dtype=np.float64)[None]
        return self.trot.step(sense, command, offsets(self.act(sense, command)), gait.numbers[None])

    def act(self, sense: Sense, command: FloatArray) -> FloatArray:
        """(1, ACTIONS) the policy's own part of `advance`: its action at a commanded velocity (1, 3)."""
        seen = observe(sense, self.trot, command, self._last).astype(np.float32)
        (output,) = self._session.run(None, {"observation": seen})
        values = output[0].tolist()
        finite = all(map(isfinite, values))
        if not finite and not self._told:
            self._told = True
            _LOG.error("policy '%s' gave an action that is not finite: the trot walks on without it", self._name)
        self._last = np.array([[min(max(value, -1.0), 1.0) for value in values]]) if finite else np.zeros((1, ACTIONS))
        return self._last


def _check(metadata: PolicyMetadata, profile: QuadrupedProfile) -> None:
    """Raise ReinsError, naming the difference, unless a policy is made for this robot and this code."""
    if metadata.robot != profile.name or metadata.joint_names != profile.joint_names:
        raise ReinsError(f"it is for the joints of robot '{metadata.robot}', and this is '{profile.name}'")
    if metadata.rate != profile.rates.command:
        raise ReinsError(f"it runs at {metadata.rate:g} Hz, and '{profile.name}' at {profile.rates.command:g} Hz")
    if metadata.action != action():
        raise ReinsError(f"its action is '{metadata.action.meaning}' with scales that this version does not have")
    if metadata.observation != terms():
        raise ReinsError("its observation has other terms than this version's; train it again")
    if (metadata.training.environment, metadata.training.version) != (ENVIRONMENT, VERSION):
        raise ReinsError(
            f"it was trained in {metadata.training.environment} version {metadata.training.version}, and this is "
            f"{ENVIRONMENT} version {VERSION}; train it again"
        )
    if different := _differences(metadata.trot or {}, trot_of(TrotSettings())):
        raise ReinsError(f"it moves the feet of another trot than this version's: {different}; train it again")
    if metadata.gains != gains(profile):
        raise ReinsError(f"it was trained with other gains of the joints than the profile of '{profile.name}' has")


def _differences(one: Mapping[str, object], other: Mapping[str, object]) -> str:
    """What stands for another value in `one` than in `other`, each with both; empty where nothing does."""
    names = [name for name in sorted({*one, *other}) if one.get(name) != other.get(name)]
    return ", ".join(f"{name} is {one.get(name, 'unknown')} and not {other.get(name, 'unknown')}" for name in names)


def load_session(data: bytes, seen: int, actions: int) -> ort.InferenceSession:
    """A policy's network in ONNX Runtime, on one thread: (1, seen) numbers to (1, actions).

    Raises:
        ReinsError: ONNX Runtime does not load it, or it has other shapes.
    """
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime's own exception types derive from Exception only
        raise ReinsError(f"ONNX Runtime does not load it: {error}") from error
    shapes = [list(part.shape) for part in (*session.get_inputs(), *session.get_outputs())]
    if shapes != [[1, seen], [1, actions]]:
        raise ReinsError(f"its network has shapes {shapes}; {[[1, seen], [1, actions]]} are wanted")
    return session
