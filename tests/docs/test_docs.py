"""The documents speak of things that exist: links, files, commands with their options, and snippets that run."""

import re
import shlex
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reins.cli.app import app
from reins.skills import registry

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

OWN = {"demo": ["demo"], "test": [], "setup": [], "python": []}
"""Commands of `./run` itself, and what of them is a reins command."""


def blocks(language: str) -> Iterator[tuple[str, str]]:
    """(document, text) of every fenced block in that language."""
    for document in DOCUMENTS:
        for text in re.findall(rf"^```{language}\n(.*?)^```", document.read_text(encoding="utf-8"), re.M | re.S):
            yield document.name, text


def commands() -> list[tuple[str, str]]:
    """(document, line) of every `./run …` and `reins …` line in shell blocks and in inline code."""
    found = {(name, line.strip()) for name, text in blocks("sh") for line in text.splitlines()}
    for document in DOCUMENTS:
        for inline in re.findall(r"`((?:\./run|reins) [a-z][^`]*)`", document.read_text(encoding="utf-8")):
            found.add((document.name, inline))
    return sorted((name, line) for name, line in found if line.startswith(("./run ", "reins ")))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_and_named_files_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text) if "://" not in link]
    named = re.findall(r"`((?:reins|tests|docs|launch|ros2_ws|tools)/[\w./-]*\w/?)`", text)
    for link in links:
        assert (document.parent / link).exists(), f"{document.name} links to {link}"
    for name in named:
        assert (ROOT / name).exists(), f"{document.name} names {name}"


@pytest.mark.parametrize(("document", "line"), commands())
def test_commands_exist_with_their_options(document: str, line: str) -> None:
    words = shlex.split(line.split(" #")[0].replace("…", ""))[1:]
    words = words[: words.index("|")] if "|" in words else words
    if words[0] in OWN:
        words = OWN[words[0]] + words[1:] if OWN[words[0]] else []
    path: list[str] = []
    for word in words:
        if word.startswith("-") or not re.fullmatch(r"[a-z_-]+", word) or not _is_command([*path, word]):
            break
        path.append(word)
    if not words:
        return
    assert path, f"{document}: '{line}' is no reins command"
    text = CliRunner().invoke(app, [*path, "--help"], env={"COLUMNS": "200", "TERM": "dumb"}).output
    for option in re.findall(r"(?<!\S)(--[a-z-]+)", line):
        assert option in text, f"{document}: '{line}': no option {option}"


def _is_command(path: list[str]) -> bool:
    return CliRunner().invoke(app, [*path, "--help"]).exit_code == 0


def snippets() -> list[tuple[str, str]]:
    """(document, text) of the Python blocks; those about training where the extra `train` is installed."""
    trained = find_spec("gymnasium") is not None
    return [(document, text) for document, text in blocks("python") if trained or "gymnasium" not in text]


@pytest.mark.parametrize(("document", "text"), snippets())
def test_snippets_run(document: str, text: str) -> None:
    exec(compile(text, document, "exec"), dict(vars(registry)))
