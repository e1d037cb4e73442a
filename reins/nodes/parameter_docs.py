"""The list of every node's parameters, made from the models that declare them: `./run python -m
reins.nodes.parameter_docs` writes docs/parameters.md."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin

import annotated_types
from pydantic.fields import FieldInfo

from reins.nodes.blackbox import BlackboxSettings
from reins.nodes.camera import CameraSettings
from reins.nodes.parameters import Settings, bounds_of
from reins.nodes.perception_settings import PerceptionSettings
from reins.nodes.planner_settings import PlannerSettings
from reins.nodes.robot_settings import RobotSettings
from reins.nodes.safety import SafetyNodeSettings
from reins.nodes.sim_cameras import SimCamerasSettings
from reins.nodes.sim_viewer import SimViewerSettings
from reins.nodes.skills import SkillsSettings
from reins.nodes.supervisor import SupervisorSettings
from reins.nodes.teleop import TeleopNodeSettings

MODELS: Final[Mapping[str, type[Settings]]] = {
    "robot": RobotSettings,
    "safety": SafetyNodeSettings,
    "skills": SkillsSettings,
    "planner": PlannerSettings,
    "perception": PerceptionSettings,
    "teleop": TeleopNodeSettings,
    "supervisor": SupervisorSettings,
    "blackbox": BlackboxSettings,
    "camera": CameraSettings,
    "sim_cameras": SimCamerasSettings,
    "sim_viewer": SimViewerSettings,
}
"""Every node that has parameters."""

PATH: Final = Path("docs") / "parameters.md"

INTRODUCTION: Final = """# Parameters

Every parameter of every node, made from the models that declare them. `./run python -m reins.nodes.parameter_docs`
writes this page. Launch files set them, and `ros2 param describe /safety speed_scale` tells the same of a running node.
A value out of its bounds is refused with the reason, and the node stays unconfigured.
"""


def markdown() -> str:
    """The page."""
    return INTRODUCTION + "".join(_section(name, model) for name, model in MODELS.items())


def _section(name: str, model: type[Settings]) -> str:
    rows = [_row(parameter, field) for parameter, field in sorted(model.model_fields.items())]
    head = "| parameter | type | default | bounds | |\n|---|---|---|---|---|\n"
    return f"\n## {name}\n\n{head}" + "".join(rows)


def _row(name: str, field: FieldInfo) -> str:
    default = repr(field.default).replace("'", '"')
    return f"| `{name}` | {_type(field.annotation)} | `{default}` | {_bounds(field)} | {field.description} |\n"


def _type(annotation: Any) -> str:
    if get_origin(annotation) is Literal:
        return "str"
    return str(getattr(annotation, "__name__", annotation)) if get_origin(annotation) is None else str(annotation)


def _bounds(field: FieldInfo) -> str:
    if get_origin(field.annotation) is Literal:
        return ", ".join(f"`{choice}`" for choice in get_args(field.annotation))
    lower, upper = bounds_of(field)
    open_below = any(isinstance(item, annotated_types.Gt) for item in field.metadata)
    parts = [
        f"{'>' if open_below else '≥'} {lower}" if lower is not None else "",
        f"≤ {upper}" if upper is not None else "",
    ]
    return ", ".join(part for part in parts if part)


def main() -> int:
    """Write the page into the checkout that is the current folder."""
    PATH.write_text(markdown(), encoding="utf-8")
    print(f"wrote {PATH}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
