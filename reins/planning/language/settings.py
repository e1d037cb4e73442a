"""What can be set about planning with a language model; the planner node's parameters are these."""

from typing import Literal

from pydantic import Field

from reins.language_models.settings import ModelSettings
from reins.planning.language.access import FIRST_REST


class LanguageSettings(ModelSettings):
    """Parameters of the planners that ask a language model."""

    prompt: Literal["auto", "chat", "compact"] = Field(
        default="auto",
        description="auto: compact for a GGUF file that says that it takes it, else chat; a server does not say",
    )
    lora: str = Field(default="", description="path of a LoRA adapter (GGUF) for the model (llama_cpp)")
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
        description="longest that the model may take for a plan: the wait until it is loaded, attempts and votes "
        "together [s]",
    )
    rest_limit: float = Field(
        default=120.0,
        ge=0.0,
        le=3600.0,
        description="longest pause after a model cost time and gave no plan, in which plans are made without it; the "
        f"first takes {FIRST_REST:g} s, and they double from failure to failure; 0: none [s]",
    )
    cache: int = Field(
        default=256,
        ge=0,
        le=100_000,
        description="plans that are kept for when the same is asked and things stand the same; 0 for none",
    )

    @property
    def replies(self) -> int:
        """How many replies are asked for. Without a temperature all would be the same, and one is enough."""
        return self.votes if self.temperature > 0.0 else 1
