"""Reports side by side: a page that stands alone, with a bar and an interval for every share."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from reins.bench.compare import Bar, differences, names_of, read_report, rows_of, write_comparison
from reins.bench.report import Report
from reins.cli.app import app
from reins.contracts.errors import ReinsError

VOID = {"meta", "br", "img", "link", "hr"}


class Page(HTMLParser):
    """Reads a page, and fails where its tags do not match.

    Attributes:
        widths, lefts: of every element with such a style, by class [%].
        text: all of it.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.open: list[str] = []
        self.styles: list[tuple[str, str]] = []
        self.text = ""
        self.feed(path.read_text(encoding="utf-8"))
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        if found.get("style"):
            self.styles.append((str(found.get("class")), str(found["style"])))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def of(self, kind: str) -> list[str]:
        """Styles of a class."""
        return [style for name, style in self.styles if name == kind]


def report(planner: str = "symbolic", rate: float = 0.75, suite: str = "planning", **settings: Any) -> Report:
    summary = {
        "success_rate": rate,
        "success_ci95": [rate - 0.1, rate + 0.1],
        "suites": {"single": {"valid_rate": 1.0, "valid_ci95": [0.8, 1.0], "length": 1.25}},
        "latency_s": {"p50": 0.0125},
    }
    episodes = [
        {"instruction": "go home", "success": True, "reason": ""},
        {"instruction": "throw <b>it</b>", "success": planner == "symbolic", "reason": "a & b"},
    ]
    return Report(suite, {"planner": planner, **settings}, summary, episodes)


def test_every_share_is_a_bar_with_its_interval(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "page.html"
    write_comparison([report(), report("llama_cpp", 0.5)], path)
    page = Page(path)
    assert page.of("bar") == ["width:75.00%", "width:50.00%", "width:100.00%", "width:100.00%"]
    assert page.of("interval")[0] == "left:65.00%;width:20.00%"
    assert "75.0 %" in page.text and "suites.single.length" in page.text and "0.0125" in page.text
    assert "suites.single.valid" in page.text and "success_ci95" not in page.text


def test_it_fetches_nothing_and_runs_nothing(tmp_path: Path) -> None:
    write_comparison([report(), report("<script>alert(1)</script>")], tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert not re.search(r"https?:|<script|src=|@import|url\(", text)
    assert "throw &lt;b&gt;it&lt;/b&gt;" in text and "a &amp; b" in text


def test_where_they_differ_is_shown_with_the_reason() -> None:
    (difference,) = differences([report(), report("llama_cpp")])
    assert (difference.instruction, difference.succeeded) == ("throw <b>it</b>", [True, False])
    other = Report("planning", {}, {}, [{"instruction": "something else", "success": False}])
    assert differences([report(), other]) == []


def test_one_report_is_a_page_too(tmp_path: Path) -> None:
    write_comparison([report()], tmp_path / "page.html")
    assert "Where they differ" not in Page(tmp_path / "page.html").text


def test_figures_that_one_of_them_lacks_are_left_open(tmp_path: Path) -> None:
    bare = Report("planning", {"planner": "x"}, {"replans": 3, "broken_rate": 0.5, "broken_ci95": "often"}, [])
    rows = {row.name: row for row in rows_of([report().summary, bare.summary])}
    assert rows["replans"].values == ["–", "3"]
    assert rows["success"].bars == [Bar(0.75, 0.65, 0.85), None]
    assert rows["broken"].bars == [None, None]
    write_comparison([report(), bare], tmp_path / "page.html")
    Page(tmp_path / "page.html")


def test_a_figure_that_there_is_none_of_is_a_dash() -> None:
    assert [list(row.values) for row in rows_of([{"duration_s": None}, {"duration_s": 1.5}])] == [["–", "1.5"]]


def test_reports_are_called_by_what_tells_them_apart() -> None:
    assert names_of([report(), report("llama_cpp")]) == ["symbolic", "llama_cpp"]
    one, two = (report("llama_cpp", model=f"/models/{name}.gguf", mode="front_end") for name in "ab")
    assert names_of([one, two]) == ["a.gguf", "b.gguf"]
    assert names_of([one, one]) == ["llama_cpp (1)", "llama_cpp (2)"]


class TestCommand:
    """`reins bench compare`."""

    def reins(self, *arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(app, ["bench", "compare", *arguments])
        return result.exit_code, " ".join(result.output.split())

    def test_it_writes_the_page(self, tmp_path: Path) -> None:
        for name in ("symbolic", "scripted"):
            report(name).write_json(tmp_path / f"{name}.json")
        files = [str(tmp_path / f"{name}.json") for name in ("symbolic", "scripted")]
        code, output = self.reins(*files, "--out", str(tmp_path / "page.html"))
        assert code == 0 and "wrote" in output
        assert "symbolic · scripted" in Page(tmp_path / "page.html").text
        assert read_report(Path(files[0])) == report("symbolic")

    @pytest.mark.parametrize(
        ("content", "told"),
        [
            (None, "there is no file"),
            ("{", "cannot be read as JSON"),
            ("[]", "is no report of `reins bench`: it has no suite"),
            (json.dumps({"suite": "x", "settings": {}, "summary": [], "episodes": []}), "it has no summary"),
            (json.dumps({"suite": "x", "settings": {}, "summary": {}, "episodes": [1]}), "an episode is not a record"),
        ],
    )
    def test_a_file_that_is_no_report(self, tmp_path: Path, content: str | None, told: str) -> None:
        path = tmp_path / "bad.json"
        if content is not None:
            path.write_text(content, encoding="utf-8")
        code, output = self.reins(str(path), "--out", str(tmp_path / "page.html"))
        assert code == 2 and told in output and not (tmp_path / "page.html").exists()

    def test_reports_of_different_suites(self, tmp_path: Path) -> None:
        report().write_json(tmp_path / "a.json")
        report(suite="tabletop").write_json(tmp_path / "b.json")
        code, output = self.reins(str(tmp_path / "a.json"), str(tmp_path / "b.json"))
        assert code == 2 and "these are of planning, tabletop" in output


def test_no_report_at_all(tmp_path: Path) -> None:
    with pytest.raises(ReinsError, match="none at all"):
        write_comparison([], tmp_path / "page.html")
