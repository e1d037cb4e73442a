"""The commands of `./run`."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from bootstrap import checks, machine
from bootstrap.console import Console
from bootstrap.ensure import GROUPS, Checkout
from bootstrap.layout import Layout, run_environment
from bootstrap.problems import Problem, StepFailed, explain_os_error

USAGE = """\
usage: ./run COMMAND [ARGUMENT …]

  ./run demo                      the demo: a sentence, a simulated arm, a video and a report
  ./run test [--all] [ARGUMENT …] style, types and tests; --all adds the slow ones, the rest is for pytest
  ./run COMMAND …                 any reins command (up, task, skills, bench …); ./run reins --help lists them
  ./run python …                  Python with reins and ROS 2 in it
  ./run exec PROGRAM …            any program in the same environment, such as ros2
  ./run env                       that environment as shell lines: eval "$(./run env)"
  ./run setup [GROUP …]           set up only; groups: dev (tests), pybullet, franka, ur, go2, train, llm, vlm

The first call sets everything up in .venv and ros2_ws, later ones start at once. REINS_PYTHON names a Python to use
instead of the first of 3.10 to 3.13 that is found.
"""
RENDERING_COMMANDS = frozenset({"demo", "test", "up", "bench"})
DEMO = "demo"
LANGUAGE_MODEL = "llama_cpp"
"""The planner that needs the group llm; the demo's."""
ENV_NAMES = (
    "VIRTUAL_ENV",
    "PATH",
    "AMENT_PREFIX_PATH",
    "CMAKE_PREFIX_PATH",
    "LD_LIBRARY_PATH",
    "ROS_AUTOMATIC_DISCOVERY_RANGE",
    "MUJOCO_GL",
    "_ROS_WHEELS_BOOTSTRAP_COMPLETE",
)


def main(arguments: Sequence[str]) -> int:
    """Run one command. Returns its exit status, unless another program takes this process over."""
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(USAGE, end="")
        return 0
    root = Path(__file__).resolve().parents[2]
    signal.signal(signal.SIGTERM, _stop)
    try:
        return _run(Layout(root), arguments[0], list(arguments[1:]))
    except Problem as problem:
        print(problem, file=sys.stderr)
    except OSError as error:
        print(explain_os_error(error, root), file=sys.stderr)
    except KeyboardInterrupt:
        print("Interrupted. A set-up that was under way goes on with the next call.", file=sys.stderr)
        return 128 + signal.SIGINT
    return 1


def _run(layout: Layout, command: str, arguments: list[str]) -> int:
    _require_plain_path(layout.root)
    groups = _groups(command, arguments)
    checkout = Checkout(layout, os.environ, Console(layout.logs))
    try:
        checkout.ensure(groups)
    except StepFailed as failure:
        if command == DEMO and "llm" in groups:
            raise Problem(f"{failure}\nWithout a language model: ./run demo --planner symbolic") from None
        raise
    layout = checkout.layout
    env = run_environment(layout, os.environ, wheels=checkout.wheels)
    backend = machine.rendering_backend(env)
    if backend:
        env["MUJOCO_GL"] = backend
    elif command in RENDERING_COMMANDS:
        raise Problem(machine.rendering_help())
    python = str(layout.python)
    match command:
        case "setup":
            return 0
        case "env":
            print("\n".join(f"export {name}={shlex.quote(env[name])}" for name in ENV_NAMES if name in env))
            return 0
        case "test":
            return _test(checkout, arguments, env)
        case "python":
            _become([python, *arguments], env)
        case "exec":
            _become(arguments, env)
        case "reins":
            _become([python, str(layout.venv / "bin" / "reins"), *arguments], env)
        case _:
            _become([python, str(layout.venv / "bin" / "reins"), command, *arguments], env)


def _test(checkout: Checkout, arguments: Sequence[str], env: dict[str, str]) -> int:
    """Run all checks, whichever of them fail. What failed before the last part of the tests is told in the end."""
    layout = checkout.layout
    os.chdir(layout.root)
    commands = checks.pytest_commands(layout, arguments)
    failed = [] if checks.check_style_and_types(layout, checkout.console, env) else ["style, format or types"]
    if len(commands) > 1 and subprocess.run(commands[0], env=env, check=False).returncode != 0:
        failed.append("the first part of the tests")
    if not failed:
        _become(commands[-1], env)
    if subprocess.run(commands[-1], env=env, check=False).returncode != 0 and len(commands) > 1:
        failed.append("the second part of the tests")
    checkout.console.say(f"Failed: {', '.join(failed)}; see above.")
    return 1


def _groups(command: str, arguments: Sequence[str]) -> list[str]:
    """The requirement groups that a command needs."""
    if command == "test":
        return ["runtime", "dev"]
    if command != "setup":
        return ["runtime", "llm"] if _planner(command, arguments) == LANGUAGE_MODEL else ["runtime"]
    unknown = sorted(set(arguments) - set(GROUPS))
    if unknown:
        raise Problem(f"No group {', '.join(unknown)}. The groups are: {', '.join(GROUPS)}.")
    return ["runtime", *(group for group in arguments if group != "runtime")]


def _planner(command: str, arguments: Sequence[str]) -> str:
    """Which planner a command runs; empty where it is neither told nor the demo."""
    planner = LANGUAGE_MODEL if command == DEMO else ""
    for number, word in enumerate(arguments):
        if word == "--planner":
            planner = "".join(arguments[number + 1 : number + 2])
        elif word.startswith(("--planner=", "planner:=")):
            planner = word.partition("=")[2]
    return planner


def _require_plain_path(root: Path) -> None:
    if any(character.isspace() or character in ":;" for character in str(root)):
        raise Problem(
            f"The path of this checkout, {root}, has a space or a colon in it, and ROS 2 builds cannot live there."
        )


def _become(command: list[str], env: dict[str, str]) -> NoReturn:
    """Let `command` take over this process."""
    if not command:
        raise Problem("./run exec needs a program to run.")
    try:
        os.execvpe(command[0], command, env)
    except FileNotFoundError:
        raise Problem(f"There is no program {command[0]}.") from None


def _stop(signum: int, _frame: object) -> NoReturn:
    sys.exit(128 + signum)
