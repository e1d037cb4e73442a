"""A folder of pictures of a board: `board.yaml`, the pictures, `poses.csv` for where the arm was, `intrinsics.yaml`."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from reins.calibration.board import BoardFinder, View, load_board
from reins.contracts.errors import ReinsError
from reins.hardware.robot import FloatArray

BOARD: Final = "board.yaml"
POSES: Final = "poses.csv"
INTRINSICS: Final = "intrinsics.yaml"
ENDINGS: Final = (".png", ".jpg", ".jpeg")

COLUMNS: Final = ("picture", "x", "y", "z", "qx", "qy", "qz", "qw")
"""Of `poses.csv`: name of a picture; the tool's position [m] and orientation (quaternion x y z w), base frame."""

Picture = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Pictures:
    """What a folder holds.

    Attributes:
        width, height: of all pictures [pixels].
        views: the board in those pictures that show it, in the order of their names.
        without_board: names of the others.
    """

    width: int
    height: int
    views: tuple[View, ...]
    without_board: tuple[str, ...]


def read_pictures(folder: Path) -> Pictures:
    """Find the board in every picture of a folder.

    Raises:
        ReinsError: no folder, no board.yaml, no pictures, one that cannot be read, or pictures of several sizes.
    """
    if not folder.is_dir():
        raise ReinsError(f"no folder '{folder}'; `reins calibrate record` makes one")
    finder = BoardFinder(load_board(folder / BOARD))
    views: list[View] = []
    without: list[str] = []
    size: tuple[int, int] | None = None
    for name, picture in _pictures(folder):
        here = (picture.shape[1], picture.shape[0])
        if size is not None and here != size:
            raise ReinsError(
                f"'{folder / name}' is {here[0]}x{here[1]} and others are {size[0]}x{size[1]}: one camera a folder"
            )
        size = here
        view = finder.find(picture, name)
        if view is None:
            without.append(name)
        else:
            views.append(view)
    if size is None:
        raise ReinsError(f"no pictures ({', '.join(ENDINGS)}) in '{folder}'")
    return Pictures(size[0], size[1], tuple(views), tuple(without))


def _pictures(folder: Path) -> Iterator[tuple[str, Picture]]:
    """Name and grey pixels (h, w) of every picture, by name."""
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() in ENDINGS:
            picture = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
            if picture is None:
                raise ReinsError(f"'{path}' is no picture that can be read")
            yield path.name, np.asarray(picture, np.uint8)


def read_poses(folder: Path) -> Mapping[str, FloatArray]:
    """Poses (4, 4) of the tool in the base frame, by the names of their pictures.

    Raises:
        ReinsError: no poses.csv, a missing column, a line that is no pose, or a picture twice; names the line.
    """
    path = folder / POSES
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return dict(_poses(csv.DictReader(file, skipinitialspace=True), path))
    except OSError as error:
        raise ReinsError(f"'{path}' cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise ReinsError(f"'{path}' is no CSV file: {error}") from error


def _poses(reader: "csv.DictReader[str]", path: Path) -> Iterator[tuple[str, FloatArray]]:
    missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        raise ReinsError(f"'{path}' lacks {', '.join(missing)}; its first line must be {','.join(COLUMNS)}")
    known: set[str] = set()
    for row in reader:
        where = f"'{path}', line {reader.line_num}"
        if (name := row["picture"]) in known:
            raise ReinsError(f"{where}: '{name}' has a pose already; every picture has one")
        known.add(name)
        yield name, _pose(row, where)


def _pose(row: Mapping[str, str], where: str) -> FloatArray:
    try:
        numbers = np.array([float(row[name]) for name in COLUMNS[1:]])
    except (TypeError, ValueError):
        raise ReinsError(f"{where}: expected seven numbers after the picture's name") from None
    if not np.isfinite(numbers).all():
        raise ReinsError(f"{where}: a number is not finite")
    length = float(np.linalg.norm(numbers[3:]))
    if abs(length - 1.0) > 1e-2:
        raise ReinsError(f"{where}: the quaternion qx, qy, qz, qw has length {length:.3f}; expected 1")
    numbers[3:] /= length
    return np.asarray(pin.XYZQUATToSE3(numbers).homogeneous)


class FolderWriter:
    """Writes a folder of pictures while they are taken.

    Args:
        folder: is made if it is not there.
        board: its file is put into the folder as it is.

    Raises:
        ReinsError: the folder has pictures already, or cannot be written.
    """

    def __init__(self, folder: Path, board: Path) -> None:
        load_board(board)
        if folder.is_dir() and any(path.suffix.lower() in ENDINGS for path in folder.iterdir()):
            raise ReinsError(f"'{folder}' has pictures already; name another folder, or empty it")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / BOARD).write_text(board.read_text(encoding="utf-8"), encoding="utf-8")
            with (folder / POSES).open("w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerow(COLUMNS)
        except OSError as error:
            raise ReinsError(f"'{folder}' cannot be written: {error.strerror}") from error
        self._folder, self.count = folder, 0

    def add(self, rgb: Picture, tool: FloatArray) -> str:
        """Write one picture (h, w, 3) and the pose (4, 4) of the tool; the picture's name."""
        self.count += 1
        name = f"view_{self.count:03d}.png"
        if not cv2.imwrite(str(self._folder / name), rgb[:, :, ::-1]):
            raise ReinsError(f"'{self._folder / name}' cannot be written")
        numbers = [f"{value:.9f}" for value in pin.SE3ToXYZQUAT(pin.SE3(tool))]
        with (self._folder / POSES).open("a", newline="", encoding="utf-8") as file:
            csv.writer(file).writerow([name, *numbers])
        return name
