"""The root command group: errors in one line, and a group that is imported only when it is used."""

from functools import cached_property
from importlib import import_module
from typing import Any

import typer
from rich.markup import escape
from typer.core import TyperGroup

from reins.cli.console import ExitCode, err, fail
from reins.contracts.errors import ReinsError


class RootGroup(TyperGroup):
    """Prints a ReinsError as one line; anything else too, unless `--debug` asks for the traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except ReinsError as error:
            if ctx.params.get("debug"):
                err.print_exception()
            fail(str(error))
        except Exception as error:
            if type(error).__module__.startswith(("typer", "click")):
                raise  # how a command ends: Exit and Abort are RuntimeErrors
            if ctx.params.get("debug"):
                err.print_exception()
            fail(f"{type(error).__name__}: {error}")
            err.print(escape("This is a fault of reins. Run `reins --debug …` for the traceback, and report it."))
        raise typer.Exit(int(ExitCode.ERROR))


class BenchGroup(TyperGroup):
    """`reins bench`, whose suites import much."""

    @cached_property
    def _real(self) -> TyperGroup:
        return typer.main.get_group(import_module("reins.bench.cli").app)

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of the suites."""
        return self._real.list_commands(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """One suite."""
        return self._real.get_command(ctx, cmd_name)
