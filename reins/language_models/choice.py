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

from reins.language_models.model import ModelError

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
        self._one = lib.llama_token_data()
        self._only = lib.llama_token_data_array(data=ctypes.pointer(self._one), size=1, selected=-1, sorted=False)
        self._scores, self._address = np.zeros(0, np.float32), 0
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
        scores = self._viewed(logits)
        token = self._pick(scores)
        if not self._is_allowed(token):
            allowed = self._allowed(scores)
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

    def _viewed(self, logits: Any) -> npt.NDArray[np.float32]:
        """The logits as an array. llama.cpp mostly writes them to the same place, and a new view costs more than
        anything else here."""
        address = ctypes.addressof(logits.contents)
        if address != self._address:
            self._scores = np.ctypeslib.as_array(logits, (len(self._candidates),))
            self._address = address
        return self._scores

    def _is_allowed(self, token: int) -> bool:
        """Whether the grammar allows a token."""
        self._one.id, self._one.logit = token, 0.0
        self._lib.llama_sampler_apply(self._grammar, ctypes.byref(self._only))
        return bool(self._one.logit == 0.0)

    def _allowed(self, scores: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """The scores of all tokens, minus infinity for those that the grammar does not allow."""
        candidates = self._candidates
        candidates["id"], candidates["logit"], candidates["p"] = np.arange(len(scores)), scores, 0.0
        data = candidates.ctypes.data_as(self._lib.llama_token_data_p)
        array = self._lib.llama_token_data_array(data=data, size=len(scores), selected=-1, sorted=False)
        self._lib.llama_sampler_apply(self._grammar, ctypes.byref(array))
        result: npt.NDArray[np.float32] = candidates["logit"].copy()
        return result
