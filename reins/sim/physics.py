"""What a physics engine gives to the simulated arm: arrays that both know, and time that passes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from reins.hardware.robot import FloatArray
from reins.sim.gripper import GripperDrive


@dataclass(frozen=True, slots=True, eq=False)
class JointDrive:
    """What the arm's joint impedance and its engine share; the arrays stay the same ones for good.

    Attributes:
        position, velocity, effort: (n,) measured [rad, rad/s, N·m]; the engine writes them.
        reference: (n,) position that is tracked [rad]; both write it, for the engine moves it on with `speeds`.
        speeds: (k, n) speed of the reference [rad/s] in every row; the arm writes it.
    """

    position: FloatArray
    velocity: FloatArray
    effort: FloatArray
    reference: FloatArray
    speeds: FloatArray


class Physics(Protocol):
    """One engine with one arm and one world in it. Every joint pulls to a reference that moves at a given speed."""

    @property
    def timestep(self) -> float:
        """Physics and joint control period [s]."""
        ...

    @property
    def time(self) -> float:
        """Robot time [s]."""
        ...

    @time.setter
    def time(self, value: float) -> None: ...

    @property
    def joints(self) -> JointDrive:
        """The arm's joints."""
        ...

    @property
    def gripper(self) -> GripperDrive:
        """The gripper's drive."""
        ...

    @property
    def objects(self) -> Mapping[str, FloatArray]:
        """(7,) pose of every object's body, x y z [m] and w x y z, by id."""
        ...

    def qpos(self) -> FloatArray:
        """(nq,) joints, fingers and objects, in the order of `reins.sim.model`; a copy."""
        ...

    def begin(self, poses: Mapping[str, FloatArray], position: FloatArray | None = None) -> None:
        """Start anew at time 0, at rest: arm at `position` (n,) [rad] or at home, gripper open, objects at (7,)
        `poses`."""

    def put(self, name: str, pose: FloatArray) -> None:
        """Have an object at a pose (7,), x y z [m] and w x y z, at rest, from now on."""

    def advance(self, steps: int) -> None:
        """Compute that many physics steps."""

    def contacts(self) -> NDArray[np.int32]:
        """(c, 2) what is in contact now, in the kinds of `reins.sim.touch`."""
        ...

    def close(self) -> None:
        """Release the engine. Safe to call twice."""
