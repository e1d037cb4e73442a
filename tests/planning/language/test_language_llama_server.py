"""A real llama.cpp server, started from the installed package, asked as any other OpenAI-compatible one."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from language_schemas import fits
from planning_tables import tabletop

from reins.language_models.model import Bounds, Cancel, Cancelled, Prompt
from reins.language_models.openai import OpenAIModel
from reins.planning.language.chat import chat_prompt
from reins.planning.language.compact import compact_prompt
from reins.planning.language.reply import read_reply
from reins.planning.language.schema import plan_schema
from reins.planning.planner import History
from reins.skills.library import SKILLS

pytest.importorskip("llama_cpp", reason="the group llm is not set up")
pytest.importorskip("uvicorn")
pytest.importorskip("gguf")

from tiny_gguf import CHATML, write_tiny_gguf

pytestmark = pytest.mark.slow

SCENE = tabletop()
SCHEMA = plan_schema(SCENE, SKILLS)
STARTING = 60.0  # how long the server may take to answer [s]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the server is."""
    folder: Path = tmp_path_factory.mktemp("server")
    path = write_tiny_gguf(folder / "tiny.gguf", template=CHATML)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(path), "--port", str(port)]
    command += ["--n_ctx", "8192", "--n_threads", "1", "--n_threads_batch", "1", "--model_alias", "tiny"]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, env=os.environ)
        try:
            address = f"http://127.0.0.1:{port}/v1"
            _wait(address, server)
            yield address
        finally:
            server.terminate()
            server.wait(20.0)


def _wait(address: str, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + STARTING
    while time.monotonic() < end and server.poll() is None:
        try:
            urllib.request.urlopen(f"{address}/models", timeout=2.0)
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
        else:
            return
    raise AssertionError("the server did not start")


@pytest.mark.parametrize(
    "prompt",
    [
        chat_prompt("go home", SCENE, History(SCENE), SKILLS),
        compact_prompt("go home", SCENE, History(SCENE), SKILLS),
    ],
    ids=["chat", "compact"],
)
def test_a_model_of_random_weights_writes_a_plan(url: str, prompt: Prompt) -> None:
    model = OpenAIModel(url, "", "")
    reply = model.complete(prompt, SCHEMA, Bounds(tokens=3000, seconds=90.0, temperature=1.0, seed=3), Cancel())
    assert model.name.startswith("openai: tiny at ")
    said = json.loads(reply.text, strict=False)  # the server's own grammar lets line breaks into strings
    assert not reply.cut and fits(said, SCHEMA) and read_reply(reply.text)
    model.close()


def _write_on(model: OpenAIModel, prompt: Prompt, cancel: Cancel) -> None:
    while True:
        model.complete(prompt, SCHEMA, Bounds(tokens=3000, seconds=90.0), cancel)


def test_a_cancel_frees_the_server_for_the_next_request(url: str) -> None:
    model, cancel = OpenAIModel(url, "tiny", ""), Cancel()
    prompt = chat_prompt("put the red block in the bowl", SCENE, History(SCENE), SKILLS)
    threading.Timer(0.3, cancel.give).start()
    with pytest.raises(Cancelled):
        _write_on(model, prompt, cancel)
    assert model.complete(prompt, SCHEMA, Bounds(tokens=3000, seconds=90.0), Cancel()).text
    model.close()
