"""A legged robot in MuJoCo."""

from typing import Final

import mujoco
import numpy as np

from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.sim.legged.engine import Truth
from reins.sim.legged.ground import GroundSpec
from reins.sim.legged.mjcf import TIMESTEP, build_walker

_DIVERGED: Final = (
    mujoco.mjtWarning.mjWARN_BADQPOS,
    mujoco.mjtWarning.mjWARN_BADQVEL,
    mujoco.mjtWarning.mjWARN_BADQACC,
)


class MujocoLegs:
    """MuJoCo as `reins.sim.legged.engine.LegEngine`; targets are its controls, so `advance` is one call into it.

    Args:
        profile: the robot.
        ground: what it stands on.
        model: of both, where one is at hand; it is changed by nobody but whoever gave it.

    Attributes:
        model, data: MuJoCo's.
    """

    timestep = TIMESTEP

    def __init__(self, profile: QuadrupedProfile, ground: GroundSpec, model: mujoco.MjModel | None = None) -> None:
        self.model = build_walker(profile, ground) if model is None else model
        self.data = mujoco.MjData(self.model)
        self._stiffness = self.model.actuator_gainprm[:, 0].copy()
        self._grip = 1.0
        kinds = np.full(self.model.ngeom, -1)  # of each shape: which foot, -1 for the rest of the robot
        kinds[self.model.geom_bodyid == 0] = len(profile.feet)
        for number, foot in enumerate(profile.feet):
            kinds[self.model.geom(f"{foot}_foot").id] = number
        self._kinds: list[int] = kinds.tolist()

    def begin(self, position: FloatArray, yaw: float, joints: FloatArray) -> None:
        """Start anew."""
        self.lay(position, np.array([0.0, 0.0, np.sin(yaw / 2.0), np.cos(yaw / 2.0)]), joints)

    def lay(self, position: FloatArray, orientation: FloatArray, joints: FloatArray) -> None:
        """Start anew, anyhow turned."""
        data = self.data
        mujoco.mj_resetData(self.model, data)
        data.qpos[:3] = position
        data.qpos[3:7] = orientation[[3, 0, 1, 2]]
        data.qpos[7:] = data.ctrl[:] = joints
        mujoco.mj_forward(self.model, data)

    def aim(self, joints: FloatArray, grip: float) -> None:
        """Pull there from now on."""
        self.data.ctrl[:] = joints
        if grip != self._grip:
            self._grip = grip
            self.model.actuator_gainprm[:, 0] = grip * self._stiffness
            self.model.actuator_biasprm[:, 1] = -grip * self._stiffness

    def advance(self, steps: int) -> None:
        """Compute that many physics steps."""
        mujoco.mj_step(self.model, self.data, nstep=steps)

    def push(self, change: FloatArray) -> None:
        """Change the base's velocity."""
        self.data.qvel[:3] += change

    def truth(self) -> Truth:
        """How it is now."""
        data = self.data
        contact, scraped = [False] * 4, False
        for pair in data.contact.geom.tolist():  # a few; arrays would take longer
            mine = min(self._kinds[pair[0]], self._kinds[pair[1]])  # the ground's number is the highest
            if mine < 0:
                scraped = True
            else:
                contact[mine] = True
        return Truth(
            position=data.qpos[:3].copy(),
            orientation=data.qpos[[4, 5, 6, 3]],
            linear=data.qvel[:3].copy(),
            rates=data.qvel[3:6].copy(),
            joints=data.qpos[7:].copy(),
            speeds=data.qvel[6:].copy(),
            torques=data.qfrc_actuator[6:].copy(),
            contact=np.array(contact),
            scraped=scraped,
        )

    @property
    def diverged(self) -> bool:
        """Whether its state has been no number, or beyond all bounds, since `begin`; MuJoCo goes on from the model's
        first pose then, and only counts it."""
        data = self.data
        warned = any(data.warning[int(kind)].number for kind in _DIVERGED)
        return warned or not (np.isfinite(data.qpos).all() and np.isfinite(data.qvel).all())

    def close(self) -> None:
        """Nothing is open."""
