"""Views of a board with known truth: as pictures, drawn through a lens, or as corners with noise."""

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from reins.calibration.board import Board, CharucoBoard, TagBoard, View, draw
from reins.calibration.hand_eye import PosedView
from reins.hardware.camera.intrinsics import Intrinsics, intrinsics_from
from reins.hardware.robot import FloatArray

WIDTH, HEIGHT = 640, 480
MATRIX = np.array([[610.0, 0.0, 322.0], [0.0, 608.0, 238.0], [0.0, 0.0, 1.0]])
BENT = np.array([-0.21, 0.08, 0.0007, -0.0011, 0.0])
PINHOLE = intrinsics_from(MATRIX, np.zeros(5), WIDTH, HEIGHT, "pinhole")
LENS = intrinsics_from(MATRIX, BENT, WIDTH, HEIGHT, "lens")

CHARUCO = CharucoBoard(kind="charuco", columns=7, rows=5, square=0.03, marker=0.022)
TAGS = TagBoard(kind="apriltag", columns=4, rows=3, tag=0.04, gap=0.012)

PIXELS_PER_METRE = 6000.0
MARGIN = 0.01

IN_HAND = np.asarray(pin.SE3(pin.rpy.rpyToMatrix(0.05, -0.3, 1.5), np.array([0.06, -0.01, -0.05])).homogeneous)
"""A camera in the hand: its pose in the tool frame."""

FIXED = np.asarray(pin.SE3(pin.rpy.rpyToMatrix(-2.2, 0.1, -1.6), np.array([1.1, 0.05, 0.7])).homogeneous)
"""A camera beside the robot: its pose in the base frame."""

ON_TABLE = np.asarray(pin.SE3(pin.rpy.rpyToMatrix(3.1, 0.02, 0.4), np.array([0.5, 0.1, 0.01])).homogeneous)
"""A board on the table: its pose in the base frame; its z axis points down, away from who looks at it."""

ON_HAND = np.asarray(pin.SE3(pin.rpy.rpyToMatrix(0.1, 2.9, 0.0), np.array([0.02, 0.0, 0.04])).homogeneous)
"""A board in the hand: its pose in the tool frame."""


@dataclass(frozen=True)
class Turns:
    """How the board is turned against the camera: about x, y and z, at most [rad], and how it is shifted."""

    x: float = 0.5
    y: float = 0.5
    z: float = 0.8
    shift: float = 0.04


def board_poses(board: Board, count: int, turns: Turns, seed: int) -> Iterator[FloatArray]:
    """Poses (4, 4) of a board in front of a camera, wholly visible."""
    random = np.random.default_rng(seed)
    middle = np.eye(4)
    middle[:2, 3] = -np.array(board.size) / 2
    for _ in range(count):
        x, y, z = (float(random.uniform(-most, most)) for most in (turns.x, turns.y, turns.z))
        pose = np.eye(4)
        pose[:3, :3] = pin.rpy.rpyToMatrix(x, y, z)
        pose[:3, 3] = [*random.uniform(-turns.shift, turns.shift, 2), random.uniform(0.42, 0.6)]
        yield pose @ middle


def corners(board: Board, pose: FloatArray, lens: Intrinsics, name: str, noise: float, seed: int) -> View:
    """All corners of a board at a pose, as a finder with noise [pixels] has them."""
    made = board.made()
    points = np.asarray(
        made.getChessboardCorners() if isinstance(board, CharucoBoard) else np.concatenate(made.getObjPoints()),
        np.float64,
    )
    pixels, _ = cv2.projectPoints(points, pin.log3(pose[:3, :3]), pose[:3, 3], lens.matrix, lens.distortion)
    return View(name, points, pixels.reshape(-1, 2) + np.random.default_rng(seed).normal(0.0, noise, (len(points), 2)))


def picture(board: Board, pose: FloatArray, lens: Intrinsics) -> NDArray[np.uint8]:
    """(HEIGHT, WIDTH) what a camera sees of a board at a pose on a grey ground."""
    printed = draw(board, PIXELS_PER_METRE, MARGIN)
    columns, rows = np.meshgrid(np.arange(WIDTH, dtype=np.float64), np.arange(HEIGHT, dtype=np.float64))
    pixels = np.stack([columns.ravel(), rows.ravel()], axis=1)[:, None]
    straight = cv2.undistortPoints(pixels, lens.matrix, lens.distortion).reshape(-1, 2)
    rays = np.column_stack([straight, np.ones(len(straight))]) @ pose[:3, :3]
    origin = -pose[:3, :3].T @ pose[:3, 3]
    hits = origin + rays * (-origin[2] / rays[:, 2])[:, None]
    # The centre of the first printed pixel is half a pixel inside the margin.
    at = ((hits[:, :2] + MARGIN) * PIXELS_PER_METRE - 0.5).astype(np.float32).reshape(HEIGHT, WIDTH, 2)
    soft = cv2.GaussianBlur(printed, (0, 0), 0.35 * PIXELS_PER_METRE * 0.5 / MATRIX[0, 0])
    seen = cv2.remap(soft, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=150)
    return np.asarray(seen, np.uint8)


def tool_pose(board_in_camera: FloatArray, in_hand: bool) -> FloatArray:
    """(4, 4) where the tool is for the camera to see the board so."""
    if in_hand:
        return np.asarray(ON_TABLE @ np.linalg.inv(board_in_camera) @ np.linalg.inv(IN_HAND))
    return np.asarray(FIXED @ board_in_camera @ np.linalg.inv(ON_HAND))


def posed_corners(count: int, in_hand: bool, turns: Turns, noise: float, seed: int) -> list[PosedView]:
    """Views of the ChArUco board with the tool's poses."""
    return [
        PosedView(corners(CHARUCO, pose, LENS, f"view_{index}", noise, seed + index), tool_pose(pose, in_hand))
        for index, pose in enumerate(board_poses(CHARUCO, count, turns, seed))
    ]
