"""The last minute of messages, as the bytes that came over the wire, bounded in time and in memory."""

import heapq
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

OVERHEAD: Final = 200
"""Memory of a kept message beside its bytes, in CPython [bytes]: the tuple, its two times, the bytes' own header."""


class Message(NamedTuple):
    """One message.

    Attributes:
        stamp: when it was received, steady time [ns].
        sent: when its publisher sent it, system time [ns]; 0 if unknown.
        data: serialised (CDR).
    """

    stamp: int
    sent: int
    data: bytes


class Ring:
    """Keeps messages of some topics. Not locked: one thread uses it, `copy` is for others.

    What `copy` gives is never older than `span` before the newest message, never more than `most_bytes`, and in the
    order in which it was received; the oldest go first. Topics are kept apart, so that they may be added in batches.
    The last message of a latched topic is in force until the next: when it drops out, it moves to where the rest
    begins.

    Args:
        span: how far it goes back [ns].
        most_bytes: of memory, `OVERHEAD` of each message included; one message of each latched topic comes on top.
        latched: names of the latched topics.
    """

    def __init__(self, span: int, most_bytes: int, latched: frozenset[str] = frozenset()) -> None:
        self._span, self._most_bytes, self._latched = span, most_bytes, latched
        self._topics: dict[str, deque[Message]] = {}
        self._in_force: dict[str, Message] = {}
        self._newest = 0
        self._bytes = 0

    @property
    def size(self) -> int:
        """Memory in use [bytes]."""
        return self._bytes

    def add(self, topic: str, stamp: int, sent: int, data: bytes) -> None:
        """Keep a message. A stamp before the topic's last one counts as that: its messages stay in their order."""
        kept = self._topics.setdefault(topic, deque())
        if kept and stamp < kept[-1].stamp:
            stamp = kept[-1].stamp
        kept.append(Message(stamp, sent, data))
        self._bytes += len(data) + OVERHEAD
        self._newest = max(self._newest, stamp)
        self._drop_old(topic)
        while self._bytes > self._most_bytes:
            self._drop_oldest()

    def copy(self) -> Mapping[str, tuple[Message, ...]]:
        """The messages of every topic, oldest first; does not change any more."""
        for topic in self._topics:
            self._drop_old(topic)
        begin = min((kept[0].stamp for kept in self._topics.values() if kept), default=self._newest)
        found = {topic: tuple(kept) for topic, kept in self._topics.items() if kept}
        for topic, message in self._in_force.items():
            if topic not in found or found[topic][0].stamp > begin:
                found[topic] = (message._replace(stamp=begin), *found.get(topic, ()))
        return found

    def _drop_old(self, topic: str) -> None:
        kept = self._topics[topic]
        while kept and kept[0].stamp < self._newest - self._span:
            self._drop(topic)

    def _drop_oldest(self) -> None:
        self._drop(min((topic for topic, kept in self._topics.items() if kept), key=lambda t: self._topics[t][0].stamp))

    def _drop(self, topic: str) -> None:
        message = self._topics[topic].popleft()
        self._bytes -= len(message.data) + OVERHEAD
        if topic in self._latched:
            self._in_force[topic] = message


def in_order(topics: Mapping[str, tuple[Message, ...]]) -> Iterator[tuple[str, Message]]:
    """(topic, message) of all topics by the time of receipt."""
    ways = [[(message.stamp, topic, message) for message in messages] for topic, messages in topics.items()]
    return ((topic, message) for _stamp, topic, message in heapq.merge(*ways, key=lambda item: item[0]))
