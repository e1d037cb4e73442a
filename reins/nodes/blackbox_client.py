"""Asks the black box of a running graph for a file."""

from pathlib import Path
from typing import Final

from std_srvs.srv import Trigger

from reins.contracts.errors import ReinsError
from reins.nodes.client import GraphClient

WRITTEN: Final = 40.0
"""How long a file may take [s]; the black box yields to all other nodes."""


def save_blackbox(client: GraphClient) -> Path:
    """Have the last minute written now; where it is, on the machine of the graph.

    Raises:
        ReinsError: no black box answers, or it could not write.
    """
    answer = client.call(Trigger, "blackbox/save", "blackbox", {}, WRITTEN)
    if not answer.success:
        raise ReinsError(f"the black box wrote nothing: {answer.message}")
    return Path(answer.message)
