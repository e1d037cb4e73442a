"""How long a command takes from the skill to the robot, and how regular joint states are, beside bare rclpy.

Two sets of processes take turns in one run, so that both see the same machine:

- bare: three plain rclpy processes (default executor) with the same messages and quality of service. The source's timer
  sends a JointCommand, the relay copies it into a SafeCommand, the sink notes how long it was under way. A fourth
  process publishes JointState from a timer.
- reins: the real safety and robot nodes, the robot simulating at full rate, and a source that does what the skills node
  does: on each robot state it sends a command. Safety checks, filters and integrates it; the robot hands it to the
  driver and only then takes the time. The robot also publishes its states, joint states, clock and the world's truth
  meanwhile.

Where the user may, reins runs its control path under SCHED_FIFO, and so it does here; the settings say whether. The
bare processes run as anyone would start them.

The clock is CLOCK_MONOTONIC, which processes of one machine share; the source's stamp travels in `trace_ns`. A period
error is |time between two joint states as they arrive − period| / period, taken by the same collector on both sides.
"""

import json
import os
import signal
import subprocess
import sys
from typing import Any, Final

import numpy as np

from reins.bench.report import Report
from reins.contracts.errors import ReinsError
from reins.nodes.scheduling import real_time_allowed

ROUNDS: Final = 2
"""Turns of each side; their samples are put together."""

BARE: Final = ("bare_source", "bare_relay", "bare_sink", "bare_joint_states")
REAL: Final = ("robot", "safety", "source")

PATIENCE: Final = 90.0
"""How long a round may take beyond its measurement [s]."""


def run_latency(seconds: float) -> Report:
    """Measure both sides in turn.

    Args:
        seconds: length of each measurement [s]; there are ROUNDS of them on each side.

    Returns:
        summary: `control_path_us` and `bare_rclpy_us` with p50 and p99 [µs], their `ratio`; `joint_state_period_error`
        and `bare_period_error` with p50 and p99 [share of the period]; `joint_state_rate` [Hz].

    Raises:
        ReinsError: a process did not do its part; says which.
    """
    samples: dict[str, list[dict[str, Any]]] = {"bare": [], "reins": []}
    for turn in range(ROUNDS):
        samples["bare"].append(_measure(BARE, seconds, f"/bench_{os.getpid()}_bare_{turn}"))
        samples["reins"].append(_measure(REAL, seconds, f"/bench_{os.getpid()}_reins_{turn}"))
    bare, real = (_together(samples[side]) for side in ("bare", "reins"))
    summary = {
        "episodes": 2 * ROUNDS,
        "control_path_us": real["latency_us"],
        "bare_rclpy_us": bare["latency_us"],
        "ratio": {key: real["latency_us"][key] / bare["latency_us"][key] for key in ("p50", "p99")},
        "joint_state_period_error": real["period_error"],
        "bare_period_error": bare["period_error"],
        "joint_state_rate": real["rate"],
    }
    episodes = [{"side": side} | _together([turn]) for side, turns in samples.items() for turn in turns]
    settings = {"seconds": seconds, "rounds": ROUNDS, "real_time_scheduling": real_time_allowed()}
    return Report("latency", settings, summary, episodes)


def _measure(roles: tuple[str, ...], seconds: float, namespace: str) -> dict[str, Any]:
    """One turn: start the roles and a collector, give what the collector heard."""
    processes = [_start(role, seconds, namespace) for role in roles]
    collector = _start("collector", seconds, namespace)
    try:
        output, errors = collector.communicate(timeout=seconds + PATIENCE)
    except subprocess.TimeoutExpired as error:
        raise ReinsError(f"the collector of {namespace} heard nothing for {PATIENCE:.0f} s") from error
    finally:
        _stop([*processes, collector])
    if collector.returncode != 0:
        said = [line for text in (errors, *(p.communicate()[1] for p in processes)) for line in text.splitlines()[-3:]]
        raise ReinsError("; ".join(said) or "the collector failed")
    return dict(json.loads(output))


def _start(role: str, seconds: float, namespace: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "reins.bench.latency_roles", role, str(seconds), namespace]
    command += ["--ros-args", "-r", f"__ns:={namespace}"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _stop(processes: "list[subprocess.Popen[str]]") -> None:
    for process in processes:
        process.send_signal(signal.SIGTERM)
    for process in processes:
        try:
            process.wait(timeout=5.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(timeout=5.0)


def _together(turns: list[dict[str, Any]]) -> dict[str, Any]:
    """Percentiles over the samples of several turns."""
    latencies = np.concatenate([turn["latency_us"] for turn in turns])
    gaps = np.concatenate([np.diff(turn["arrival_s"]) for turn in turns])
    period = float(np.median(gaps))
    errors = np.abs(gaps - period) / period
    return {
        "samples": len(latencies),
        "latency_us": _percentiles(latencies),
        "period_error": _percentiles(errors),
        "rate": float(1.0 / gaps.mean()),
    }


def _percentiles(values: np.ndarray) -> dict[str, float]:
    p50, p99 = np.percentile(values, [50, 99])
    return {"p50": float(p50), "p99": float(p99)}
