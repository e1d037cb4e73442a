"""Image to blobs: connected pixels of one colour that stand above the table and are not the robot."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from reins.perception.body import Mask, Points
from reins.perception.colours import COLOURS, FIRST_ACHROMATIC, ColourTable
from reins.perception.view import CameraView, Indices, Region

ROBOT_MARGIN = 0.02
"""How far from the robot's boxes a pixel without hue still counts as robot [m]: such is the colour of robots."""

ROBOT_MARGIN_HUE = 0.002
"""The same for pixels with a hue [m]: an object in the gripper touches the boxes."""

OCCLUDER_STEP = 0.012
"""A neighbouring pixel nearer by more than this hides part of the blob [m]."""

_KERNEL = np.ones((3, 3), np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Blob:
    """Connected pixels of one colour.

    Attributes:
        colour: index of the colour word in COLOURS.
        points: (n, 3) [m], base frame.
        edge: (n,) whether the pixel is on the outer contour and nothing hides what is beyond it.
        hidden: share of the outer contour beyond which something nearer, the robot or the image's end is.
        pixel: size of a pixel at the blob's distance [m].
    """

    colour: int
    points: Points
    edge: Mask
    hidden: float
    pixel: float

    def part(self, keep: Mask) -> "Blob":
        """The blob of only those points."""
        return Blob(self.colour, self.points[keep], self.edge[keep], self.hidden, self.pixel)


@dataclass(frozen=True, slots=True)
class Segmenter:
    """Cuts views into blobs.

    Attributes:
        region: where objects can be.
        colours: the colour table.
        least_pixels: smaller blobs are noise.
    """

    region: Region
    colours: ColourTable
    least_pixels: int = 12

    def blobs(self, view: CameraView) -> list[Blob]:
        """All blobs of a view, largest first."""
        flat = np.flatnonzero((view.height > self.region.lower[2]) & (view.height < self.region.upper[2]))
        if flat.size < self.least_pixels:
            return []
        points = view.points(flat)
        lower, upper = (np.array(self.region.lower[:2], np.float32), np.array(self.region.upper[:2], np.float32))
        inside = ((points[:, :2] > lower) & (points[:, :2] < upper)).all(axis=1)
        flat, points = flat[inside], points[inside]
        classes = self.colours.classify(view.rgb.reshape(-1, 3)[flat])
        robot = _robot_pixels(view, points, classes)
        blocked = view.depth <= 0.0
        blocked.ravel()[flat[robot]] = True
        flat, points, classes = flat[~robot], points[~robot], classes[~robot]
        found = [
            blob for group in _groups(classes) for blob in self._of_colour(view, blocked, flat, points, classes, group)
        ]
        return sorted(found, key=lambda blob: len(blob.points), reverse=True)

    def _of_colour(
        self, view: CameraView, blocked: Mask, flat: Indices, points: Points, classes: NDArray[np.uint8], group: Mask
    ) -> list[Blob]:
        if np.count_nonzero(group) < self.least_pixels:
            return []
        flat, points, classes = flat[group], points[group], classes[group]
        mask = np.zeros(view.shape, np.uint8)
        mask.ravel()[flat] = 1
        count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
        of_pixel = labels.ravel()[flat]
        found = []
        for index in range(1, count):
            left, top, width, height, area = stats[index]
            if area < self.least_pixels:
                continue
            members = of_pixel == index
            box = (slice(max(top - 1, 0), top + height + 1), slice(max(left - 1, 0), left + width + 1))
            edge_image, hidden = _contour(labels[box] == index, view, blocked, box)
            edge = np.zeros(view.shape, bool)
            edge[box] = edge_image
            colour = int(np.bincount(classes[members]).argmax())
            pixel = float(np.median(view.depth.ravel()[flat[members]])) / view.focal
            found.append(Blob(colour, points[members], edge.ravel()[flat[members]], hidden, pixel))
        return found


def _robot_pixels(view: CameraView, points: Points, classes: NDArray[np.uint8]) -> Mask:
    """(n,) which points are the robot's."""
    if view.body is None:
        return np.zeros(len(points), bool)
    robot = view.body.contains(points, ROBOT_MARGIN)
    with_hue = np.flatnonzero(robot & (classes < FIRST_ACHROMATIC))
    robot[with_hue] = view.body.contains(points[with_hue], ROBOT_MARGIN_HUE)
    return robot


def _groups(classes: NDArray[np.uint8]) -> list[Mask]:
    """Masks of the pixels to connect: one per colour, white and grey together (a white thing has grey shades)."""
    together = classes.copy()
    together[classes == COLOURS.index("grey")] = COLOURS.index("white")
    return [together == colour for colour in np.flatnonzero(np.bincount(together, minlength=len(COLOURS)))]


def _contour(mask: Mask, view: CameraView, blocked: Mask, box: tuple[slice, slice]) -> tuple[Mask, float]:
    """Free outer edge pixels of `mask` (cut out of the view by `box`), and the hidden share of the contour."""
    solid = mask.astype(np.uint8)
    outlines, _ = cv2.findContours(solid, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = cv2.drawContours(np.zeros_like(solid), outlines, -1, 1, cv2.FILLED)
    ring = (cv2.dilate(filled, _KERNEL) != 0) & (filled == 0)
    depth = view.depth[box]
    beside = cv2.dilate(np.where(mask, depth, np.float32(0.0)), _KERNEL)
    hiding = ring & ((depth < beside - OCCLUDER_STEP) | blocked[box])
    edge = mask & (cv2.erode(filled, _KERNEL, borderType=cv2.BORDER_CONSTANT, borderValue=0) == 0)
    cut = mask & _at_image_border(view.shape, box)
    free = edge & ~cut & (cv2.dilate(hiding.view(np.uint8), _KERNEL) == 0)
    outline = np.count_nonzero(ring) + np.count_nonzero(cut)
    hidden = (np.count_nonzero(hiding) + np.count_nonzero(cut)) / outline if outline else 0.0
    return free, hidden


def _at_image_border(shape: tuple[int, int], box: tuple[slice, slice]) -> Mask:
    """Which pixels of the cut-out are in the first or last row or column of the whole image."""
    rows = np.arange(shape[0])[box[0]]
    columns = np.arange(shape[1])[box[1]]
    at_row = (rows == 0) | (rows == shape[0] - 1)
    at_column = (columns == 0) | (columns == shape[1] - 1)
    return at_row[:, None] | at_column[None, :]
