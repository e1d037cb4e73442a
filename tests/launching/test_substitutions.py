import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.contracts.errors import ReinsError
from reins.launching.substitutions import Scope, SubstitutionError, parse_template

SCOPE = Scope(variables={"robot": "franka", "name": "robot"}, environment={"HOME": "/home/x"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("plain", "plain"),
        ("$(var robot)", "franka"),
        ("a $(var robot) b", "a franka b"),
        ("$(var $(var name))", "franka"),
        ("$(var missing default)", "default"),
        ("$(var missing 'two words')", "two words"),
        ('$(var missing "$(var robot) arm")', "franka arm"),
        ("$(var missing '')", ""),
        ("$(var missing $(env HOME)/x)", "/home/x/x"),
        ("$(env HOME)", "/home/x"),
        ("$(env MISSING there)", "there"),
        (r"\$(var robot)", "$(var robot)"),
        ("$5", "$5"),
        (r"a\\b", r"a\b"),
        ("it's", "it's"),
    ],
)
def test_performs_as_upstream(text: str, expected: str) -> None:
    assert parse_template(text).perform(SCOPE) == expected


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("$(eval 1+1)", "eval"),
        ("$(vra robot)", "did you mean 'var'"),
        ("$(var robot", "not closed"),
        ("$(var)", "takes 1 to 2"),
        ("$(find-pkg-share a b)", "takes 1"),
        ("$(var a 'b)", "quote"),
        ("$()", "name of a substitution"),
        ("$(var  robot)", "empty"),
        ("$(var robto)", "did you mean 'robot'"),
        ("$(env MISSING)", "MISSING"),
        ("$(find-pkg-share no_such_package)", "no_such_package"),
    ],
)
def test_says_what_is_wrong(package: Path, text: str, named: str) -> None:
    with pytest.raises(ReinsError, match=named):
        parse_template(text).perform(SCOPE)


@given(st.text(alphabet=st.characters(exclude_characters="$\\", codec="utf-8")))
def test_text_without_signs_stays(text: str) -> None:
    assert parse_template(text).perform(SCOPE) == text


@given(st.text(alphabet="$(){}'\" \\abvr-", max_size=20))
def test_never_fails_otherwise(text: str) -> None:
    with contextlib.suppress(SubstitutionError):
        parse_template(text).perform(SCOPE)
