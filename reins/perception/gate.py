"""Which images are used: checked, in order, not frozen; each with where the robot was when it was taken."""

from collections import deque
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from reins.contracts.errors import ReinsError
from reins.contracts.event import Severity
from reins.hardware.robot import FloatArray
from reins.perception.image import CameraImage, Diagnostic, check_image
from reins.perception.quality import BadPicture, PictureLimits

STALE = 1.0
"""Images older than this are reported, those that are newer than the robot by more are left out; a clock that goes back
by more was started again [s]."""

HISTORY = 200
"""Robot states that are kept to know where the robot was when an image was taken: 2 s at 100 Hz."""

MOVED = 0.02
"""If a camera moved by this and no pixel changed, it is frozen: share of a turn's sine, or [m]."""


class Stamped(Protocol):
    """A robot state, of whatever kind of robot."""

    @property
    def stamp(self) -> float:
        """Robot time [s]."""
        ...


State = TypeVar("State", bound=Stamped)
AnyState = TypeVar("AnyState", bound=Stamped, contravariant=True)
Placed = TypeVar("Placed")


class Body(Protocol[AnyState, Placed]):
    """One kind of robot in front of cameras, or carrying them."""

    def place(self, state: AnyState) -> Placed:
        """Where it is in a state."""
        ...

    def between(self, earlier: AnyState, later: AnyState, share: float) -> Placed:
        """Where it is at a moment between two states, 0 at the earlier one and 1 at the later one."""
        ...

    def changes(self, image: CameraImage, then: Placed, now: Placed) -> bool:
        """Whether what a camera shows must have changed since it was placed so, for the robot itself has moved."""
        ...

    def sample(self, image: CameraImage) -> NDArray[np.uint8]:
        """Some of what a camera measures; of one that is frozen it stays the same."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Admitted(Generic[Placed]):
    """An image that is used, and the robot's body at its stamp, or None if that is not known."""

    image: CameraImage
    body: Placed | None


@dataclass(slots=True, eq=False)
class _LastImage(Generic[Placed]):
    """What is remembered of a camera, to notice repeats and freezes.

    Attributes:
        stamp: of its newest image [s].
        changed: when its pixels were last seen to change [s].
        sample: some of what it measures, since then.
        pose: (4, 4) of the camera then.
        body: the robot's then, or as soon as it was known.
    """

    stamp: float
    changed: float
    sample: NDArray[np.uint8]
    pose: FloatArray
    body: Placed | None


class ImageGate(Generic[State, Placed]):
    """Remembers robot states and each camera's newest image. Not thread-safe: one thread calls it.

    Args:
        body: the robot's.
        frozen_after: a camera of which no pixel changes for longer is frozen [s]; 0 for cameras without noise.
        limits: beyond what a picture is left out.
        needs_depth: whether an image without depth is of use.
    """

    def __init__(
        self, body: Body[State, Placed], frozen_after: float, limits: PictureLimits, needs_depth: bool
    ) -> None:
        self._body, self._frozen_after, self._limits, self._needs_depth = body, frozen_after, limits, needs_depth
        self._states: deque[State] = deque(maxlen=HISTORY)
        self._last: dict[str, _LastImage[Placed]] = {}
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
    def newest_state(self) -> State | None:
        """The newest robot state, or None before there is one."""
        return self._states[-1] if self._states else None

    def reset(self) -> None:
        """Forget every image and state."""
        self._states.clear()
        self._last.clear()
        self._frozen.clear()

    def is_new_start(self, state: State) -> bool:
        """Whether robot time has started again with this state: a simulator was restarted."""
        return bool(self._states) and state.stamp <= self._states[-1].stamp - STALE

    def note(self, state: State) -> State | None:
        """Remember a state; the one before it (itself for the first), or None where it is not newer than that."""
        before = self._states[-1] if self._states else None
        if before is not None and state.stamp <= before.stamp:
            return None
        self._states.append(state)
        return before or state

    def admit(self, image: CameraImage, notes: list[Diagnostic]) -> Admitted[Placed] | None:
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
        sample = self._body.sample(image)
        same = last is not None and np.array_equal(sample, last.sample)
        if last is not None and same and self._is_frozen(image, body, last):
            self._frozen.add(image.name)
            text = (
                f"camera '{image.name}' shows the same image since {last.changed:.2f} s though it should have changed"
            )
            notes.append(Diagnostic(image.name, Severity.ERROR, "frozen", text))
            return None
        self._frozen.discard(image.name)
        if last is None or not same:
            self._last[image.name] = _LastImage(image.stamp, image.stamp, sample, image.pose.copy(), body)
        else:
            last.stamp, last.body = image.stamp, body if last.body is None else last.body
        notes.extend(self._doubts(image))
        return Admitted(image, body)

    def _doubts(self, image: CameraImage) -> Iterator[Diagnostic]:
        """What is odd about the time of an image that is used all the same."""
        if self._states and (age := self._states[-1].stamp - image.stamp) > STALE:
            yield Diagnostic(
                image.name, Severity.WARN, "stale", f"the image of camera '{image.name}' is {age:.1f} s old"
            )

    def _is_frozen(self, image: CameraImage, body: Placed | None, last: _LastImage[Placed]) -> bool:
        """Whether an image whose pixels are the last one's shows that its camera is frozen. Once frozen, it stays so
        until they change: the robot may come back to where it was."""
        if image.name in self._frozen or 0.0 < self._frozen_after < image.stamp - last.changed:
            return True
        if np.abs(image.pose - last.pose).max() > MOVED:
            return True
        return body is not None and last.body is not None and self._body.changes(image, last.body, body)

    def _body_at(self, stamp: float) -> Placed | None:
        """The robot's body at `stamp`, interpolated between the remembered states; None without any."""
        if not self._states:
            return None
        later = next((state for state in self._states if state.stamp >= stamp), self._states[-1])
        earlier = next((state for state in reversed(self._states) if state.stamp <= stamp), self._states[0])
        if earlier is later or later.stamp <= earlier.stamp:
            return self._body.place(later)
        return self._body.between(earlier, later, (stamp - earlier.stamp) / (later.stamp - earlier.stamp))


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
