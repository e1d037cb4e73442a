"""The ring: never older than its span, never larger than its memory, in order, whatever comes."""

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reins.blackbox.ring import OVERHEAD, Message, Ring, in_order

SPAN: Final = 60
MEMORY: Final = 10 * OVERHEAD
LATCHED: Final = "state"

BATCH = st.tuples(
    st.sampled_from(["skill", "safe", LATCHED]),
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 2 * OVERHEAD)), min_size=1, max_size=5),
)
"""One topic's messages that are taken together: time since the last one of the topic, and bytes."""


@given(batches=st.lists(BATCH, max_size=30), latched=st.booleans())
def test_bounded_in_time_and_memory_and_in_order(
    batches: list[tuple[str, list[tuple[int, int]]]], latched: bool
) -> None:
    ring = Ring(SPAN, MEMORY, frozenset({LATCHED}) if latched else frozenset())
    clocks: dict[str, int] = {}
    for topic, messages in batches:
        for later, size in messages:
            clocks[topic] = clocks.get(topic, 0) + later
            ring.add(topic, clocks[topic], 0, bytes(size))
            assert ring.size <= MEMORY
    kept = ring.copy()
    stamps = [message.stamp for _topic, message in in_order(kept)]
    assert stamps == sorted(stamps)
    assert all(stamp >= max(clocks.values()) - SPAN for stamp in stamps)
    for held in kept.values():
        assert [m.stamp for m in held] == sorted(m.stamp for m in held)
    if latched and LATCHED in clocks:
        assert kept[LATCHED], "what is in force was lost"


@given(sizes=st.lists(st.integers(0, 3 * OVERHEAD), min_size=1, max_size=40))
def test_what_stays_is_the_newest(sizes: list[int]) -> None:
    ring = Ring(10**9, MEMORY)
    for number, size in enumerate(sizes):
        ring.add("skill", number, 0, bytes(size))
    held = ring.copy().get("skill", ())
    assert [m.stamp for m in held] == list(range(len(sizes) - len(held), len(sizes)))
    room = MEMORY - sum(len(m.data) + OVERHEAD for m in held)
    if len(held) < len(sizes):
        assert sizes[len(sizes) - len(held) - 1] + OVERHEAD > room, "an older one would have fitted"


@pytest.mark.parametrize(("newest", "stays"), [(60, True), (61, False)])
def test_exactly_the_span_stays(newest: int, stays: bool) -> None:
    ring = Ring(SPAN, MEMORY)
    ring.add("skill", 0, 0, b"")
    ring.add("safe", newest, 0, b"")
    assert ("skill" in ring.copy()) is stays


@pytest.mark.parametrize(("memory", "stays"), [(2 * OVERHEAD, 2), (2 * OVERHEAD - 1, 1)])
def test_exactly_the_memory_stays(memory: int, stays: int) -> None:
    ring = Ring(SPAN, memory)
    ring.add("skill", 0, 0, b"")
    ring.add("safe", 1, 0, b"")
    assert sum(map(len, ring.copy().values())) == stays


def test_the_oldest_goes_first_whichever_topic_it_is_of() -> None:
    ring = Ring(SPAN, 2 * OVERHEAD)
    ring.add("skill", 0, 0, b"")
    ring.add("skill", 2, 0, b"")
    ring.add("safe", 1, 0, b"")  # a batch of another topic comes later, but is older
    assert {topic: [m.stamp for m in held] for topic, held in ring.copy().items()} == {"skill": [2], "safe": [1]}


def test_what_is_in_force_moves_to_where_the_rest_begins() -> None:
    ring = Ring(SPAN, MEMORY, frozenset({LATCHED}))
    ring.add(LATCHED, 0, 7, b"ready")
    ring.add(LATCHED, 1, 8, b"active")
    ring.add("safe", 100, 0, b"")
    ring.add("safe", 120, 0, b"")
    assert ring.copy()[LATCHED] == (Message(100, 8, b"active"),)
    ring.add(LATCHED, 130, 9, b"stopping")
    assert [m.data for m in ring.copy()[LATCHED]] == [b"active", b"stopping"]


def test_a_clock_that_steps_back_does_not_shuffle_a_topic() -> None:
    ring = Ring(SPAN, MEMORY)
    ring.add("skill", 50, 0, b"first")
    ring.add("skill", 40, 0, b"second")
    assert [(m.stamp, m.data) for m in ring.copy()["skill"]] == [(50, b"first"), (50, b"second")]


def test_a_copy_does_not_change() -> None:
    ring = Ring(SPAN, MEMORY, frozenset({LATCHED}))
    ring.add(LATCHED, 0, 0, b"")
    before = ring.copy()
    ring.add(LATCHED, 100, 0, b"")
    assert [m.stamp for m in before[LATCHED]] == [0]
