"""Vision-language models by name. Nothing is imported before it is asked for: each needs packages that others do
without."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from reins.language_models.model import LanguageModel, ModelError
from reins.perception.vision_language.settings import VisionSettings


def _llama_cpp(settings: VisionSettings) -> LanguageModel:
    from reins.language_models.llama_cpp import LlamaCppModel, LlamaSettings

    for parameter, value in (("model", settings.model), ("projector", settings.projector)):
        if not value:
            raise ModelError(f"a model that sees needs the path of a GGUF file in the parameter '{parameter}'")
    path, projector = (Path(name).expanduser() for name in (settings.model, settings.projector))
    return LlamaCppModel(
        LlamaSettings(path, settings.context, settings.threads, settings.gpu_layers, projector=str(projector))
    )


def _openai(settings: VisionSettings) -> LanguageModel:
    from reins.language_models.openai import OpenAIModel

    return OpenAIModel(settings.base_url, settings.model, settings.key_variable)


def _transformers(settings: VisionSettings) -> LanguageModel:
    from reins.language_models.transformers import TransformersModel

    if not settings.model:
        raise ModelError("the transformers backend needs the path of a folder in the parameter 'model'")
    return TransformersModel(Path(settings.model).expanduser(), settings.device, sees=True)


def _tiny(settings: VisionSettings) -> LanguageModel:
    from reins.perception.vision_language.tiny.door import TinyModel, model_path

    return TinyModel(model_path(settings.model))


DOORS: Final[Mapping[str, Callable[[VisionSettings], LanguageModel]]] = {
    "llama_cpp": _llama_cpp,
    "openai": _openai,
    "transformers": _transformers,
    "tiny": _tiny,
}
"""Name → model from the settings. Making one raises ModelError where it cannot be made."""
