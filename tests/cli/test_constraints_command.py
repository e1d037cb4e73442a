"""Words of the command line to constraints; what is wrong is named before a graph is asked."""

import pytest
from typer.testing import CliRunner

from reins.cli.app import app
from reins.cli.console import ExitCode
from reins.cli.constraints import parse_constraint
from reins.contracts.errors import ReinsError
from reins.contracts.plan import Constraint


@pytest.mark.parametrize(
    ("words", "constraint"),
    [
        (["avoid", "yellow_block"], Constraint(kind="avoid", object="yellow_block", set_by="operator")),
        (["speed", "0.25"], Constraint(kind="speed", scale=0.25, set_by="operator")),
        (["payload", "0.4"], Constraint(kind="payload", mass=0.4, set_by="operator")),
        (
            ["keep_out", "0.5", "-0.2", "0.1", "0.2", "0.3", "0.4"],
            Constraint(kind="keep_out", centre=(0.5, -0.2, 0.1), size=(0.2, 0.3, 0.4), set_by="operator"),
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_each_kind(words: list[str], constraint: Constraint) -> None:
    assert parse_constraint(words[0], words[1:]) == constraint


@pytest.mark.parametrize("distance", [0.01, 0.8, 10.0])
def test_what_is_avoided_may_have_a_distance(distance: float) -> None:
    constraint = parse_constraint("avoid", ["person"], distance)
    assert constraint == Constraint(kind="avoid", object="person", distance=distance, set_by="operator")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["avoids", "yellow_block"], "did you mean 'avoid'"),
        (["avoid", "yellow", "block"], "takes 1 words: avoid OBJECT"),
        (["keep_out", "1", "2"], "takes 6 words: keep_out X Y Z LENGTH WIDTH HEIGHT"),
        (["keep_out", "0.5", "0", "0", "0.1", "0.1", "0"], "greater than 0 m"),
        (["keep_out", "0.5", "0", "0", "0.1", "0.1", "-0.1"], "greater than 0 m"),
        (["speed", "fast"], "SCALE is 'fast'"),
        (["speed", "0"], "greater than 0"),
        (["speed", "1.01"], "less than or equal to 1"),
        (["speed", "nan"], "finite"),
        (["payload", "-1"], "greater than or equal to 0"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_wrong_is_named(words: list[str], said: str) -> None:
    with pytest.raises(ReinsError) as error:
        parse_constraint(words[0], words[1:])
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["constraints", "add", "payload", "-1"], "greater than or equal to 0"),
        (["constraints", "add", "avoid", "person", "--distance", "-0.8"], "the distance is -0.8 m"),
        (["constraints", "add", "avoid", "person", "--distance", "0"], "the distance is 0 m"),
        (["constraints", "add", "avoid", "person", "--distance", "nan"], "the distance is nan m"),
        (["constraints", "add", "avoid", "person", "--distance", "inf"], "finite"),
        (["constraints", "add", "--distance", "10.01", "avoid", "person"], "less than or equal to 10"),
        (["constraints", "add", "speed", "0.5", "--distance", "0.8"], "goes with `avoid OBJECT`, not with `speed`"),
        (["constraints", "remove"], "--all-of"),
        (["constraints", "remove", "planner-1", "--all-of", "planner"], "--all-of"),
        (["speed", "0"], "greater than 0"),
        (["speed", "1.5"], "at most 1"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_the_command_ends_with_one_line(words: list[str], said: str) -> None:
    result = CliRunner().invoke(app, words)
    assert result.exit_code == ExitCode.ERROR
    assert said in result.stderr.replace("\n", " ")
