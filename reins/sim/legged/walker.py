"""What every simulated legged robot does whatever its engine: time, watchdog, stops, faults, what it measures."""

from typing import Final

import numpy as np

from reins.hardware.legged import LeggedState, Odometry, SafeBodyCommand
from reins.hardware.legged_orders import BodyOrders
from reins.hardware.legs import LegControl, Sense, up_of
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.quadruped_build import HEAD
from reins.hardware.robot import FloatArray, RobotSpec, StopCategory
from reins.sim.legged.engine import LegEngine, Truth
from reins.sim.legged.ground import GroundSpec
from reins.sim.legged.outlook import things_of
from reins.sim.world_state import WorldState

SETTLE: Final = 0.5
"""Time that the robot gets after a reset to come to lie on the ground [s]; it does not count as robot time."""

TUMBLE: Final = 1.5
"""The same of a robot that was dropped [s]."""

ABOVE: Final = 0.01
"""How far above the ground it is put down [m]."""


class SimulatedWalker:
    """One legged robot on one ground; implements `reins.hardware.legged.LeggedRobot` over any `LegEngine`.

    The body's velocity is commanded, and `legs` carry it, once a period of theirs. Past the profile's `stale_after`
    without a command the robot brakes, sits down and sets the fault. Its battery stays as full as it is told to be, and
    its motors' temperature is not simulated.

    Args:
        profile: the robot.
        ground: what it stands on.
        seed: of the direction that it begins in.
        engine: made from the same profile and ground.
        legs: how they carry the body.

    Attributes:
        battery: charge, 0 … 1.
        engine: the physics.
    """

    def __init__(
        self, profile: QuadrupedProfile, ground: GroundSpec, seed: int, engine: LegEngine, legs: LegControl
    ) -> None:
        self._profile, self._ground = profile, ground
        self.engine, self._legs = engine, legs
        self._spec = RobotSpec(profile.name, "quadruped", True, profile.joint_names, False, (HEAD,))
        self._substeps = round(legs.period / engine.timestep)
        self.battery = 1.0
        self.reset(seed)

    @property
    def spec(self) -> RobotSpec:
        """What this driver says of itself."""
        return self._spec

    def reset(self, seed: int) -> None:
        """Start again at time 0: lying at the origin, in the direction that `seed` draws, without a fault."""
        self.seed = seed
        yaw = float(np.random.default_rng(seed).uniform(-np.pi, np.pi))
        folded = np.tile(self._profile.build.folded, 4)
        height = self._ground.height_at(0.0, 0.0) + self._profile.build.box[2] + ABOVE
        self.engine.begin(np.array([0.0, 0.0, height + 0.06]), yaw, folded)
        self._settle(folded, SETTLE)

    def drop(self, place: FloatArray, orientation: FloatArray, joints: FloatArray) -> None:
        """Start again at time 0, limp, as somebody who fell: let go with the base at (3,) [m], turned by a quaternion
        (4,) x y z w, its joints at (12,) [rad], and left alone until it lies."""
        self.engine.lay(place, orientation, joints)
        self._settle(joints, TUMBLE)

    def _settle(self, joints: FloatArray, duration: float) -> None:
        """Let it come to lie for `duration` [s], limp; its time begins then."""
        self.engine.aim(joints, 0.0)
        self.engine.advance(round(duration / self.engine.timestep))
        self._time, self._rest = 0.0, 0.0
        self._orders = BodyOrders(self._profile)
        self._truth = self.engine.truth()
        self._legs.reset(self._sense(self._truth))

    def connect(self) -> None:
        """Stay in the posture that it is in."""
        self._orders.hold()

    def read(self) -> LeggedState:
        """What it measures now."""
        truth = self._truth
        x, y, z = truth.position.tolist()
        a, b, c, w = truth.orientation.tolist()
        is_upright = w * w + c * c > a * a + b * b
        turned = _body_frame(truth.orientation, truth.linear)
        return LeggedState(
            stamp=self._time,
            orientation=truth.orientation,
            position=truth.joints,
            velocity=truth.speeds,
            effort=truth.torques,
            contact=truth.contact,
            battery=self.battery,
            odometry=Odometry(truth.position, truth.orientation, turned, truth.rates),
            height=(z - self._ground.height_at(x, y)) if is_upright else None,
            sequence=self._orders.sequence,
            fault=self._orders.fault,
        )

    def write(self, command: SafeBodyCommand) -> None:
        """Walk like this from now on; ignored while a fault is set. What is not finite stops the robot.

        Raises:
            ReinsError: it is not three velocities and a posture.
        """
        self._orders.write(command)

    def step(self, dt: float) -> None:
        """Let `dt` [s] of robot time pass. Fractions of a period of the legs are carried over to the next call."""
        period = self._legs.period
        periods = int((self._rest + dt) / period + 1e-6)
        self._rest += dt - periods * period
        self._time = round(self._time + dt, 9)
        for _ in range(periods):
            self._orders.pass_time(period)
            self._advance()

    def push(self, change: FloatArray) -> None:
        """Change the velocity of the base at once by (3,) [m/s], world frame."""
        self.engine.push(change)

    def stop(self, category: StopCategory, reason: str) -> None:
        """Brake and sit down; with CUT, let the legs go at once. The first reason stays."""
        self._orders.stop(category, reason)

    def recover(self) -> None:
        """Clear the fault; the robot stays in the posture that it is in, and no earlier command resumes."""
        self._orders.recover()

    def close(self) -> None:
        """Release the engine."""
        self.engine.close()

    def world_state(self) -> WorldState:
        """What is true now: what stands about as seen from the base, whose z is up, and the generalised position of the
        MuJoCo model."""
        truth = self._truth
        qpos = np.concatenate([truth.position, truth.orientation[[3, 0, 1, 2]], truth.joints])
        things = {item.id: item for item in things_of(self._ground, truth.position, truth.orientation)}
        return WorldState(self._time, self._ground.name, self.seed, things, None, qpos)

    def _advance(self) -> None:
        """One period of the legs."""
        sense, orders = self._sense(self._truth), self._orders
        if orders.cut:
            self._legs.reset(sense)
            self.engine.aim(sense.joints.ravel(), 0.0)
        else:
            targets = self._legs.step(sense, orders.velocity, orders.posture, orders.gait)
            self.engine.aim(targets.joints.ravel(), targets.grip)
        self.engine.advance(self._substeps)
        self._truth = self.engine.truth()

    @staticmethod
    def _sense(truth: Truth) -> Sense:
        return Sense(
            up_of(truth.orientation)[None],
            truth.rates[None],
            truth.joints.reshape(1, 4, 3),
            truth.speeds.reshape(1, 4, 3),
            truth.contact[None],
        )


def _body_frame(orientation: FloatArray, vector: FloatArray) -> FloatArray:
    """(3,) a vector of the world in the frame of a body with this quaternion x y z w."""
    x, y, z, w = orientation.tolist()
    a, b, c = vector.tolist()
    p, q, r = 2.0 * (z * b - y * c), 2.0 * (x * c - z * a), 2.0 * (y * a - x * b)  # np.cross takes ten times as long
    return np.array([a + w * p + z * q - y * r, b + w * q + x * r - z * p, c + w * r + y * p - x * q])
