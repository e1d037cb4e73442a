"""The picture of the modes in the docs is the table in the code."""

from pathlib import Path

from reins.safety.modes import mermaid

SAFETY = Path(__file__).parents[2] / "docs" / "safety.md"


def test_the_diagram_is_the_table() -> None:
    assert f"```mermaid\n{mermaid().strip()}\n" in SAFETY.read_text(encoding="utf-8")
