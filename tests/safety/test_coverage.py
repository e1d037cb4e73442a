"""The tests of reins/safety run every line and every branch of it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TESTS = ["tests/safety", "-m", "not slow", "-q"]
COVERAGE = ["--cov=reins.safety", "--cov-branch", "--cov-fail-under=100", "--cov-report=term-missing:skip-covered"]


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_every_line_and_branch_is_run(tmp_path: Path) -> None:
    environment = os.environ | {"COVERAGE_FILE": str(tmp_path / "coverage")}
    command = [sys.executable, "-m", "pytest", *TESTS, *COVERAGE]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
