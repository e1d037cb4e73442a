"""The skills that reins ships, declared once. Controllers for them are elsewhere; this file says what they mean.

Effects name what a scene shows afterwards; ("clear", …), ("room", …) and ("hand_empty",) follow from the rest (see
`reins.contracts.facts`) and are therefore only ever preconditions. Time limits are generous: several times what the
motion takes at full speed, so that a task that asks for care still fits.
"""

from typing import Final

from reins.contracts.scene import CONTAINERS, MOVABLE, SUPPORTS, TABLE
from reins.skills.registry import ANY, HELD, Condition, Parameter, SkillRegistry, SkillSpec

DIRECTIONS: Final = ("left", "right", "forward", "back")
"""Seen from the robot's base: left is +y, forward is +x (away from the base)."""

SIDES: Final = ("beside", "left_of", "right_of", "in_front_of", "behind")
"""Where beside an object: predicates of `Relation`. "beside" is any side."""

DEFAULT_PUSH: Final = 0.10
"""How far a push goes when nobody says [m]."""

_FREE_HAND: Final = Condition(("hand_empty",))
_FULL_HAND: Final = Condition(("holding", ANY))
_LET_GO: Final = Condition(("holding", HELD), negated=True)


def _leaves_its_place(name: str) -> tuple[Condition, Condition]:
    """Effects: whatever related the object called `name` to another one is no longer known to hold."""
    return Condition((ANY, name, ANY), negated=True), Condition((ANY, ANY, name), negated=True)


MOVE_TO: Final = SkillSpec(
    name="move_to",
    description="Move the gripper above an object, without touching it.",
    parameters=(
        Parameter("target", "object", "the object to move above"),
        Parameter(
            "height", "number", "how far above its top", lower=0.02, upper=0.30, unit="m", above="target", default=0.10
        ),
    ),
    preconditions=(Condition(("holding", "target"), negated=True),),
    effects=(),
    time_limit=15.0,
)

PICK: Final = SkillSpec(
    name="pick",
    description="Grasp an object and lift it.",
    parameters=(Parameter("object", "object", "the object to grasp", labels=MOVABLE, touches=True),),
    preconditions=(_FREE_HAND, Condition(("clear", "object"))),
    effects=(*_leaves_its_place("object"), Condition(("holding", "object"))),
    time_limit=25.0,
)

PLACE_IN: Final = SkillSpec(
    name="place_in",
    description="Put the held object into a container and let go of it.",
    parameters=(Parameter("container", "object", "where it goes", labels=CONTAINERS, touches=True),),
    preconditions=(_FULL_HAND, Condition(("room", "container"))),
    effects=(_LET_GO, Condition(("in", HELD, "container"))),
    time_limit=25.0,
)

PLACE_ON: Final = SkillSpec(
    name="place_on",
    description="Put the held object on top of another one, or on a free place of the table, and let go of it.",
    parameters=(Parameter("support", "object", "what it goes on", labels=SUPPORTS, also=(TABLE,), touches=True),),
    preconditions=(_FULL_HAND, Condition(("room", "support")), Condition(("in", "support", ANY), negated=True)),
    effects=(_LET_GO, Condition(("on", HELD, "support"))),
    time_limit=25.0,
)

PLACE_BESIDE: Final = SkillSpec(
    name="place_beside",
    description="Put the held object on the table beside another one, without touching that one, and let go of it.",
    parameters=(
        Parameter("object", "object", "what it goes beside"),
        Parameter("side", "word", "on which side of it, seen from the robot", words=SIDES, default="beside"),
    ),
    preconditions=(_FULL_HAND, Condition(("on", "object", TABLE))),
    effects=(
        _LET_GO,
        Condition(("on", HELD, TABLE)),
        Condition(("beside", HELD, "object")),
        Condition(("side", HELD, "object")),
    ),
    time_limit=25.0,
)

PUSH: Final = SkillSpec(
    name="push",
    description="Push an object over the table with closed fingers.",
    parameters=(
        Parameter("object", "object", "the object to push", labels=MOVABLE, touches=True),
        Parameter("direction", "word", "where to, seen from the robot", words=DIRECTIONS),
        Parameter(
            "distance",
            "number",
            "how far",
            lower=0.02,
            upper=0.20,
            unit="m",
            along=("object", "direction"),
            default=DEFAULT_PUSH,
        ),
    ),
    preconditions=(_FREE_HAND, Condition(("clear", "object")), Condition(("on", "object", TABLE))),
    effects=(
        *_leaves_its_place("object"),
        Condition(("on", "object", TABLE)),
        Condition(("moved", "object", "direction")),
    ),
    time_limit=25.0,
    risk="pushes without a grip: where the object ends is not exact, and pushing back does not undo it",
)

HOME: Final = SkillSpec(
    name="home",
    description="Move the arm to its home pose, out of the cameras' view of the table.",
    parameters=(),
    preconditions=(),
    effects=(),
    time_limit=15.0,
)

OPEN_GRIPPER: Final = SkillSpec(
    name="open_gripper",
    description="Open the empty gripper; an object that is held is put down by a place skill instead.",
    parameters=(),
    preconditions=(_FREE_HAND,),
    effects=(),
    time_limit=5.0,
)

CLOSE_GRIPPER: Final = SkillSpec(
    name="close_gripper",
    description="Close the empty gripper; an object is grasped by pick instead.",
    parameters=(),
    preconditions=(_FREE_HAND,),
    effects=(),
    time_limit=5.0,
)

SKILLS: Final = SkillRegistry(
    (MOVE_TO, PICK, PLACE_IN, PLACE_ON, PLACE_BESIDE, PUSH, HOME, OPEN_GRIPPER, CLOSE_GRIPPER)
)
"""Every skill that ships with reins."""
