"""What the robot node publishes of its driver: states, and of a simulation the time and the truth."""

from array import array
from dataclasses import replace
from typing import Any

from reins_msgs import msg as ros
from rosgraph_msgs.msg import Clock as ClockMessage
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from reins.contracts.errors import ReinsError
from reins.contracts.event import Severity
from reins.hardware.profile_base import Profile
from reins.nodes.base import ManagedNode
from reins.nodes.convert import fill_time, to_sequence
from reins.nodes.convert_scene import world_to_msg
from reins.nodes.qos import CONTROL, LATCHED, STANDARD
from reins.nodes.wires import wire_of
from reins.sim.simulators import SimulatedRobot


class RobotOutlet:
    """Publishes what one driver measures. Its messages are made once and filled again.

    Args:
        node: the owner.
        profile: the robot.
        simulated: its simulation, where it is one.
    """

    def __init__(self, node: ManagedNode[Any], profile: Profile, simulated: SimulatedRobot | None) -> None:
        self._node, self._simulated = node, simulated
        self._wire = wire_of(profile)
        self._fingers = self._wire.fingers(profile)
        self._joint_state = JointState(name=[*profile.joint_names, *self._fingers])
        self._states = node.create_publisher(self._wire.state, "robot_state", CONTROL)
        self._joints = node.create_publisher(JointState, "joint_states", STANDARD)
        self._describe(profile)
        if simulated is not None:
            self._now = ClockMessage()
            self._clock = node.create_publisher(ClockMessage, "clock", STANDARD)
            self._world = node.create_publisher(ros.WorldState, "sim/world_state", CONTROL)

    def tell(self, state: Any, armed: bool, truth: bool) -> None:
        """Publish a state.

        Args:
            state: as measured, in robot time.
            armed: whether the host is.
            truth: of a simulation, the world's, too.
        """
        self._joints.publish(self.joint_state(state))
        self._states.publish(self._wire.state_to_msg(state, armed))
        if self._simulated is None:
            return
        fill_time(self._now.clock, state.stamp)
        self._clock.publish(self._now)
        if truth:
            world = self._simulated.world_state()
            self._world.publish(world_to_msg(replace(world, stamp=state.stamp)))

    def joint_state(self, state: Any) -> JointState:
        """A state as sensor_msgs has it, fingers last; valid until the next call."""
        fingers, message = len(self._fingers), self._joint_state
        fill_time(message.header.stamp, state.stamp)
        message.position = to_sequence(state.position) + array("d", [self._wire.finger_position(state)] * fingers)
        message.velocity = to_sequence(state.velocity) + array("d", [0.0] * fingers)
        message.effort = to_sequence(state.effort) + array("d", [0.0] * fingers)
        return message

    def _describe(self, profile: Profile) -> None:
        """Publish the URDF, for who shows the robot; without it reins works, too."""
        try:
            text = self._wire.description(profile)
        except ReinsError as error:
            self._node.log(Severity.WARN, f"robot_description is not published: {error}")
            return
        if text:
            self._node.create_publisher(String, "robot_description", LATCHED).publish(String(data=text))
