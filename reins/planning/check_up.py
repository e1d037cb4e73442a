"""What comes of asking a planner for another plan although the one at hand goes well: that, a doubt, or an objection.

A planner that has doubts in the middle of a task knew all that it knows when it made the plan, unless something is new
in the scene. So without news the plan at hand goes on, and the doubt is told; with news a refusal is heard.
"""

from collections.abc import Sequence

from reins.contracts.plan import Plan
from reins.contracts.scene import Scene
from reins.planning.changes import news
from reins.planning.planner import History
from reins.planning.words import listed


def doubt_of(plan: Plan, problems: Sequence[str]) -> str:
    """Why the plan at hand is kept, as a clause; empty if what came is a plan that may run.

    Args:
        plan: what came.
        problems: what is wrong with it.
    """
    if plan.question is not None:
        return f"the planner asked: {plan.question}"
    if plan.refusal is not None:
        return f"the planner had doubts: {plan.refusal}"
    return f"the planner had another plan that is not accepted: {problems[0]}" if problems else ""


def objection_of(plan: Plan, made_in: Scene, scene: Scene, history: History) -> str:
    """Why a task ends though its plan could go on: a refusal after something new was seen; empty if there is none.

    Args:
        plan: what came.
        made_in: the scene that the plan at hand was made for.
        scene: what is seen now.
        history: the task so far.
    """
    handled = {str(value) for record in history.steps for value in record.call.arguments.values()}
    new = news(made_in, scene, handled)
    return f"{plan.refusal} (new in the scene: {listed(new)})" if plan.refusal is not None and new else ""
