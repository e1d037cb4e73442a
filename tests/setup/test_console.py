"""Steps show their name and time while they run, and a failure says what to do."""

import io
import sys
import time
from pathlib import Path

import pytest

from bootstrap import console as console_module
from bootstrap.console import Console, last_line
from bootstrap.problems import StepFailed, explain_os_error


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def run_step(logs: Path, stream: io.StringIO, code: str) -> str:
    console = Console(logs, stream)
    console.run("making tea", "tea", [sys.executable, "-c", code], {}, logs)
    return stream.getvalue()


def failure_of(logs: Path, text: str) -> str:
    with pytest.raises(StepFailed) as failure:
        run_step(logs, io.StringIO(), f"import sys; print({text!r}); sys.exit(3)")
    return str(failure.value)


def test_a_pipe_gets_plain_lines_with_name_and_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console_module, "PLAIN_EVERY_S", 0.2)
    lines = run_step(tmp_path, io.StringIO(), "import time; time.sleep(0.8)").splitlines()
    assert lines[0] == "· making tea …"
    assert any(line.startswith("· making tea … ") for line in lines[1:])
    assert lines[-1].startswith("✓ making tea ")
    assert "\x1b" not in "".join(lines)


def test_a_terminal_gets_one_live_line_that_is_replaced(tmp_path: Path) -> None:
    shown = run_step(tmp_path, Terminal(), "import time; print('boiling', flush=True); time.sleep(0.5)")
    assert shown.count("\n") == 1
    assert "boiling" in shown
    assert "making tea" in shown.splitlines()[-1]


def test_a_step_beside_others_ends_with_their_block(tmp_path: Path) -> None:
    stream = io.StringIO()
    console = Console(tmp_path, stream)
    with console.beside("making tea", "tea", [sys.executable, "-c", "import time; time.sleep(0.3)"], {}, tmp_path):
        console.say("laying the table")
    first, *_, last = stream.getvalue().splitlines()
    assert first == "laying the table"
    assert last.startswith("✓ making tea ")


def test_where_a_block_fails_the_step_beside_it_is_stopped(tmp_path: Path) -> None:
    console = Console(tmp_path, io.StringIO())
    started = time.monotonic()
    with (
        pytest.raises(KeyError),
        console.beside("making tea", "tea", [sys.executable, "-c", "import time; time.sleep(60)"], {}, tmp_path),
    ):
        raise KeyError("cup")
    assert time.monotonic() - started < 30.0


def test_the_last_line_of_a_log_is_printable(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"first\n10%\r50%\x1b[0m\n\n")
    assert last_line(log) == "50%[0m"


def test_a_failure_shows_the_end_of_its_log_and_where_it_is(tmp_path: Path) -> None:
    text = failure_of(tmp_path, "the kettle is empty")
    assert "the kettle is empty" in text
    assert str(tmp_path / "tea.log") in text
    assert "exit status 3" in text


def test_no_network_is_told_in_one_sentence(tmp_path: Path) -> None:
    text = failure_of(tmp_path, "NewConnectionError: Temporary failure in name resolution")
    assert "cannot be reached" in text
    assert str(tmp_path / "tea.log") in text
    assert "\n" not in text


def test_a_full_disk_is_told_in_one_sentence(tmp_path: Path) -> None:
    text = failure_of(tmp_path, "OSError: [Errno 28] No space left on device")
    assert "is full" in text
    assert "\n" not in text


@pytest.mark.parametrize("number, words", [(28, "is full"), (30, "cannot be written"), (13, "cannot be written")])
def test_errors_of_the_file_system_are_sentences(number: int, words: str, tmp_path: Path) -> None:
    text = explain_os_error(OSError(number, "…", str(tmp_path / "file")), tmp_path)
    assert words in text
    assert "Errno" not in text
