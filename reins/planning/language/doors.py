"""Backends by name. Nothing is imported before it is asked for: each needs packages that others do without."""

from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Final

from reins.language_models.model import LanguageModel, ModelError
from reins.planning.language.compact import FORMAT
from reins.planning.language.settings import LanguageSettings


def shipped_model() -> Path:
    """The GGUF file that comes with reins.

    Raises:
        ModelError: there is none.
    """
    folder = Path(str(files("reins"))) / "models" / "planner"
    found = sorted(folder.glob("*.gguf"))
    if not found:
        raise ModelError(f"no model is named and none ships in {folder}; name a GGUF file in the parameter 'model'")
    return found[-1]


def _llama_cpp(settings: LanguageSettings) -> LanguageModel:
    from reins.language_models.llama_cpp import LlamaCppModel, LlamaSettings

    path = Path(settings.model).expanduser() if settings.model else shipped_model()
    return LlamaCppModel(LlamaSettings(path, settings.context, settings.threads, settings.gpu_layers, settings.lora))


def _openai(settings: LanguageSettings) -> LanguageModel:
    from reins.language_models.openai import OpenAIModel

    takes = FORMAT if settings.prompt == "compact" else "chat"
    return OpenAIModel(settings.base_url, settings.model, settings.key_variable, takes)


def _transformers(settings: LanguageSettings) -> LanguageModel:
    from reins.language_models.transformers import TransformersModel

    if not settings.model:
        raise ModelError("the transformers backend needs the path of a folder in the parameter 'model'")
    takes = FORMAT if settings.prompt == "compact" else "chat"
    return TransformersModel(Path(settings.model).expanduser(), settings.device, takes)


BACKENDS: Final[Mapping[str, Callable[[LanguageSettings], LanguageModel]]] = {
    "llama_cpp": _llama_cpp,
    "openai": _openai,
    "transformers": _transformers,
}
"""Name → model from the settings. Making one raises ModelError where it cannot be made."""
