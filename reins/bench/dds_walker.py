"""A Go2 behind its DDS topics, to be measured like a simulated one: our driver, and the peer in another process."""

import time

import numpy as np

from reins.demo.session import free_domain
from reins.hardware.go2.driver import Go2Robot, go2_robot
from reins.hardware.legged import LeggedState, Odometry, SafeBodyCommand
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.locomotion.odometry import StandingFeet
from reins.locomotion.walks import make_legs
from reins.nodes.scheduling import make_real_time
from reins.peers.go2.process import ADDRESS, Go2Peer, on_domain


class DdsWalker:
    """Implements `reins.bench.locomotion.Walker`; time is the clock's. What is measured is what is true in the peer,
    not what the driver believes.

    Args:
        robot: profile of it: a name, or the path of a YAML file.
        ground: what it walks on: a name, or the path of a YAML file.
        walk: what carries it.

    Raises:
        ReinsError: the SDK is not installed, or the profile has no part `unitree`.
    """

    def __init__(self, robot: str, ground: str, walk: str) -> None:
        self._walk, domain = walk, free_domain()
        self._profile = on_domain(load_profile(robot, QuadrupedProfile), domain)
        self._robot: Go2Robot = self._make()
        self._peer = Go2Peer(domain, profile=robot, ground=ground)
        self._peer.ask("tell", value=True)
        self._due: float | None = None

    def _make(self) -> Go2Robot:
        return go2_robot(self._profile, ADDRESS, make_legs(self._walk, self._profile), StandingFeet(self._profile))

    def reset(self, seed: int) -> None:
        """Lying, in the direction that `seed` draws, with nobody connected."""
        self._robot.close()
        self._peer.ask("reset", seed=seed)

    def connect(self) -> None:
        """Connect another driver, at real-time priority where this user may: silence stops it."""
        self._robot = self._make()
        self._robot.connect()
        make_real_time()
        self._due = None

    def read(self) -> LeggedState:
        """What the driver measured, with the place, velocity and attitude that are true."""
        state, told = self._robot.read(), self._peer.told
        position, turn, linear, rates = (
            np.array(told[name]) for name in ("position", "orientation", "body_linear", "rates")
        )
        truth = Odometry(position, turn, linear, rates)
        return LeggedState(
            state.stamp,
            turn,
            state.position,
            state.velocity,
            state.effort,
            state.contact,
            state.battery,
            truth,
            height=told["height"],
            sequence=state.sequence,
            fault=state.fault,
        )

    def write(self, command: SafeBodyCommand) -> None:
        """Command the driver."""
        self._robot.write(command)

    def step(self, dt: float) -> None:
        """Wait until `dt` [s] have passed since the last step."""
        self._robot.step(dt)
        now = time.monotonic()
        self._due = dt + (now if self._due is None or now > self._due + dt else self._due)
        time.sleep(max(0.0, self._due - now))

    def push(self, change: FloatArray) -> None:
        """Change the velocity of the base at once by (3,) [m/s], world frame."""
        self._peer.ask("push", change=change.tolist())

    def close(self) -> None:
        """End driver and peer."""
        self._robot.close()
        self._peer.close()
