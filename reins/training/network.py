"""A multilayer perceptron: fitted with PyTorch, written to ONNX with the normalisation of its input inside."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from reins.models.metadata import METADATA_KEY, PolicyMetadata

OPSET: Final = 17
"""Version of the default operator set of exported files."""

IR_VERSION: Final = 8
"""ONNX file format version that goes with OPSET, so that older runtimes read it."""

PRODUCER: Final = "reins.training"

FloatBatch = NDArray[np.float32]


class Mlp(torch.nn.Module):
    """tanh layers, then a linear one. Its input is normalised inside, by `shift` and `stretch`.

    Args:
        inputs, outputs: numbers in and out.
        hidden: widths of the hidden layers.
    """

    shift: torch.Tensor
    stretch: torch.Tensor

    def __init__(self, inputs: int, hidden: Sequence[int], outputs: int) -> None:
        super().__init__()
        self.linear = [torch.nn.Linear(a, b) for a, b in pairwise([inputs, *hidden, outputs])]
        self.layers = torch.nn.ModuleList(self.linear)
        self.register_buffer("shift", torch.zeros(inputs))
        self.register_buffer("stretch", torch.ones(inputs))

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """(b, outputs) from (b, inputs)."""
        value = (observation - self.shift) * self.stretch
        for layer in self.linear[:-1]:
            value = torch.tanh(layer(value))
        result: torch.Tensor = self.linear[-1](value)
        return result

    def normalise(self, observations: FloatBatch) -> None:
        """Take mean and spread of the input from (b, inputs) observations."""
        data = torch.from_numpy(observations)
        self.shift.copy_(data.mean(dim=0))
        self.stretch.copy_(1.0 / (data.std(dim=0) + 1e-3))

    def act(self, observations: FloatBatch) -> FloatBatch:
        """(b, outputs) from (b, inputs), without gradients."""
        with torch.no_grad():
            result: FloatBatch = self(torch.from_numpy(observations)).numpy()
        return result


def fit(
    network: Mlp, observations: FloatBatch, actions: FloatBatch, epochs: int, rate: tuple[float, float], seed: int
) -> float:
    """Fit actions (b, outputs) to observations (b, inputs); errors in small actions weigh more than in large ones.

    Args:
        epochs: passes over the data.
        rate: learning rate at the first step and at the last.
        seed: of the order of the data.

    Returns:
        Mean weighted loss of the last pass.
    """
    batch = 1024
    random = torch.Generator().manual_seed(seed)
    inputs, targets = torch.from_numpy(observations), torch.from_numpy(actions)
    weights = 1.0 / (0.05 + targets.abs().amax(dim=1, keepdim=True))
    optimiser = torch.optim.Adam(network.parameters(), lr=rate[0])
    steps = epochs * ((len(inputs) + batch - 1) // batch)
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimiser, (rate[1] / rate[0]) ** (1.0 / steps))
    total = 0.0
    for _ in range(epochs):
        total = 0.0
        for index in torch.randperm(len(inputs), generator=random).split(batch):
            loss = (weights[index] * (network(inputs[index]) - targets[index]).square()).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += loss.item() * len(index)
    return total / len(inputs)


def export(network: Mlp, metadata: PolicyMetadata) -> bytes:
    """The network as an ONNX file, its contract in the file's metadata."""
    inputs, outputs = network.linear[0].in_features, network.linear[-1].out_features
    weights = [_initializer("shift", network.shift), _initializer("stretch", network.stretch)]
    nodes = [
        helper.make_node("Sub", ["observation", "shift"], ["centred"]),
        helper.make_node("Mul", ["centred", "stretch"], ["normalised"]),
    ]
    value, last = "normalised", len(network.linear) - 1
    for index, layer in enumerate(network.linear):
        weights += [_initializer(f"weight_{index}", layer.weight), _initializer(f"bias_{index}", layer.bias)]
        sum_ = "action" if index == last else f"sum_{index}"
        nodes.append(helper.make_node("Gemm", [value, f"weight_{index}", f"bias_{index}"], [sum_], transB=1))
        value = sum_
        if index < last:
            nodes.append(helper.make_node("Tanh", [sum_], [value := f"hidden_{index}"]))
    graph = helper.make_graph(
        nodes,
        metadata.name,
        [helper.make_tensor_value_info("observation", TensorProto.FLOAT, [1, inputs])],
        [helper.make_tensor_value_info("action", TensorProto.FLOAT, [1, outputs])],
        weights,
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION, producer_name=PRODUCER
    )
    helper.set_model_props(model, {METADATA_KEY: metadata.model_dump_json()})
    onnx.checker.check_model(model)
    data: bytes = model.SerializeToString()
    return data


def with_contract(data: bytes, metadata: PolicyMetadata) -> bytes:
    """The same ONNX file with another contract."""
    model = onnx.load_model_from_string(data)
    helper.set_model_props(model, {METADATA_KEY: metadata.model_dump_json()})
    changed: bytes = model.SerializeToString()
    return changed


def _initializer(name: str, tensor: torch.Tensor) -> onnx.TensorProto:
    return numpy_helper.from_array(tensor.detach().numpy().astype(np.float32), name)
