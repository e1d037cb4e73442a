"""Feedback of a task as its client tells it, without ROS."""

from types import SimpleNamespace

from reins.contracts.plan import Plan


def told(stage: str, plan: Plan | None = None, step: int = 0, text: str = "") -> SimpleNamespace:
    """A task's feedback."""
    return SimpleNamespace(stage=stage, plan=plan, step=step, step_text=text, phase="", progress=0.0)
