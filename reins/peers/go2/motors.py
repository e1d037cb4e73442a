"""Twelve motors with loops of their own, in MuJoCo: what rt/lowcmd tells them, what rt/lowstate tells of them."""

from typing import Any, Final

import numpy as np

from reins.hardware.legs import up_of
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.sim.legged.engine import Truth
from reins.sim.legged.ground import GroundSpec
from reins.sim.legged.mujoco_legs import MujocoLegs

ORDER: Final = ("FR", "FL", "RR", "RL")
"""Legs in the SDK's messages."""

GRAVITY: Final = 9.81
"""[m/s²]."""

WEIGHED: Final = 80
"""What a foot's sensor shows that stands on the ground [counts]; Unitree publishes no scale."""

ABOVE: Final = 0.13
"""Height at which a folded robot is put down [m]."""

SETTLE: Final = 0.5
"""Time that it then gets to come to lie [s]."""

DROP: Final = 0.45
"""Height from which a robot falls [m] …"""

TUMBLE: Final = 1.5
"""… and the time that it gets to come to lie [s]."""


class Motors:
    """A Go2 on a ground, whose motors do what they were told last.

    Args:
        profile: the robot.
        ground: what it lies on.
        watchdog: motors that are told nothing for longer only damp [s]; None: they go on for ever.

    Attributes:
        engine: the physics.
        off: number of the motor, in the SDK's order, that is switched off; None: none is.
    """

    def __init__(self, profile: QuadrupedProfile, ground: GroundSpec, watchdog: float | None) -> None:
        self._profile, self._ground, self._watchdog = profile, ground, watchdog
        self.engine = MujocoLegs(profile, ground)
        self._ours = np.array([3 * ORDER.index(foot) + joint for foot in profile.feet for joint in range(3)])
        self._damping = np.array([motor.damping for motor in profile.build.motors] * 4)
        self.off: int | None = None
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Lie at the origin, in the direction that `seed` draws, motors at rest."""
        yaw = float(np.random.default_rng(seed).uniform(-np.pi, np.pi))
        folded = np.tile(self._profile.build.folded, 4)
        height = self._ground.height_at(0.0, 0.0) + ABOVE
        self.engine.begin(np.array([0.0, 0.0, height]), yaw, folded)
        self._settle(SETTLE)

    def fall(self, roll: float) -> None:
        """Be dropped at the origin with this roll [rad], and lie as it comes, motors at rest."""
        folded = np.tile(self._profile.build.folded, 4)
        height = self._ground.height_at(0.0, 0.0) + DROP
        turn = np.array([np.sin(roll / 2.0), 0.0, 0.0, np.cos(roll / 2.0)])
        self.engine.lay(np.array([0.0, 0.0, height]), turn, folded)
        self._settle(TUMBLE)

    def _settle(self, seconds: float) -> None:
        self.told, self._silence = False, 0.0
        self._damp()
        self.engine.advance(round(seconds / self.engine.timestep))

    def tell(self, message: Any) -> None:
        """A LowCmd_ came, with a good checksum."""
        motors = [message.motor_cmd[number] for number in self._ours]
        rows = np.array([(m.q, m.dq, m.tau, m.kp, m.kd, m.mode) for m in motors], dtype=np.float64)
        place, speed, torque, stiffness, damping, mode = rows.T
        on = (mode == 1) & (self._ours != (-1 if self.off is None else self.off))
        self._drive(on * (torque + stiffness * place + damping * speed), on * stiffness, on * damping)
        self.told, self._silence = True, 0.0

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._silence += seconds
        if self._watchdog is not None and self._silence > self._watchdog and self.told:
            self.told = False
            self._damp()
        self.engine.advance(round(seconds / self.engine.timestep))

    def fill(self, message: Any) -> Truth:
        """Write what is measured into a LowState_; the truth behind it."""
        truth = self.engine.truth()
        for index, number in enumerate(self._ours):
            motor = message.motor_state[number]
            motor.mode = int(self.told and number != self.off)
            motor.q, motor.dq, motor.tau_est = (
                float(values[index]) for values in (truth.joints, truth.speeds, truth.torques)
            )
            motor.temperature = 35
        x, y, z, w = truth.orientation.tolist()
        message.imu_state.quaternion = [w, x, y, z]
        message.imu_state.gyroscope = truth.rates.tolist()
        message.imu_state.accelerometer = (GRAVITY * up_of(truth.orientation)).tolist()
        message.foot_force = [WEIGHED * int(truth.contact[self._profile.feet.index(foot)]) for foot in ORDER]
        return truth

    def _damp(self) -> None:
        still = np.zeros(12)
        self._drive(still, still, self._damping)

    def _drive(self, forward: FloatArray, stiffness: FloatArray, damping: FloatArray) -> None:
        """Torque of each motor: `forward` - `stiffness` · position - `damping` · speed, within its limit."""
        model = self.engine.model
        model.actuator_gainprm[:, 0] = 0.0
        model.actuator_biasprm[:, 0] = forward
        model.actuator_biasprm[:, 1] = -stiffness
        model.actuator_biasprm[:, 2] = -damping
