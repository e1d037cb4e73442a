"""Real-time scheduling of threads, where the system and the user's limits allow it (`ulimit -r`, or root)."""

import ctypes
import os
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Final

CONTROL_PRIORITY: Final = 50
"""SCHED_FIFO priority of a process on the control path, 1 … 99; the kernel's own interrupt threads have 50, too."""

MIDDLEWARE_PRIORITY: Final = 40
"""SCHED_FIFO priority of the middleware's threads in all other processes."""

MIDDLEWARE_THREADS: Final = "dds."
"""How Fast DDS names its threads."""


_MCL_CURRENT, _MCL_FUTURE, _MCL_ONFAULT = 1, 2, 4  # sys/mman.h, Linux


def set_scheduling(policy: int, priority: int, threads: Iterable[int]) -> bool:
    """Give threads of this process a scheduling policy; False where that is not possible.

    Args:
        policy: os.SCHED_FIFO or os.SCHED_OTHER.
        priority: 1 … 99 for SCHED_FIFO, 0 for SCHED_OTHER.
        threads: native thread ids.
    """
    for thread in threads:
        try:
            os.sched_setscheduler(thread, policy, os.sched_param(priority))
        except ProcessLookupError:  # it has just ended
            continue
        except OSError:  # not permitted, or no such policy here
            return False
    return True


def real_time_allowed() -> bool:
    """Whether this process may use SCHED_FIFO; tries it on the calling thread."""
    me = [threading.get_native_id()]
    return set_scheduling(os.SCHED_FIFO, 1, me) and set_scheduling(os.SCHED_OTHER, 0, me)


def make_real_time() -> bool:
    """Run this process under SCHED_FIFO and keep its memory from being paged out; False where it may not.

    Every thread of it, for a control thread also waits for the middleware's and for whoever holds the interpreter.
    """
    _lock_memory()
    return set_scheduling(os.SCHED_FIFO, CONTROL_PRIORITY, _threads())


def make_middleware_real_time() -> bool:
    """Run the middleware's own threads under SCHED_FIFO; False where that is not possible.

    They do little, but through shared memory a sender waits for a receiver that was interrupted while it took a
    message: a busy process that only listens would hold up a control loop.
    """
    return set_scheduling(os.SCHED_FIFO, MIDDLEWARE_PRIORITY, _threads(MIDDLEWARE_THREADS))


def make_ordinary() -> bool:
    """Back to ordinary scheduling, but for the middleware's threads."""
    return set_scheduling(os.SCHED_OTHER, 0, _threads()) and make_middleware_real_time()


def _lock_memory() -> None:
    """Pages that were used once stay in memory; a refusal (see `ulimit -l`) does no harm."""
    ctypes.CDLL(None, use_errno=True).mlockall(_MCL_CURRENT | _MCL_FUTURE | _MCL_ONFAULT)


def _threads(prefix: str = "") -> list[int]:
    """Native ids of this process's threads whose name starts with `prefix`."""
    found = []
    for entry in Path("/proc/self/task").glob("*"):
        try:
            if (entry / "comm").read_text(encoding="utf-8", errors="replace").startswith(prefix):
                found.append(int(entry.name))
        except OSError:  # the thread has just ended
            continue
    return found
