"""The process that makes examples ends with whoever trains, however that one ends."""

import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

pytest.importorskip("tokenizers", reason="needs the extra train")
pytest.importorskip("torch", reason="needs the extra train")

CODE = """
import sys
from pathlib import Path
from reins.training.planner.batches import Feed, make_chunk
from reins.training.planner.settings import PlannerSettings
from reins.training.planner.tokens import train_tokenizer

if __name__ == "__main__":
    tokenizer = train_tokenizer([told.shared for told in make_chunk(1, 0, 10)], 400)
    for _ in Feed(PlannerSettings(chunk=8), tokenizer, 0):
        print("a batch", flush=True)
        sys.stdin.read()
"""


@pytest.mark.slow
def test_a_trainer_that_is_killed_leaves_no_process_behind(tmp_path: Path) -> None:
    script = tmp_path / "trainer.py"
    script.write_text(CODE, encoding="utf-8")
    command = [sys.executable, str(script)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as trainer:
        assert trainer.stdout is not None and trainer.stdout.readline() == "a batch\n"
        children = psutil.Process(trainer.pid).children()
        assert children
        trainer.kill()
    until = time.monotonic() + 60.0
    while any(child.is_running() and child.status() != psutil.STATUS_ZOMBIE for child in children):
        assert time.monotonic() < until, "a process that makes examples lives on"
        time.sleep(0.1)
