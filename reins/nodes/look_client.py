"""What perception sees, once: the newest scene, the picture that it was seen in, and answers to questions about it."""

import time
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from reins_msgs.srv import AskScene
from sensor_msgs.msg import Image

from reins.contracts.errors import ReinsError
from reins.contracts.scene import Scene
from reins.nodes.client import GraphClient
from reins.nodes.convert_sensors import colour_from_msg
from reins.nodes.qos import IMAGES
from reins.nodes.watch import newest_scene

PICTURE: Final = 5.0
"""How long a picture may take to come [s]: they are drawn only once perception knows that somebody listens."""


ANSWER: Final = 120.0
"""How long an answer may take to come [s]: perception has a shorter limit of its own, and says so."""


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """One look.

    Attributes:
        scene: the newest scene.
        picture: (height, width, 3) RGB, the cameras' pictures with the scene drawn in; None if none came.
    """

    scene: Scene
    picture: NDArray[np.uint8] | None


def ask_about(client: GraphClient, question: str) -> str:
    """What the vision-language model of a graph answers to a question about what its cameras see.

    Raises:
        ReinsError: perception does not answer, or has no answer; says why.
    """
    reply = client.call(AskScene, "perception/ask", "perception", {"question": question}, ANSWER)
    if not reply.answered:
        raise ReinsError(str(reply.answer))
    return str(reply.answer)


def look(client: GraphClient, with_picture: bool) -> Seen:
    """What a graph sees now.

    Args:
        client: a client of that graph.
        with_picture: wait for a picture, too.

    Raises:
        ReinsError: no scene is heard.
    """
    if not with_picture:
        return Seen(newest_scene(client), None)
    pictures: list[Image] = []
    tap = client.listen(Image, "perception/annotated", IMAGES, pictures.append)
    scene = newest_scene(client)
    end = time.monotonic() + PICTURE
    while not pictures and (left := end - time.monotonic()) > 0.0:
        client.step(left)
    client.ignore(tap)
    return Seen(scene, colour_from_msg(pictures[-1]) if pictures else None)
