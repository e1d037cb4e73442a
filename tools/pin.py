"""Writes requirements/constraints.txt: every package that set-up installs, pinned, for each supported Python.

    python tools/pin.py PYTHON3.10 PYTHON3.11 PYTHON3.12 PYTHON3.13

Each argument is an interpreter of one version; pip resolves the requirement files for it without installing anything.
The direct pins stay where they are; this file only holds still what they bring along.
"""

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

REQUIREMENTS = Path(__file__).resolve().parent.parent / "requirements"
GROUPS = ("runtime", "ros", "dev", "llm")
HEADER = "# Written by tools/pin.py: everything that runtime.txt, ros.txt, dev.txt and llm.txt bring along.\n"


def resolve(python: str) -> tuple[str, dict[str, str]]:
    """The Python version (as `3.11`) and the packages, name to version, that pip would install for `python`."""
    command = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--ignore-installed"]
    for group in GROUPS:
        command += ["--requirement", str(REQUIREMENTS / f"{group}.txt")]
    report = json.loads(subprocess.run([*command, "--dry-run", "--report", "-"], check=True, stdout=-1).stdout)
    found = {normal(item["metadata"]["name"]): item["metadata"]["version"] for item in report["install"]}
    return report["environment"]["python_version"], found


def normal(name: str) -> str:
    """A package's name as the index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def direct() -> set[str]:
    """The names that the requirement files pin themselves."""
    lines = [line for group in GROUPS for line in (REQUIREMENTS / f"{group}.txt").read_text().splitlines()]
    return {normal(line.partition("==")[0]) for line in lines if "==" in line}


def merge(resolved: dict[str, dict[str, str]]) -> list[str]:
    """Constraint lines: one without a marker where all Pythons agree, else one for each version."""
    lines = []
    for name in sorted({name for packages in resolved.values() for name in packages} - direct()):
        pythons = defaultdict(list)
        for python, packages in resolved.items():
            if name in packages:
                pythons[packages[name]].append(python)
        if len(pythons) == 1:
            lines.append(f"{name}=={next(iter(pythons))}")
            continue
        for version, those in sorted(pythons.items()):
            marker = " or ".join(f'python_version == "{python}"' for python in sorted(those))
            lines.append(f"{name}=={version}; {marker}")
    return lines


if __name__ == "__main__":
    lines = merge(dict(resolve(python) for python in sys.argv[1:]))
    (REQUIREMENTS / "constraints.txt").write_text(HEADER + "\n".join(lines) + "\n")
