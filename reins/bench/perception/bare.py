"""What the OpenCV and ONNX calls of a look cost alone: recorded while perception looks, then called again bare."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import cv2
import onnxruntime as ort


@dataclass(slots=True)
class Calls:
    """Calls in the order in which they were made: function, arguments by place, arguments by name."""

    made: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = field(default_factory=list)

    def replay(self) -> float:
        """Make them again, one after another; the time that they take together [s]."""
        total = 0.0
        for function, args, kwargs in self.made:
            given = deepcopy(args)  # some write into what they are given
            begin = time.perf_counter()
            function(*given, **kwargs)
            total += time.perf_counter() - begin
        return total


@contextmanager
def recorded() -> Iterator[Calls]:
    """Record every call of a function of cv2, and of every ONNX session's `run`, within."""
    calls = Calls()

    def recording(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            calls.made.append((function, deepcopy(args), dict(kwargs)))
            return function(*args, **kwargs)

        return call

    def run(session: ort.InferenceSession, *args: Any, **kwargs: Any) -> Any:
        calls.made.append((lambda *given, **named: bare_run(session, *given, **named), deepcopy(args), dict(kwargs)))
        return bare_run(session, *args, **kwargs)

    bare_run = ort.InferenceSession.run
    with ExitStack() as stack:
        for name, value in vars(cv2).items():
            if callable(value) and not name.startswith("_") and not isinstance(value, type):
                stack.enter_context(patch.object(cv2, name, recording(value)))
        stack.enter_context(patch.object(ort.InferenceSession, "run", run))
        yield calls
