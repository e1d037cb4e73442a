"""Constraints at run time: the tightest counts, a planner may only tighten, and every change leaves a trace."""

from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.contracts.errors import ReinsError, UnknownName
from reins.contracts.event import Severity
from reins.contracts.plan import Constraint
from reins.safety.constraints import MOST, ConstraintSet
from reins.safety.rules import Rules

BOX = Constraint(kind="keep_out", centre=(0.5, 0.0, 0.2), size=(0.1, 0.2, 0.3), set_by="operator")


def speed(scale: float, set_by: Literal["operator", "planner"] = "planner") -> Constraint:
    return Constraint(kind="speed", scale=scale, set_by=set_by)


class TestWhatTheyAddUpTo:
    def test_the_slowest_counts(self) -> None:
        constraints = ConstraintSet(0.8)
        constraints.add(speed(0.5), "planner")
        constraints.add(speed(0.9), "anna")
        assert constraints.speed_scale == 0.5

    def test_the_widest_distance_counts(self) -> None:
        constraints = ConstraintSet(1.0)
        for distance in (1.0, 2.0, 0.0, 1.5):
            constraints.add(Constraint(kind="avoid", object="person", distance=distance), "planner")
        constraints.add(Constraint(kind="avoid", object="box"), "planner")
        assert constraints.distances == {"person": 2.0}
        constraints.remove("planner-2", "planner")
        assert constraints.distances == {"person": 1.5}
        assert constraints.avoided == {"person", "box"}

    @given(scales=st.lists(st.floats(0.01, 1.0), max_size=6), own=st.floats(0.01, 1.0))
    def test_no_constraint_makes_it_faster(self, scales: list[float], own: float) -> None:
        constraints = ConstraintSet(own)
        for scale in scales:
            before = constraints.speed_scale
            constraints.add(speed(scale), "planner")
            assert constraints.speed_scale == min(before, scale)

    def test_each_kind_has_its_own_meaning(self) -> None:
        constraints = ConstraintSet(1.0)
        assert (constraints.avoided, constraints.keep_outs, constraints.payload) == (frozenset(), (), 0.0)
        constraints.add(Constraint(kind="avoid", object="yellow_block"), "planner")
        box = constraints.add(BOX, "anna")
        constraints.add(Constraint(kind="payload", mass=0.5), "planner")
        constraints.add(Constraint(kind="payload", mass=0.2), "planner")
        assert constraints.avoided == {"yellow_block"}
        assert constraints.keep_outs == (box,) and box.size == BOX.size
        assert constraints.payload == 0.5, "the heaviest, for that is the tighter one"
        assert constraints.speed_scale == 1.0

    def test_ids_are_never_used_twice_and_the_oldest_comes_first(self) -> None:
        constraints = ConstraintSet(1.0)
        first = constraints.add(speed(0.5), "planner")
        constraints.remove(first.id, "planner")
        second, third = constraints.add(speed(0.5), "planner"), constraints.add(speed(0.5, "operator"), "anna")
        assert [c.id for c in constraints.constraints] == [second.id, third.id]
        assert len({first.id, second.id, third.id}) == 3
        assert (second.id.split("-")[0], third.id.split("-")[0]) == ("planner", "operator")

    def test_what_is_made_from_them_is_made_anew_only_when_they_change(self) -> None:
        constraints = ConstraintSet(1.0)
        assert constraints.changes == 0
        added = constraints.add(Constraint(kind="avoid", object="cup"), "anna")
        assert (added.id, constraints.changes) == ("planner-1", 1)
        with pytest.raises(UnknownName):
            constraints.remove("nothing", "anna")
        assert constraints.changes == 1
        constraints.remove(added.id, "anna")
        assert constraints.changes == 2

    def test_they_are_bounded(self) -> None:
        constraints = ConstraintSet(1.0)
        for _ in range(MOST):
            constraints.add(speed(0.5), "planner")
        with pytest.raises(ReinsError, match=f"{MOST} constraints"):
            constraints.add(speed(0.1), "planner")
        assert constraints.speed_scale == 0.5
        constraints.remove(constraints.constraints[0].id, "planner")
        constraints.add(speed(0.1), "planner")


class TestWhoMay:
    def test_a_planner_may_not_drop_or_set_the_operators(self) -> None:
        constraints = ConstraintSet(0.3)
        own = constraints.add(speed(0.2, "operator"), "anna")
        for act in (
            lambda: constraints.clear("operator", "planner"),
            lambda: constraints.remove(own.id, "planner"),
            lambda: constraints.add(speed(0.1, "operator"), "planner"),
            lambda: constraints.set_speed_scale(1.0, "planner"),
        ):
            with pytest.raises(ReinsError, match="planner"):
                act()
        assert (constraints.speed_scale, list(constraints.constraints)) == (0.2, [own])

    def test_a_planner_cannot_loosen_with_a_higher_scale(self) -> None:
        constraints = ConstraintSet(0.3)
        constraints.add(speed(1.0), "planner")
        assert constraints.speed_scale == 0.3

    def test_a_planner_drops_its_own_and_what_the_operator_set_stays(self) -> None:
        constraints = ConstraintSet(0.6)
        constraints.add(speed(0.2), "planner")
        constraints.add(Constraint(kind="avoid", object="yellow_block"), "planner")
        constraints.add(speed(0.5, "operator"), "anna")
        assert len(constraints.clear("planner", "planner")) == 2
        assert [c.set_by for c in constraints.constraints] == ["operator"]
        assert (constraints.speed_scale, constraints.avoided) == (0.5, frozenset())

    def test_the_operator_may_loosen_everything(self) -> None:
        constraints = ConstraintSet(0.1)
        of_planner = constraints.add(speed(0.05), "planner")
        constraints.add(speed(0.5, "operator"), "anna")
        constraints.remove(of_planner.id, "anna")
        constraints.clear("operator", "anna")
        constraints.set_speed_scale(1.0, "anna")
        assert (constraints.speed_scale, constraints.constraints) == (1.0, ())

    @pytest.mark.parametrize("scale", [0.0, -0.1, 1.0 + 1e-9, float("nan"), float("inf")])
    def test_a_scale_that_is_none_changes_nothing(self, scale: float) -> None:
        constraints = ConstraintSet(0.6)
        with pytest.raises(ReinsError, match="speed scale"):
            constraints.set_speed_scale(scale, "anna")
        assert constraints.speed_scale == 0.6

    def test_an_owner_that_does_not_exist_is_named(self) -> None:
        with pytest.raises(UnknownName, match="'plannr'; did you mean 'planner'"):
            ConstraintSet(1.0).clear("plannr", "anna")


class TestTrace:
    @pytest.fixture
    def told(self) -> list[tuple[Any, ...]]:
        return []

    @pytest.fixture
    def rules(self, told: list[tuple[Any, ...]]) -> Rules:
        return Rules(ConstraintSet(1.0), lambda *event: told.append(event), lambda: ("cup", "bowl"))

    def test_setting_and_dropping_leave_a_trace_with_the_name(self, rules: Rules, told: list[tuple[Any, ...]]) -> None:
        first = rules.add(speed(0.5), "planner")
        rules.add(Constraint(kind="avoid", object="cup", set_by="operator"), "anna")
        rules.remove(first.id, "anna")
        assert rules.clear("operator", "ben") == 1
        rules.set_speed_scale(0.4, "anna")
        assert [(kind, who) for _, kind, who, _ in told] == [
            ("constraint_added", "planner"),
            ("constraint_added", "anna"),
            ("constraint_removed", "anna"),
            ("constraint_removed", "ben"),
            ("speed_scale", "anna"),
        ]
        assert told[2][3] == f"anna dropped: speed at most 0.5 ({first.id})"
        assert rules.constraints.speed_scale == 0.4

    @pytest.mark.parametrize(
        "constraint, known",
        [("cup", True), ("unicorn", False), ("cu", False)],
        ids=["seen", "not seen", "a part of it"],
    )
    def test_one_about_what_is_not_seen_holds_and_says_so(
        self, rules: Rules, told: list[tuple[Any, ...]], constraint: str, known: bool
    ) -> None:
        named = rules.add(Constraint(kind="avoid", object=constraint, set_by="operator"), "anna")
        assert rules.constraints.avoided == {constraint}
        ((severity, _, _, text),) = told
        assert severity is (Severity.INFO if known else Severity.WARN)
        assert ("what is seen: bowl, cup" in text) is not known
        assert text.endswith(f"({named.id}){rules.remark(named)}") and bool(rules.remark(named)) is not known

    def test_those_of_a_monitor_that_was_here_before_are_kept_and_told(
        self, rules: Rules, told: list[tuple[Any, ...]]
    ) -> None:
        earlier = ConstraintSet(0.9)
        gone = earlier.add(speed(0.1), "planner")
        kept = (earlier.add(BOX, "anna"), earlier.add(speed(0.5), "planner"))
        earlier.remove(gone.id, "anna")
        before = rules.constraints.changes
        rules.keep(earlier)
        assert rules.constraints.constraints == kept
        assert (rules.constraints.speed_scale, rules.constraints.changes) == (0.5, before + 1)
        assert [(kind, who) for _, kind, who, _ in told] == [
            ("constraint_kept", "operator"),
            ("constraint_kept", "planner"),
        ]
        assert rules.add(speed(0.4), "planner").id == "planner-4", "an id is never used twice"

    def test_what_the_robot_does_not_keep_is_refused_and_told(self, told: list[tuple[Any, ...]]) -> None:
        """A payload that legs take no note of would be a promise that nobody keeps."""
        rules = Rules(ConstraintSet(1.0), lambda *event: told.append(event), tuple, ("avoid", "speed"))
        with pytest.raises(ReinsError, match="keeps no 'payload' constraint; it keeps avoid, speed"):
            rules.add(Constraint(kind="payload", mass=2.0), "planner")
        assert rules.constraints.constraints == ()
        assert [(kind, who) for _, kind, who, _ in told] == [("rule_refused", "planner")]
        assert rules.add(speed(0.5), "planner").id == "planner-1"

    def test_a_distance_that_the_robot_does_not_keep_is_refused_and_told(self, told: list[tuple[Any, ...]]) -> None:
        asked = Constraint(kind="avoid", object="cup", distance=0.8)
        arm = Rules(ConstraintSet(1.0), lambda *event: told.append(event), tuple, distances=False)
        with pytest.raises(ReinsError, match=r"none of 0\.8 m; say `avoid cup` without one"):
            arm.add(asked, "anna")
        assert arm.constraints.constraints == ()
        assert [(kind, who) for _, kind, who, _ in told] == [("rule_refused", "anna")]
        assert arm.add(asked.model_copy(update={"distance": 0.0}), "anna").object == "cup"
        legs = Rules(ConstraintSet(1.0), lambda *event: told.append(event), tuple)
        assert legs.add(asked, "anna").distance == 0.8

    @pytest.mark.parametrize("nobody", ["", "  "])
    def test_nobody_changes_nothing(self, rules: Rules, told: list[tuple[Any, ...]], nobody: str) -> None:
        for act in (
            lambda: rules.add(speed(0.5), nobody),
            lambda: rules.remove("planner-1", nobody),
            lambda: rules.clear("planner", nobody),
            lambda: rules.set_speed_scale(0.5, nobody),
        ):
            with pytest.raises(ReinsError, match="name of the operator"):
                act()
        assert (rules.constraints.speed_scale, rules.constraints.constraints) == (1.0, ())
        assert {kind for _, kind, _, _ in told} == {"rule_refused"}

    def test_who_asks_is_judged_whatever_is_asked(self, rules: Rules, told: list[tuple[Any, ...]]) -> None:
        own = rules.add(speed(0.2, "operator"), "anna")
        told.clear()
        for act in (
            lambda: rules.set_speed_scale(0.5, "planner"),
            lambda: rules.add(speed(0.1, "operator"), "planner"),
            lambda: rules.remove(own.id, "planner"),
            lambda: rules.clear("operator", "planner"),
        ):
            with pytest.raises(ReinsError, match="planner"):
                act()
        assert list(rules.constraints.constraints) == [own]
        assert [(kind, who) for _, kind, who, _ in told] == [("rule_refused", "planner")] * 4

    def test_a_refusal_leaves_a_trace_too(self, rules: Rules, told: list[tuple[Any, ...]]) -> None:
        with pytest.raises(ReinsError):
            rules.set_speed_scale(1.0, "planner")
        (event,) = told
        assert event[:3] == (Severity.WARN, "rule_refused", "planner") and "cannot set" in event[3]
