"""`reins peer`: a robot behind its vendor's protocol, to try a driver and a launch file on."""

from contextlib import suppress
from typing import Annotated

import typer

from reins.cli.console import out
from reins.contracts.errors import look_up


def peer(
    driver: Annotated[str, typer.Argument(help="Whose protocol: franka or ur.")],
    robot: Annotated[str, typer.Option(help="Robot profile; by default franka or ur5e.")] = "",
    world: Annotated[str, typer.Option(help="World around it.")] = "tabletop",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the objects' random poses.")] = 0,
    address: Annotated[str, typer.Option(help="Where it answers: an address of this machine.")] = "127.0.0.2",
) -> None:
    """Simulate a robot behind its vendor's protocol until Ctrl-C: launch files and drivers take it for the robot."""
    from reins.hardware.real import usual_profile
    from reins.peers.robot import PEERS

    peerings = {peering.driver: peering for peering in PEERS.values()}
    peering = look_up("driver", driver, peerings)
    profile = robot or usual_profile(driver)
    with peering.start(profile=profile, world=world, seed=seed, address=address) as running:
        out.print(f"{profile} answers at {address}: `reins up {driver} robot_ip:={address}`; Ctrl-C ends it")
        with suppress(KeyboardInterrupt):
            running.wait()
