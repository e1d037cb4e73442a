"""Message definitions with all that they use."""

from pathlib import Path

import pytest
from blackbox_files import shares

from reins.blackbox.schemas import SEPARATOR, schema_text
from reins.contracts.errors import ReinsError


def definitions(text: str) -> dict[str, str]:
    first, *others = text.split(SEPARATOR + "\n")
    named = [part.removeprefix("MSG: ").partition("\n") for part in others]
    return {"": first} | {name: body for name, _, body in named}


def test_all_that_is_used_at_any_depth_is_there_once(tmp_path: Path) -> None:
    found = definitions(schema_text("reins_msgs/msg/Plan", shares(tmp_path)))
    assert set(found) == {
        "",
        "std_msgs/Header",
        "builtin_interfaces/Time",
        "reins_msgs/SkillCall",
        "reins_msgs/Argument",
        "reins_msgs/Constraint",
        "geometry_msgs/Point",
        "geometry_msgs/Vector3",
    }
    assert "SkillCall[] steps" in found[""]
    assert found["builtin_interfaces/Time"].startswith("int32 sec\n")


def test_constants_bounds_and_comments_are_no_types(tmp_path: Path) -> None:
    (tmp_path / "p" / "msg").mkdir(parents=True)
    (tmp_path / "p" / "msg" / "A.msg").write_text(
        "# Other thing\nuint8 ONE=1\nstring<=5 word\nfloat64[<=3] few 1.0\nB[2] pair  # C other\np/D[] d\nchar c\n"
    )
    for name in "BD":
        (tmp_path / "p" / "msg" / f"{name}.msg").write_text("bool yes\n")
    assert set(definitions(schema_text("p/A", lambda package: tmp_path / package))) == {"", "p/B", "p/D"}


def test_a_missing_definition_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReinsError, match="reins_msgs/Nothing cannot be read"):
        schema_text("reins_msgs/msg/Nothing", shares(tmp_path))
