"""`reins bench stream`."""

from typing import Annotated, Final

import typer

from reins.bench.console import JsonFile, Robot, finish, progressing

LONGEST: Final = 30.0
"""Minutes."""


def stream(
    driver: Annotated[str, typer.Argument(help="Driver of a real arm: franka or ur.")] = "franka",
    robot: Robot = "",
    ip: Annotated[str, typer.Option(help="Address of the robot, which moves; a peer without one.")] = "",
    minutes: Annotated[float, typer.Option(min=0.05, max=LONGEST, help="How long the driver streams.")] = 2.0,
    json_file: JsonFile = None,
) -> None:
    """Setpoints without a break to a real arm's driver, beside the vendor's library alone."""
    from reins.bench.stream.suite import BARE_SHARE, run_stream
    from reins.bench.stream.sway import AMPLITUDE
    from reins.hardware.real import usual_profile

    if ip:
        typer.confirm(
            f"Every joint of the arm at {ip} moves by {AMPLITUDE:g} rad, there and back, for minutes, at the end under "
            "the vendor's library alone. Is there room, and a hand on the emergency stop?",
            abort=True,
        )
    robot = robot or usual_profile(driver)
    with progressing("seconds", round(60.0 * minutes * (1.0 + BARE_SHARE))) as progress:
        report = run_stream(robot, driver, ip, minutes, lambda _what: progress(""))
    finish(report, json_file)
