"""The report tells everything, stands alone, and believes nobody's markup."""

import re
from pathlib import Path

import pytest

from reins.contracts.plan import Plan
from reins.demo import report
from reins.demo.criteria import Criterion
from reins.demo.recording import Recording
from reins.demo.report import Outcome, as_json, timeline, write_report
from reins.hardware.profile import RobotProfile

INSTRUCTION = "put <b>the red block</b> in the blue bowl"
CRITERIA = (Criterion("red_block is in blue_bowl", True, "centres 3 mm apart"),)


@pytest.fixture
def page(tmp_path: Path, recording: Recording, profile: RobotProfile, plan: Plan) -> str:
    video = tmp_path / "demo.mp4"
    video.write_bytes(b"a small video")
    outcome = Outcome("succeeded", "done: pick red_block", 0, 9.8, plan, CRITERIA)
    write_report(tmp_path / "report.html", INSTRUCTION, outcome, recording, profile, {"seed": "1"}, video)
    return (tmp_path / "report.html").read_text(encoding="utf-8")


def test_it_tells_everything(page: str, profile: RobotProfile) -> None:
    for text in (
        "Succeeded",
        "red_block must be in blue_bowl",
        "place_in(container=blue_bowl)",
        "must not touch",
        "centres 3 mm apart",
        "limit_clipped",
        "A red block is on the table.",
        profile.title,
        "mujoco",
    ):
        assert text in page


def test_joint_names_are_text_in_one_drawing(page: str, profile: RobotProfile) -> None:
    (drawing,) = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    for name in profile.joint_names:
        assert name in drawing


def test_it_stands_alone(page: str) -> None:
    assert not re.search(r"""(src|href)\s*=\s*["'](?!data:|#)""", page.replace("xlink:href", "href"))
    assert "data:video/mp4;base64,YSBzbWFsbCB2aWRlbw==" in page
    assert "<script" not in page


def test_words_are_never_markup(page: str) -> None:
    assert "<b>the red block" not in page and "&lt;b&gt;the red block" in page
    assert "slowed &lt;down&gt;" in page


def test_a_failure_says_so(tmp_path: Path, recording: Recording, profile: RobotProfile) -> None:
    refusal = Plan(refusal="there is no green bowl")
    outcome = Outcome("refused", "there is no green bowl", 0, 0.2, refusal, ())
    write_report(tmp_path / "r.html", "x", outcome, recording, profile, {}, None)
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Did not succeed" in text and "there is no green bowl" in text and "No video" in text


def test_a_large_video_stays_beside_the_page(
    tmp_path: Path, recording: Recording, profile: RobotProfile, plan: Plan
) -> None:
    video = tmp_path / "large.mp4"
    with video.open("wb") as file:
        file.truncate(report.EMBED_LIMIT + 1)
    outcome = Outcome("succeeded", "", 0, 1.0, plan, CRITERIA)
    write_report(tmp_path / "r.html", "x", outcome, recording, profile, {}, video)
    assert 'src="large.mp4"' in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_bars_stay_on_the_timeline(recording: Recording) -> None:
    bars = timeline(recording)
    assert [bar.interval.stage for bar in bars] == ["looking", "acting"]
    assert all(bar.left >= 0.0 and bar.left + bar.width <= 100.0 + 1e-9 for bar in bars)


def test_the_figures_are_there_for_programs(plan: Plan) -> None:
    figures = as_json(Outcome("succeeded", "", 1, 2.0, plan, CRITERIA), {"seed": "3"})
    assert figures["success"] is True and figures["criteria"][0]["measured"] == "centres 3 mm apart"
    assert figures["plan"]["steps"][0]["skill"] == "pick"
