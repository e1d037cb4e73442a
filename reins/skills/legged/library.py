"""The skills of legged robots, declared once, as `reins.skills.library` declares an arm's.

Effects name what a scene of a legged robot shows: ("is", ROBOT, a posture), and ("at", ROBOT, x) of an object that the
robot stands near. Places are seen from the robot as it stands when the skill begins, as scenes are: x ahead, y left.
Time limits are several times what the way takes at a careful pace.
"""

import math
from typing import Final

from reins.contracts.scene import FALLEN, PERSON, ROBOT, SITTING, STANDING
from reins.skills.registry import ANY, Condition, Parameter, SkillRegistry, SkillSpec

FARTHEST_WALK: Final = 10.0
"""How far away, along x and along y, a skill may be sent [m]."""

DEFAULT_DISTANCE: Final = 0.3
"""Free distance that is left to an object when nobody says [m]."""

DEFAULT_BEHIND: Final = 1.2
"""Free distance that is left to a person who is followed when nobody says [m]."""

LONGEST: Final = 300.0
"""Longest time that somebody is followed, or nothing is done [s]."""

_STRIDE: Final = 0.1
"""Half a step of a trot: nobody can place a robot more exactly [m]."""

_KINDS: Final = ("quadruped",)
_ON_ITS_LEGS: Final = Condition(("is", ROBOT, STANDING))
_HAS_FALLEN: Final = Condition(("is", ROBOT, FALLEN))
_LIES_WELL: Final = Condition(("is", ROBOT, FALLEN), negated=True)
_GOES_AWAY: Final = Condition(("at", ROBOT, ANY), negated=True)


def _becomes(posture: str) -> tuple[Condition, Condition]:
    """Effects: this is the posture, and no other one."""
    return Condition(("is", ROBOT, ANY), negated=True), Condition(("is", ROBOT, posture))


STAND: Final = SkillSpec(
    name="stand",
    description="Stand up, or stay standing.",
    parameters=(),
    preconditions=(_LIES_WELL,),
    effects=_becomes(STANDING),
    time_limit=15.0,
    kinds=_KINDS,
)

SIT: Final = SkillSpec(
    name="sit",
    description="Stop and sit down where it is.",
    parameters=(),
    preconditions=(),
    effects=_becomes(SITTING),
    time_limit=15.0,
    kinds=_KINDS,
)

RECOVER: Final = SkillSpec(
    name="recover",
    description="After a fall: turn from the side or back onto the belly, and stand up.",
    parameters=(),
    preconditions=(_HAS_FALLEN,),
    effects=_becomes(STANDING),
    time_limit=40.0,
    kinds=_KINDS,
)

WALK_TO: Final = SkillSpec(
    name="walk_to",
    description="Walk to a place on the ground, round whatever stands in between.",
    parameters=(
        Parameter(
            "x",
            "number",
            "how far ahead, as the robot stands now",
            lower=-FARTHEST_WALK,
            upper=FARTHEST_WALK,
            unit="m",
            step=_STRIDE,
        ),
        Parameter(
            "y",
            "number",
            "how far to the left, as the robot stands now",
            lower=-FARTHEST_WALK,
            upper=FARTHEST_WALK,
            unit="m",
            step=_STRIDE,
            default=0.0,
        ),
    ),
    preconditions=(_ON_ITS_LEGS,),
    effects=(_GOES_AWAY,),
    time_limit=180.0,
    kinds=_KINDS,
)

GO_TO: Final = SkillSpec(
    name="go_to",
    description="Walk to an object, round whatever stands in between, and face it; onto it if it lies flat.",
    parameters=(
        Parameter("object", "object", "the object to walk to"),
        Parameter(
            "distance",
            "number",
            "free distance to leave to it; people are left more",
            lower=0.2,
            upper=1.5,
            unit="m",
            step=_STRIDE,
            default=DEFAULT_DISTANCE,
        ),
    ),
    preconditions=(_ON_ITS_LEGS,),
    effects=(_GOES_AWAY, Condition(("at", ROBOT, "object"))),
    time_limit=180.0,
    kinds=_KINDS,
)

FOLLOW: Final = SkillSpec(
    name="follow",
    description="Walk behind a person for a while, keeping a distance.",
    parameters=(
        Parameter("person", "object", "whom to follow", labels=(PERSON,)),
        Parameter(
            "distance",
            "number",
            "free distance to keep",
            lower=1.0,
            upper=3.0,
            unit="m",
            step=_STRIDE,
            default=DEFAULT_BEHIND,
        ),
        Parameter("duration", "number", "for how long", lower=1.0, upper=LONGEST, unit="s", step=1.0, default=30.0),
    ),
    preconditions=(_ON_ITS_LEGS,),
    effects=(_GOES_AWAY,),
    time_limit=LONGEST + 20.0,
    kinds=_KINDS,
)

TURN: Final = SkillSpec(
    name="turn",
    description="Turn on the spot.",
    parameters=(
        Parameter(
            "angle",
            "number",
            "how far; to the left if positive, to the right if negative",
            lower=-2.0 * math.pi,
            upper=2.0 * math.pi,
            unit="rad",
            step=math.radians(15.0),
        ),
    ),
    preconditions=(_ON_ITS_LEGS,),
    effects=(),
    time_limit=40.0,
    kinds=_KINDS,
)

LOOK_AROUND: Final = SkillSpec(
    name="look_around",
    description="Turn once all the way round on the spot, to see what is there.",
    parameters=(),
    preconditions=(_ON_ITS_LEGS,),
    effects=(),
    time_limit=40.0,
    kinds=_KINDS,
)

STOP: Final = SkillSpec(
    name="stop",
    description="Stand still, in the posture that it is in.",
    parameters=(),
    preconditions=(),
    effects=(),
    time_limit=10.0,
    kinds=_KINDS,
)

WAIT: Final = SkillSpec(
    name="wait",
    description="Do nothing for a while, in the posture that it is in.",
    parameters=(
        Parameter("duration", "number", "for how long", lower=0.5, upper=LONGEST, unit="s", step=0.5, default=5.0),
    ),
    preconditions=(),
    effects=(),
    time_limit=LONGEST + 20.0,
    kinds=_KINDS,
)

LEGGED_SKILLS: Final = SkillRegistry((STAND, SIT, RECOVER, WALK_TO, GO_TO, FOLLOW, TURN, LOOK_AROUND, STOP, WAIT))
"""Every skill of legged robots that ships with reins."""
