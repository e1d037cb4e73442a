"""`tools/mutate.py` knows every module of reins/safety, and what a mutant changes."""

import re
from pathlib import Path

import mutate
import pytest

ROOT = Path(__file__).parents[2]

DIFF = """\
# reins.safety.limits.x_braked__mutmut_3: survived
--- reins/safety/limits.py
+++ reins/safety/limits.py
@@ -1,4 +1,4 @@
 def braked(velocity: FloatArray) -> FloatArray:
-    if elapsed >= total:
+    if elapsed > total:
         return np.zeros_like(velocity)
"""

DOCUMENT = """\
## What survives

### limits

- `braked`: `if elapsed >= total:` →
  `if elapsed > total:`. Both are zero there.

### motion

Nothing.

## Otherwise
"""


def test_every_module_has_its_judges() -> None:
    room = ROOT / "reins" / "safety"
    modules = {path.relative_to(room).with_suffix("").as_posix() for path in room.rglob("*.py")}
    assert set(mutate.JUDGES) == {module for module in modules if not module.endswith("__init__")}


@pytest.mark.parametrize("module", mutate.JUDGES)
def test_the_judges_exist(module: str) -> None:
    for judge in mutate.JUDGES[module]:
        name, _, group = judge.partition("::")
        text = (ROOT / "tests" / "safety" / name).read_text(encoding="utf-8")
        assert not group or re.search(rf"^class {group}\b", text, re.M), judge


def test_a_survivor_is_the_line_as_it_was_and_as_it_became() -> None:
    survivor = mutate.changed("x", DIFF.splitlines())
    assert str(survivor) == "`if elapsed >= total:` → `if elapsed > total:`"


@pytest.mark.parametrize("module, justified", [("limits", True), ("motion", False), ("filter", False)])
def test_it_is_justified_in_the_section_of_its_module(module: str, justified: bool) -> None:
    survivor = mutate.changed("x", DIFF.splitlines())
    assert (str(survivor) in mutate.justifications(DOCUMENT, module)) is justified


@pytest.mark.parametrize(
    "arguments, said", [([], "name a module"), (["limit"], "no module limit; there are: approach")]
)
def test_a_module_that_does_not_exist_is_told(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        mutate.main(arguments)
    assert said in capsys.readouterr().err
