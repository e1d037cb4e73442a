"""The arm as it is: our model of it in its world, whose joints follow what the controller has them do."""

from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.peers.world import PeerWorld
from reins.sim.gripper import SimulatedGripper
from reins.sim.model import TIMESTEP
from reins.sim.mujoco_robot import MujocoPhysics
from reins.sim.world import load_world


class Body:
    """Attributes: `world` around it, and its `fingers`.

    Args:
        profile: the robot.
        world: name of the world.
        seed: of the poses of its objects.

    Raises:
        ReinsError: there is no such world, or its objects do not fit on the table.
    """

    def __init__(self, profile: RobotProfile, world: str, seed: int) -> None:
        self._physics = MujocoPhysics(profile, load_world(world))
        self._joints = self._physics.joints
        self.world = PeerWorld(world, self._physics, seed)
        self.fingers = SimulatedGripper(self._physics.gripper, profile.gripper)
        self._joints.reference[:] = self._joints.position

    @property
    def position(self) -> FloatArray:
        """(6,) measured [rad]."""
        return self._joints.position

    @property
    def velocity(self) -> FloatArray:
        """(6,) measured [rad/s]."""
        return self._joints.velocity

    @property
    def effort(self) -> FloatArray:
        """(6,) that the drives give, gravity's share included [N·m]."""
        return self._joints.effort

    def tick(self, position: FloatArray, velocity: FloatArray) -> None:
        """One cycle towards where the controller has the joints be [rad, rad/s]."""
        self._joints.reference[:] = position
        self._joints.speeds[:] = velocity
        self.fingers.drive(TIMESTEP)
        self._physics.advance(1)
