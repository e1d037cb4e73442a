"""Small ONNX policies for tests, right and wrong ones."""

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from reins.hardware.profile import load_profile
from reins.models.metadata import (
    METADATA_KEY,
    ActionSpec,
    Measurement,
    ObservationTerm,
    PolicyMetadata,
    StyleSpec,
    TrainingRecord,
)

PROFILE = load_profile("franka")
N = len(PROFILE.joints)
OPSET = 17


def contract(**changes: Any) -> PolicyMetadata:
    """A contract that fits the arm, with some fields changed."""
    fields: dict[str, Any] = {
        "name": "test",
        "skills": ("move_to",),
        "robot": PROFILE.name,
        "joint_names": PROFILE.joint_names,
        "rate": PROFILE.rates.command,
        "gains": {"goal_feedback_per_s": 4.0},
        "observation": (
            ObservationTerm(name="joint_position", size=N, scale=1.0, clip=4.0),
            ObservationTerm(name="goal_offset", size=3, scale=2.0, clip=1.0),
        ),
        "action": ActionSpec(meaning="joint_velocity", scale=(0.5,) * N),
        "training": TrainingRecord(method="none", environment="none", version="1", seed=0, samples=0),
        "measured": Measurement(environment="none", episodes=1, success_rate=1.0, criterion="none", limit_violations=0),
        "opset": OPSET,
        "producer": "tests",
    }
    return PolicyMetadata(**{**fields, **changes})


def linear_policy(
    metadata: PolicyMetadata | None,
    weight: np.ndarray | None = None,
    bias: np.ndarray | None = None,
    inputs: int | None = None,
    outputs: int = N,
    opset: int = OPSET,
) -> bytes:
    """An ONNX file: action = observation · weight + bias; without metadata where it is None."""
    size = inputs or (metadata.observation_size if metadata else N + 3)
    weight = np.zeros((size, outputs)) if weight is None else weight
    bias = np.zeros(outputs) if bias is None else bias
    graph = helper.make_graph(
        [helper.make_node("Gemm", ["observation", "weight", "bias"], ["action"])],
        "test",
        [helper.make_tensor_value_info("observation", TensorProto.FLOAT, [1, size])],
        [helper.make_tensor_value_info("action", TensorProto.FLOAT, [1, outputs])],
        [
            numpy_helper.from_array(weight.astype(np.float32), "weight"),
            numpy_helper.from_array(bias.astype(np.float32), "bias"),
        ],
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8, producer_name="tests"
    )
    if metadata is not None:
        helper.set_model_props(model, {METADATA_KEY: metadata.model_dump_json()})
    data: bytes = model.SerializeToString()
    return data


def with_metadata(data: bytes, text: str) -> bytes:
    """The same ONNX file with other text as its contract."""
    model = onnx.load_model_from_string(data)
    del model.metadata_props[:]
    helper.set_model_props(model, {METADATA_KEY: text})
    changed: bytes = model.SerializeToString()
    return changed


SCALE = (0.25, 0.25, 0.25, 1.5, 0.08)


def twist_contract(**changes: object) -> PolicyMetadata:
    """Of a policy that moves the tool and the fingers."""
    fields = {
        "skills": ("pick",),
        "rate": 50.0,
        "observation": (ObservationTerm(name="object_offset", size=3, scale=1.0, clip=2.0),),
        "action": ActionSpec(meaning="tool_twist", scale=SCALE),
        "style": StyleSpec(slowest=0.5),
    }
    return contract(**{**fields, **changes})
