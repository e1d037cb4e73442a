"""Printed boards of known size: a ChArUco board or a grid of AprilTags, found in pictures by OpenCV."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator
from typing_extensions import Self

from reins.contracts.documents import read_document
from reins.contracts.errors import ReinsError, UnknownName
from reins.hardware.camera.tags import FAMILIES, TagDetector, family
from reins.hardware.robot import FloatArray

Metres = Annotated[float, Field(gt=0.0, le=10.0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=2, le=50)]

LEAST_CORNERS: Final = 8
"""Fewer corners than this do not fix the pose of a board well: two tags, or a quarter of a small ChArUco board."""

MOST_PIXELS: Final = 200_000_000
"""Of a picture to print: A2 at 600 dpi has less."""

Picture = NDArray[np.uint8]


class _Board(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    dictionary: str

    @model_validator(mode="after")
    def _known(self) -> Self:
        if self.dictionary not in FAMILIES:
            raise ValueError(str(UnknownName("dictionary", self.dictionary, FAMILIES)))
        return self

    def markers(self) -> Any:
        """The family of markers."""
        return family(self.dictionary)

    def _check_enough(self, needed: int) -> None:
        """Raise ValueError unless the family has so many markers."""
        if needed > (count := len(self.markers().bytesList)):
            raise ValueError(f"the board needs {needed} markers, and {self.dictionary} has {count}; take a larger one")


class CharucoBoard(_Board):
    """A chessboard with markers in its white squares.

    Attributes:
        columns, rows: squares.
        square, marker: side of a square and of a marker [m].
    """

    kind: Literal["charuco"]
    columns: Count
    rows: Count
    square: Metres
    marker: Metres
    dictionary: str = "DICT_5X5_100"

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.marker >= self.square:
            raise ValueError(f"a marker of {self.marker} m does not fit into a square of {self.square} m")
        self._check_enough(self.columns * self.rows // 2)
        return self

    def made(self) -> Any:
        """OpenCV's board."""
        return cv2.aruco.CharucoBoard((self.columns, self.rows), self.square, self.marker, self.markers())

    @property
    def size(self) -> tuple[float, float]:
        """Width and height [m]."""
        return self.columns * self.square, self.rows * self.square


class TagBoard(_Board):
    """A grid of AprilTags.

    Attributes:
        columns, rows: tags.
        tag: side of a tag's black border [m].
        gap: between two tags [m].
    """

    kind: Literal["apriltag"]
    columns: Count
    rows: Count
    tag: Metres
    gap: Metres
    dictionary: str = "DICT_APRILTAG_36H11"

    @model_validator(mode="after")
    def _fits(self) -> Self:
        self._check_enough(self.columns * self.rows)
        return self

    def made(self) -> Any:
        """OpenCV's board."""
        return cv2.aruco.GridBoard((self.columns, self.rows), self.tag, self.gap, self.markers())

    @property
    def size(self) -> tuple[float, float]:
        """Width and height [m]."""
        step = self.tag + self.gap
        return self.columns * step - self.gap, self.rows * step - self.gap


Board = CharucoBoard | TagBoard
_BOARD: Final[TypeAdapter[Board]] = TypeAdapter(Annotated[Board, Field(discriminator="kind")])


def load_board(path: Path) -> Board:
    """Read the description of a board.

    Raises:
        ReinsError: no such file, or not a board; names the field.
    """
    return read_document("board", path, _BOARD)


def draw(board: Board, pixels_per_metre: float, margin: float = 0.01) -> Picture:
    """(h, w) picture to print, with a white margin [m]; the board's own size is `board.size`.

    Raises:
        ReinsError: it would have more than MOST_PIXELS.
    """
    width, height = (round((side + 2 * margin) * pixels_per_metre) for side in board.size)
    if width * height > MOST_PIXELS:
        raise ReinsError(
            f"a picture of {width}x{height} pixels is too large: the board is {board.size[0]:g} m wide and "
            f"{board.size[1]:g} m high; are its sizes in metres? Otherwise draw it with less dpi"
        )
    return np.asarray(board.made().generateImage((width, height), None, round(margin * pixels_per_metre), 1), np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A board in one picture.

    Attributes:
        name: of the picture.
        points: (n, 3) corners in the board's frame [m].
        pixels: (n, 2) where they are in the picture.
    """

    name: str
    points: FloatArray
    pixels: FloatArray


class BoardFinder:
    """Finds a board in pictures.

    Args:
        board: which one.
    """

    def __init__(self, board: Board) -> None:
        self._made = board.made()
        self._tags = TagDetector(board.dictionary)
        settings = cv2.aruco.DetectorParameters()
        settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
        self._charuco = (
            cv2.aruco.CharucoDetector(self._made, cv2.aruco.CharucoParameters(), settings)
            if isinstance(board, CharucoBoard)
            else None
        )

    def find(self, picture: Picture, name: str = "") -> View | None:
        """The board in a grey (h, w) or colour (h, w, 3) picture, or None if too little of it is visible."""
        grey = picture if picture.ndim == 2 else np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), np.uint8)
        corners: Any
        if self._charuco is not None:
            corners, ids, _, _ = self._charuco.detectBoard(grey)
        else:
            found = self._tags.find(grey)
            corners = [corner.astype(np.float32)[None] for _, corner in found]
            ids = np.array([number for number, _ in found], np.int32)
        if ids is None or len(ids) == 0:
            return None
        points, pixels = self._made.matchImagePoints(corners, ids)
        if points is None or len(points) < LEAST_CORNERS:
            return None
        corners = np.asarray(points, np.float64).reshape(-1, 3)
        if np.linalg.matrix_rank(corners - corners.mean(axis=0), tol=1e-6) < 2:  # in one line: it can turn about that
            return None
        return View(name, corners, np.asarray(pixels, np.float64).reshape(-1, 2))
