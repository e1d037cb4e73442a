"""What can be set about the vision-language model; the perception node's parameters are these."""

from typing import Final, Literal, get_args

from pydantic import Field

from reins.language_models.settings import ModelSettings

DoorName = Literal["none", "llama_cpp", "openai", "transformers", "tiny"]


NO_MODEL: Final = "none"
"""The name that stands for no model."""

TINY: Final = "tiny"
"""The name of our own small model, which knows how sure it is."""

DOOR_NAMES: Final[tuple[str, ...]] = tuple(name for name in get_args(DoorName) if name != NO_MODEL)
"""What runs a model."""


class VisionSettings(ModelSettings):
    """Parameters of the backends that ask a vision-language model."""

    vlm: DoorName = Field(
        default=NO_MODEL,
        description="what runs the vision-language model; tiny: a small one of our own, without any other package; "
        "none: words come from geometry, and hybrid is geometric",
    )
    model: str = Field(
        default="",
        description="llama_cpp: the path of a GGUF file; openai: the model's name at the server, empty for its first; "
        "transformers: the path of a folder; tiny: the path of an ONNX file, empty for the one that ships with reins",
    )
    projector: str = Field(
        default="",
        description="path of the GGUF file that turns pictures into what the model reads, often called mmproj "
        "(llama_cpp)",
    )
    temperature: float = Field(default=0.0, ge=0.0, le=2.0, description="0: the likeliest reply")
    attempts: int = Field(
        default=2, ge=1, le=10, description="times that the model is asked, the last complaint in hand"
    )
    max_tokens: int = Field(default=1536, ge=16, le=16384, description="longest reply of the model")
    answer_limit: float = Field(
        default=20.0,
        gt=0.0,
        le=600.0,
        description="longest that the model may take for a description or an answer, attempts together [s]",
    )
    describe_period: float = Field(
        default=0.0,
        ge=0.0,
        le=3600.0,
        description="time between two descriptions at least [s]; 0: what suits the model, 0.2 with tiny and 2 with "
        "others, which never hold up the scenes",
    )
    words_age: float = Field(
        default=0.0,
        ge=0.0,
        le=3600.0,
        description="words that are from an older picture are dropped; with vlm, the scene is then stale [s]; 0: 2 "
        "with tiny and 30 with others",
    )

    @property
    def period(self) -> float:
        """Time between two descriptions at least [s]."""
        return self.describe_period or (0.2 if self.vlm == TINY else 2.0)

    @property
    def age(self) -> float:
        """Words from a picture that is older are dropped [s]."""
        return self.words_age or (2.0 if self.vlm == TINY else 30.0)
