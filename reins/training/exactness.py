"""Whether a policy file computes what the network that it was exported from computes in PyTorch."""

from typing import Final

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from reins.contracts.errors import ReinsError

INPUTS: Final = 1000
"""Inputs that the two are compared on."""

EXACT: Final = 1e-5
"""Largest difference that they may have, in an action from -1 to 1."""

FloatBatch = NDArray[np.float32]


def largest_difference(data: bytes, inputs: FloatBatch, wanted: FloatBatch) -> float:
    """The largest difference between what a policy file gives for `inputs` (m, n) and `wanted` (m, k).

    Raises:
        ReinsError: it is above EXACT, or no number; says how large it is.
    """
    session = ort.InferenceSession(data, providers=["CPUExecutionProvider"])
    given = np.concatenate([session.run(None, {"observation": row[None]})[0] for row in inputs])
    found = float(np.abs(given - wanted).max())
    if not found <= EXACT:  # what is no number is refused, too
        raise ReinsError(
            f"the policy file differs by {found:.1e} from what it was exported from; {EXACT:.0e} is allowed"
        )
    return found


def exactness_sentence(difference: float) -> str:
    """What the card of a policy says of the largest difference that was found."""
    return f"On {INPUTS:,} inputs of its task its actions are those that PyTorch computes, to {difference:.1e}."
