"""Which cameras see: both sides of the age limit, frozen ones, each change told once."""

import pytest

from reins.perception.sight import Sight, SightChange

LIMIT = 3.0


@pytest.fixture
def sight() -> Sight:
    return Sight(["overhead", "wrist"], LIMIT)


def kinds(changes: list[SightChange]) -> list[tuple[str, str]]:
    return [(change.camera, change.kind) for change in changes]


def test_it_is_clear_once_every_camera_has_given_a_picture(sight: Sight) -> None:
    assert sight.judge({"overhead": 1.0}, (), 1.0) == [] and not sight.is_clear
    assert sight.judge({"overhead": 1.0, "wrist": 1.1}, (), 1.1) == [] and sight.is_clear


def test_without_cameras_it_is_clear() -> None:
    assert Sight([], LIMIT).is_clear


@pytest.mark.parametrize(("age", "clear"), [(LIMIT, True), (LIMIT + 1e-6, False)])
def test_exactly_at_the_limit(sight: Sight, age: float, clear: bool) -> None:
    sight.judge({"overhead": 5.0, "wrist": 5.0}, (), 5.0)
    told = sight.judge({"overhead": 5.0 + age, "wrist": 5.0}, (), 5.0 + age)
    assert sight.is_clear is clear
    assert kinds(told) == ([] if clear else [("wrist", "camera_stale")])


def test_one_that_never_gives_a_picture_is_told_after_the_limit(sight: Sight) -> None:
    assert sight.judge({}, (), 10.0) == []
    assert sight.judge({"overhead": 12.9}, (), 12.9) == []
    told = sight.judge({"overhead": 13.1}, (), 13.1)
    assert kinds(told) == [("wrist", "camera_stale")]
    assert "'wrist' has given no good picture for 3.1 s" in told[0].text and not sight.is_clear


def test_before_robot_time_is_known_nothing_counts(sight: Sight) -> None:
    assert sight.judge({}, (), None) == []
    assert sight.judge({}, (), 10_000.0) == [], "a robot that runs for hours, and a camera that has just begun"
    assert len(sight.judge({}, (), 10_000.0 + LIMIT + 0.1)) == 2


def test_frozen_is_told_once_and_so_is_its_end(sight: Sight) -> None:
    both = {"overhead": 1.0, "wrist": 1.0}
    sight.judge(both, (), 1.0)
    assert kinds(sight.judge(both, {"overhead"}, 1.2)) == [("overhead", "camera_frozen")]
    assert sight.judge(both, {"overhead"}, 60.0)[1:] == [] and not sight.is_clear
    assert kinds(sight.judge({"overhead": 61.0, "wrist": 61.0}, (), 61.0)) == [
        ("overhead", "camera_back"),
        ("wrist", "camera_back"),
    ]
    assert sight.is_clear


def test_robot_time_that_starts_again_gives_new_time(sight: Sight) -> None:
    sight.judge({}, (), 100.0)
    assert sight.judge({}, (), 1.0) == []
    assert sight.judge({}, (), 3.9) == []
    assert kinds(sight.judge({}, (), 4.1)) == [("overhead", "camera_stale"), ("wrist", "camera_stale")]


def test_the_reason_is_told_where_it_is_known(sight: Sight) -> None:
    sight.judge({"overhead": 1.0, "wrist": 1.0}, (), 1.0)
    assert not sight.blind
    (change,) = sight.judge({"overhead": 9.0, "wrist": 1.0}, (), 9.0, {"wrist": "it is black"})
    words = "camera 'wrist' has given no good picture for 8.0 s (it is black)"
    assert change.text == f"{words}: no scene until it sees again" and sight.blind == {"wrist": words}
    sight.judge({"overhead": 9.5, "wrist": 9.5}, (), 9.5)
    assert not sight.blind
