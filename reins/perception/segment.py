"""Image to blobs: connected pixels of one colour that stand above the table and are not the robot."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from reins.perception.body import Mask, Points
from reins.perception.colours import COLOURS, FIRST_ACHROMATIC, ColourTable, exposure_gain
from reins.perception.view import CameraView, Image32, Indices, Region, Window

ROBOT_MARGIN = 0.02
"""How far from the robot's boxes a pixel without hue still counts as robot [m]: such is the colour of robots."""

ROBOT_MARGIN_HUE = 0.002
"""The same for pixels with a hue [m]: an object in the gripper touches the boxes."""

OCCLUDER_STEP = 0.018
"""A neighbouring pixel nearer by more than this hides part of the blob [m]; above JUMP, so that none hides itself."""

JUMP = 0.015
"""Neighbouring pixels whose depths differ by more than this are of different surfaces [m]."""

FAR = 1e3
"""Depth of pixels that are left out [m]."""

_KERNEL = np.ones((3, 3), np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Blob:
    """Connected pixels of one colour.

    Attributes:
        colour: index of the colour word in COLOURS.
        points: (n, 3) [m], base frame.
        area: (n,) how much of a level surface each pixel shows [m²].
        edge: (n,) whether the pixel is on the outer contour and nothing hides what is beyond it.
        hidden: share of the outer contour beyond which something nearer, the robot or the image's end is.
        pixel: width of a pixel on a level surface there [m].
    """

    colour: int
    points: Points
    area: NDArray[np.float32]
    edge: Mask
    hidden: float
    pixel: float

    def part(self, keep: Mask) -> Blob:
        """The blob of only those points."""
        return Blob(self.colour, self.points[keep], self.area[keep], self.edge[keep], self.hidden, self.pixel)


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """Pixels by flat index (n,), ascending, their points (n, 3) and colour classes (n,)."""

    flat: Indices
    points: Points
    classes: NDArray[np.uint8]

    def part(self, keep: Indices) -> Cloud:
        return Cloud(self.flat[keep], self.points[keep], self.classes[keep])


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
        cloud, front = self.above_table(view)
        found = [blob for group in _groups(cloud.classes) for blob in self._connected(view, front, cloud.part(group))]
        return sorted(found, key=lambda blob: len(blob.points), reverse=True)

    def above_table(self, view: CameraView) -> tuple[Cloud, Image32]:
        """The pixels that can be objects, none of the robot, and the depth (h, w) of what hides others, 0 for it."""
        (x_low, y_low, z_low), (x_high, y_high, z_high) = self.region.lower, self.region.upper
        flat = np.flatnonzero((view.height > z_low) & (view.height < z_high))
        points = view.points(flat)
        x, y = points[:, 0], points[:, 1]
        inside = np.flatnonzero((x > x_low) & (x < x_high) & (y > y_low) & (y < y_high))
        flat, points = flat[inside], points[inside]
        classes = self.colours.classify(view.rgb.reshape(-1, 3)[flat], exposure_gain(view.rgb))
        robot = _robot_pixels(view, points, classes)
        front = np.where(view.depth > 0.0, view.depth, FAR)  # where nothing was measured, nothing is known to hide
        front.ravel()[flat[robot]] = 0.0
        return Cloud(flat, points, classes).part(np.flatnonzero(~robot)), front

    def _connected(self, view: CameraView, front: Image32, cloud: Cloud) -> list[Blob]:
        """The connected parts of pixels of one colour."""
        if len(cloud.flat) < self.least_pixels:
            return []
        rows, columns = np.divmod(cloud.flat, view.shape[1])
        row, column = int(rows[0]), int(columns.min())  # rows ascend
        here = rows - row, columns - column
        depth = np.full((int(rows[-1]) - row + 1, int(columns.max()) - column + 1), FAR, np.float32)
        depth[here] = view.depth[rows, columns]
        # A pixel far behind a neighbour is at the edge of what that hides: it counts as part of the hiding thing, and
        # without it the two surfaces come apart.
        nearest = cv2.erode(depth, _KERNEL)
        surface = (depth < FAR) & (depth < nearest + JUMP)
        torn = (depth < FAR) & ~surface
        front[row : row + depth.shape[0], column : column + depth.shape[1]][torn] = nearest[torn]
        count, labels, stats, _ = cv2.connectedComponentsWithStats(surface.view(np.uint8), connectivity=8)
        of_pixel = labels[here]
        return [
            _blob(view, front, cloud.part(np.flatnonzero(of_pixel == index)))
            for index in range(1, count)
            if stats[index, cv2.CC_STAT_AREA] >= self.least_pixels
        ]


def _blob(view: CameraView, front: Image32, cloud: Cloud) -> Blob:
    """The blob of these pixels."""
    rows, columns = np.divmod(cloud.flat, view.shape[1])
    row, column = int(rows.min()), int(columns.min())
    window = Window(row, column, int(rows.max()) - row + 1, int(columns.max()) - column + 1).grown(view.shape)
    shape = np.zeros((window.height, window.width), bool)
    here = rows - window.row, columns - window.column
    shape[here] = True
    edge, hidden = _contour(shape, view, front, window)
    colour = int(np.bincount(cloud.classes).argmax())
    area = view.ground_area(rows, columns)
    return Blob(colour, cloud.points, area, edge[here], hidden, float(np.sqrt(area.mean())))


def _robot_pixels(view: CameraView, points: Points, classes: NDArray[np.uint8]) -> Mask:
    """(n,) which points are the robot's."""
    if view.body is None:
        return np.zeros(len(points), bool)
    robot = view.body.contains(points, ROBOT_MARGIN)
    with_hue = np.flatnonzero(robot & (classes < FIRST_ACHROMATIC))
    robot[with_hue] = view.body.contains(points[with_hue], ROBOT_MARGIN_HUE)
    near = np.flatnonzero(robot)
    robot[near] = ~view.body.in_grip(points[near])
    return robot


def _groups(classes: NDArray[np.uint8]) -> list[Indices]:
    """Indices of the pixels to connect: one group a colour, white and grey together (a white thing has grey shades)."""
    together = classes.copy()
    together[classes == COLOURS.index("grey")] = COLOURS.index("white")
    present = np.flatnonzero(np.bincount(together, minlength=len(COLOURS)))
    return [np.flatnonzero(together == colour) for colour in present]


def _contour(shape: Mask, view: CameraView, front: Image32, window: Window) -> tuple[Mask, float]:
    """Free outer edge pixels of `shape`, which fills the window, and the hidden share of its contour."""
    solid = shape.view(np.uint8)
    outlines, _ = cv2.findContours(solid, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = cv2.drawContours(np.zeros_like(solid), outlines, -1, 1, cv2.FILLED)
    ring = (cv2.dilate(filled, _KERNEL) != 0) & (filled == 0)
    depth = view.depth[window.slices]
    beside = cv2.dilate(np.where(shape, depth, np.float32(0.0)), _KERNEL)
    hiding = ring & (front[window.slices] < beside - OCCLUDER_STEP)
    inner = cv2.erode(filled, _KERNEL, borderType=cv2.BORDER_CONSTANT, borderValue=0)
    cut = shape & window.at_border(view.shape)
    near_hiding = cv2.dilate(hiding.view(np.uint8), _KERNEL)
    free = shape & (inner == 0) & ~cut & (near_hiding == 0)
    cuts = np.count_nonzero(cut)
    outline = np.count_nonzero(ring) + cuts
    return free, (np.count_nonzero(hiding) + cuts) / outline if outline else 0.0
