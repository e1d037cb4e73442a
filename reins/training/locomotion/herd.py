"""Many simulated robots side by side, each on a ground of its own level: stepped, pushed, rewarded, begun anew.

What is commanded is ramped within the profile's acceleration, as safety does with every command: the policy is told the
velocity that it is to walk at now, and never sees a jump that no robot is given.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from reins.contracts.errors import ReinsError
from reins.hardware.legs import Flags, Sense, up_of
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.locomotion.observation import ACTIONS, observe, offsets
from reins.locomotion.trot import GAITS, Trot
from reins.sim.legged.description import TRUNK
from reins.sim.legged.engine import Truth
from reins.sim.legged.ground import GroundSpec
from reins.sim.legged.mujoco_legs import MujocoLegs
from reins.training.locomotion.commands import WINDOW, draw_gait, draw_velocity
from reins.training.locomotion.randomisation import load_walk_randomisation
from reins.training.locomotion.reward import Walked, rewards

PERIOD: Final = 0.02
"""Between two actions [s]."""

HORIZON: Final = 500
"""Most actions of an episode: 10 s."""

COMMAND_EVERY: Final = 4.0
"""Mean time after which another velocity is commanded [s]."""

LEVELS: Final[tuple[dict[str, float], ...]] = (
    {},
    {"roughness": 0.01, "grain": 0.25},
    {"roughness": 0.02, "grain": 0.3},
    {"slope": 0.15},
    {"step": 0.04, "tread": 0.5},
    {"roughness": 0.03, "grain": 0.3},
    {"slope": 0.25},
    {"step": 0.07, "tread": 0.5},
    {"roughness": 0.04, "grain": 0.3},
)
"""Grounds from level to hard, in the words of `GroundSpec`; who gets on well is moved up, and from the last
one anywhere."""

MOST_TILT: Final = 0.9
"""A body that tilts by more has fallen [rad]."""

LEAST_HEIGHT: Final = 0.12
"""A base lower than this above the ground has fallen [m]."""

GOOD: Final = 0.75
"""Mean worth of an episode's velocities from which its robot is moved up a level; on level ground the trot alone comes
to about 0.8, more or less with what is commanded."""


@dataclass(slots=True, eq=False)
class _Life:
    """One robot's episode: what was drawn for it, when it is pushed and told anew, and how well it did."""

    level: int
    drawn: dict[str, float]
    engine: MujocoLegs
    step: int = 0
    push_at: float = 0.0
    command_at: float = 0.0
    tracked: float = 0.0


class Herd:
    """n robots in MuJoCo.

    Args:
        robot: profile name.
        count: how many.
        randomisation: name or file.
        seed: of everything random.
        levels: how many of LEVELS are used, from the easiest; a robot begins at the easiest.

    Raises:
        UnknownName: no such robot or randomisation; lists those that exist.
        ReinsError: the robot is commanded at another rate than locomotion is trained at.

    Attributes:
        trot: that carries them.
        command: (n, 3) velocities that they are told [m/s, m/s, rad/s], on their way to `goal` (n, 3).
        gait: (n, GAITS) height and style that they are told.
        level: (n,) on which ground each is.
        levels: how many grounds there are.
        random: of everything random.
    """

    def __init__(
        self,
        robot: str = "go2",
        count: int = 1,
        randomisation: str = "training",
        seed: int = 0,
        levels: int = len(LEVELS),
    ) -> None:
        self.profile = load_profile(robot, QuadrupedProfile)
        if round(PERIOD * self.profile.rates.command, 9) != 1.0:
            raise ReinsError(
                f"'{self.profile.name}' is commanded at {self.profile.rates.command:g} Hz, and locomotion is trained "
                f"at {1.0 / PERIOD:g} Hz"
            )
        self.count = count
        self._randomisation = load_walk_randomisation(randomisation)
        self.random = np.random.default_rng(seed)
        self._grounds = [
            GroundSpec.model_validate({"name": f"level_{number}", "title": "of training", **words})
            for number, words in enumerate(LEVELS[:levels])
        ]
        self.levels = len(self._grounds)
        self._engines: dict[tuple[int, int], MujocoLegs] = {}
        self._nominal: dict[str, FloatArray] = {}
        self.trot = Trot(self.profile, count, PERIOD)
        self.command, self.goal, self.gait = np.zeros((count, 3)), np.zeros((count, 3)), np.zeros((count, GAITS))
        self._ramp = self.profile.acceleration * PERIOD
        self.level = np.zeros(count, dtype=np.int64)
        self._last = np.zeros((count, ACTIONS))
        self._strides = np.zeros((round(WINDOW / PERIOD), count, 6))
        self._lives: list[_Life] = []
        self._truths: list[Truth] = []
        self._threads = os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self._threads)

    def reset(self) -> FloatArray:
        """(n, SIZE) observations of robots that all begin anew."""
        self._lives = [self._begin(number) for number in range(self.count)]
        self._look()
        return self._observe()

    def step(self, actions: FloatArray) -> tuple[FloatArray, FloatArray, Flags, Flags, list[dict[str, Any]]]:
        """One period of all.

        Args:
            actions: (n, ACTIONS) in [-1, 1].

        Returns:
            (n, SIZE) observations, of those that ended from before they begin anew; (n,) rewards; (n,) whether they
            fell; (n,) whether their time was up; what is worth knowing of each.
        """
        targets = self.trot.step(self._sense, self.command, offsets(actions), self.gait)
        for life in self._lives:
            self._push(life)
        self._advance(targets)
        before, self._last = self._last, np.clip(actions, -1.0, 1.0)
        lost = self._put_back()
        self._look()
        walked = self._walked(before, lost)
        reward, tracking = rewards(walked)
        fell, late = walked.fell, np.array([life.step >= HORIZON for life in self._lives])
        for life, share in zip(self._lives, tracking, strict=True):
            life.tracked += float(share)
        infos: list[dict[str, Any]] = [
            {"level": life.level, "tracking": life.tracked / life.step} for life in self._lives
        ]
        self._tell()
        return self._observe(), reward, fell, late & ~fell, infos

    def renew(self, which: Flags) -> FloatArray:
        """(k, SIZE) observations of those robots (n,) bool that begin anew, after how well they did."""
        for number in np.flatnonzero(which):
            life = self._lives[number]
            self.level[number] = self._next_level(life)
            self._lives[number] = self._begin(int(number))
        self._look()
        fresh: FloatArray = self._observe()[which]
        return fresh

    def _next_level(self, life: _Life) -> int:
        """Up for who got on well, down for who fell; from the last one anywhere, for none is to be forgotten."""
        if life.step < HORIZON:
            return max(life.level - 1, 0)
        if life.tracked / life.step <= GOOD:
            return life.level
        return life.level + 1 if life.level + 1 < self.levels else int(self.random.integers(self.levels))

    def _begin(self, number: int) -> _Life:
        """One robot stands anew, on the ground of its level."""
        level, random = int(self.level[number]), self.random
        if (number, level) not in self._engines:
            self._engines[number, level] = MujocoLegs(self.profile, self._grounds[level])
        engine, drawn = self._engines[number, level], self._randomisation.draw(random)
        self._apply(engine, drawn)
        self._stand(number, engine)
        self._last[number] = self.command[number] = self._strides[:, number] = 0.0
        life = _Life(level, drawn, engine, push_at=drawn["push_every"])
        self._command(number, life)
        return life

    def _stand(self, number: int, engine: MujocoLegs) -> None:
        """Put a robot on its feet, facing anywhere."""
        self.trot.reset(np.arange(self.count) == number, float(self.random.integers(2)) / 2.0)
        start = np.array([0.0, 0.0, self.trot.settings.height])
        engine.begin(start, float(self.random.uniform(-np.pi, np.pi)), self.trot.stance.ravel())

    def _put_back(self) -> Flags:
        """(n,) whose physics gives no numbers any more; they stand anew, for else there is nothing to observe."""
        lost = np.array([life.engine.diverged for life in self._lives])
        for number in np.flatnonzero(lost):
            self._stand(int(number), self._lives[number].engine)
        return lost

    def _apply(self, engine: MujocoLegs, drawn: dict[str, float]) -> None:
        """Mass, friction and motors of an episode."""
        model = engine.model
        if not self._nominal:
            names = ("body_mass", "geom_friction", "actuator_gainprm", "actuator_biasprm")
            self._nominal = {name: getattr(model, name).copy() for name in names}
        nominal, trunk = self._nominal, model.body(TRUNK).id
        model.body_mass[trunk] = nominal["body_mass"][trunk] * drawn["mass"]
        ground = model.geom("ground").id
        model.geom_friction[ground, 0] = nominal["geom_friction"][ground, 0] * drawn["friction"]
        model.actuator_gainprm[:, 0] = nominal["actuator_gainprm"][:, 0] * drawn["stiffness"]
        model.actuator_biasprm[:, 1] = nominal["actuator_biasprm"][:, 1] * drawn["stiffness"]
        model.actuator_biasprm[:, 2] = nominal["actuator_biasprm"][:, 2] * drawn["damping"]

    def _command(self, number: int, life: _Life) -> None:
        self.goal[number] = draw_velocity(self.profile.body.velocity, self.random)
        self.gait[number] = draw_gait(self.random)
        life.command_at = PERIOD * life.step + float(self.random.uniform(0.5, 1.5)) * COMMAND_EVERY

    def _tell(self) -> None:
        """A step towards what they are to do, and something else to do for those whose time for it has come."""
        for number, life in enumerate(self._lives):
            if PERIOD * life.step >= life.command_at:
                self._command(number, life)
        self.command = self.command + np.clip(self.goal - self.command, -self._ramp, self._ramp)

    def _push(self, life: _Life) -> None:
        if PERIOD * life.step < life.push_at:
            return
        life.push_at = PERIOD * life.step + life.drawn["push_every"]
        angle, size = self.random.uniform(-np.pi, np.pi), self.random.uniform(0.0, 1.0) * life.drawn["push"]
        life.engine.push(size * np.array([np.cos(angle), np.sin(angle), 0.0]))

    def _advance(self, targets: FloatArray) -> None:
        """One period of physics towards (n, 4, 3) joint targets; MuJoCo computes outside Python's lock."""

        def advance(first: int) -> None:
            _advance(self._lives[first :: self._threads], targets[first :: self._threads])

        list(self._pool.map(advance, range(self._threads)))

    def _look(self) -> None:
        """Take what is true, and from it what the robots measure, with their sensors' errors."""
        self._truths = truths = [life.engine.truth() for life in self._lives]
        errors = {name: np.array([life.drawn[f"{name}_noise"] for life in self._lives]) for name in _NOISES}
        exact = Sense(
            up_of(np.array([truth.orientation for truth in truths])),
            np.array([truth.rates for truth in truths]),
            np.array([truth.joints for truth in truths]).reshape(-1, 4, 3),
            np.array([truth.speeds for truth in truths]).reshape(-1, 4, 3),
            np.array([truth.contact for truth in truths]),
        )
        self._exact = exact
        normal = self.random.standard_normal
        up = exact.up + errors["tilt"][:, None] * normal(exact.up.shape)
        self._sense = Sense(
            up / np.linalg.norm(up, axis=1, keepdims=True),
            exact.rates + errors["rate"][:, None] * normal(exact.rates.shape),
            exact.joints + errors["joint"][:, None, None] * normal(exact.joints.shape),
            exact.speeds + errors["speed"][:, None, None] * normal(exact.speeds.shape),
            exact.contact,
        )

    def _observe(self) -> FloatArray:
        return observe(self._sense, self.trot, self.command, self._last)

    def _walked(self, before: FloatArray, lost: Flags) -> Walked:
        truths, up = self._truths, self._exact.up
        heights = np.array(
            [
                truth.position[2] - self._grounds[life.level].height_at(*truth.position[:2].tolist())
                for life, truth in zip(self._lives, truths, strict=True)
            ]
        )
        linear = _ahead(np.array([truth.orientation for truth in truths]), np.array([t.linear for t in truths]))
        now = np.concatenate([self.command, linear[:, :2], self._exact.rates[:, 2:]], axis=1)
        self._strides = np.concatenate([self._strides[1:], now[None]])
        lasted = np.minimum([life.step for life in self._lives], len(self._strides))
        mean = self._strides.sum(axis=0) / lasted[:, None]
        return Walked(
            wanted=mean[:, :3],
            went=mean[:, 3:],
            rise=linear[:, 2],
            rates=self._exact.rates,
            up=up,
            slope=self.trot.memory.slope,
            sunk=self.trot.heights - heights,
            power=np.array([np.abs(truth.torques * truth.speeds).sum() for truth in truths]),
            change=self._last - before,
            action=self._last,
            fell=(up[:, 2] < np.cos(MOST_TILT)) | (heights < LEAST_HEIGHT) | lost,
        )


def _advance(lives: Sequence[_Life], targets: FloatArray) -> None:
    """One period of the physics of robots, towards (k, 4, 3) joint targets that arrive late."""
    for life, joints in zip(lives, targets, strict=True):
        early = round(life.drawn["latency"] / life.engine.timestep)
        life.engine.advance(early)
        life.engine.aim(joints.ravel(), 1.0)
        life.engine.advance(round(PERIOD / life.engine.timestep) - early)
        life.step += 1


_NOISES: Final = ("tilt", "rate", "joint", "speed")


def _ahead(orientation: FloatArray, linear: FloatArray) -> FloatArray:
    """(n, 3) velocities of the world [m/s] forward, left and up as the bodies head."""
    x, y, z, w = np.moveaxis(orientation, -1, 0)
    yaw = np.arctan2(2.0 * (x * y + w * z), w * w + x * x - y * y - z * z)
    cos, sin = np.cos(yaw), np.sin(yaw)
    return np.stack(
        [cos * linear[:, 0] + sin * linear[:, 1], cos * linear[:, 1] - sin * linear[:, 0], linear[:, 2]], axis=1
    )
