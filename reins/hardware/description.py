"""An arm's URDF as other people's nodes want it: joints called as in joint_states, meshes found from anywhere."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile


def robot_description(profile: RobotProfile) -> str:
    """Text of the URDF, for robot_state_publisher: joints have the profile's names, and paths of meshes are absolute.

    Raises:
        ReinsError: the package that carries the model is not installed, or its URDF cannot be read.
    """
    path = profile.model.path(profile.model.urdf)
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise ReinsError(f"the URDF of '{profile.name}' cannot be read: {error} ({path})") from None
    names = _names(profile, [joint.get("name", "") for joint in root.iter("joint") if joint.get("type") != "fixed"])
    for element in (*root.iter("joint"), *root.iter("mimic")):
        key = "name" if element.tag == "joint" else "joint"
        element.set(key, names.get(element.get(key, ""), element.get(key, "")))
    for mesh in root.iter("mesh"):
        mesh.set("filename", _absolute(mesh.get("filename", ""), path.parent))
    return ElementTree.tostring(root, encoding="unicode")


def _names(profile: RobotProfile, movable: list[str]) -> dict[str, str]:
    """Name in the URDF → name in joint_states. Fingers that the URDF calls otherwise are taken in its order, where it
    has as many."""
    names = {joint.model_name: joint.name for joint in profile.joints}
    fingers, others = profile.gripper.joints, [name for name in movable if name not in names]
    if len(others) == len(fingers) and not set(fingers) <= set(others):
        names |= dict(zip(others, fingers, strict=True))
    return names


def _absolute(name: str, folder: Path) -> str:
    """A mesh's address; one that is an address already stays as it is."""
    return name if "://" in name else (folder / name).resolve().as_uri()
