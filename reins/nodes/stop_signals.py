"""The signals that ask a node to stop."""

import signal
from typing import Final

STOP_SIGNALS: Final = frozenset({signal.SIGINT, signal.SIGTERM})
