"""`reins bench stream`."""

from typing import Annotated, Final

import typer

from reins.bench.console import JsonFile, Robot, finish, progressing

LONGEST: Final = 30.0
"""Minutes."""


def stream(
    driver: Annotated[str, typer.Argument(help="Driver of a real arm: franka or ur.")] = "franka",
    robot: Robot = "",
    ip: Annotated[str, typer.Option(help="Address of the robot; a peer without one. It moves by 0.04 rad.")] = "",
    minutes: Annotated[float, typer.Option(min=0.05, max=LONGEST, help="How long the driver streams.")] = 2.0,
    json_file: JsonFile = None,
) -> None:
    """Setpoints without a break to a real arm's driver, beside the vendor's library alone."""
    from reins.bench.stream.suite import BARE_SHARE, run_stream

    robot = robot or {"ur": "ur5e"}.get(driver, driver)
    with progressing("seconds", round(60.0 * minutes * (1.0 + BARE_SHARE))) as progress:
        report = run_stream(robot, driver, ip, minutes, lambda _what: progress(""))
    finish(report, json_file)
