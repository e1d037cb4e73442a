"""A pool of processes for tests: there are none."""


class Here:
    """A pool that makes chunks at once, in this process."""

    def __init__(self, *_: object, **__: object) -> None:
        self._result: object = None

    def shutdown(self, *, cancel_futures: bool) -> None:
        assert cancel_futures

    def submit(self, function: object, *arguments: object) -> "Here":
        made = Here()
        made._result = function(*arguments)  # type: ignore[operator]
        return made

    def result(self) -> object:
        return self._result
