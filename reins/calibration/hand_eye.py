"""Where a camera is mounted, from views of a board while the arm stands in several poses.

Both cases are one equation. With A the pose that the robot tells (of the tool in the base frame for a camera in the
hand, of the base in the tool frame for a fixed one that sees a board in the hand), X the camera's pose in the frame of
its mount, B the board's in the camera's and Z the board's in the frame of what does not move with the camera:
A X B = Z.

A closed form gives X to begin with: rotation first, then translation (F. C. Park and B. J. Martin, Robot sensor
calibration: solving AX = XB on the Euclidean group, IEEE Trans. Robotics and Automation 10(5), 1994). X and Z are then
those that bring the board's corners nearest to where the pictures have them (K. H. Strobl and G. Hirzinger, Optimal
hand-eye calibration, IROS 2006). OpenCV 5.0 has no hand-eye calibration for Python.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import cv2
import numpy as np
import pinocchio as pin
from scipy.optimize import least_squares

from reins.calibration.board import View
from reins.contracts.errors import ReinsError
from reins.hardware.camera.intrinsics import Intrinsics
from reins.hardware.robot import FloatArray

LEAST_VIEWS: Final = 5
"""Two turns about different axes, which is three views, fix X; leaving one out must leave some to spare."""

LEAST_TURN: Final = 15.0
"""Between the two poses that are turned most differently [degrees]; less tells little of the position."""

LEAST_SECOND_AXIS: Final = 0.15
"""How much the turns are about a second axis, as a share of the first: about one axis alone, the position along it
is free."""

NEARLY_HALF: Final = 2.8
"""Turns beyond this are left out of the closed form [rad]: at half a turn the sign of the axis is chance."""

STEP: Final = 1e-6
"""Of numerical derivatives [m, rad]."""

OUTLIER: Final = 1.5
"""Corners farther off than this count less [pixels]: a corner that was found wrong, not the noise of all."""


@dataclass(frozen=True, slots=True, eq=False)
class PosedView:
    """A board in one picture, and where the arm was.

    Attributes:
        view: the board.
        tool: (4, 4) pose of the tool in the base frame when the picture was taken.
    """

    view: View
    tool: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class HandEye:
    """A mounted camera.

    Attributes:
        camera: (4, 4) pose of the optical frame in the frame of its mount.
        board: (4, 4) pose of the board in the base frame, or in the tool frame where the hand carries it.
        rms: root mean square distance between corners and where the calibration has them [pixels].
        worst: name of the picture that fits worst, and its rms [pixels].
        position_spread: farthest that the camera's position moves when one view is left out [m].
        turn_spread: farthest that it turns then [rad].
        views: how many there were.
    """

    camera: FloatArray
    board: FloatArray
    rms: float
    worst: tuple[str, float]
    position_spread: float
    turn_spread: float
    views: int


def calibrate_hand_eye(views: Sequence[PosedView], intrinsics: Intrinsics, in_hand: bool) -> HandEye:
    """Find where a camera is mounted.

    Args:
        views: of one board that does not move against the base (camera in the hand) or the tool (fixed camera).
        intrinsics: of the camera, for the pictures as they are.
        in_hand: whether the hand carries the camera; else it is fixed, and the hand carries the board.

    Raises:
        ReinsError: too few views, or poses that do not fix the mount; says what to take.
    """
    if len(views) < LEAST_VIEWS:
        raise ReinsError(f"{len(views)} pictures show the board, and a mount needs {LEAST_VIEWS}; take more")
    robot = [view.tool if in_hand else _inverse(view.tool) for view in views]
    _check_turns(robot)
    problem = _Problem(robot, [view.view for view in views], intrinsics)
    boards = [problem.board_pose(index) for index in range(len(views))]
    camera = _closed_form(robot, boards)
    start = _pack(camera, _mean([a @ camera @ b for a, b in zip(robot, boards, strict=True)]))
    found = problem.solve(start)
    left_out = [_unpack(packed)[0] for packed in problem.leave_one_out(found)]
    camera, board = _unpack(found)
    rms = problem.rms_of_views(found)
    index = int(rms.argmax())
    return HandEye(
        camera=camera,
        board=board,
        rms=problem.rms(found),
        worst=(views[index].view.name, float(rms[index])),
        position_spread=max(float(np.linalg.norm(other[:3, 3] - camera[:3, 3])) for other in left_out),
        turn_spread=max(float(np.linalg.norm(pin.log3(camera[:3, :3].T @ other[:3, :3]))) for other in left_out),
        views=len(views),
    )


def _check_turns(robot: Sequence[FloatArray]) -> None:
    """Raise ReinsError unless the poses (4, 4) are turned against each other about two axes or more."""
    turns = np.array([pin.log3(a[:3, :3].T @ b[:3, :3]) for a, b in combinations(robot, 2)])
    largest = float(np.degrees(np.linalg.norm(turns, axis=1).max()))
    if largest < LEAST_TURN:
        raise ReinsError(
            f"the arm only moved: its poses are turned against each other by {largest:.1f}° at most, and where the "
            f"camera sits shows in turns alone; turn the hand by {LEAST_TURN:.0f}° and more, about two axes"
        )
    strengths = np.linalg.svd(turns, compute_uv=False)
    if strengths[1] < LEAST_SECOND_AXIS * strengths[0]:
        raise ReinsError(
            "the arm turned about one axis only, and along it the camera's position stays unknown; turn the hand about "
            "a second axis, too"
        )


def _closed_form(robot: Sequence[FloatArray], boards: Sequence[FloatArray]) -> FloatArray:
    """X (4, 4) of A X B = Z from poses A and B (4, 4), without regard to which of them are how sure."""
    pairs = [
        (i, j)
        for i, j in combinations(range(len(robot)), 2)
        if np.linalg.norm(pin.log3(robot[j][:3, :3].T @ robot[i][:3, :3])) < NEARLY_HALF
    ]
    moved = [_inverse(robot[j]) @ robot[i] for i, j in pairs]
    seen = [boards[j] @ _inverse(boards[i]) for i, j in pairs]
    alphas = np.array([pin.log3(pose[:3, :3]) for pose in moved])
    betas = np.array([pin.log3(pose[:3, :3]) for pose in seen])
    rotation = _nearest_rotation(alphas.T @ betas)
    rows = np.vstack([pose[:3, :3] - np.eye(3) for pose in moved])
    right = np.concatenate([rotation @ b[:3, 3] - a[:3, 3] for a, b in zip(moved, seen, strict=True)])
    camera = np.eye(4)
    camera[:3, :3] = rotation
    camera[:3, 3] = np.linalg.lstsq(rows, right, rcond=None)[0]
    return camera


def _nearest_rotation(matrix: FloatArray) -> FloatArray:
    """The rotation (3, 3) nearest to a matrix (3, 3)."""
    left, _, right = np.linalg.svd(matrix)
    return np.asarray(left @ np.diag([1.0, 1.0, np.linalg.det(left @ right)]) @ right)


def _mean(poses: Sequence[FloatArray]) -> FloatArray:
    """The middle of poses (4, 4) that are close together."""
    mean = np.mean(poses, axis=0)
    mean[:3, :3] = _nearest_rotation(mean[:3, :3])
    return np.asarray(mean)


class _Problem:
    """Corners as they are in the pictures against where X and Z have them."""

    def __init__(self, robot: Sequence[FloatArray], views: Sequence[View], intrinsics: Intrinsics) -> None:
        self._robot, self._views = robot, views
        self._matrix, self._distortion = intrinsics.matrix, intrinsics.distortion

    def board_pose(self, index: int) -> FloatArray:
        """(4, 4) pose of the board in the camera's frame, from one picture alone.

        Raises:
            ReinsError: the corners do not give one.
        """
        view = self._views[index]
        good, turn, shift = cv2.solvePnP(
            view.points, view.pixels, self._matrix, self._distortion, flags=cv2.SOLVEPNP_IPPE
        )
        if not good:
            raise ReinsError(f"picture '{view.name}': the corners of the board do not give its pose; leave it out")
        turn, shift = cv2.solvePnPRefineLM(view.points, view.pixels, self._matrix, self._distortion, turn, shift)
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = cv2.Rodrigues(turn)[0], np.asarray(shift).ravel()
        return pose

    def residual(self, packed: FloatArray, index: int) -> FloatArray:
        """(2 n,) of one view [pixels]."""
        camera, board = _unpack(packed)
        pose = _inverse(camera) @ _inverse(self._robot[index]) @ board
        view = self._views[index]
        pixels, _ = cv2.projectPoints(view.points, pin.log3(pose[:3, :3]), pose[:3, 3], self._matrix, self._distortion)
        return np.asarray((pixels.reshape(-1, 2) - view.pixels).ravel())

    def solve(self, start: FloatArray) -> FloatArray:
        """(12,) the X and Z that fit all views best."""
        found = least_squares(self._residuals, start, loss="huber", f_scale=OUTLIER, x_scale="jac")
        return np.asarray(found.x)

    def leave_one_out(self, best: FloatArray) -> Iterator[FloatArray]:
        """(12,) for each view, what would fit best without it: one Gauss-Newton step from what fits all, which is all
        that it takes as long as no view decides alone."""
        hessians, gradients = [], []
        for index in range(len(self._views)):
            residual = self.residual(best, index)
            slope = np.stack(
                [(self.residual(best + step, index) - residual) / STEP for step in STEP * np.eye(len(best))], axis=1
            )
            weight = OUTLIER / np.maximum(np.abs(residual), OUTLIER)
            hessians.append(slope.T @ (weight[:, None] * slope))
            gradients.append(slope.T @ (weight * residual))
        whole = np.sum(hessians, axis=0)
        for hessian, gradient in zip(hessians, gradients, strict=True):
            yield best + np.linalg.lstsq(whole - hessian, gradient, rcond=None)[0]

    def _residuals(self, packed: FloatArray) -> FloatArray:
        return np.concatenate([self.residual(packed, index) for index in range(len(self._views))])

    def rms_of_views(self, packed: FloatArray) -> FloatArray:
        """(n,) of each view [pixels]."""
        return np.array([_rms(self.residual(packed, index)) for index in range(len(self._views))])

    def rms(self, packed: FloatArray) -> float:
        """Of all corners [pixels]."""
        return _rms(self._residuals(packed))


def _rms(residual: FloatArray) -> float:
    """Root mean square distance of pixels from their differences (2 n,) in columns and rows."""
    return float(np.sqrt((residual.reshape(-1, 2) ** 2).sum(axis=1).mean()))


def _pack(camera: FloatArray, board: FloatArray) -> FloatArray:
    return np.concatenate([part for pose in (camera, board) for part in (pin.log3(pose[:3, :3]), pose[:3, 3])])


def _unpack(packed: FloatArray) -> tuple[FloatArray, FloatArray]:
    poses = []
    for part in (packed[:6], packed[6:]):
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = pin.exp3(part[:3]), part[3:]
        poses.append(pose)
    return poses[0], poses[1]


def _inverse(pose: FloatArray) -> FloatArray:
    inverse = np.eye(4)
    inverse[:3, :3] = pose[:3, :3].T
    inverse[:3, 3] = -pose[:3, :3].T @ pose[:3, 3]
    return inverse
