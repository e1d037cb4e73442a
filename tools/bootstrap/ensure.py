"""Brings a checkout to the state that a command needs, doing only what is left to do."""

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from bootstrap import machine, packages, workspace
from bootstrap.console import Console
from bootstrap.layout import SUPPORTED, Layout, build_environment
from bootstrap.problems import Problem, StepFailed
from bootstrap.stamp import Stamp, entries, fingerprint, group_fingerprint, interfaces_fingerprint, package_fingerprint

WHEELS = "wheels"
CHOSEN = "REINS_PYTHON"  # names the Python to use; `run` starts set-up with it
GROUPS = ("runtime", "dev", "pybullet", "franka", "ur", "go2", "train", "llm", "vlm")
COMPILED = ("llm",)  # groups that come as source and take minutes: compiled beside everything else


class Checkout:
    """One checkout and what has been set up in it.

    Attributes:
        wheels: whether ROS 2 comes from wheels in `.venv`, because none is sourced.
        ros: where it comes from otherwise.
    """

    def __init__(self, layout: Layout, env: Mapping[str, str], console: Console) -> None:
        self.env = env
        self.console = console
        sourced = machine.sourced_ros(env)
        self.wheels = sourced is None
        self.ros = str(sourced or WHEELS)
        self.layout = replace(layout, python_version=_venv_python(layout))
        self.stamp = Stamp.load(self.layout.stamp)

    def ensure(self, groups: Sequence[str]) -> None:
        """Set up what the requirement `groups` need. Costs milliseconds where nothing is left to do."""
        if self._is_ready(groups):
            return
        with self._lock():
            self.stamp = Stamp.load(self.layout.stamp)
            if not self._is_ready(groups):
                machine.require_tools()
                self._set_up(groups)

    def _is_ready(self, groups: Sequence[str]) -> bool:
        return self._venv_fits() and self._packages_fit(groups) and self._interfaces_fit() and self._package_fits()

    def _venv_fits(self) -> bool:
        return (
            self._packages_can_stay()
            and os.access(self.layout.python, os.X_OK)
            and packages.is_venv(self.layout, system_site=not self.wheels)
        )

    def _packages_can_stay(self) -> bool:
        return (
            self.stamp.root == str(self.layout.root)
            and self.stamp.ros == self.ros
            and self.stamp.python == _dotted(self.layout.python_version)
            and (not self.env.get(CHOSEN) or self.layout.python_version == sys.version_info[:2])
        )

    def _packages_fit(self, groups: Sequence[str]) -> bool:
        pins_hold = all(map(self._pins_hold, self._with_ros(groups)))
        return pins_hold and set(self.stamp.installed) <= entries(self.layout.site)

    def _pins_hold(self, group: str) -> bool:
        return self.stamp.groups.get(group) == group_fingerprint(self.layout, group)

    def _interfaces_fit(self) -> bool:
        wanted = interfaces_fingerprint(self.layout, self._base())
        return self.stamp.interfaces == wanted and workspace.has_interfaces(self.layout)

    def _package_fits(self) -> bool:
        wanted = package_fingerprint(self.layout, self._base())
        return self.stamp.package == wanted and workspace.has_package(self.layout)

    def _with_ros(self, groups: Sequence[str]) -> list[str]:
        return ["ros", *groups] if self.wheels else list(groups)

    def _base(self) -> str:
        """What the workspace is built against: another ROS or another Python means another build."""
        ros = fingerprint([self.layout.requirements / "ros.txt"]) if self.wheels else self.ros
        return f"{self.stamp.python} {self.stamp.root} {ros}"

    def _set_up(self, groups: Sequence[str]) -> None:
        is_new = not self._venv_fits()
        if is_new:
            self._make_venv()
        wanted = [group for group in GROUPS if group in groups or group in self.stamp.groups]
        slow = [group for group in wanted if group in COMPILED and not self._pins_hold(group)]
        ready = [group for group in wanted if group not in slow]
        if not is_new:
            self._set_up_groups(ready, is_new)  # mends what is there before anything is built with it
        if slow:
            env = build_environment(self.layout, self.env, wheels=self.wheels)
            with packages.compiling(self.layout, self.console, slow, env):
                self._set_up_groups(ready, is_new)
        self._set_up_groups(wanted, is_new)

    def _set_up_groups(self, groups: Sequence[str], is_new: bool) -> None:
        if not self._packages_fit(groups):
            try:
                self._install(groups)
            except StepFailed as failure:
                if is_new or failure.is_explained:
                    raise
                self.console.say(f"{failure}\n· .venv cannot be mended: making it anew")
                self.stamp = Stamp()
                self._make_venv()
                self._install(groups)
        self._build()

    def _make_venv(self) -> None:
        machine.require_disk(self.layout.root)
        python = os.path.realpath(sys.executable)
        if not self.wheels:
            python = machine.python_of_sourced_ros(self.env, [python, "python3", "/usr/bin/python3"])
        version = version_of(python)
        if not self._packages_can_stay() or self.layout.python_version != version:
            packages.clear_venv(self.layout, self.console)
            self.stamp = Stamp(root=str(self.layout.root), python=_dotted(version), ros=self.ros)
        self.layout = replace(self.layout, python_version=version)
        packages.make_venv(self.layout, self.console, python, self.env, system_site=not self.wheels)
        self.stamp.save(self.layout.stamp)

    def _install(self, groups: Sequence[str]) -> None:
        env = build_environment(self.layout, self.env, wheels=self.wheels)
        groups = self._with_ros(groups)
        self.stamp.groups, self.stamp.installed = {}, []
        self.stamp.save(self.layout.stamp)
        packages.mend(self.layout, self.console, env)
        packages.install(self.layout, self.console, groups, env)
        if self.wheels:
            packages.relocate(self.layout)
        self.stamp.groups = {group: group_fingerprint(self.layout, group) for group in groups}
        self.stamp.installed = sorted(entries(self.layout.site))
        self.stamp.save(self.layout.stamp)

    def _build(self) -> None:
        env = build_environment(self.layout, self.env, wheels=self.wheels)
        if not self._interfaces_fit():
            self.stamp.interfaces = ""
            self.stamp.save(self.layout.stamp)
            workspace.build_interfaces(self.layout, self.console, env)
            self.stamp.interfaces = interfaces_fingerprint(self.layout, self._base())
            self.stamp.save(self.layout.stamp)
        if not self._package_fits():
            self.stamp.package = ""
            self.stamp.save(self.layout.stamp)
            workspace.build_package(self.layout, self.console, env)
            self.stamp.package = package_fingerprint(self.layout, self._base())
            self.stamp.save(self.layout.stamp)

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Only one set-up at a time in a checkout. The kernel frees the lock however this process ends."""
        handle = os.open(self.layout.root, os.O_RDONLY)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self.console.say("· waiting for another ./run to finish its set-up …")
                fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)


def version_of(python: str) -> tuple[int, int]:
    """The version of the interpreter `python`.

    Raises:
        Problem: reins does not run on it.
    """
    probe = "import sys; print(*sys.version_info[:2])"
    major, minor = subprocess.run([python, "-S", "-E", "-c", probe], check=True, capture_output=True).stdout.split()
    version = int(major), int(minor)
    if version not in SUPPORTED:
        supported = f"{_dotted(SUPPORTED[0])} to {_dotted(SUPPORTED[-1])}"
        raise Problem(f"{python} is Python {_dotted(version)}; reins needs {supported}.")
    return version


def _dotted(version: tuple[int, int]) -> str:
    return "{}.{}".format(*version)


def _venv_python(layout: Layout) -> tuple[int, int]:
    """The Python version that `.venv` has on disk; this interpreter's where there is none."""
    found = sorted((layout.venv / "lib").glob("python3.*"))
    if len(found) != 1:
        return layout.python_version
    return 3, int(found[0].name.partition(".")[2])
