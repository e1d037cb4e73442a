"""Whatever other people's code raises is told, and the symbolic planner goes on."""

import pytest
from language_models import Parrot, planner_of, steps
from planning_tables import tabletop

from reins.contracts.errors import ReinsError
from reins.language_models.foreign import foreign
from reins.language_models.model import Cancelled, ModelError
from reins.planning.language.planner import LanguagePlanner
from reins.planning.language.settings import LanguageSettings
from reins.planning.planner import History
from reins.skills.library import SKILLS

SCENE = tabletop()
KNOWN = "put the red block in the blue bowl"
GOOD = steps("pick red_block", "place_in blue_bowl")

ERRORS: dict[str, tuple[Exception, str]] = {
    "a value": (ValueError("not this one"), "ValueError: not this one"),
    "memory": (MemoryError(), "MemoryError"),
    "the system": (ConnectionResetError(104, "reset"), "ConnectionResetError: [Errno 104] reset"),
    "a half sign": (UnicodeEncodeError("utf-8", "\ud83d", 0, 1, "surrogates not allowed"), "UnicodeEncodeError: "),
    "many lines": (RuntimeError("one\ntwo " + "x" * 500), "RuntimeError: one two xxx"),
}


@pytest.mark.parametrize("error", ERRORS)
def test_a_model_that_raises_anything_is_done_without(error: str) -> None:
    raised, told = ERRORS[error]
    reports: list[str] = []
    planner = planner_of(Parrot(raised), reports)
    plan = planner.plan(KNOWN, SCENE, History(SCENE))
    assert plan.steps and planner.without_model == 1
    (report,) = reports
    assert report.startswith(f"the language model (parrot) failed: {told}")
    assert report.endswith("; the symbolic planner goes on") and report.isprintable() and len(report) < 350


@pytest.mark.parametrize("error", ERRORS)
def test_a_model_that_does_not_load_whatever_the_reason_is_done_without(error: str) -> None:
    raised, told = ERRORS[error]

    def load() -> Parrot:
        raise raised

    reports: list[str] = []
    planner = LanguagePlanner("parrot", load, SKILLS, LanguageSettings(), reports.append)
    planner.warm_up()
    assert planner.plan(KNOWN, SCENE, History(SCENE)).steps
    assert len(reports) == 2 and all(
        report.startswith(f"loading the language model (parrot) failed: {told}") for report in reports
    )


def test_what_is_no_failure_of_theirs_stays_as_it_is() -> None:
    for raised in (ModelError("down"), Cancelled()):
        with pytest.raises(type(raised)) as caught, foreign("it"):
            raise raised
        assert caught.value is raised
    with pytest.raises(ModelError, match=r"^no such thing$"), foreign("it"):
        raise ReinsError("no such thing")
    with pytest.raises(KeyboardInterrupt), foreign("it"):
        raise KeyboardInterrupt


class TestVotes:
    """Good replies count though the model fails before the last."""

    DOWN = ModelError("it is down")

    @pytest.mark.parametrize("error", [DOWN, ValueError("foreign")])
    def test_two_of_three_are_enough(self, error: Exception) -> None:
        reports: list[str] = []
        planner = planner_of(Parrot(GOOD, GOOD, error), reports, votes=3, temperature=0.7)
        plan = planner.plan(KNOWN, SCENE, History(SCENE))
        assert "without the language model" not in plan.thought and plan.doubts == () and planner.without_model == 0
        (report,) = reports
        assert str(error) in report and report.endswith("; the replies before that count, 2 of 3")

    def test_one_of_three_is_doubtful(self) -> None:
        plan = planner_of(Parrot(GOOD, self.DOWN), votes=3, temperature=0.7).plan(KNOWN, SCENE, History(SCENE))
        assert plan.steps and plan.doubts == ("only 1 of 3 replies of the model agree on it",)

    def test_what_passes_counts_beside_what_does_not(self) -> None:
        model = Parrot("no", GOOD, self.DOWN)
        plan = planner_of(model, votes=3, temperature=0.7).plan(KNOWN, SCENE, History(SCENE))
        assert plan.doubts == ("only 1 of 3 replies of the model agree on it",) and len(model.prompts) == 3

    @pytest.mark.parametrize("said", [[], ["no"], ["no", steps("place_in blue_bowl")]])
    def test_where_none_passes_the_failure_is_told(self, said: list[str]) -> None:
        reports: list[str] = []
        planner = planner_of(Parrot(*said, self.DOWN), reports, votes=3, temperature=0.7)
        assert planner.plan(KNOWN, SCENE, History(SCENE)).steps
        assert reports == ["it is down; the symbolic planner goes on"] and planner.without_model == 1

    def test_so_do_those_that_came_before_the_end_of_the_time(self) -> None:
        reports: list[str] = []
        planner = planner_of(Parrot(GOOD, GOOD, None), reports, votes=3, temperature=0.7, answer_limit=0.5)
        assert planner.plan(KNOWN, SCENE, History(SCENE)).doubts == ()
        assert reports == ["the parrot said nothing in time; the replies before that count, 2 of 3"]

    def test_a_cancel_is_none_of_these(self) -> None:
        planner = planner_of(Parrot(GOOD, GOOD, Cancelled()), votes=3, temperature=0.7)
        with pytest.raises(Cancelled):
            planner.plan(KNOWN, SCENE, History(SCENE))
