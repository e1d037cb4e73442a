"""A trained network as one ONNX file, and back: a step that looks at the picture if told to, and says what comes next.

Looking is one branch of an If, so that it costs nothing once the picture is known; the other branch takes the keys and
values of the picture as they came out before. The heads that only training needs are left out.
"""

from typing import Any, Final

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from reins.contracts.errors import ReinsError
from reins.models.vision import METADATA_KEY, Certainty, VisionContract, VisionTraining, read_vision_contract
from reins.perception.vision_language.tiny.words import FORMAT, SIZE
from reins.training.network import IR_VERSION, OPSET, PRODUCER
from reins.training.perception.network import Attention, Feed, TinyVlm
from reins.training.perception.settings import Shape

EPSILON: Final = 1e-5
"""What is added under the root of a norm; PyTorch's own."""

LARGE: Final = 1024
"""Weights of as many numbers are stored in half precision; ONNX Runtime makes single precision of them as it loads."""


Weights = dict[str, Tensor | NDArray[Any]]
"""Constants of a file, by name."""


class _Graph:
    """Nodes that are added one after the other, and the weights of all of them.

    Args:
        prefix: of the names of its values.
        weights: by name; shared by the graphs of a model.
    """

    def __init__(self, prefix: str, weights: Weights) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self._prefix, self._weights = prefix, weights

    def add(self, op: str, *inputs: str, outputs: tuple[str, ...] = (), **attributes: Any) -> str:
        """Add a node; the name of its (first) output."""
        names = outputs or (f"{self._prefix}{len(self.nodes)}",)
        self.nodes.append(helper.make_node(op, list(inputs), list(names), **attributes))
        return names[0]

    def weight(self, value: Tensor | NDArray[Any]) -> str:
        """The name of a constant."""
        name = f"weight_{len(self._weights)}"
        self._weights[name] = value
        return self.add("Cast", name, to=TensorProto.FLOAT) if _is_large(value) else name

    def number(self, value: float) -> str:
        """The name of a constant number."""
        return self.weight(np.array(value, np.float32))

    def linear(self, x: str, layer: nn.Linear) -> str:
        """A layer without bias."""
        return self.add("MatMul", x, self.weight(layer.weight.T))

    def norm(self, x: str, norm: nn.LayerNorm) -> str:
        """A norm of the last axis."""
        return self.add(
            "LayerNormalization", x, self.weight(norm.weight), self.weight(norm.bias), axis=-1, epsilon=EPSILON
        )

    def feed(self, x: str, feed: Feed) -> str:
        """A feed-forward layer."""
        up = self.add("Relu", self.linear(x, feed.up))
        return self.linear(self.add("Mul", up, up), feed.down)

    def split(self, x: str, heads: int, features: int) -> str:
        """(1, t, features) → (1, heads, t, per head)."""
        apart = self.add("Reshape", x, self.weight(np.array([1, -1, heads, features // heads])))
        return self.add("Transpose", apart, perm=[0, 2, 1, 3])

    def attend(self, query: str, key: str, value: str, layer: Attention, features: int) -> str:
        """(1, t, features) of queries, keys and values (1, heads, t, per head)."""
        turned = self.add("Transpose", key, perm=[0, 1, 3, 2])
        scale = self.number((features // layer.heads) ** -0.5)
        scores = self.add("MatMul", self.add("Mul", query, scale), turned)
        mixed = self.add("MatMul", self.add("Softmax", scores, axis=-1), value)
        joined = self.add("Transpose", mixed, perm=[0, 2, 1, 3])
        return self.linear(self.add("Reshape", joined, self.weight(np.array([1, -1, features]))), layer.out)


def export(
    network: TinyVlm, training: VisionTraining, measured: dict[str, float], certainty: Certainty | None = None
) -> bytes:
    """The network as an ONNX file, its contract in the file's metadata.

    Args:
        network: in single precision.
        training: how it came to be.
        measured: what it scored where.
        certainty: how sure it is when it says so; by default as its probabilities say.
    """
    contract = _contract(network.shape, training, measured, certainty)
    nodes, weights = _assembled(network, contract)
    shape, keys = network.shape, [contract.memories, contract.heads]
    graph = helper.make_graph(
        nodes,
        "tiny_vlm",
        [
            helper.make_tensor_value_info("picture", TensorProto.UINT8, [1, shape.height, shape.width, 3]),
            helper.make_tensor_value_info("begin", TensorProto.BOOL, []),
            helper.make_tensor_value_info("memory", TensorProto.FLOAT, [*keys, shape.cells, contract.per_head]),
            helper.make_tensor_value_info("past", TensorProto.FLOAT, [*keys, "said_before", contract.per_head]),
            helper.make_tensor_value_info("token", TensorProto.INT64, [1, 1]),
            helper.make_tensor_value_info("place", TensorProto.INT64, [1, 1]),
        ],
        [
            helper.make_tensor_value_info("scores", TensorProto.FLOAT, [SIZE]),
            helper.make_tensor_value_info("seen", TensorProto.FLOAT, [*keys, shape.cells, contract.per_head]),
            helper.make_tensor_value_info("said", TensorProto.FLOAT, [*keys, "said_now", contract.per_head]),
        ],
        [numpy_helper.from_array(_stored(value), name) for name, value in weights.items()],
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name=PRODUCER, ir_version=IR_VERSION
    )
    helper.set_model_props(model, {METADATA_KEY: contract.model_dump_json()})
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())


def network_of(data: bytes, shape: Shape) -> TinyVlm:
    """The network of a file that `export` wrote, so that training can begin with it.

    The heads that only training needs begin anew, and large weights are as exact as half precision stores them.

    Args:
        data: of the file.
        shape: that the network has.

    Raises:
        ReinsError: it is no such file, or its network has another shape.
    """
    contract = read_vision_contract(data)
    network = TinyVlm(shape)
    expected = _contract(shape, contract.training, contract.measured, contract.certainty)
    _, weights = _assembled(network, expected)
    stored = {entry.name: numpy_helper.to_array(entry) for entry in onnx.load_from_string(data).graph.initializer}
    fits = contract == expected and {name: _stored(value).shape for name, value in weights.items()} == {
        name: value.shape for name, value in stored.items()
    }
    if not fits:
        raise ReinsError("its network has another shape than this training's; train from nothing, or with its settings")
    with torch.no_grad():
        for name, view in weights.items():
            if isinstance(view, Tensor):  # of the network's own memory, turned or not
                view.detach().copy_(torch.from_numpy(stored[name].astype(np.float32)))
    return network


def _contract(
    shape: Shape, training: VisionTraining, measured: dict[str, float], certainty: Certainty | None
) -> VisionContract:
    return VisionContract(
        words=FORMAT,
        tokens=SIZE,
        width=shape.width,
        height=shape.height,
        length=shape.length,
        cells=shape.cells,
        memories=2 * shape.decoder_layers,
        heads=shape.heads,
        per_head=shape.features // shape.heads,
        certainty=certainty or Certainty(),
        training=training,
        measured=measured,
        opset=OPSET,
    )


def _assembled(network: TinyVlm, contract: VisionContract) -> tuple[list[onnx.NodeProto], Weights]:
    """The nodes of a step, and its weights, which are views of the network's."""
    weights: Weights = {}
    step = _Graph("step_", weights)
    step.add(
        "If", "begin", outputs=("seen",), then_branch=_looking(network, weights), else_branch=_remembering(contract)
    )
    _speaking(step, network)
    return step.nodes, weights


def _is_large(value: Tensor | NDArray[Any]) -> bool:
    return isinstance(value, Tensor) and value.numel() >= LARGE


def _stored(value: Tensor | NDArray[Any]) -> NDArray[Any]:
    """A constant as the file has it."""
    array = value.detach().numpy() if isinstance(value, Tensor) else value
    return np.ascontiguousarray(array.astype(np.float16) if _is_large(value) else array)


def _looking(network: TinyVlm, weights: Weights) -> onnx.GraphProto:
    """The branch that looks at the picture: keys and values of its cells for every layer that speaks."""
    shape, graph = network.shape, _Graph("look_", weights)
    x = graph.add("Cast", "picture", to=TensorProto.FLOAT)
    x = graph.add("Sub", graph.add("Div", x, graph.number(64.0)), graph.number(2.0))
    x = graph.add("Transpose", x, perm=[0, 3, 1, 2])
    for number, layer in enumerate(network.convolutions, start=1):
        learned = [graph.weight(weight) for weight in (layer.weight, layer.bias) if weight is not None]
        x = graph.add("Conv", x, *learned, strides=[2, 2], pads=[1, 1, 1, 1])
        if number < len(network.convolutions):
            x = graph.add("Relu", x)
    x = graph.add("Reshape", x, graph.weight(np.array([1, shape.features, shape.cells])))
    x = graph.add("Add", graph.add("Transpose", x, perm=[0, 2, 1]), graph.weight(network.cell_places))
    for looker in network.looking:
        normed = graph.norm(x, looker.norm)
        parts = (looker.attention.query, looker.attention.key, looker.attention.value)
        query, key, value = (graph.split(graph.linear(normed, part), shape.heads, shape.features) for part in parts)
        x = graph.add("Add", x, graph.attend(query, key, value, looker.attention, shape.features))
        x = graph.add("Add", x, graph.feed(graph.norm(x, looker.feed_norm), looker.feed))
    x = graph.norm(x, network.cell_norm)
    memories = [
        graph.split(graph.linear(x, part), shape.heads, shape.features)
        for speaker in network.speaking
        for part in (speaker.look.key, speaker.look.value)
    ]
    graph.add("Concat", *memories, outputs=("looked",), axis=0)
    per_head = shape.features // shape.heads
    found = helper.make_tensor_value_info(
        "looked", TensorProto.FLOAT, [len(memories), shape.heads, shape.cells, per_head]
    )
    return helper.make_graph(graph.nodes, "look", [], [found])


def _remembering(contract: VisionContract) -> onnx.GraphProto:
    """The branch that takes what was seen before."""
    node = helper.make_node("Identity", ["memory"], ["remembered"])
    sizes = [contract.memories, contract.heads, contract.cells, contract.per_head]
    return helper.make_graph(
        [node], "remember", [], [helper.make_tensor_value_info("remembered", TensorProto.FLOAT, sizes)]
    )


def _speaking(graph: _Graph, network: TinyVlm) -> None:
    """From what was seen and said to the scores of the next token."""
    shape, layers = network.shape, len(network.speaking)
    ones = graph.weight(np.ones(2 * layers, np.int64))
    looked = tuple(f"seen_{number}" for number in range(2 * layers))
    past = tuple(f"past_{number}" for number in range(2 * layers))
    graph.add("Split", "seen", ones, outputs=looked, axis=0)
    graph.add("Split", "past", ones, outputs=past, axis=0)
    embedding = graph.weight(network.embedding.weight)
    x = graph.add("Gather", embedding, "token", axis=0)
    x = graph.add("Add", x, graph.add("Gather", graph.weight(network.token_places), "place", axis=0))
    said = []
    for number, speaker in enumerate(network.speaking):
        normed = graph.norm(x, speaker.norm)
        parts = (speaker.attention.query, speaker.attention.key, speaker.attention.value)
        query, key, value = (graph.split(graph.linear(normed, part), shape.heads, shape.features) for part in parts)
        key = graph.add("Concat", past[2 * number], key, axis=2)
        value = graph.add("Concat", past[2 * number + 1], value, axis=2)
        said += [key, value]
        x = graph.add("Add", x, graph.attend(query, key, value, speaker.attention, shape.features))
        asked = graph.linear(graph.norm(x, speaker.look_norm), speaker.look.query)
        query = graph.split(asked, shape.heads, shape.features)
        seen = (looked[2 * number], looked[2 * number + 1])
        x = graph.add("Add", x, graph.attend(query, *seen, speaker.look, shape.features))
        x = graph.add("Add", x, graph.feed(graph.norm(x, speaker.feed_norm), speaker.feed))
    graph.add("Concat", *said, outputs=("said",), axis=0)
    x = graph.add("MatMul", graph.norm(x, network.token_norm), graph.weight(network.embedding.weight.T))
    graph.add("Reshape", x, graph.weight(np.array([-1])), outputs=("scores",))
