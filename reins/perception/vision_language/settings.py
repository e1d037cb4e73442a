"""What can be set about the vision-language model; the perception node's parameters are these."""

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

DoorName = Literal["none", "llama_cpp", "openai", "transformers"]


NO_MODEL: Final = "none"
"""The name that stands for no model."""


class VisionSettings(BaseModel):
    """Parameters of the backends that ask a vision-language model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    vlm: DoorName = Field(
        default=NO_MODEL,
        description="what runs the vision-language model; none: words come from geometry, and hybrid is geometric",
    )
    model: str = Field(
        default="",
        description="llama_cpp: the path of a GGUF file; openai: the model's name at the server, empty for its first; "
        "transformers: the path of a folder with an image-text-to-text model",
    )
    projector: str = Field(
        default="",
        description="path of the GGUF file that turns pictures into what the model reads, often called mmproj "
        "(llama_cpp)",
    )
    context: int = Field(
        default=8192, ge=256, le=1_048_576, description="tokens of pictures, prompt and reply together (llama_cpp)"
    )
    threads: int = Field(
        default=0, ge=0, le=256, description="threads that compute; 0 for as many as suit the model (llama_cpp)"
    )
    gpu_layers: int = Field(default=0, ge=-1, le=1000, description="layers on the GPU; -1 for all of them (llama_cpp)")
    device: str = Field(default="auto", description="device for PyTorch, e.g. cpu, cuda:0; auto: a GPU if there is one")
    base_url: str = Field(
        default="http://127.0.0.1:8080/v1", description="address of the OpenAI-compatible server (openai)"
    )
    key_variable: str = Field(
        default="OPENAI_API_KEY",
        description="environment variable that holds the server's key, if it wants one (openai)",
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
        default=2.0,
        gt=0.0,
        le=3600.0,
        description="time between two descriptions at least [s]; the model never holds up the scenes",
    )
    words_age: float = Field(
        default=30.0,
        gt=0.0,
        le=3600.0,
        description="words that are from an older picture are dropped; with vlm, the scene is then stale [s]",
    )
    seed: int = Field(default=0, ge=0, le=2**31 - 1, description="seed of the model's choice between replies")
