"""From a trained agent to a policy file: the actor with its normalisation as ONNX, its contract inside, its cards."""

from collections.abc import Sequence
from pathlib import Path
from shutil import copyfile
from typing import Any, Final

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from reins.hardware.profile import load_profile
from reins.hardware.robot import FloatArray
from reins.models.metadata import METADATA_KEY, Measurement, ObservationTerm, PolicyMetadata, TrainingRecord
from reins.models.registry import card_of
from reins.training.envs.core import ACTION, GOAL_BOUND, HOLD, STYLE, Observation, goal_flag, terms_of
from reins.training.envs.register import VERSION, env_id
from reins.training.envs.tasks import TASKS
from reins.training.exactness import largest_difference
from reins.training.network import IR_VERSION, OPSET, PRODUCER
from reins.training.rl.agent import DemoSac, policy_of
from reins.training.rl.network import LARGEST
from reins.training.rl.settings import TrainSettings

METHOD: Final = "SAC with hindsight"
TAUGHT: Final = ", after {demos} demonstrations and the lessons of a teacher (DAgger), which it replays (RLPD mixing)"


def observation_of(task: str) -> tuple[ObservationTerm, ...]:
    """What the exported policy is given: what the environment shows, then the way from the tool to the goal."""
    return (*terms_of(task), ObservationTerm(name="goal_offset", size=3, scale=1.0, clip=2.0 * GOAL_BOUND))


def contract(settings: TrainSettings, steps: int, measured: Measurement | None) -> PolicyMetadata:
    """The contract of the policy that a run has made after `steps` policy steps."""
    profile = load_profile(settings.robot)
    return PolicyMetadata(
        name=settings.task,
        skills=TASKS[settings.task].skills,
        robot=profile.name,
        joint_names=profile.joint_names,
        rate=profile.rates.command / HOLD,
        gains={},
        observation=observation_of(settings.task),
        action=ACTION,
        training=TrainingRecord(
            method=METHOD + (TAUGHT.format(demos=settings.demos) if settings.demos else ""),
            environment=env_id(settings.task),
            version=str(VERSION),
            seed=settings.seed,
            samples=steps,
        ),
        measured=measured,
        opset=OPSET,
        producer=PRODUCER,
        style=STYLE,
    )


def export(model: DemoSac, metadata: PolicyMetadata) -> bytes:
    """The averaged actor as ONNX: (1, n) observation in the contract's order to (1, 5) action, its mean, in [-1, 1]."""
    actor = model.average
    extractor: Any = actor.features_extractor
    shift, stretch = _numbers(extractor.shift), _numbers(extractor.stretch)
    linear = [layer for layer in (*actor.latent_pi, actor.mu) if isinstance(layer, torch.nn.Linear)]
    weights = [_numbers(layer.weight) for layer in linear]
    biases = [_numbers(layer.bias) for layer in linear]
    inputs = metadata.observation_size
    # A deployed goal always asks to let go where the task does: that input is a constant, and moves into the bias.
    flag = np.array(goal_flag(_task_of(metadata)))
    fixed = np.clip((flag - shift[inputs:]) * stretch[inputs:], -LARGEST, LARGEST)
    biases[0] = biases[0] + weights[0][:, inputs:] @ fixed
    weights[0] = weights[0][:, :inputs]
    return _graph(metadata, shift[:inputs], stretch[:inputs], weights, biases)


def exactness(model: DemoSac, data: bytes, seen: Sequence[Observation]) -> float:
    """The largest difference between the actions of an exported policy and of the agent's averaged actor.

    Args:
        model: the agent.
        data: the ONNX file.
        seen: observations of its task. Far from where it was trained a network grows without bound, and rounding with
            it, so that inputs which never occur would tell nothing.

    Raises:
        ReinsError: it is larger than a policy file's may be.
    """
    act = policy_of(model)
    wanted = np.stack([act(one) for one in seen])
    terms = np.stack([one["observation"] for one in seen])
    places = np.stack([one["desired_goal"][:3] for one in seen]).astype(np.float32)
    return largest_difference(data, np.hstack([terms, places - terms[:, :3]]), wanted)


def write(folder: Path, data: bytes, name: str, card: str, curves: Path | None = None) -> Path:
    """Write a policy and its cards, for machines and for readers (`card`, with the picture `curves`); returns the path
    of the ONNX file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.onnx"
    path.write_bytes(data)
    path.with_suffix(".json").write_text(card_of(data), encoding="utf-8")
    path.with_suffix(".md").write_text(card, encoding="utf-8")
    if curves is not None:
        copyfile(curves, path.with_suffix(".png"))
    return path


def _task_of(metadata: PolicyMetadata) -> str:
    return next(name for name in TASKS if env_id(name) == metadata.training.environment)


def _graph(
    metadata: PolicyMetadata,
    shift: FloatArray,
    stretch: FloatArray,
    weights: Sequence[FloatArray],
    biases: Sequence[FloatArray],
) -> bytes:
    tensors = [_tensor("shift", shift), _tensor("stretch", stretch)]
    tensors += [_tensor("least", np.array(-LARGEST)), _tensor("most", np.array(LARGEST))]
    nodes = [
        helper.make_node("Sub", ["observation", "shift"], ["centred"]),
        helper.make_node("Mul", ["centred", "stretch"], ["stretched"]),
        helper.make_node("Clip", ["stretched", "least", "most"], ["normalised"]),
    ]
    value, last = "normalised", len(weights) - 1
    for index, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
        tensors += [_tensor(f"weight_{index}", weight), _tensor(f"bias_{index}", bias)]
        summed = f"sum_{index}"
        nodes.append(helper.make_node("Gemm", [value, f"weight_{index}", f"bias_{index}"], [summed], transB=1))
        value = "action" if index == last else f"hidden_{index}"
        nodes.append(helper.make_node("Tanh" if index == last else "Relu", [summed], [value]))
    graph = helper.make_graph(
        nodes,
        metadata.name,
        [helper.make_tensor_value_info("observation", TensorProto.FLOAT, [1, metadata.observation_size])],
        [helper.make_tensor_value_info("action", TensorProto.FLOAT, [1, len(metadata.action.scale)])],
        tensors,
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION, producer_name=PRODUCER
    )
    helper.set_model_props(model, {METADATA_KEY: metadata.model_dump_json()})
    onnx.checker.check_model(model)
    data: bytes = model.SerializeToString()
    return data


def _numbers(tensor: torch.Tensor) -> FloatArray:
    numbers: FloatArray = tensor.detach().cpu().numpy().astype(np.float64)
    return numbers


def _tensor(name: str, values: FloatArray) -> onnx.TensorProto:
    return numpy_helper.from_array(np.asarray(values, dtype=np.float32), name)
