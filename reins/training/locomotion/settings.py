"""What a training run of locomotion is made of."""

from pydantic import BaseModel, ConfigDict, Field


class WalkSettings(BaseModel):
    """Settings of one run. Written beside its checkpoint; a run resumes only with the same ones, but for `steps`.

    Attributes:
        robot: profile name.
        randomisation: name or file.
        seed: of everything random.
        steps: policy steps of all robots together.
        robots: side by side.
        rollout: steps of each between two updates of the policy.
        batch: rows of a gradient step.
        epochs: passes over a rollout, which holds every step and its mirror image.
        rate: learning rate.
        gamma, trace: discount, and decay of the advantages' estimates, per step.
        clip: of the policy's ratio.
        divergence: from the policy before, at which an update ends early.
        spread: standard deviation of the actions at first.
        layers: widths of the hidden layers.
        evaluate_every: policy steps between two evaluations.
        evaluated: robots of an evaluation, each for one episode, always the same ones.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    robot: str = "go2"
    randomisation: str = "training"
    seed: int = Field(default=1, ge=0)
    steps: int = Field(default=6_000_000, gt=0)
    robots: int = Field(default=64, gt=0)
    rollout: int = Field(default=64, gt=1)
    batch: int = Field(default=1024, gt=1)
    epochs: int = Field(default=4, gt=0)
    rate: float = Field(default=3e-4, gt=0.0)
    gamma: float = Field(default=0.98, gt=0.0, lt=1.0)
    trace: float = Field(default=0.95, gt=0.0, lt=1.0)
    clip: float = Field(default=0.2, gt=0.0)
    divergence: float = Field(default=0.02, gt=0.0)
    spread: float = Field(default=0.25, gt=0.0)
    layers: tuple[int, ...] = (256, 128)
    evaluate_every: int = Field(default=500_000, gt=0)
    evaluated: int = Field(default=64, gt=0)
