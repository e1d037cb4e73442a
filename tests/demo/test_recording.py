"""What a recording keeps."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reins.contracts.plan import Plan
from reins.demo.recording import Recording
from reins.hardware.robot import RobotState
from reins.nodes.outcomes import TaskProgress

STAGES = st.sampled_from(["looking", "planning", "acting", "checking"])


def state_at(stamp: float) -> RobotState:
    still = np.zeros(7)
    return RobotState(stamp, still, still, still, still, 0.08, False, 0)


@given(st.lists(st.tuples(st.floats(0.0, 5.0), STAGES, st.integers(0, 2)), min_size=1, max_size=30))
def test_intervals_follow_each_other_without_gap_or_overlap(story: list[tuple[float, str, int]]) -> None:
    made = Recording()
    stamp = 0.0
    for later, stage, step in story:
        stamp += later
        made.on_state(state_at(stamp))
        made.on_progress(TaskProgress(stage, None, step, f"step {step}", "", 0.0))
    made.finish()
    assert made.intervals[0].start >= made.start
    assert made.intervals[-1].end == made.now
    for before, after in pairwise(made.intervals):
        assert before.end == after.start
        assert (before.stage, before.text) != (after.stage, after.text)


@given(st.lists(st.floats(0.0, 10.0), max_size=30))
def test_time_never_goes_back(stamps: list[float]) -> None:
    made = Recording()
    for stamp in stamps:
        made.on_state(state_at(stamp))
    assert all(a < b for a, b in pairwise(made.times()))


def test_the_text_of_a_time_is_the_interval_that_it_lies_in(recording: Recording) -> None:
    assert recording.text_at(0.1) == "looking"
    assert recording.text_at(0.4) == "pick(object=red_block)"


def test_every_skill_that_ran_is_kept_once(recording: Recording, plan: Plan) -> None:
    assert plan.steps is not None
    assert recording.calls == [plan.steps[0]]


def test_the_same_plan_or_mode_twice_is_one(plan: Plan) -> None:
    made = Recording()
    for _ in range(2):
        made.on_plan(1.0, plan)
        made.on_mode(1.0, "ready", "")
    made.on_mode(2.0, "active_skill", "")
    made.on_plan(2.0, plan.model_copy(update={"thought": "again"}))
    assert [change.mode for change in made.modes] == ["ready", "active_skill"]
    assert len(made.plans) == 2


def test_an_empty_recording_has_a_time(recording: Recording) -> None:
    assert (Recording().now, Recording().start, Recording().text_at(1.0)) == (0.0, 0.0, "")
    assert replace(recording, states=recording.states[:1]).now == recording.start
