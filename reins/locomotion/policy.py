"""A policy that moves the feet from where the trot puts them, from an ONNX file that says what it is for."""

from pathlib import Path
from typing import Final

import numpy as np
import onnxruntime as ort

from reins.contracts.errors import ReinsError
from reins.hardware.legs import Sense
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.locomotion.observation import ACTIONS, CLIP, REACH, SIZE, TERMS, observe, offsets
from reins.locomotion.trot import Trot
from reins.models.metadata import ActionSpec, ObservationTerm, PolicyMetadata
from reins.models.registry import read_contract

FOOT_OFFSET: Final = "foot_offset"
"""What its action means: how far each foot is moved from where the trot puts it [m]."""


def terms() -> tuple[ObservationTerm, ...]:
    """Its observation, in the words of its contract."""
    return tuple(ObservationTerm(name=name, size=size, scale=scale, clip=CLIP) for name, size, scale in TERMS)


def action() -> ActionSpec:
    """Its action, in the words of its contract."""
    return ActionSpec(meaning=FOOT_OFFSET, scale=tuple(REACH.tolist()))


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
            self._session = _session(data)
        except ReinsError as error:
            raise ReinsError(f"policy '{path.name}' is refused: {error}") from error
        self._name = path.name
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

    def advance(self, sense: Sense, velocity: FloatArray) -> FloatArray:
        """(1, 4, 3) target positions of the joints [rad].

        Raises:
            ReinsError: the network's output is not finite.
        """
        command = np.asarray(velocity, dtype=np.float64)[None]
        seen = observe(sense, self.trot, command, self._last).astype(np.float32)
        (output,) = self._session.run(None, {"observation": seen})
        if not np.isfinite(output).all():
            raise ReinsError(f"policy '{self._name}' gave an action that is not finite")
        self._last = np.clip(output.astype(np.float64), -1.0, 1.0)
        return self.trot.step(sense, command, offsets(self._last))


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
    if metadata.gains != gains(profile):
        raise ReinsError(f"it was trained with other gains of the joints than the profile of '{profile.name}' has")


def _session(data: bytes) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime's own exception types derive from Exception only
        raise ReinsError(f"ONNX Runtime does not load it: {error}") from error
    shapes = [list(part.shape) for part in (*session.get_inputs(), *session.get_outputs())]
    if shapes != [[1, SIZE], [1, ACTIONS]]:
        raise ReinsError(f"its network has shapes {shapes}; {[[1, SIZE], [1, ACTIONS]]} are wanted")
    return session
