"""Which images are used: checked, in order, not frozen; each with where the robot was when it was taken."""

from collections import deque
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from reins.contracts.errors import ReinsError
from reins.contracts.event import Severity
from reins.hardware.robot import FloatArray, RobotState
from reins.perception.body import PlacedBody, RobotBody
from reins.perception.image import CameraImage, Diagnostic, check_image
from reins.perception.quality import BadPicture, PictureLimits
from reins.perception.view import to_pixels

STALE = 1.0
"""Images older than this are reported, those that are newer than the robot by more are left out; a clock that goes back
by more was started again [s]."""

HISTORY = 200
"""Robot states that are kept to know where the robot was when an image was taken: 2 s at 100 Hz."""

MOVED = 0.02
"""If the hand moved by this in front of a camera and no pixel changed, the camera is frozen [m]."""

THUMB = 8
"""Rows and columns between the pixels that are compared to notice a frozen camera."""


@dataclass(frozen=True, slots=True, eq=False)
class Admitted:
    """An image that is used, and the robot's body at its stamp, or None if that is not known."""

    image: CameraImage
    body: PlacedBody | None


@dataclass(slots=True, eq=False)
class _LastImage:
    """What is remembered of a camera, to notice repeats and freezes.

    Attributes:
        stamp: of its newest image [s].
        changed: when its pixels were last seen to change [s].
        thumb: (rows, columns, 3) some of its pixels, since then.
        pose: (4, 4) of the camera then.
        tool: (3,) position of the hand then [m], or as soon as it was known.
    """

    stamp: float
    changed: float
    thumb: NDArray[np.uint8]
    pose: FloatArray
    tool: FloatArray | None


class ImageGate:
    """Remembers robot states and each camera's newest image. Not thread-safe: one thread calls it.

    Args:
        body: the robot's.
        frozen_after: a camera of which no pixel changes for longer is frozen [s]; 0 for cameras without noise.
        limits: beyond what a picture is left out.
        needs_depth: whether an image without depth is of use.
    """

    def __init__(self, body: RobotBody, frozen_after: float, limits: PictureLimits, needs_depth: bool) -> None:
        self._body, self._frozen_after, self._limits, self._needs_depth = body, frozen_after, limits, needs_depth
        self._states: deque[RobotState] = deque(maxlen=HISTORY)
        self._last: dict[str, _LastImage] = {}
        self._frozen: set[str] = set()

    @property
    def image_stamps(self) -> Mapping[str, float]:
        """Robot time of each camera's newest image that could be used [s]."""
        return {name: last.stamp for name, last in self._last.items()}

    @property
    def frozen(self) -> Set[str]:
        """Cameras whose image has not changed though it should have; each until it changes."""
        return self._frozen

    @property
    def newest_state(self) -> RobotState | None:
        """The newest robot state, or None before there is one."""
        return self._states[-1] if self._states else None

    def reset(self) -> None:
        """Forget every image and state."""
        self._states.clear()
        self._last.clear()
        self._frozen.clear()

    def is_new_start(self, state: RobotState) -> bool:
        """Whether robot time has started again with this state: a simulator was restarted."""
        return bool(self._states) and state.stamp <= self._states[-1].stamp - STALE

    def note(self, state: RobotState) -> RobotState | None:
        """Remember a state; the one before it (itself for the first), or None where it is not newer than that."""
        before = self._states[-1] if self._states else None
        if before is not None and state.stamp <= before.stamp:
            return None
        self._states.append(state)
        return before or state

    def admit(self, image: CameraImage, notes: list[Diagnostic]) -> Admitted | None:
        """The image with the robot's body, or None, with the reason added to `notes` where it is a fault."""
        try:
            check_image(image, self._limits, self._needs_depth)
        except ReinsError as error:
            kind = error.kind if isinstance(error, BadPicture) else "bad_image"
            notes.append(Diagnostic(image.name, Severity.ERROR, kind, str(error)))
            return None
        last = self._last.get(image.name)
        if last is not None and image.stamp <= last.stamp:
            if image.stamp < last.stamp:
                notes.append(_out_of_order(image, last.stamp))
            return None
        if self._states and (ahead := image.stamp - self._states[-1].stamp) > STALE:
            notes.append(_ahead(image, ahead))
            return None
        if self._needs_depth and not self._states:
            notes.append(_unplaced(image))
            return None
        body = self._body_at(image.stamp)
        tool = None if body is None else body.tool.position
        thumb = np.ascontiguousarray(image.rgb[::THUMB, ::THUMB])
        same = last is not None and np.array_equal(thumb, last.thumb)
        if last is not None and same and self._is_frozen(image, tool, last):
            self._frozen.add(image.name)
            text = (
                f"camera '{image.name}' shows the same image since {last.changed:.2f} s though it should have changed"
            )
            notes.append(Diagnostic(image.name, Severity.ERROR, "frozen", text))
            return None
        self._frozen.discard(image.name)
        if last is None or not same:
            self._last[image.name] = _LastImage(image.stamp, image.stamp, thumb, image.pose.copy(), tool)
        else:
            last.stamp, last.tool = image.stamp, tool if last.tool is None else last.tool
        notes.extend(self._doubts(image))
        return Admitted(image, body)

    def _doubts(self, image: CameraImage) -> Iterator[Diagnostic]:
        """What is odd about the time of an image that is used all the same."""
        if self._states and (age := self._states[-1].stamp - image.stamp) > STALE:
            yield Diagnostic(
                image.name, Severity.WARN, "stale", f"the image of camera '{image.name}' is {age:.1f} s old"
            )

    def _is_frozen(self, image: CameraImage, tool: FloatArray | None, last: _LastImage) -> bool:
        """Whether an image whose pixels are the last one's shows that its camera is frozen. Once frozen, it stays so
        until they change: the arm may come back to where it was."""
        if image.name in self._frozen or 0.0 < self._frozen_after < image.stamp - last.changed:
            return True
        return _should_differ(image, tool, last)

    def _body_at(self, stamp: float) -> PlacedBody | None:
        """The robot's body at `stamp`, interpolated between the remembered states; None without any."""
        if not self._states:
            return None
        later = next((state for state in self._states if state.stamp >= stamp), self._states[-1])
        earlier = next((state for state in reversed(self._states) if state.stamp <= stamp), self._states[0])
        if earlier is later or later.stamp <= earlier.stamp:
            return self._body.place(later)
        share = (stamp - earlier.stamp) / (later.stamp - earlier.stamp)
        position = (1.0 - share) * earlier.position + share * later.position
        width = (1.0 - share) * earlier.gripper_width + share * later.gripper_width
        return self._body.place(replace(earlier, position=position, gripper_width=width))


def _out_of_order(image: CameraImage, newest: float) -> Diagnostic:
    text = (
        f"an image of camera '{image.name}' from {image.stamp:.2f} s came after one from {newest:.2f} s; "
        "does something else publish on its topics?"
    )
    return Diagnostic(image.name, Severity.ERROR, "out_of_order", text)


def _unplaced(image: CameraImage) -> Diagnostic:
    text = f"no robot state for the image of camera '{image.name}': the robot cannot be told from objects"
    return Diagnostic(image.name, Severity.ERROR, "no_state", text)


def _ahead(image: CameraImage, ahead: float) -> Diagnostic:
    text = (
        f"the image of camera '{image.name}' is {ahead:.1f} s ahead of the newest robot state; "
        "camera and robot must use one clock"
    )
    return Diagnostic(image.name, Severity.ERROR, "ahead", text)


def _should_differ(image: CameraImage, tool: FloatArray | None, last: _LastImage) -> bool:
    """Whether the camera, or the hand in front of it, has moved since its pixels last changed."""
    if np.abs(image.pose - last.pose).max() > MOVED:
        return True
    if tool is None or last.tool is None or np.abs(tool - last.tool).max() <= MOVED:
        return False
    column, row, depth = to_pixels(image.intrinsics, image.pose, np.stack([tool, last.tool]))
    rows, columns = image.depth.shape
    return bool(((column >= 0) & (column < columns) & (row >= 0) & (row < rows) & (depth > 0)).any())
