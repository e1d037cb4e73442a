"""Set-up does what is left to do, and nothing else. The steps themselves are stood in for."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from bootstrap import machine, packages, workspace
from bootstrap.console import Console
from bootstrap.ensure import Checkout
from bootstrap.layout import Layout
from bootstrap.problems import StepFailed
from bootstrap.stamp import Stamp


class Steps:
    """Stands in for the real steps: leaves what they leave, and notes which ran."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.failing: set[str] = set()

    def begin(self, name: str, layout: Layout) -> None:
        self.ran.append(name)
        if name in self.failing:
            self.failing.remove(name)
            raise StepFailed(name, layout.root / "no.log", 1)

    def make_venv(self, layout: Layout, *_args: object, system_site: bool) -> None:
        self.begin("venv", layout)
        layout.site.mkdir(parents=True, exist_ok=True)
        layout.python.parent.mkdir(parents=True, exist_ok=True)
        layout.python.unlink(missing_ok=True)
        layout.python.symlink_to("/bin/true")
        (layout.venv / "pyvenv.cfg").write_text(venv_config("/bin", system_site))

    def install(self, layout: Layout, _console: Console, groups: Sequence[str], _env: object) -> None:
        self.begin("install " + " ".join(groups), layout)
        for group in groups:
            (layout.site / f"{group}_package").mkdir(exist_ok=True)

    @contextmanager
    def compiling(self, layout: Layout, _console: Console, groups: Sequence[str], _env: object) -> Iterator[None]:
        self.ran.append("compile " + " ".join(groups))
        yield
        self.begin("compiled", layout)

    def build_interfaces(self, layout: Layout, *_args: object) -> None:
        self.begin("messages", layout)
        for path in ("share/reins_msgs/package.xml", "lib/libreins_msgs__rosidl_typesupport_c.so"):
            touch(layout.interfaces / path)
        touch(layout.site / workspace.LINKS)

    def build_package(self, layout: Layout, *_args: object) -> None:
        self.begin("package", layout)
        for path in (layout.package / "share/reins/package.xml", layout.package / "lib/reins/reins"):
            touch(path)
        touch(layout.venv / "bin" / "reins")


def venv_config(home: str, system_site: bool) -> str:
    return f"home = {home}\ninclude-system-site-packages = {str(system_site).lower()}\nversion = 3.11.7\n"


def touch(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    steps = Steps()
    monkeypatch.setattr(packages, "make_venv", steps.make_venv)
    monkeypatch.setattr(packages, "install", steps.install)
    monkeypatch.setattr(packages, "compiling", steps.compiling)
    monkeypatch.setattr(packages, "mend", lambda *_: None)
    monkeypatch.setattr(packages, "relocate", lambda _: 0)
    monkeypatch.setattr(workspace, "build_interfaces", steps.build_interfaces)
    monkeypatch.setattr(workspace, "build_package", steps.build_package)
    monkeypatch.setattr(machine, "require_tools", lambda: None)
    monkeypatch.setattr(machine, "require_disk", lambda _: None)
    return steps


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout with the files that set-up reads."""
    root = tmp_path / "checkout"
    for name in ("ros", "runtime", "dev", "llm", "constraints"):
        touch(root / "requirements" / f"{name}.txt")
    for name in ("setup.py", "setup.cfg", "package.xml", "launch/sim.launch.xml"):
        touch(root / name)
    source = root / "ros2_ws" / "src" / "reins_msgs"
    for name in ("CMakeLists.txt", "package.xml", "msg/Scene.msg"):
        touch(source / name)
    return root


def set_up(root: Path, *groups: str) -> None:
    layout = Layout(root)
    Checkout(layout, {}, Console(layout.logs)).ensure(groups or ("runtime",))


def ran_again(root: Path, steps: Steps, *groups: str) -> list[str]:
    """What a further call does."""
    steps.ran.clear()
    set_up(root, *groups)
    return steps.ran


FIRST = ["venv", "install ros runtime", "messages", "package"]


def test_a_fresh_clone_gets_everything_in_order(root: Path, steps: Steps) -> None:
    set_up(root)
    assert steps.ran == FIRST


def test_a_second_call_does_nothing(root: Path, steps: Steps) -> None:
    set_up(root)
    assert ran_again(root, steps) == []


def test_a_further_group_is_added_and_then_kept(root: Path, steps: Steps) -> None:
    set_up(root)
    assert ran_again(root, steps, "runtime", "dev") == ["install ros runtime dev"]
    (root / "requirements" / "runtime.txt").write_text("numpy==2\n")
    assert ran_again(root, steps) == ["install ros runtime dev"]


class TestWhatIsCompiled:
    """A language model's library takes minutes to compile: that goes on beside everything else."""

    def test_in_a_fresh_clone_it_is_begun_first_and_awaited_last(self, root: Path, steps: Steps) -> None:
        set_up(root, "runtime", "llm")
        beside = ["install ros runtime", "messages", "package"]
        assert steps.ran == ["venv", "compile llm", *beside, "compiled", "install ros runtime llm"]

    def test_what_is_set_up_stays_as_it_is(self, root: Path, steps: Steps) -> None:
        set_up(root)
        assert ran_again(root, steps, "runtime", "llm") == ["compile llm", "compiled", "install ros runtime llm"]
        assert ran_again(root, steps, "runtime", "llm") == []

    def test_it_is_not_compiled_again_for_another_group(self, root: Path, steps: Steps) -> None:
        set_up(root, "runtime", "llm")
        assert ran_again(root, steps, "runtime", "dev") == ["install ros runtime dev llm"]

    def test_where_it_fails_everything_else_is_there(self, root: Path, steps: Steps) -> None:
        steps.failing = {"compiled"}
        with pytest.raises(StepFailed):
            set_up(root, "runtime", "llm")
        assert ran_again(root, steps) == []


@pytest.mark.parametrize("name", ["msg/Plan.msg", "srv/Reset.srv", "action/ExecuteTask.action"])
def test_a_new_message_builds_the_messages_only(name: str, root: Path, steps: Steps) -> None:
    set_up(root)
    touch(root / "ros2_ws" / "src" / "reins_msgs" / name)
    assert ran_again(root, steps) == ["messages"]


def test_a_new_launch_file_installs_the_package_only(root: Path, steps: Steps) -> None:
    set_up(root)
    touch(root / "launch" / "franka.launch.xml")
    assert ran_again(root, steps) == ["package"]


def test_a_changed_python_file_needs_nothing(root: Path, steps: Steps) -> None:
    set_up(root)
    touch(root / "reins" / "nodes" / "robot.py")
    assert ran_again(root, steps) == []


class TestMending:
    @pytest.fixture(autouse=True)
    def done(self, root: Path, steps: Steps) -> None:
        set_up(root)

    def test_a_deleted_package_is_installed_again(self, root: Path, steps: Steps) -> None:
        (Layout(root).site / "runtime_package").rmdir()
        assert ran_again(root, steps) == ["install ros runtime"]

    def test_a_deleted_python_is_put_back_and_the_packages_stay(self, root: Path, steps: Steps) -> None:
        Layout(root).python.unlink()
        assert ran_again(root, steps) == ["venv"]

    @pytest.mark.parametrize(
        "config", [None, "", "home = /bin\n", venv_config("/nowhere", False), venv_config("/bin", True)]
    )
    def test_a_damaged_venv_config_is_put_back_and_the_packages_stay(
        self, config: str | None, root: Path, steps: Steps
    ) -> None:
        path = root / ".venv" / "pyvenv.cfg"
        if config is None:
            path.unlink()
        else:
            path.write_text(config)
        assert ran_again(root, steps) == ["venv"]
        assert path.read_text() == venv_config("/bin", False)
        assert ran_again(root, steps) == []

    def test_a_python_that_was_uninstalled_is_replaced(self, root: Path, steps: Steps) -> None:
        python = Layout(root).python
        python.unlink()
        python.symlink_to("/gone/python3")
        assert ran_again(root, steps) == ["venv"]

    def test_a_moved_checkout_starts_afresh(self, root: Path, steps: Steps) -> None:
        moved = root.rename(root.with_name("moved"))
        assert ran_again(moved, steps) == FIRST

    def test_an_unreadable_stamp_starts_afresh(self, root: Path, steps: Steps) -> None:
        Layout(root).stamp.write_text("{")
        assert ran_again(root, steps) == FIRST

    def test_a_deleted_venv_starts_afresh(self, root: Path, steps: Steps) -> None:
        packages.clear_venv(Layout(root), Console(Layout(root).logs))
        assert ran_again(root, steps) == FIRST

    def test_deleted_builds_are_built_again(self, root: Path, steps: Steps) -> None:
        layout = Layout(root)
        (layout.interfaces / "share/reins_msgs/package.xml").unlink()
        (layout.package / "lib/reins/reins").unlink()
        assert ran_again(root, steps) == ["messages", "package"]

    def test_a_venv_that_cannot_be_mended_is_made_anew(self, root: Path, steps: Steps) -> None:
        (Layout(root).site / "runtime_package").rmdir()
        steps.failing = {"install ros runtime"}
        assert ran_again(root, steps) == ["install ros runtime", *FIRST]

    def test_another_ros_starts_afresh(self, root: Path) -> None:
        stamp = Stamp.load(Layout(root).stamp)
        stamp.ros = "/opt/ros/jazzy"
        stamp.save(Layout(root).stamp)
        assert not Checkout(Layout(root), {}, Console(Layout(root).logs))._venv_fits()


@pytest.mark.parametrize("step", FIRST)
def test_an_interrupted_set_up_goes_on_where_it_was(step: str, root: Path, steps: Steps) -> None:
    steps.failing = {step}
    with pytest.raises(StepFailed):
        set_up(root)
    assert ran_again(root, steps) == FIRST[FIRST.index(step) :]


def test_two_set_ups_at_once_do_the_work_once(root: Path, steps: Steps, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow_install(layout: Layout, console: Console, groups: Sequence[str], env: object) -> None:
        time.sleep(0.3)
        steps.install(layout, console, groups, env)

    monkeypatch.setattr(packages, "install", slow_install)
    threads = [threading.Thread(target=set_up, args=(root,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert steps.ran == FIRST
