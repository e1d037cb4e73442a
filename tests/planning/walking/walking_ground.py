"""What the robot sees in the tests of words."""

from reins.contracts.scene import PERSON, ROBOT, STANDING, Relation, Scene, SceneObject, by_id


def thing(name: str, label: str, colour: str, x: float, y: float) -> SceneObject:
    return SceneObject(name, label, colour, (x, y, 0.2), (0.0, 0.0, 0.0, 1.0), (0.5, 0.5, 0.5), 1.0, 0.0)


THINGS = by_id(
    [
        thing("blue_box", "box", "blue", 2.0, 0.0),
        thing("green_box", "box", "green", 1.0, -2.0),
        thing("red_door", "door", "red", 4.5, 1.0),
        thing("yellow_marker", "marker", "yellow", 2.5, 2.5),
        thing("person", PERSON, "orange", 3.0, -1.8),
    ]
)


def scene(posture: str = STANDING, at: str = "") -> Scene:
    relations = {Relation(ROBOT, "is", posture)} | ({Relation(ROBOT, "at", at)} if at else set())
    return Scene(0.0, "test", THINGS, frozenset(relations))
