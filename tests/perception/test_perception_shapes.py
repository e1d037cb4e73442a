"""What is no block and no dish, what little of a thing tells, and how bright white is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.perception.colours import COLOURS, GAIN, ColourTable, exposure_gain
from reins.perception.hidden import feet
from reins.perception.segment import Blob
from reins.perception.shapes import Detection, commonest, detections_of

PIXEL = 0.003


def blob(points: np.ndarray, hidden: float = 0.0, colour: str = "red") -> Blob:
    """All points visible from above, one a pixel; the outline is of those that have none beside them."""
    xy = np.round(points[:, :2] / PIXEL).astype(int)
    there = set(map(tuple, xy.tolist()))
    steps = ((1, 0), (-1, 0), (0, 1), (0, -1))
    edge = np.array([any((x + dx, y + dy) not in there for dx, dy in steps) for x, y in xy.tolist()])
    area = np.full(len(points), PIXEL**2, np.float32)
    return Blob(COLOURS.index(colour), points.astype(np.float32), area, edge, hidden, PIXEL)


def grid(half: float) -> tuple[np.ndarray, np.ndarray]:
    line = np.arange(-half, half + 1e-9, PIXEL)
    x, y = np.meshgrid(line, line)
    return x.ravel(), y.ravel()


def disc(radius: float, height: float) -> np.ndarray:
    x, y = grid(radius)
    inside = np.hypot(x, y) <= radius
    return np.column_stack([x[inside] + 0.5, y[inside], np.full(inside.sum(), height)])


def ball(radius: float) -> np.ndarray:
    x, y = grid(radius)
    inside = np.hypot(x, y) < 0.98 * radius
    x, y = x[inside], y[inside]
    return np.column_stack([x + 0.5, y, radius + np.sqrt(radius**2 - x**2 - y**2)])


def block(side: float) -> np.ndarray:
    x, y = grid(side / 2)
    return np.column_stack([x + 0.5, y, np.full(len(x), side)])


def labels(points: np.ndarray) -> list[str]:
    return [found.label for found in detections_of(blob(points), "overhead")]


@pytest.mark.parametrize("side", [0.032, 0.040, 0.050])
def test_a_block_is_a_block(side: float) -> None:
    assert labels(block(side)) == ["block"]


@pytest.mark.parametrize("radius", [0.018, 0.025, 0.035])
def test_a_ball_is_nothing_that_we_know(radius: float) -> None:
    assert labels(ball(radius)) == []


@pytest.mark.parametrize("radius", [0.020, 0.028, 0.040, 0.060])
@pytest.mark.parametrize("height", [0.012, 0.080])
def test_a_disc_and_a_can_are_nothing_that_we_know(radius: float, height: float) -> None:
    assert labels(disc(radius, height)) == []


def test_a_plate_is_lower_inside() -> None:
    points = disc(0.07, 0.012)
    points[np.hypot(points[:, 0] - 0.5, points[:, 1]) < 0.062, 2] = 0.006
    assert labels(points) == ["plate"]


def test_noise_does_not_make_a_plate_of_a_disc() -> None:
    points = disc(0.045, 0.012)
    points[:, 2] += np.random.default_rng(1).normal(0.0, 0.002, len(points))
    assert labels(points) == []


@given(st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=60))
def test_the_commonest_value_is_within(values: list[float]) -> None:
    assert min(values) - 1e-9 <= commonest(np.array(values)) <= max(values) + 1e-9


@given(level=st.floats(-1.0, 1.0), others=st.lists(st.floats(2.0, 3.0), max_size=20))
def test_a_lesser_half_does_not_move_the_commonest(level: float, others: list[float]) -> None:
    values = np.array([level] * (len(others) + 1) + others)
    assert commonest(values) == pytest.approx(level)


class TestFeet:
    """A red block stands on something green, of which a side is visible."""

    UPPER = Detection(
        "block", "red", np.array([0.5, 0.0]), 0.0, np.full(2, 0.04), 0.08, 0.08, True, 0.0, PIXEL,
        np.zeros((9, 3), np.float32), "wrist",
    )  # fmt: skip

    def side(self, offset: float, top: float, colour: str = "green") -> Blob:
        y, z = np.meshgrid(np.arange(-0.02, 0.02, PIXEL), np.arange(0.005, top + 1e-9, PIXEL))
        z += top - z.max()
        points = np.column_stack([np.full(y.size, 0.5 + offset), y.ravel(), z.ravel()])
        return blob(points, hidden=0.4, colour=colour)

    def test_is_where_it_must_be(self) -> None:
        (foot,) = feet([(self.side(0.025, 0.04), "wrist")], [self.UPPER])
        assert (foot.label, foot.colour, foot.sure, foot.complete) == ("block", "green", True, False)
        assert foot.centre == pytest.approx([0.505, 0.0], abs=0.002), "moved until it reaches the side that is seen"
        assert foot.extent == pytest.approx([0.04, 0.04]) and foot.top == pytest.approx(0.04)

    @pytest.mark.parametrize("offset, top, colour", [
        (0.09, 0.04, "green"),  # beside it
        (0.02, 0.02, "green"),  # too low to carry it
        (0.02, 0.04, "red"),  # its own side
    ])  # fmt: skip
    def test_nothing_else_is_a_foot(self, offset: float, top: float, colour: str) -> None:
        assert not list(feet([(self.side(offset, top, colour), "wrist")], [self.UPPER]))


class TestExposure:
    @given(light=st.floats(0.5, 1.0))
    def test_white_stays_white_in_less_light(self, light: float) -> None:
        image = np.full((40, 40, 3), round(60 * light), np.uint8)
        image[::4, ::4] = round(235 * light)
        pixel = np.full((1, 3), round(235 * light), np.uint8)
        assert COLOURS[ColourTable().classify(pixel, exposure_gain(image))[0]] == "white"

    @given(st.integers(0, 255))
    def test_the_gain_has_bounds(self, value: int) -> None:
        low, high = GAIN
        assert low <= exposure_gain(np.full((16, 16, 3), value, np.uint8)) <= high

    def test_no_pixels_have_no_colour(self) -> None:
        assert ColourTable().classify(np.zeros((0, 3), np.uint8), 1.5).shape == (0,)
