"""The `reins` command: each file is one command or one group of them.

Sits on top: imports any room, but inside the functions, so that `reins --help` starts quickly.
"""


def main() -> None:
    """Run the command line; never returns."""
    from reins.cli.app import app
    from reins.cli.environment import prepare

    prepare()
    app(prog_name="reins")
