"""What a training run is made of: defaults per task, everything that its checkpoint must agree with."""

from typing import Final

from pydantic import BaseModel, ConfigDict, Field


class TrainSettings(BaseModel):
    """Settings of one run. Written beside its checkpoint; a run resumes only with the same ones.

    Attributes:
        task: name of the task.
        robot: profile name.
        randomisation: name or file of the domain randomisation.
        seed: of everything random.
        steps: most policy steps of the agent's own.
        envs: environments side by side.
        batch: rows of a gradient step.
        updates: gradient steps per policy step.
        gamma: discount per policy step.
        rate: learning rate.
        layers: widths of the hidden layers.
        replay: rows of the replay buffer.
        hindsight: goals in hindsight per goal that was meant.
        demos: demonstrations; 0 for none.
        demo_share: share of a batch that they have at first …
        demo_least: … and in the end.
        demo_decay: policy steps over which their share decays evenly.
        imitation: weight of imitation in the actor's loss at first; it decays as their share does, to 0.
        lessons: most lessons of imitation, before anything else; 0 for none. Two good evaluations end them early.
        studied: gradient steps of each.
        settled: gradient steps of the last one beyond those.
        attempts: episodes that the agent tries between two, told what would have been right.
        lessons_evaluated: lessons between two evaluations; the last one is followed by one in any case.
        warm_up: gradient steps of the critics on demonstrations and attempts alone, before reinforcement learning.
        pace: part of the learning rate that the actor has after its lessons.
        starts: policy steps with random actions before learning begins, without demonstrations.
        evaluate_every: policy steps between two evaluations.
        evaluated: episodes of an evaluation, always the same ones.
        gate: success rate, in two evaluations one after the other, at which training stops early.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    robot: str = "franka"
    randomisation: str = "training"
    seed: int = 1
    steps: int = Field(default=40_000, gt=0)
    envs: int = Field(default=4, gt=0)
    batch: int = Field(default=128, gt=1)
    updates: float = Field(default=0.5, gt=0.0)
    gamma: float = Field(default=0.98, gt=0.0, lt=1.0)
    rate: float = Field(default=4e-4, gt=0.0)
    layers: tuple[int, ...] = (256, 256)
    replay: int = Field(default=200_000, gt=0)
    hindsight: int = Field(default=4, ge=0)
    demos: int = Field(default=60, ge=0)
    demo_share: float = Field(default=0.5, ge=0.0, lt=1.0)
    demo_least: float = Field(default=0.1, ge=0.0, lt=1.0)
    demo_decay: int = Field(default=40_000, gt=0)
    imitation: float = Field(default=2.0, ge=0.0)
    lessons: int = Field(default=32, ge=0)
    studied: int = Field(default=2_000, gt=0)
    settled: int = Field(default=10_000, ge=0)
    attempts: int = Field(default=50, gt=0)
    lessons_evaluated: int = Field(default=3, gt=0)
    warm_up: int = Field(default=3_000, ge=0)
    pace: float = Field(default=0.25, gt=0.0, le=1.0)
    starts: int = Field(default=2_000, ge=0)
    evaluate_every: int = Field(default=5_000, gt=0)
    evaluated: int = Field(default=100, gt=0)
    gate: float = Field(default=0.98, gt=0.0, le=1.0)


GATES: Final = {"reach": 1.0, "push": 0.96, "pick": 0.98, "place": 0.98, "stack": 0.96}
"""Success rate at which training stops early: a little above what the exported policy must reach."""

OVERRIDES: Final[dict[str, dict[str, object]]] = {
    "reach": {
        "demos": 30,
        "evaluate_every": 2_000,
        "layers": (128, 128),
        "warm_up": 1_000,
    },
    "push": {"layers": (256, 256, 256), "studied": 4_000},
}
"""What differs from the defaults, by task."""

ALONE: Final = 200_000
"""Most policy steps of a run without demonstrations: more than demonstrations, lessons and own steps are together."""


def settings_for(task: str, **changes: object) -> TrainSettings:
    """The settings of a task's recipe, with some changed; None changes nothing."""
    wanted = {name: value for name, value in changes.items() if value is not None}
    fields: dict[str, object] = {"task": task, "gate": GATES[task], **OVERRIDES.get(task, {}), **wanted}
    if wanted.get("demos") == 0 and "steps" not in wanted:
        fields["steps"] = ALONE
    return TrainSettings.model_validate(fields)
