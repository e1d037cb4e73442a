"""What is wrong with each camera now: the worst of a look, mended by a good picture, changes told once."""

import pytest

from reins.contracts.event import Severity
from reins.perception.health import CameraHealth
from reins.perception.image import Diagnostic

BLACK = Diagnostic("wrist", Severity.ERROR, "black", "camera 'wrist': the colour image is black")
OLD = Diagnostic("wrist", Severity.WARN, "stale", "the image of camera 'wrist' is 3.0 s old")


@pytest.fixture
def health() -> CameraHealth:
    return CameraHealth(["overhead", "wrist"])


def kinds(health: CameraHealth) -> list[tuple[Severity, str]]:
    return [(report.severity, report.kind) for report in health.reports]


def test_a_camera_that_has_given_nothing_is_not_well(health: CameraHealth) -> None:
    assert kinds(health) == [(Severity.WARN, "new")] * 2


def test_trouble_stays_until_a_good_picture_comes(health: CameraHealth) -> None:
    assert health.take(["overhead", "wrist"], [BLACK])
    assert kinds(health) == [(Severity.INFO, "ok"), (Severity.ERROR, "black")]
    assert health.reasons == {"wrist": "the colour image is black"}
    assert not health.take(["overhead"], []), "nothing new"
    assert health.reasons == {"wrist": "the colour image is black"}
    assert health.take(["wrist"], [])
    assert not health.reasons and health.reports[1].left_out == 1


def test_the_worst_of_a_look_counts_and_its_repetition_is_no_change(health: CameraHealth) -> None:
    assert health.take(["wrist"], [OLD, BLACK, OLD])
    assert kinds(health)[1] == (Severity.ERROR, "black")
    assert not health.take(["wrist"], [BLACK])
    assert health.reports[1].left_out == 2
    assert health.take(["wrist"], [OLD]) and not health.reasons


def test_what_is_about_another_camera_is_left_alone(health: CameraHealth) -> None:
    assert not health.take([], [Diagnostic("door", Severity.ERROR, "black", "…")])
    assert kinds(health) == [(Severity.WARN, "new")] * 2
