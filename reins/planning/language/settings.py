"""What can be set about planning with a language model; the planner node's parameters are these."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class LanguageSettings(BaseModel):
    """Parameters of the planners that ask a language model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = Field(
        default="",
        description="llama_cpp: the path of a GGUF file; openai: the model's name at the server, empty for its first; "
        "transformers: the path of a folder",
    )
    prompt: Literal["auto", "chat", "compact"] = Field(
        default="auto",
        description="auto: compact for a GGUF file that says that it takes it, else chat; a server does not say",
    )
    context: int = Field(
        default=8192, ge=256, le=1_048_576, description="tokens of prompt and reply together (llama_cpp)"
    )
    threads: int = Field(
        default=0, ge=0, le=256, description="threads that compute; 0 for as many as suit the model (llama_cpp)"
    )
    gpu_layers: int = Field(default=0, ge=-1, le=1000, description="layers on the GPU; -1 for all of them (llama_cpp)")
    lora: str = Field(default="", description="path of a LoRA adapter (GGUF) for the model (llama_cpp)")
    device: str = Field(default="auto", description="device for PyTorch, e.g. cpu, cuda:0; auto: a GPU if there is one")
    base_url: str = Field(
        default="http://127.0.0.1:8080/v1", description="address of the OpenAI-compatible server (openai)"
    )
    key_variable: str = Field(
        default="OPENAI_API_KEY",
        description="environment variable that holds the server's key, if it wants one (openai)",
    )
    temperature: float = Field(
        default=0.0, ge=0.0, le=2.0, description="0: the likeliest reply; several votes need more than 0 to differ"
    )
    votes: int = Field(
        default=1, ge=1, le=15, description="replies for each plan, of which the most frequent one counts"
    )
    attempts: int = Field(
        default=3,
        ge=1,
        le=10,
        description="times that the model is asked, the last verdict in hand, before others plan",
    )
    max_tokens: int = Field(default=768, ge=16, le=16384, description="longest reply")
    answer_limit: float = Field(
        default=30.0,
        gt=0.0,
        le=600.0,
        description="longest that the model may take for a plan, attempts and votes together [s]",
    )
    cache: int = Field(
        default=256,
        ge=0,
        le=100_000,
        description="plans that are kept for when the same is asked and things stand the same; 0 for none",
    )
    seed: int = Field(default=0, ge=0, le=2**31 - 1, description="seed of the choice between replies")
