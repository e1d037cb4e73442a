"""The graph with a language model whose server is slow, then turns us away: the robot holds, then does without it."""

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from patience import patient
from task_helpers import LIMIT, ignore, travelled

from reins.demo.recording import Recording
from reins.demo.session import Session, graph
from reins.nodes.recorder import GraphRecorder
from reins.planning.tracing.reading import read_trace
from reins.planning.tracing.trace import default_folder, newest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(180)]

asked = threading.Event()
over = threading.Event()


class _SlowThenClosed(BaseHTTPRequestHandler):
    """Lets the first request wait, and turns all others away."""

    def do_POST(self) -> None:
        if not asked.is_set():
            asked.set()
            over.wait(LIMIT)
        else:
            self.send_error(403)

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _SlowThenClosed)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    model = {"planner": "openai", "model": "m", "base_url": url}
    log = tmp_path_factory.mktemp("language") / "graph.log"
    with graph("sim", {"seed": "1", "cameras": "false"} | model | patient(), log, lambda missing: None) as running:
        yield running
    over.set()
    server.shutdown()


def test_a_task_can_be_cancelled_while_the_model_thinks_and_the_next_one_is_done_without_it(session: Session) -> None:
    client, recording = session.client, Recording()
    recorder = GraphRecorder(client, recording)
    client.spin(0.5)
    begun = time.monotonic()
    cancelled = client.execute_task("put the red block in the blue bowl", 2.0, ignore)
    assert asked.is_set(), "the server was not asked"
    assert (cancelled.outcome, cancelled.success) == ("cancelled", False)
    assert time.monotonic() - begun < 15.0
    assert travelled(recording) < 0.01

    done = client.execute_task("put the red block in the blue bowl", LIMIT, ignore)
    client.spin(0.5)
    recorder.close()
    assert done.success, done.reason
    written = read_trace(newest(default_folder()))
    assert written.outcome == "succeeded" and any("403" in entry.get("why", "") for entry in written.entries)
    told = [event.reason for event in recording.events if event.kind == "language_model"]
    assert told and "403" in told[0] and "the symbolic planner goes on" in told[0]
