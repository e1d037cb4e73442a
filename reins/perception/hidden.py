"""Blocks of which little is visible, but that must be there: the foot of a stack, and what the fingers hold."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from reins.perception.body import PlacedBody
from reins.perception.colours import COLOURS
from reins.perception.segment import Blob
from reins.perception.shapes import Detection, canonical, top_height

LEVEL: Final = 0.008
"""The top of what is visible of a foot is this close to the underside of the block on it [m]."""

LOWEST: Final = 0.012
"""Underside of a block that stands on something [m]."""

HIGHEST: Final = 0.06
"""A higher underside is that of the third block: then its foot is as high as it is itself [m]."""

OFF_CENTRE: Final = 0.012
"""How far off the middle of its foot a block stands at most [m]."""

WITHIN: Final = 0.9
"""Share of the visible points that are where the foot must be."""

HIDDEN: Final = 0.5
"""Share of its outline that counts as hidden."""

AT_TOOL: Final = 0.6
"""Share of the visible points between the fingers, from which on it is what they hold."""


def feet(pieces: Iterable[tuple[Blob, str]], seen: Sequence[Detection]) -> Iterator[Detection]:
    """Blocks under others, of which pieces of side faces are visible.

    Args:
        pieces: blobs in which no block or dish was found, and the camera of each.
        seen: what was found.
    """
    blocks = [found for found in seen if found.label == "block" and found.complete]
    for blob, camera in pieces:
        for upper in blocks:
            underside = upper.top - float(upper.extent.mean())
            if underside > LOWEST and upper.colour != COLOURS[blob.colour] and _is_below(blob, upper, underside):
                yield _foot(blob, upper, underside, camera)
                break


def _is_below(blob: Blob, upper: Detection, underside: float) -> bool:
    if abs(top_height(blob.points) - underside) > LEVEL:
        return False
    away = np.hypot(*(blob.points[:, :2] - upper.centre).T)
    return bool((away <= _side(upper, underside) * np.sqrt(0.5) + OFF_CENTRE).mean() >= WITHIN)


def _side(upper: Detection, underside: float) -> float:
    return underside if underside <= HIGHEST else float(upper.extent.mean())


def _foot(blob: Blob, upper: Detection, underside: float, camera: str) -> Detection:
    """A cube under `upper`, moved so that its footprint covers what is visible of it."""
    half = _side(upper, underside) / 2
    cos, sin = np.cos(upper.yaw), np.sin(upper.yaw)
    axes = np.array([[cos, -sin], [sin, cos]])
    local = (blob.points[:, :2] - upper.centre) @ axes
    high, low = np.percentile(local, 95, axis=0), np.percentile(local, 5, axis=0)
    shift = np.maximum(high - half, 0.0) + np.minimum(low + half, 0.0)
    return Detection(
        "block", COLOURS[blob.colour], upper.centre + axes @ shift, upper.yaw, np.full(2, 2 * half), underside,
        underside, False, HIDDEN, blob.pixel, blob.points, camera, sure=True,
    )  # fmt: skip


def in_hand(found: Detection, body: PlacedBody | None) -> Detection:
    """What the fingers hold, as wide as they are apart; anything else as it is."""
    if body is None or not body.holding or found.label != "block":
        return found
    if body.in_grip(found.points).mean() < AT_TOOL:
        return found
    forward = body.tool.rotation[:2, 0]
    yaw, extent = canonical(float(np.arctan2(forward[1], forward[0])), np.full(2, body.gripper_width))
    return replace(found, yaw=yaw, extent=extent, complete=False, sure=True)
