"""How a real robot is driven: what its own controller is told before and while it moves. A profile has one such."""

from typing import Annotated

from pydantic import Field

from reins.hardware.profile_base import Part, Positive, Triple

NotNegative = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]
Seven = tuple[Positive, Positive, Positive, Positive, Positive, Positive, Positive]
Six = tuple[Positive, Positive, Positive, Positive, Positive, Positive]


class Payload(Part):
    """What the robot carries beyond its hand: mass [kg], centre of mass [m] and moments of inertia about it [kg·m²], in
    the flange's frame."""

    mass: NotNegative = 0.0
    centre: Triple = (0.0, 0.0, 0.0)
    inertia: tuple[NotNegative, NotNegative, NotNegative] = (0.0, 0.0, 0.0)


class UnitreeDrive(Part):
    """A Unitree robot with legs: its motors' own loops pull to positions that the driver sends.

    Attributes:
        domain: its DDS domain.
        least_force: what the sensor of a foot that touches the ground shows at least [counts].
        motion_switcher: whether it can be asked which of its own motion services is active; the vendor's simulator
            cannot, and then only commands that are seen tell.
    """

    domain: int = Field(ge=0, le=232)
    least_force: float = Field(ge=0.0, le=32767.0)
    motion_switcher: bool = True


class FrankaDrive(Part):
    """A Franka arm: joint impedance that runs in its 1 kHz loop, and when it counts a contact as a collision.

    Attributes:
        stiffness: of each joint [N·m/rad].
        damping: of each joint [N·m·s/rad].
        torque_thresholds: external torque of each joint above which the robot stops [N·m].
        force_thresholds: external force x, y, z [N] and torque about them [N·m] above which it stops.
        payload: told to the robot, which carries its weight.
    """

    stiffness: Seven
    damping: Seven
    torque_thresholds: Seven
    force_thresholds: Six
    payload: Payload = Payload()


class URDrive(Part):
    """A UR arm: how its controller follows the stream of positions that servoj is given, and when it stops by itself.

    Attributes:
        model: what the controller's dashboard calls the arm, without the e of the e-Series.
        lookahead_time: over which servoj smooths the positions [s]; the arm follows that much later.
        gain: of servoj towards a position.
        watchdog: commands that come less often than this make the controller stop the arm [Hz].
        payload: told to the robot, in the frame of its flange; the gripper counts.
    """

    model: str
    lookahead_time: float = Field(ge=0.03, le=0.2)
    gain: float = Field(ge=100.0, le=2000.0)
    watchdog: float = Field(ge=1.0, le=125.0)
    payload: Payload = Payload()
