"""The locomotion suite over DDS: the same episodes, our driver between the legs and the physics."""

import pytest

from reins.bench.locomotion import run_locomotion

pytest.importorskip("cyclonedds", reason="the Go2's SDK is not installed: `./run setup go2`")
pytest.importorskip("unitree_sdk2py", reason="the Go2's SDK is not installed: `./run setup go2`")

pytestmark = [pytest.mark.ros, pytest.mark.slow, pytest.mark.timeout(300)]


def test_the_trot_walks_over_dds_as_it_does_in_a_simulator() -> None:
    report = run_locomotion("go2", ["dds", "mujoco"], "scripted", "flat", 2, 5)
    dds, simulated = report.summary["by_simulator"]["dds"], report.summary["by_simulator"]["mujoco"]
    assert dds["no_fall_rate"] == simulated["no_fall_rate"] == 1.0
    assert dds["violations"] == 0
    for axis, most in (("linear", 0.25), ("turn", 0.2)):
        assert dds["velocity_error"][axis] < max(most, 2.0 * simulated["velocity_error"][axis])
