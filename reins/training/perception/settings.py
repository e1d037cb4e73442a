"""What a training run is made of; everything that its checkpoint must agree with."""

from hashlib import sha256

from pydantic import BaseModel, ConfigDict, Field, model_validator
from typing_extensions import Self

CELL = 8
"""Width and height of the part of a picture that one vector stands for [pixels]."""


class Shape(BaseModel):
    """The network's shape.

    Attributes:
        width, height: of pictures [pixels].
        stem: channels after the first and the second convolution.
        features: width of the vectors that stand for parts of a picture, and of those for tokens.
        heads: of attention.
        layers, decoder_layers: how many look at the picture, and how many speak.
        hidden: width of the feed-forward layers.
        length: most tokens of a description.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    width: int = Field(default=160, gt=0)
    height: int = Field(default=120, gt=0)
    stem: tuple[int, int] = (48, 96)
    features: int = Field(default=160, gt=0)
    heads: int = Field(default=4, gt=0)
    layers: int = Field(default=4, gt=0)
    decoder_layers: int = Field(default=2, gt=0)
    hidden: int = Field(default=480, gt=0)
    length: int = Field(default=192, gt=8)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.width % CELL or self.height % CELL:
            raise ValueError(f"{self.width} by {self.height} pixels do not divide into cells of {CELL}")
        if self.features % self.heads:
            raise ValueError(f"{self.heads} heads do not share a width of {self.features}")
        return self

    @property
    def columns(self) -> int:
        """Cells beside each other."""
        return self.width // CELL

    @property
    def rows(self) -> int:
        """Cells above each other."""
        return self.height // CELL

    @property
    def cells(self) -> int:
        """Of a picture."""
        return self.columns * self.rows


class PicturesSettings(BaseModel):
    """What pictures a run is trained on.

    Attributes:
        robot: profile.
        sim: whose renderer paints them.
        samples: how many.
        shard: of one file; the last one may have fewer.
        wrist: share of them that the camera in the hand takes; the others are from over the table.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    robot: str = "franka"
    sim: str = "mujoco"
    samples: int = Field(default=20_480, gt=0)
    shard: int = Field(default=128, gt=0)
    wrist: float = Field(default=0.25, ge=0.0, le=1.0)


class VisionTrainingSettings(BaseModel):
    """Settings of one run. Written into its checkpoint; a run resumes only with the same ones.

    Attributes:
        seed: of everything random.
        start: SHA-256 of the exported model that it begins with; "" for a network that knows nothing.
        shape: of the network.
        pictures: that it is trained on.
        steps: gradient steps.
        batch: pictures of a gradient step.
        rate: learning rate of the matrices (Muon).
        side_rate: learning rate of embeddings, convolutions and norms (AdamW).
        warm: steps in which the rates rise; after those they fall as a cosine does, to nothing.
        half: multiply matrices in bfloat16 where the processor has instructions for it.
        places: weight, in the loss, of what the encoder says of every cell by itself: which kind and colour of thing is
            in it and where its edges are. Without it the encoder learns through the decoder's words alone, slowly.
        blurred: share of an edge's target that goes to its two neighbours: nearly right is not wrong.
        evaluated: pictures of an evaluation while it trains, of each kind.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: int = Field(default=1, ge=0)
    start: str = ""
    shape: Shape = Shape()
    pictures: PicturesSettings = PicturesSettings()
    steps: int = Field(default=5_500, gt=0)
    batch: int = Field(default=32, gt=0)
    rate: float = Field(default=0.02, gt=0.0)
    side_rate: float = Field(default=3e-3, gt=0.0)
    warm: int = Field(default=200, ge=0)
    half: bool = True
    places: float = Field(default=0.5, ge=0.0)
    blurred: float = Field(default=0.4, ge=0.0, lt=1.0)
    evaluated: int = Field(default=64, gt=0)

    @property
    def checksum(self) -> str:
        """SHA-256 of the settings."""
        return sha256(self.model_dump_json().encode()).hexdigest()
