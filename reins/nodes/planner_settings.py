"""Parameters of the planner node."""

from pydantic import Field

from reins.nodes.parameters import Settings
from reins.planning.approval import ApprovalMode
from reins.planning.cadence import Mode
from reins.planning.language.settings import LanguageSettings


class PlannerSettings(LanguageSettings, Settings):
    """Parameters of the planner node."""

    robot: str = Field("franka", description="robot profile: a name, or the path of a YAML file; plans keep to its box")
    backend: str = Field(
        "symbolic",
        description="planner: symbolic, scripted, or a language model by llama_cpp, openai or transformers; of robots "
        "with legs symbolic",
    )
    think_limit: float = Field(
        60.0, gt=0.0, le=600.0, description="longest that one plan may take, the wait for a language model included [s]"
    )
    pause_limit: float = Field(
        600.0,
        gt=0.0,
        le=86400.0,
        description="longest that an operator may drive by hand in a task before it fails [s]",
    )
    mode: Mode = Field(
        "front_end",
        description="front_end: plan once, and again when something goes wrong; closed_loop: plan after every step; "
        "advisor: plan every advice_period, when a new object is seen, and when a skill makes no progress, beside the "
        "skill that runs",
    )
    approve: ApprovalMode = Field(
        "always",
        description="which plans run unasked where a task does not say: always: all; risky: those that no rule of risk "
        "is about; ask: none",
    )
    approve_limit: float = Field(
        120.0,
        gt=0.0,
        le=86400.0,
        description="a plan that waits for an operator's answer for longer counts as turned down [s]",
    )
    questions: int = Field(
        5,
        ge=0,
        le=100,
        description="how many questions of the planner an operator may answer in one task; the next one ends it. 0: a "
        "task ends with its first question",
    )
    question_limit: float = Field(
        120.0,
        gt=0.0,
        le=86400.0,
        description="a task whose question waits for an operator's answer for longer ends with that question [s]",
    )
    advice_period: float = Field(
        30.0, gt=0.0, le=3600.0, description="longest time between two plans in the mode advisor [s]"
    )
    advice_stall: float = Field(
        8.0,
        gt=0.0,
        le=3600.0,
        description="how long a skill may make no progress before the planner is asked in the mode advisor [s]",
    )
    trace_folder: str = Field(
        "", description="where traces go; empty: $ROS_LOG_DIR/traces, or ~/.ros/reins/traces where that is not set"
    )
    trace_keep: int = Field(200, ge=1, le=100_000, description="traces that stay; older ones are removed")
