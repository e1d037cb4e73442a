"""Makes `.venv` and puts the pinned packages into it; finds and mends what an interrupted install left."""

import csv
import os
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from bootstrap.console import Console
from bootstrap.layout import Layout
from bootstrap.problems import Problem
from bootstrap.stamp import entries

PIP_OPTIONS = ("--disable-pip-version-check", "--no-input", "--retries", "2", "--progress-bar", "off")
BUILDER_PYTHON = re.compile(r"/opt/python/cp\d+-cp\d+/include/python3\.\d+")
BUILDER_NUMPY = re.compile(r"/opt/python/cp\d+-cp\d+/lib/python3\.\d+/site-packages/numpy/\w+/include")
SYSTEM_SITE = "include-system-site-packages"
BARE = ("go2",)  # groups whose packages name dependencies that reins does not want: what they need is in the file
REWRITTEN = ".cmake"  # files that relocation changes after pip recorded them


def make_venv(layout: Layout, console: Console, base_python: str, env: Mapping[str, str], *, system_site: bool) -> None:
    """Make `.venv` from `base_python`. Packages that are already in it stay; call `clear_venv` to be rid of them."""
    layout.venv.mkdir(parents=True, exist_ok=True)
    (layout.venv / "COLCON_IGNORE").touch()
    for name in entries(layout.venv / "bin"):
        if name.startswith("python"):
            _remove(layout.venv / "bin" / name)
    options = ["--system-site-packages"] if system_site else []
    command = [base_python, "-m", "venv", *options, str(layout.venv)]
    console.run("making .venv", "venv", command, env, layout.root)


def is_venv(layout: Layout, *, system_site: bool) -> bool:
    """Whether `.venv` says that it is one, of a Python that is there, and whether it has that Python's packages too."""
    try:
        lines = (layout.venv / "pyvenv.cfg").read_text().splitlines()
    except (OSError, ValueError):
        return False
    said = {key.strip(): value.strip() for key, _, value in (line.partition("=") for line in lines)}
    return Path(said.get("home", "missing")).is_dir() and said.get(SYSTEM_SITE) == str(system_site).lower()


def clear_venv(layout: Layout, console: Console) -> None:
    """Remove `.venv` and what was built against it."""
    if layout.venv.is_dir() and entries(layout.venv):
        console.say("· removing the old .venv …")
    for path in (layout.venv, layout.workspace / "build", layout.workspace / "install"):
        if path.exists() or path.is_symlink():
            _remove(path)


def install(layout: Layout, console: Console, groups: Sequence[str], env: Mapping[str, str]) -> None:
    """Install the requirement `groups` at their pins; what `compiling` has built is taken as it is."""
    layout.wheels.mkdir(exist_ok=True)
    whole, bare = ([group for group in groups if (group in BARE) is is_bare] for is_bare in (False, True))
    for chosen, options in ((whole, ()), (bare, ("--no-deps",))):
        if chosen:
            command = [*_pip(layout, "install", chosen), "--find-links", layout.wheels, *options]
            console.run(f"installing the pinned packages ({', '.join(chosen)})", "pip", command, env, layout.root)


def compiling(
    layout: Layout, console: Console, groups: Sequence[str], env: Mapping[str, str]
) -> AbstractContextManager[None]:
    """Build the wheels of `groups` that come as source, beside the block; its end waits for them."""
    only_needed = f"-DCMAKE_PROJECT_INCLUDE={layout.requirements / 'llama.cmake'}"
    env = {**env, "CMAKE_ARGS": f"{env.get('CMAKE_ARGS', '')} {only_needed}".strip()}
    command = [*_pip(layout, "wheel", groups), "--no-deps", "--wheel-dir", layout.wheels]
    return console.beside(f"compiling ({', '.join(groups)})", "compile", command, env, layout.root)


def _pip(layout: Layout, verb: str, groups: Sequence[str]) -> list[str | Path]:
    command: list[str | Path] = [layout.python, "-m", "pip", verb, *PIP_OPTIONS]
    command += ["--constraint", layout.requirements / "constraints.txt"]
    for group in groups:
        command += ["--requirement", layout.requirements / f"{group}.txt"]
    return command


def mend(layout: Layout, console: Console, env: Mapping[str, str]) -> None:
    """Take out every package that is not all there, so that the next install brings it whole."""
    for info in damaged(layout.site):
        console.say(f"· {info.name.removesuffix('.dist-info')} is damaged: it will be installed again")
        _remove(info)
    for leftover in layout.site.glob("~*"):  # pip's own name for a package it was replacing when it was stopped
        _remove(leftover)
    if not (layout.site / "pip" / "__main__.py").exists():
        console.run("putting pip back", "ensurepip", [layout.python, "-m", "ensurepip", "--upgrade"], env, layout.root)


def damaged(site: Path) -> list[Path]:
    """The `.dist-info` folders of packages whose record is missing, or names files that are missing or cut short."""
    sizes: defaultdict[Path, set[int]] = defaultdict(set)
    owners: dict[Path, list[Path]] = {}
    for info in sorted(site.glob("*.dist-info")):
        owners[info] = []
        for name, size in _record(info):
            path = site / name
            owners[info].append(path)
            if size is not None:
                sizes[path].add(size)
    return [info for info, paths in owners.items() if not paths or not all(_whole(path, sizes[path]) for path in paths)]


def relocate(layout: Layout) -> int:
    """Point the ROS wheels' CMake files at this Python and this NumPy instead of those they were built with.

    Returns:
        How many files were changed.
    """
    probe = "import numpy, sysconfig; print(sysconfig.get_path('include')); print(numpy.get_include())"
    done = subprocess.run([layout.python, "-c", probe], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Problem(f"NumPy does not import in {layout.venv}. Remove that folder and run again.\n{done.stderr}")
    python_include, numpy_include = done.stdout.splitlines()
    changed = 0
    for path in (layout.venv / "share").glob("*/cmake/*.cmake"):
        text = path.read_text()
        local = BUILDER_PYTHON.sub(python_include, BUILDER_NUMPY.sub(numpy_include, text))
        if local != text:
            path.write_text(local)
            changed += 1
    return changed


def _record(info: Path) -> list[tuple[str, int | None]]:
    try:
        with (info / "RECORD").open(newline="", encoding="utf-8") as handle:
            rows = [row for row in csv.reader(handle) if len(row) == 3]
    except (OSError, csv.Error, UnicodeDecodeError):
        return []
    return [(name, int(size) if size else None) for name, _, size in rows if not name.endswith(".pyc")]


def _whole(path: Path, sizes: set[int]) -> bool:
    try:
        size = os.stat(path).st_size
    except OSError:
        return False
    return not sizes or path.suffix == REWRITTEN or size in sizes


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
