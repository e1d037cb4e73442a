"""Which token comes next: the likeliest, or a random one, among those that the grammar allows.

llama.cpp's grammar sampler looks at every token of the vocabulary, which for large vocabularies costs more than the
model. So one token is chosen first and shown to the grammar alone; only if that one is not allowed are all of them
looked at. The choice is distributed as if all had been looked at first, for an allowed token keeps its share.
"""

import ctypes
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from typing_extensions import Self

from reins.planning.language.model import ModelError

_CANDIDATE: Final = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)], align=True)
"""struct llama_token_data of llama.h."""


class Chooser:
    """Chooses the tokens of one reply. A context manager, for it holds memory of llama.cpp.

    Args:
        lib: the llama_cpp module.
        vocabulary: of the model.
        grammar: GBNF.
        temperature: 0 for the likeliest token.
        seed: of the random choice.

    Raises:
        ModelError: llama.cpp does not take the grammar.
    """

    def __init__(self, lib: Any, vocabulary: Any, grammar: str, temperature: float, seed: int) -> None:
        self._lib = lib
        self._temperature = temperature
        self._random = np.random.default_rng(seed)
        self._candidates = np.zeros(lib.llama_vocab_n_tokens(vocabulary), _CANDIDATE)
        self._grammar = lib.llama_sampler_init_grammar(vocabulary, grammar.encode(), b"root")
        if not self._grammar:
            raise ModelError("llama.cpp does not take the grammar of a plan; is this version of it known to work?")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._lib.llama_sampler_free(self._grammar)

    def choose(self, logits: Any) -> int:
        """The next token, which the grammar then counts as written.

        Args:
            logits: pointer to one float for each token of the vocabulary.

        Raises:
            ModelError: the vocabulary has no token that is allowed here.
        """
        scores = np.ctypeslib.as_array(logits, (len(self._candidates),))
        token = self._pick(scores)
        if not np.isfinite(self._allowed(np.array([token]), scores)[0]):
            allowed = self._allowed(np.arange(len(scores)), scores)
            if not np.isfinite(allowed).any():
                raise ModelError("the model's vocabulary has no token for the next sign of a plan")
            token = self._pick(allowed)
        self._lib.llama_sampler_accept(self._grammar, token)
        return token

    def _pick(self, scores: npt.NDArray[np.float32]) -> int:
        if self._temperature <= 0.0:
            return int(scores.argmax())
        noise = self._random.gumbel(size=len(scores))  # the greatest of these is a sample of the softmax
        return int((scores / self._temperature + noise).argmax())

    def _allowed(self, tokens: npt.NDArray[Any], scores: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """The scores of some tokens, minus infinity for those that the grammar does not allow."""
        candidates = self._candidates[: len(tokens)]
        candidates["id"], candidates["logit"], candidates["p"] = tokens, scores[tokens], 0.0
        data = candidates.ctypes.data_as(self._lib.llama_token_data_p)
        array = self._lib.llama_token_data_array(data=data, size=len(tokens), selected=-1, sorted=False)
        self._lib.llama_sampler_apply(self._grammar, ctypes.byref(array))
        result: npt.NDArray[np.float32] = candidates["logit"].copy()
        return result
