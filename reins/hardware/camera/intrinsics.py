"""How a lens maps: pinhole and distortion, in the YAML format of ROS (camera_calibration, camera_info_manager)."""

from pathlib import Path
from typing import Annotated, Any, Final

import cv2
import numpy as np
import yaml
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator
from typing_extensions import Self

from reins.contracts.documents import read_document
from reins.contracts.errors import ReinsError
from reins.hardware.robot import FloatArray

Finite = Annotated[float, Field(allow_inf_nan=False)]

MODELS: Final = {"plumb_bob": (4, 5), "rational_polynomial": (8,), "": (0,)}
"""Distortion models that are understood, and how many coefficients each has."""

Picture = NDArray[np.uint8]


class Matrix(BaseModel):
    """A matrix as OpenCV writes it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    rows: int
    cols: int
    data: tuple[Finite, ...]

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if len(self.data) != self.rows * self.cols:
            raise ValueError(
                f"{self.rows}x{self.cols} has {self.rows * self.cols} numbers, and there are {len(self.data)}"
            )
        return self

    def array(self) -> FloatArray:
        """(rows, cols)."""
        return np.array(self.data, dtype=np.float64).reshape(self.rows, self.cols)


class Intrinsics(BaseModel):
    """One camera's calibration.

    Attributes:
        image_width, image_height: of the pictures that it is for [pixels].
        camera_name: for people.
        camera_matrix: (3, 3) pinhole matrix [pixels].
        distortion_model: of MODELS.
        distortion_coefficients: (1, n).
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    image_width: int = Field(ge=16, le=16384)
    image_height: int = Field(ge=16, le=16384)
    camera_name: str = ""
    camera_matrix: Matrix
    distortion_model: str = ""
    distortion_coefficients: Matrix = Matrix(rows=1, cols=0, data=())

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        matrix = self.camera_matrix
        if (matrix.rows, matrix.cols) != (3, 3) or matrix.data[0] <= 0.0 or matrix.data[4] <= 0.0:
            raise ValueError("camera_matrix must be 3x3 with focal lengths above 0")
        if self.distortion_model not in MODELS:
            known = ", ".join(name for name in MODELS if name)
            raise ValueError(f"distortion_model '{self.distortion_model}' is not understood (known: {known})")
        if (count := len(self.distortion_coefficients.data)) not in MODELS[self.distortion_model]:
            raise ValueError(f"distortion_model '{self.distortion_model}' does not have {count} coefficients")
        return self

    @property
    def matrix(self) -> FloatArray:
        """(3, 3) pinhole matrix [pixels]."""
        return self.camera_matrix.array()

    @property
    def distortion(self) -> FloatArray:
        """(n,) coefficients."""
        return np.array(self.distortion_coefficients.data, dtype=np.float64)

    def check_size(self, width: int, height: int) -> None:
        """Raise ReinsError unless pictures of this size are what it is for."""
        if (width, height) != (self.image_width, self.image_height):
            raise ReinsError(
                f"the calibration is for {self.image_width}x{self.image_height} and the pictures are {width}x{height}; "
                "ask the camera for that resolution, or calibrate it again with `reins calibrate intrinsics`"
            )

    def write(self, path: Path) -> None:
        """Write it as camera_info_manager and image_proc read it.

        Raises:
            ReinsError: the file cannot be written.
        """
        identity, pinhole = np.eye(3), np.hstack([self.matrix, np.zeros((3, 1))])
        document: dict[str, Any] = self.model_dump()
        document |= {"rectification_matrix": matrix_of(identity), "projection_matrix": matrix_of(pinhole)}
        for key, value in document.items():
            if isinstance(value, dict):
                document[key] = value | {"data": [float(number) for number in value["data"]]}
        try:
            path.write_text(yaml.safe_dump(document, sort_keys=False, default_flow_style=None), encoding="utf-8")
        except OSError as error:
            raise ReinsError(f"the calibration cannot be written to '{path}': {error.strerror}") from error


def matrix_of(array: FloatArray) -> dict[str, Any]:
    """A matrix (rows, cols) as it stands in the file."""
    rows, cols = array.shape
    return {"rows": rows, "cols": cols, "data": [float(number) for number in array.ravel()]}


def intrinsics_from(
    matrix: FloatArray, distortion: FloatArray, width: int, height: int, name: str, model: str = "plumb_bob"
) -> Intrinsics:
    """A calibration from arrays: matrix (3, 3) [pixels], distortion (n,) of a model of MODELS."""
    return Intrinsics.model_validate(
        {
            "image_width": width,
            "image_height": height,
            "camera_name": name,
            "camera_matrix": matrix_of(matrix),
            "distortion_model": model,
            "distortion_coefficients": matrix_of(distortion.reshape(1, -1)),
        }
    )


def load_intrinsics(path: Path) -> Intrinsics:
    """Read a calibration file of ROS.

    Raises:
        ReinsError: no such file, not YAML, or not a calibration; names the field.
    """
    return read_document("calibration", path, TypeAdapter(Intrinsics))


class Rectifier:
    """Takes the distortion out of pictures; the pinhole matrix stays.

    Args:
        intrinsics: of the camera.
    """

    def __init__(self, intrinsics: Intrinsics) -> None:
        self._intrinsics = intrinsics
        self._maps: tuple[Any, Any] | None = None
        if np.any(intrinsics.distortion != 0.0):
            size = (intrinsics.image_width, intrinsics.image_height)
            matrix = intrinsics.matrix
            first, second = cv2.initUndistortRectifyMap(
                matrix, intrinsics.distortion, np.eye(3), matrix, size, cv2.CV_16SC2
            )
            self._maps = first, second

    def rectified(self, picture: Picture) -> Picture:
        """(h, w, 3) picture as a pinhole camera has it. Where the lens did not see it goes on as at the border: a black
        rim would be an edge that is sharp in a blurred picture, too.

        Raises:
            ReinsError: the calibration is for another size.
        """
        return np.asarray(self._mapped(picture, cv2.INTER_LINEAR, cv2.BORDER_REPLICATE), np.uint8)

    def rectified_depth(self, depth: NDArray[np.float32]) -> NDArray[np.float32]:
        """(h, w) distance along the optical axis [m], registered to the picture: of the nearest pixel, for between two
        things there is nothing; 0 where the lens did not see.

        Raises:
            ReinsError: the calibration is for another size.
        """
        return np.asarray(self._mapped(depth, cv2.INTER_NEAREST, cv2.BORDER_CONSTANT), np.float32)

    def _mapped(self, image: NDArray[Any], how: int, border: int) -> NDArray[Any]:
        self._intrinsics.check_size(image.shape[1], image.shape[0])
        if self._maps is None:
            return image
        return np.asarray(cv2.remap(image, self._maps[0], self._maps[1], how, borderMode=border))
