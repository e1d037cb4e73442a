"""What can be set about a language model, whatever it is asked for."""

from pydantic import BaseModel, ConfigDict, Field


class ModelSettings(BaseModel):
    """Parameters of whoever asks a language model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = Field(
        default="",
        description="llama_cpp: the path of a GGUF file; openai: the model's name at the server, empty for its first; "
        "transformers: the path of a folder",
    )
    context: int = Field(
        default=8192, ge=256, le=1_048_576, description="tokens of prompt, pictures and reply together (llama_cpp)"
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
    seed: int = Field(default=0, ge=0, le=2**31 - 1, description="seed of the choice between replies")
