"""The ONNX policy runtime: a policy is checked against its contract and the robot when it is loaded, then stepped.

One thread and buffers bound once, so that a step costs little more than the network itself. A policy that does not fit
is refused with the reason, and whatever ran before goes on running.
"""

from functools import partial
from math import isfinite
from pathlib import Path
from typing import Final

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.models.metadata import TOOL_TWIST, PolicyMetadata
from reins.models.registry import read_contract
from reins.skills.action import ActionDecoder, clipped
from reins.skills.observation import ObservationBuilder, PolicyInput

RATE_TOLERANCE: Final = 0.01
"""Largest relative difference between a policy's rate and the robot's."""


class OnnxPolicy:
    """One policy, ready to run. Passive: one thread steps it.

    Args:
        data: contents of the ONNX file.
        profile: the robot that it must fit.
        name: what messages call it, e.g. the file's name.

    Raises:
        ReinsError: it is damaged, has no contract, or does not fit the robot; says what.
    """

    def __init__(self, data: bytes, profile: RobotProfile, name: str) -> None:
        try:
            self.metadata = read_contract(data)
            check_fit(self.metadata, profile)
            actions = len(self.metadata.action.scale)
            self._observation = ObservationBuilder(self.metadata.observation, len(profile.joints), actions)
            self._decoder = ActionDecoder(self.metadata.action, profile)
            self._session = _session(data)
            self._bind(actions)
            self._probe()
        except ReinsError as error:
            raise ReinsError(f"policy '{name}' is refused: {error}") from error
        self.name = name
        self.reset()

    def reset(self) -> None:
        """Forget the last action, at the start of a skill."""
        self.last_action: FloatArray = np.zeros(len(self.metadata.action.scale))

    def step(self, inputs: PolicyInput) -> FloatArray:
        """(n,) joint velocity for the next period [rad/s].

        Raises:
            ReinsError: the network's output is not finite, or means a tool twist.
        """
        return self._decoder.velocity(self.act(inputs))

    def act(self, inputs: PolicyInput) -> FloatArray:
        """(k,) action for the next period of the policy, in [-1, 1].

        Raises:
            ReinsError: the network's output is not finite.
        """
        self._build(inputs)
        self._run()
        numbers = self._row.tolist()
        if not isfinite(sum(numbers)):  # what is not finite stays so in a sum
            raise ReinsError(f"policy '{self.name}' gave an action that is not finite")
        self.last_action = action = clipped(numbers)
        return action

    def _bind(self, actions: int) -> None:
        """Check the network's shapes and bind its input and output to our buffers."""
        inputs, outputs = self._session.get_inputs(), self._session.get_outputs()
        if len(inputs) != 1 or len(outputs) != 1:
            raise ReinsError(f"it has {len(inputs)} inputs and {len(outputs)} outputs; one of each is wanted")
        for tensor, size in ((inputs[0], self.metadata.observation_size), (outputs[0], actions)):
            if tensor.type != "tensor(float)" or list(tensor.shape) != [1, size]:
                raise ReinsError(f"'{tensor.name}' is {tensor.type} {tensor.shape}; its contract asks for [1, {size}]")
        self._output: NDArray[np.float32] = np.zeros((1, actions), dtype=np.float32)
        self._row = self._output[0]
        binding = self._session.io_binding()
        binding.bind_ortvalue_input(inputs[0].name, ort.OrtValue.ortvalue_from_numpy(self._observation.buffer))
        binding.bind_ortvalue_output(outputs[0].name, ort.OrtValue.ortvalue_from_numpy(self._output))
        # What every step calls is looked up once.
        self._build = self._observation.build
        self._run = partial(self._session.run_with_iobinding, binding)

    def _probe(self) -> None:
        """Run it once on zeros: what cannot run, or gives no number there, is refused before it moves anything."""
        self._observation.buffer[:] = 0.0
        try:
            self._run()
        except Exception as error:  # ONNX Runtime's own exception types derive from Exception only
            raise ReinsError(f"it does not run: {error}") from error
        if not np.isfinite(self._output).all():
            raise ReinsError("its output is not finite")


def load_policy(path: Path, profile: RobotProfile) -> OnnxPolicy:
    """Load a policy from a file.

    Raises:
        ReinsError: no such file, or the policy is refused; says why.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ReinsError(f"policy '{path.name}' cannot be read: {error.strerror}") from error
    return OnnxPolicy(data, profile, path.stem)


def check_fit(metadata: PolicyMetadata, profile: RobotProfile) -> None:
    """Raise ReinsError, naming the difference, unless a policy is made for this robot at its control rate."""
    if metadata.robot != profile.name:
        raise ReinsError(f"it is for robot '{metadata.robot}', and this is '{profile.name}'")
    if metadata.joint_names != profile.joint_names:
        pairs = zip(metadata.joint_names, profile.joint_names, strict=False)
        first = next((f"'{theirs}' where '{ours}' is" for theirs, ours in pairs if theirs != ours), "their number")
        raise ReinsError(f"its joints differ from those of '{profile.name}': {first}")
    rate = profile.rates.command
    parts = max(1, round(rate / metadata.rate)) if metadata.action.meaning == TOOL_TWIST else 1
    if abs(parts * metadata.rate - rate) > RATE_TOLERANCE * rate:
        raise ReinsError(f"it runs at {metadata.rate:g} Hz, and '{profile.name}' is controlled at {rate:g} Hz")


class PolicySlot:
    """Holds the policy in use; another one takes its place between two steps, or is refused and changes nothing.

    The replacement must carry out the same skills. What the slot's user commands does not jump: it bounds the change of
    its commands whatever the policy says. Who moves the tool by twists has looked up at its start what a twist means,
    how often to ask and how the style slows: there, all three must be the same.

    Args:
        policy: the first one.
        profile: the robot.
    """

    def __init__(self, policy: OnnxPolicy, profile: RobotProfile) -> None:
        self.policy = policy
        self._profile = profile

    def swap(self, data: bytes, name: str) -> None:
        """Load another policy and use it from the next step on; it goes on from the last action.

        Raises:
            ReinsError: it is refused, says why; the one in use stays.
        """
        fresh = OnnxPolicy(data, self._profile, name)
        self.check(fresh)
        self.use(fresh)

    def check(self, fresh: OnnxPolicy) -> None:
        """Raise ReinsError, saying why, unless a policy can take the place of the one in use."""
        missing = set(self.policy.metadata.skills) - set(fresh.metadata.skills)
        if missing:
            raise ReinsError(f"policy '{fresh.name}' is refused: it does not carry out {', '.join(sorted(missing))}")
        here, there = self.policy.metadata.action, fresh.metadata.action
        if here.meaning != there.meaning or len(here.scale) != len(there.scale):
            raise ReinsError(
                f"policy '{fresh.name}' is refused: its actions are no {here.meaning} of {len(here.scale)}"
            )
        if here.meaning == TOOL_TWIST:
            ours = _looked_up_once(self.policy.metadata)
            for what, value in _looked_up_once(fresh.metadata).items():
                if value != ours[what]:
                    raise ReinsError(f"policy '{fresh.name}' is refused: its {what} is {value}, not {ours[what]}")

    def use(self, fresh: OnnxPolicy) -> None:
        """Use a policy that has passed `check` from the next step on, in whatever thread that is."""
        fresh.last_action = self.policy.last_action
        self.policy = fresh


def _looked_up_once(metadata: PolicyMetadata) -> dict[str, str]:
    """What a skill that moves the tool by twists takes from a contract at its start, in words."""
    return {
        "rate": f"{metadata.rate:g} Hz",
        "scale": ", ".join(f"{part:g}" for part in metadata.action.scale),
        "slowest style": f"{metadata.style.slowest:g}" if metadata.style else "none",
    }


def _session(data: bytes) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    options.log_severity_level = 4
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime's own exception types derive from Exception only
        said = str(error).splitlines() or [type(error).__name__]  # it says nothing about bytes that are no text
        raise ReinsError(f"ONNX Runtime does not load it: {said[0]}") from error
