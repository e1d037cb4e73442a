"""What a training run is made of; everything that its checkpoint must agree with."""

from pydantic import BaseModel, ConfigDict, Field, model_validator
from typing_extensions import Self


class Shape(BaseModel):
    """The network's shape.

    Attributes:
        vocabulary: most tokens.
        width: of the residual stream.
        layers: how many.
        heads: of attention.
        hidden: width of the gated layers.
        context: most tokens of a prompt and its reply.
        theta: base of the rotary embedding.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    vocabulary: int = Field(default=1536, ge=300)
    width: int = Field(default=192, gt=0)
    layers: int = Field(default=6, gt=0)
    heads: int = Field(default=6, gt=0)
    hidden: int = Field(default=512, gt=0)
    context: int = Field(default=1024, gt=0)
    theta: float = Field(default=10_000.0, gt=1.0)

    @model_validator(mode="after")
    def _even_heads(self) -> Self:
        if self.width % self.heads or (self.width // self.heads) % 2:
            raise ValueError(f"{self.heads} heads do not share a width of {self.width} in even parts")
        return self


class PlannerSettings(BaseModel):
    """Settings of one run. Written beside its checkpoint; a run resumes only with the same ones.

    Attributes:
        start: SHA-256 of the exported model that it begins with, its tokenizer included; "" for one that knows nothing.
        seed: of everything random.
        shape: of the network.
        steps: gradient steps.
        batch: most tokens of a gradient step, what rows are filled up with included.
        rate: learning rate of the matrices (Muon). Its usual 0.02 is for batches a hundred times as large: with few
            examples a step what it makes orthogonal is mostly noise.
        side_rate: learning rate of embeddings and norms (AdamW).
        warm: steps in which the rates rise; after those they fall as a cosine does, to nothing.
        half: multiply matrices in bfloat16 where the processor has instructions for it; where it has none, that takes
            six times as long as single precision.
        compiled: have PyTorch's compiler put what is between the matrices together: a step takes a tenth less time, and
            more where matrices are multiplied in bfloat16. Compiling takes a minute.
        prompts: weight of the prompts' tokens in the loss, beside 1 for the replies'; to foretell how a sentence about
            this scene goes on teaches what is needed to understand it.
        easy: chunks in which examples of one plain thing to do become fewer and fewer, from all to none.
        read: rows that the tokenizer is trained on.
        chunk: rows of a few examples that are made and sorted by length at a time.
        evaluated: examples of an evaluation, per language.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    start: str = ""
    seed: int = 1
    shape: Shape = Shape()
    steps: int = Field(default=9_500, gt=0)
    batch: int = Field(default=4_096, gt=0)
    rate: float = Field(default=0.006, gt=0.0)
    side_rate: float = Field(default=1.5e-3, gt=0.0)
    warm: int = Field(default=200, ge=0)
    half: bool = True
    compiled: bool = True
    prompts: float = Field(default=0.3, ge=0.0)
    easy: int = Field(default=15, ge=0)
    read: int = Field(default=1_250, gt=0)
    chunk: int = Field(default=512, gt=0)
    evaluated: int = Field(default=64, gt=0)
