"""What the simulator adds to an arm's description: gains, which links are near the base, and the gripper's boxes.

Sources of sizes: the collision meshes and drawings that the profiles name.
"""

from dataclasses import dataclass
from typing import Final

from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile

Size = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Block:
    """A box: half extents and centre [m], in the frame of its body."""

    half: Size
    centre: Size


@dataclass(frozen=True, slots=True)
class ArmParts:
    """One make of arm with its gripper. In a finger's frame the face of its pad is the plane y = 0, and z points to the
    tip.

    Attributes:
        stiffness, damping: (n,) of the joints' controllers [N·m/rad, N·m·s/rad].
        near: bodies that the far part of the arm may run into.
        shank, pad: of a finger.
        housing: of the hand; None where the description's own shapes are simple enough.
    """

    stiffness: tuple[float, ...]
    damping: tuple[float, ...]
    near: frozenset[str]
    shank: Block
    pad: Block
    housing: Block | None = None


FRANKA: Final = ArmParts(
    # libfranka, examples, setJointImpedance in `setDefaultBehavior`.
    stiffness=(3000.0, 3000.0, 3000.0, 2500.0, 2500.0, 2000.0, 2000.0),
    # About critical for the inertia that each joint sees with the arm stretched out.
    damping=(250.0, 250.0, 180.0, 180.0, 45.0, 45.0, 30.0),
    near=frozenset({"fr3_link0", "fr3_link1", "fr3_link2", "fr3_link3", "fr3_link4"}),
    shank=Block((0.0105, 0.0085, 0.018), (0.0, 0.0175, 0.018)),
    pad=Block((0.0088, 0.0053, 0.009), (0.0, 0.0053, 0.045)),
    housing=Block((0.030, 0.103, 0.035), (0.0, 0.0, 0.031)),
)

UR: Final = ArmParts(
    # Not published: stiff as a position control is, and about critical.
    stiffness=(8000.0, 8000.0, 6000.0, 1500.0, 1500.0, 1500.0),
    damping=(600.0, 600.0, 350.0, 45.0, 45.0, 40.0),
    near=frozenset({"base_link", "shoulder_link", "upper_arm_link", "forearm_link"}),
    shank=Block((0.0110, 0.0140, 0.019), (0.0, 0.0180, 0.019)),
    pad=Block((0.0110, 0.0060, 0.0195), (0.0, 0.0060, 0.0575)),
)


def parts_of(profile: RobotProfile) -> ArmParts:
    """The parts of a profile's arm.

    Raises:
        ReinsError: none is known for it; says for which there are.
    """
    if profile.franka is not None:
        return FRANKA
    if profile.ur is not None:
        return UR
    raise ReinsError(
        f"the simulator knows the arms of Franka and Universal Robots, and profile '{profile.name}' has neither a part "
        "'franka' nor 'ur'"
    )
