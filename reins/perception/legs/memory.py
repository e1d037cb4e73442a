"""Blobs to things with stable ids, remembered while they are out of the camera's view."""

from collections.abc import Iterable

import numpy as np

from reins.perception.legs.belonging import half_of, known_of, takes_over, touched_by, without_feet
from reins.perception.legs.gone import is_empty
from reins.perception.legs.looking import Blob, Look
from reins.perception.legs.things import Thing, new_thing, see, stem
from reins.perception.tracker import TrackerSettings


class Memory:
    """Keeps the things, in the ground frame. One instance per scene; not thread-safe.

    Args:
        settings: when things appear and disappear.
    """

    def __init__(self, settings: TrackerSettings) -> None:
        self._settings = settings
        self._things: list[Thing] = []
        self._started = False

    @property
    def things(self) -> list[Thing]:
        """Those that are believed, oldest first."""
        return [thing for thing in self._things if thing.id]

    def reset(self) -> None:
        """Forget everything."""
        self._things, self._started = [], False

    def update(self, look: Look) -> None:
        """Take in what a picture shows."""
        now, eye = look.view.stamp, look.view.eye[:2].astype(np.float64)
        sights: dict[int, list[Blob]] = {}
        new: list[Thing] = []
        blobs = without_feet(look.blobs)
        for blob in blobs:
            self._unite(blob)
        for blob in blobs:
            thing = known_of(blob, self._things) or known_of(blob, new) or half_of(blob, [*self._things, *new], look)
            if thing is None:
                new.append(new_thing(blob, eye, now))
            elif thing in new:
                see(thing, [blob], eye, now)
            else:
                sights.setdefault(self._things.index(thing), []).append(blob)
        for index, blobs in sights.items():
            thing = self._things[index]
            see(thing, blobs, eye, now)
            thing.hits, thing.empty = thing.hits + 1, 0
        unseen = [thing for index, thing in enumerate(self._things) if index not in sights]
        gone = [thing for thing in unseen if is_empty(thing, look)]
        for thing in gone:
            thing.empty += 1
        self._things += [thing for thing in new if not takes_over(thing, gone)]
        self._forget(now, unseen)
        self._name()
        self._started = True

    def _unite(self, blob: Blob) -> None:
        """Things that one blob touches are one: the oldest stays."""
        touched = touched_by(blob, self._things)
        for thing in touched[1:]:
            first = touched[0]
            first.cells = np.concatenate([first.cells, thing.cells])
            first.cell_times = np.concatenate([first.cell_times, thing.cell_times])
            first.id = first.id or thing.id
            self._things.remove(thing)

    def _forget(self, now: float, unseen: Iterable[Thing]) -> None:
        """What is not believed yet and not seen again; what is seen to be gone; what was not seen for too long."""
        for thing in unseen:
            if not thing.id or thing.empty >= self._settings.drop_after or now - thing.last_seen > thing.lasts:
                self._things.remove(thing)

    def _name(self) -> None:
        """Give ids to those that have been seen often enough, from left to right; another one to what turned out to be
        of another kind."""
        need = self._settings.appear_after if self._started else self._settings.appear_at_start
        for thing in self._things:
            if thing.id and not thing.id.startswith(stem(thing)):
                thing.id = self._free_name(stem(thing))
        for thing in [thing for thing in self._things if not thing.id and thing.hits >= need]:
            thing.id = self._free_name(stem(thing))

    def _free_name(self, stem: str) -> str:
        used = {thing.id for thing in self._things}
        number = 1
        while (name := stem if number == 1 else f"{stem}_{number}") in used:
            number += 1
        return name
