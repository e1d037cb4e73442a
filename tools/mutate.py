"""Mutation testing of reins/safety: mutmut puts small faults into a module, one at a time, and tests must find each.

docs/mutation_testing.md lists those that no test can find, with the reason. Any other that survives fails this run.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
SAFETY: Final = Path("reins/safety")
TESTS: Final = Path("tests/safety")
DOCUMENT: Final = ROOT / "docs" / "mutation_testing.md"
WORK: Final = ROOT / "out" / "mutation"
MESSAGES: Final = Path("ros2_ws/src/reins_msgs")

SENTENCES: Final = "test_sentences.py"
PARTS: Final = (SENTENCES, "test_parts.py")

JUDGES: Final[Mapping[str, Sequence[str]]] = {
    "approach": ("test_approach.py",),
    "arm": ("test_arm_mover.py",),
    "bodies": ("test_bodies.py",),
    "clearance": ("test_clearance.py", "test_collision.py::TestDistances"),
    "clock": PARTS,
    "collision": ("test_collision_guard.py",),
    "constraints": (SENTENCES, "test_constraints.py"),
    "distances": ("test_distances.py",),
    "events": PARTS,
    "faults": PARTS,
    "filter": (
        "test_filter_decisions.py",
        "test_filter.py::TestExactlyAtTheLimit",
        "test_filter.py::TestSafeCommandsPassUnchanged",
        "test_filter.py::TestTooFast",
        "test_filter.py::TestBraking",
        "test_filter.py::TestStartedOutside",
        "test_filter.py::TestWithoutACertificate",
        "test_forces.py::TestThroughTheFilter",
        "test_forces.py::TestWithoutTheForce",
    ),
    "gate": (SENTENCES, "test_validate.py"),
    "kinds": ("legged/test_legged_monitor.py", "test_monitor_events.py"),
    "legged/arc": ("legged/test_legged_arc.py",),
    "legged/filter": ("legged/test_legged_filter_decisions.py", "legged/test_legged_filter.py"),
    "legged/gate": ("legged/test_legged_validate.py",),
    "legged/hazards": ("legged/test_legged_hazards.py",),
    "legged/keep_outs": ("legged/test_legged_arc.py::TestRegions", "legged/test_legged_surroundings.py::TestPlaces"),
    "legged/limits": ("legged/test_legged_limits.py",),
    "legged/motion": ("legged/test_legged_motion.py",),
    "legged/mover": ("legged/test_legged_mover.py", "legged/test_legged_monitor.py"),
    "legged/people": ("legged/test_legged_surroundings.py::TestPeople",),
    "legged/settings": ("legged/test_legged_surroundings.py",),
    "legged/stance": ("legged/test_legged_stance.py",),
    "legged/surroundings": ("legged/test_legged_surroundings.py",),
    "legged/validate": ("legged/test_legged_validate.py",),
    "legged/verdict": ("legged/test_legged_filter.py",),
    "limits": ("test_limits.py", "test_forces.py::TestAffordable", "test_forces.py::TestJerk"),
    "modes": ("test_modes.py",),
    "monitor": (
        "test_monitor_events.py",
        "test_monitor.py",
        "test_separation.py",
        "test_pains.py",
        "test_surroundings.py::TestTheMonitor",
        "legged/test_legged_monitor.py",
    ),
    "motion": ("test_motion.py",),
    "mover": ("test_monitor_events.py",),
    "names": (SENTENCES, "test_surroundings.py::TestKeepOuts"),
    "nearest": ("test_nearest.py",),
    "order": (SENTENCES, "test_validate.py"),
    "processes": ("test_processes.py",),
    "reference": PARTS,
    "rules": (SENTENCES, "test_constraints.py"),
    "separation": (SENTENCES, "test_separation.py::TestRule", "test_separation.py::TestSensors"),
    "settings": PARTS,
    "surroundings": ("test_surroundings.py::TestKeepOuts", "test_surroundings.py::TestHeld"),
    "torque": ("test_forces.py::TestTorqueGuard", "test_forces.py::TestWithoutTheForce"),
    "validate": (SENTENCES, "test_validate.py"),
    "verdict": ("test_filter.py::TestExactlyAtTheLimit",),
    "watchdog": PARTS,
    "workspace": ("test_workspace.py",),
}
"""By module of reins/safety, the tests that its faults are shown to: those that look at it closely, for every fault
runs all that touch it."""

CONFIGURATION: Final = """
[tool.mutmut]
source_paths = ["reins"]
only_mutate = ["{source}"]
also_copy = ["ros2_ws"]
pytest_add_cli_args = ["--hypothesis-profile=mutation", "-m", "not slow"]
pytest_add_cli_args_test_selection = {judges}
use_git_change_detection = false
timeout_constant = 5.0
"""

TIMED_OUT: Final = frozenset({36, 24, -24, 152, 255})
"""Exit statuses of a fault whose tests ran into the time limit. It counts as found, but a busy machine does it, too."""

UNFOUND: Final = frozenset({0, 5, 33, None})
"""Exit statuses that mutmut keeps for a fault that no test found, that no test reached, and that was not looked at."""


@dataclass(frozen=True)
class Survivor:
    """A fault that no test found: the line as it is, and as the fault has it."""

    name: str
    was: str
    became: str

    def __str__(self) -> str:
        return f"`{self.was}` → `{self.became}`"


def main(arguments: Sequence[str]) -> int:
    """Mutate each module that is named. Returns 1 if a fault survives that the document does not justify."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=f"of reins/safety: {', '.join(JUDGES)}")
    parser.add_argument("--all", action="store_true", help="every module, one after another")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="at one time (default: %(default)s)")
    chosen = parser.parse_args(arguments)
    modules: list[str] = list(JUDGES) if chosen.all else chosen.modules
    if not modules:
        parser.error("name a module, or say --all")
    if unknown := sorted(set(modules) - set(JUDGES)):
        parser.error(f"no module {', '.join(unknown)}; there are: {', '.join(JUDGES)}")
    if shutil.which("mutmut") is None:
        parser.error("mutmut is not installed; `./run setup dev` brings it, `./run python tools/mutate.py` finds it")
    justified = [mutate(module, chosen.jobs) for module in modules]
    return 0 if all(justified) else 1


def mutate(module: str, jobs: int) -> bool:
    """Mutate one module and print what came of it. Returns whether every survivor is justified."""
    folder = prepare(module)
    run = subprocess.run(["mutmut", "run", "--max-children", str(jobs)], cwd=folder, check=False)
    kept = json.loads((folder / "mutants" / SAFETY / f"{module}.py.meta").read_text(encoding="utf-8"))
    verdicts: dict[str, int | None] = kept["exit_code_by_key"]
    if verdicts:
        run.check_returncode()  # where there is nothing to mutate it fails, too
    survivors = [survivor_of(folder, name) for name, verdict in verdicts.items() if verdict in UNFOUND]
    print(f"\n{module}: {len(verdicts)} faults, {len(verdicts) - len(survivors)} found, {len(survivors)} survived")
    for name in (name for name, verdict in verdicts.items() if verdict in TIMED_OUT):
        print(f"  found by the time limit alone: {survivor_of(folder, name)}")
    known = justifications(DOCUMENT.read_text(encoding="utf-8"), module)
    for survivor in survivors:
        print(f"  {'justified' if str(survivor) in known else 'NEW'}  {survivor.name}: {survivor}")
    return all(str(survivor) in known for survivor in survivors)


def prepare(module: str) -> Path:
    """A folder for mutmut to work in, with links to what it copies and a configuration for this module."""
    folder = WORK / module
    shutil.rmtree(folder, ignore_errors=True)
    for path in (Path("reins"), TESTS, TESTS.parent / "conftest.py", MESSAGES):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).symlink_to(ROOT / path)
    judges = json.dumps([f"{TESTS}/{name}" for name in JUDGES[module]])
    configuration = CONFIGURATION.format(source=SAFETY / f"{module}.py", judges=judges)
    (folder / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text() + configuration)
    return folder


def survivor_of(folder: Path, name: str) -> Survivor:
    """What the mutant of that name changes."""
    shown = subprocess.run(["mutmut", "show", name], cwd=folder, check=True, capture_output=True, text=True)
    return changed(name, shown.stdout.splitlines())


def changed(name: str, diff: Iterable[str]) -> Survivor:
    """The changed lines of a unified diff, those of each side in one."""
    sides: dict[str, list[str]] = {"-": [], "+": []}
    for line in diff:
        if line[:1] in sides and line[:3] not in ("---", "+++"):
            sides[line[0]] += line[1:].split()
    return Survivor(name, " ".join(sides["-"]), " ".join(sides["+"]))


def justifications(document: str, module: str) -> str:
    """The document's section about a module, in one line; empty if there is none."""
    found = re.search(rf"^### {module}\n(.*?)(?=^##|\Z)", document, re.M | re.S)
    return " ".join(found[1].split()) if found else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
