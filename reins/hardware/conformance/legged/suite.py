"""The list of checks of a legged robot; `reins.hardware.conformance.suite` runs them."""

from typing import Final

from reins.hardware.conformance import connecting, standing
from reins.hardware.conformance import stopping as any_stopping
from reins.hardware.conformance.check import Entry, Need
from reins.hardware.conformance.legged import lying, stopping, walking

LEGGED_CHECKS: Final[tuple[Entry, ...]] = (
    Entry("identity", "name, kind and joint order are the profile's", lying.identity),
    Entry("units", "radians, rad/s, N·m, metres; z is up", lying.units),
    Entry("limits", "it lies inside the profile's limits", lying.limits),
    Entry("freshness", "states are fresh, robot time goes on", standing.freshness),
    Entry("hold", "stays lying when no command comes", lying.hold_without_command),
    Entry("rates", "read and write do not block", lying.rates, moves=True),
    Entry("wrong_length", "refuses a command of wrong length", lying.refuse_wrong_length, moves=True),
    Entry("not_finite", "refuses a velocity that is not finite", lying.refuse_not_finite, moves=True),
    Entry("first_reason", "a stop during a stop keeps the first reason", any_stopping.first_reason_stays),
    Entry("stand_up", "stands up in time and keeps standing", walking.stand_up, moves=True),
    Entry("directions", "walks and turns the way told", walking.directions, moves=True),
    Entry("late_command", "a late command does not stop it", walking.late_command, moves=True),
    Entry("sit", "lies down out of walking, motors at rest", walking.sit, moves=True),
    Entry("stop_controlled", "stop of category 1 while it walks", stopping.controlled_stop, moves=True),
    Entry("stop_cut", "stop of category 0 while it walks", stopping.cut_stop, moves=True),
    Entry("stale_command", "lies down by itself when commands end", stopping.stale_command_stop, moves=True),
    Entry("recovery", "recovers, stays lying, stands up again", stopping.recovery, moves=True),
    Entry("close_twice", "can be closed twice", connecting.close_twice),
    Entry("reconnect", "closed while standing it lies; connects again", stopping.reconnect, moves=True),
    Entry("two_clients", "a second client is refused", connecting.two_clients, True, (Need.NETWORK,)),
    Entry("network_cut", "a network cut while it walks", stopping.network_cut, True, (Need.NETWORK, Need.TAMPERING)),
    Entry("own_fault", "the robot's own fault is told and lasts", stopping.own_fault, True, (Need.TAMPERING,)),
)
"""In the order in which they are run: what must hold before the next ones may move the robot comes first."""
