"""Times beside llama.cpp alone: as many tokens are read and written, and the ratio is that of the two."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("llama_cpp", reason="the group llm is not set up")
pytest.importorskip("gguf")

from tiny_gguf import write_tiny_gguf

from reins.bench.bare_llama import BareLlama
from reins.bench.first_call import run_first_call
from reins.bench.planning import run_planning
from reins.contracts.errors import ReinsError
from reins.language_models.model import ModelError
from reins.planning.language.doors import shipped_model
from reins.planning.language.settings import LanguageSettings


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> LanguageSettings:
    """A model that knows nothing."""
    path = write_tiny_gguf(tmp_path_factory.mktemp("bare") / "tiny.gguf", metadata={"reins.prompt": "compact-3"})
    return LanguageSettings(model=str(path), attempts=2, max_tokens=60, threads=1, cache=0)


def has_shipped() -> bool:
    """Whether a model ships."""
    try:
        shipped_model()
    except ModelError:
        return False
    return True


@pytest.mark.parametrize(("known", "prompt", "reply"), [(0, 40, 7), (30, 40, 1), (0, 600, 20)])
def test_as_many_tokens_are_read_and_written(
    tiny: LanguageSettings, monkeypatch: pytest.MonkeyPatch, known: int, prompt: int, reply: int
) -> None:
    bare, evaluated = BareLlama(tiny), list[int]()
    evaluate = bare._llama.eval

    def counted(tokens: list[int]) -> None:
        evaluated.append(len(tokens))
        evaluate(tokens)

    monkeypatch.setattr(bare._llama, "eval", counted)
    call: dict[str, Any] = {"prompt": "put it there", "reply": "{}", "known": known}
    spent = bare.work([{**call, "prompt_tokens": prompt, "reply_tokens": reply}])
    assert evaluated == [*([known] if known else []), prompt - known, *[1] * reply]
    assert bare._llama.n_tokens == prompt + reply
    assert spent.wall > 0.0 and spent.processor > 0.0
    bare.close()


def test_plans_of_llama_cpp_have_the_bare_time_beside_them(tiny: LanguageSettings) -> None:
    report = run_planning("llama_cpp", tiny, ["single"], 2, 1)
    assert 0.0 < report.summary["bare_latency_s"]["p50"] < 3.0 * report.summary["latency_s"]["p50"]
    assert report.summary["model_calls"] == 4 and report.summary["reply_tokens"] == 4 * 60
    assert report.summary["without_model"] == 2 and report.summary["parse_rate"] == 0.0


def test_other_planners_have_none() -> None:
    assert "bare_latency_s" not in run_planning("symbolic", LanguageSettings(), ["single"], 1, 1).summary


def test_without_a_plan_of_the_model_there_is_nothing_to_compare(tiny: LanguageSettings) -> None:
    with pytest.raises(ReinsError, match="no skill call of its own can be timed"):
        run_first_call(tiny, 1, 1)


@pytest.mark.parametrize("run", [run_first_call, lambda s, n, seed: run_planning("llama_cpp", s, ["single"], n, seed)])
def test_a_model_that_is_not_there_is_told_before_anything_is_measured(run: Any, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"there is no model file .*none.gguf"):
        run(LanguageSettings(model=str(tmp_path / "none.gguf")), 1, 1)


@pytest.mark.slow
@pytest.mark.skipif(not has_shipped(), reason="no model ships yet")
def test_the_first_skill_call_takes_little_longer_than_llama_cpp() -> None:
    summary = run_first_call(LanguageSettings(), 30, 1).summary
    assert summary["counted"] >= 20
    assert summary["ratio_processor"] < 1.3  # 1.2 on a quiet machine: docs/benchmarks.md
