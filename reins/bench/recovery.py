"""How surely a robot that fell gets up again: random fallen poses, turned over and stood up, in any simulator."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from scipy.spatial.transform import Rotation

from reins.bench.report import Report, success_interval
from reins.contracts.errors import look_up
from reins.hardware.legged import LeggedState, Posture, SafeBodyCommand
from reins.hardware.on_belly import SETTLED, OnBelly
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.locomotion.walks import SCRIPTED, make_legs
from reins.safety.legged.hazards import HazardFinder
from reins.safety.legged.limits import tilt_of
from reins.safety.legged.settings import LeggedSettings
from reins.safety.verdict import Limit
from reins.sim.legged.ground import GroundSpec, load_ground
from reins.sim.legged.simulators import ENGINES, make_walker
from reins.sim.legged.walker import SimulatedWalker

SIDES: Final = {"left": -np.pi / 2.0, "right": np.pi / 2.0, "back": np.pi}
"""Name of what it is dropped on → its roll [rad]."""

ROLL: Final = 0.35
PITCH: Final = 0.2
"""Deviation of the roll and pitch with which it is dropped [rad] …"""

DROP: Final = 0.45
"""… and from how high [m]."""

FRICTION: Final = (0.4, 1.1)
"""Least and largest of the ground."""

PLACES: Final = 2.0
"""How far from the origin it is dropped, along x and y [m]."""

STANDING: Final = 1.0
"""How long it has to stand in the end [s]."""

DRAWS: Final = 100
"""After so many drops that all ended on the belly, something is wrong."""


@dataclass(frozen=True, slots=True)
class RecoveryEpisode:
    """One fall and what came of it.

    Attributes:
        simulator, seed: where, and what it was drawn from.
        lies_on: the side that it was dropped on.
        tilt: how far the body was tilted as it lay [rad].
        friction: of the ground.
        turned: how long turning over took [s]; None where it still lay on its side or back.
        stood: whether it then stood up and went on standing.
        moved: how far it came away from where it lay [m].
        turn_rate: largest turn rate of the body meanwhile [rad/s].
        power: largest mechanical power of all joints together meanwhile [W].
        hazards: what the safety filter would have stopped it for, the tilt of a fallen robot aside.
    """

    simulator: str
    seed: int
    lies_on: str
    tilt: float
    friction: float
    turned: float | None
    stood: bool
    moved: float
    turn_rate: float
    power: float
    hazards: tuple[str, ...]


def run_recovery(
    robot: str,
    sims: Sequence[str],
    ground: str,
    episodes: int,
    seed: int,
    advance: Callable[[RecoveryEpisode], None] = lambda _episode: None,
) -> Report:
    """Run the suite in every simulator and sum up.

    Raises:
        UnknownName: no such robot, simulator or ground; lists those that exist.
        ReinsError: the robot has no legs, or a simulator is not installed.
    """
    profile, spec = load_profile(robot, QuadrupedProfile), load_ground(ground)
    for name in sims:
        look_up("simulator", name, ENGINES)
    done: list[RecoveryEpisode] = []
    began = time.monotonic()
    for name in sims:
        for number in range(episodes):
            done.append(run_episode(profile, spec, name, seed + number))
            advance(done[-1])
    summary: dict[str, Any] = {**summarise(done), "seconds": time.monotonic() - began}
    if len(sims) > 1:
        summary["by_simulator"] = {
            name: summarise([episode for episode in done if episode.simulator == name]) for name in sims
        }
    settings = {"robot": robot, "sim": ",".join(sims), "ground": ground, "episodes": episodes, "seed": seed}
    return Report("recovery", settings, summary, [asdict(episode) for episode in done])


def summarise(episodes: Sequence[RecoveryEpisode]) -> dict[str, Any]:
    """The figures of some episodes."""
    stood = sum(episode.stood for episode in episodes)
    times = [episode.turned for episode in episodes if episode.turned is not None]
    sides = {side: [episode.stood for episode in episodes if episode.lies_on == side] for side in SIDES}
    return {
        "episodes": len(episodes),
        "recovered_rate": stood / len(episodes),
        "recovered_interval": list(success_interval(stood, len(episodes))),
        "recovered_by_side": {side: float(np.mean(each)) for side, each in sides.items() if each},
        "turn_over_seconds": {"median": float(np.median(times)), "longest": max(times)} if times else None,
        "moved": max(episode.moved for episode in episodes),
        "turn_rate": max(episode.turn_rate for episode in episodes),
        "power": max(episode.power for episode in episodes),
        "hazards": sum(bool(episode.hazards) for episode in episodes),
    }


def run_episode(profile: QuadrupedProfile, ground: GroundSpec, simulator: str, seed: int) -> RecoveryEpisode:
    """Fall, turn over, stand up."""
    random = np.random.default_rng(seed)
    friction = float(random.uniform(*FRICTION))
    slippery = ground.model_copy(update={"friction": friction})
    walker = make_walker(simulator, profile, slippery, seed, make_legs(SCRIPTED, profile))
    try:
        side = drop(walker, profile, slippery, random)
        walker.connect()
        watch = _Watch(walker, profile)
        turned = watch.turn_over()
        stood = turned is not None and watch.stand_up()
        return RecoveryEpisode(
            simulator,
            seed,
            side,
            watch.tilt,
            friction,
            turned,
            stood,
            watch.moved,
            watch.turn_rate,
            watch.power,
            tuple(sorted(limit.value for limit in watch.hazards)),
        )
    finally:
        walker.close()


def drop(walker: SimulatedWalker, profile: QuadrupedProfile, ground: GroundSpec, random: np.random.Generator) -> str:
    """Let the robot fall until it lies on its side or back: anywhere on the ground, in any direction, its joints
    anywhere within their limits. The name of the side that it was dropped on."""
    for _ in range(DRAWS):
        side = str(random.choice(list(SIDES)))
        x, y = random.uniform(-PLACES, PLACES, 2)
        angles = [random.uniform(-np.pi, np.pi), random.normal(0.0, PITCH), SIDES[side] + random.normal(0.0, ROLL)]
        orientation = Rotation.from_euler("ZYX", angles).as_quat()
        joints = random.uniform(profile.lower, profile.upper)
        walker.drop(np.array([x, y, ground.height_at(x, y) + DROP]), orientation, joints)
        if profile.has_fallen(walker.read().orientation):
            return side
    raise RuntimeError(f"a robot that was dropped {DRAWS} times lay on its belly each time")


class _Watch:
    """Commands one robot and looks at what it does.

    Attributes:
        tilt: of the body before anything was commanded [rad].
        moved, turn_rate, power, hazards: as in `RecoveryEpisode`.
    """

    def __init__(self, walker: SimulatedWalker, profile: QuadrupedProfile) -> None:
        self._walker, self._profile = walker, profile
        self._period = 1.0 / profile.rates.command
        self._finder = HazardFinder(profile, LeggedSettings())
        self._state = walker.read()
        self._place = self._state.odometry.position[:2]
        self._sequence = 0
        self.tilt = tilt_of(self._state.orientation)
        self.moved = self.turn_rate = self.power = 0.0
        self.hazards: set[Limit] = set()

    def turn_over(self) -> float | None:
        """Turn over; how long it took [s], or None if it did not help."""
        began, on_belly = self._state.stamp, OnBelly(self._profile)
        while self._state.stamp - began < self._profile.body.turn_over + SETTLED:
            if on_belly.see(self._go(Posture.RECOVER)):
                return self._state.stamp - began - SETTLED
        return None

    def stand_up(self) -> bool:
        """Stand up, and go on standing; whether it did."""
        profile = self._profile
        for _ in range(round(profile.body.stand_up / self._period)):
            self._go(Posture.STAND)
        states = [self._go(Posture.STAND) for _ in range(round(STANDING / self._period))]
        return all(profile.is_up(state.height) and tilt_of(state.orientation) < profile.tilt.slow for state in states)

    def _go(self, posture: Posture) -> LeggedState:
        """One period; the state after it."""
        self._sequence += 1
        self._walker.write(SafeBodyCommand(self._sequence, self._state.stamp, self._period, np.zeros(3), posture))
        self._walker.step(self._period)
        self._state = state = self._walker.read()
        away: FloatArray = state.odometry.position[:2] - self._place
        self.moved = max(self.moved, float(np.hypot(*away)))
        self.turn_rate = max(self.turn_rate, float(np.linalg.norm(state.odometry.angular)))
        self.power = max(self.power, float(np.abs(state.effort * state.velocity).sum()))
        found = set(self._finder.find(state, on_legs=False))
        self.hazards |= found - {Limit.TILT} if posture is Posture.RECOVER else found
        return state
