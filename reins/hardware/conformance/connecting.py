"""Checks of the connection: closed and opened again, cut, wanted by two, and the robot's own faults."""

import time
from threading import Thread
from typing import Any, Final

import numpy as np

from reins.contracts.errors import ReinsError
from reins.hardware.conformance.check import Broken, require
from reins.hardware.conformance.motion import all_joints
from reins.hardware.conformance.standing import AT_REST, STILL
from reins.hardware.conformance.subject import Subject
from reins.hardware.conformance.under_test import SETTLE, Tampering, UnderTest

NOTICED: Final = 0.1
"""A cut network is a fault within this time [s]."""


def close_twice(subject: UnderTest[Any, Any, Any]) -> str:
    """`close` may be called again."""
    subject.robot.close()
    subject.robot.close()
    subject.reopen()
    return ""


def reconnect(subject: Subject) -> str:
    """A driver that was closed in good order lets another one take its place, which holds and moves."""
    before = subject.read().position
    subject.reopen()
    state = subject.read()
    require(not state.fault, f"connected again it has a fault: {state.fault}")
    if subject.paced:
        moved = float(np.abs(state.position - before).max())
        require(moved < STILL, f"it moved by {1e3 * moved:.1f} mrad meanwhile")
    nudge = all_joints(subject.profile, state.position)
    subject.follow(nudge)
    share = float(((subject.hold(0.2).position - state.position) / nudge.distance).mean())
    require(share > 0.5, f"connected again it went {100 * share:.0f} % of the way told")
    return f"{100 * share:.0f} % of the way told"


def two_clients(subject: Subject) -> str:
    """A second driver of the same robot is refused in one sentence, and the first goes on."""
    second = subject.make()
    try:
        second.connect()
    except ReinsError as error:
        state = subject.hold(0.2)
        require(not state.fault, f"the first driver stopped for it: {state.fault}")
        return str(error)
    finally:
        second.close()
    raise Broken("two drivers were connected to one robot at once")


def network_cut(subject: Subject) -> str:
    """Cut in mid-motion: a fault in time, a robot at rest, and nothing that resumes when the network is back."""
    tampering = tampering_of(subject)
    subject.hold(0.2)
    nudge = all_joints(subject.profile, subject.read().position)
    subject.follow(nudge, until=0.5)
    cut = Thread(target=tampering.cut_network)  # commands go on meanwhile, so that their end is not what is noticed
    cut.start()
    began, after = time.monotonic(), subject.read()
    while not after.fault and time.monotonic() - began < 2.0:
        after = subject.send(after.reference, np.zeros_like(after.reference))
    noticed = time.monotonic() - began
    cut.join()
    require(bool(after.fault), "2 s after the network was cut there is no fault")
    require(noticed <= NOTICED, f"the cut was told only after {1e3 * noticed:.0f} ms")
    tampering.restore_network()
    time.sleep(SETTLE)
    still = subject.wait(0.5)[-1]
    require(bool(still.fault), "with the network back, the fault cleared itself")
    first = subject.recover()
    require(not first.fault, f"with the network back, it does not recover: {first.fault}")
    later = subject.wait(0.5)[-1]
    moved = float(np.abs(later.position - first.position).max())
    require(moved < STILL, f"after the recovery it moved by {1e3 * moved:.1f} mrad without a command")
    return f"told after {1e3 * noticed:.0f} ms: {after.fault}"


def own_fault(subject: Subject) -> str:
    """A fault of the robot itself stops it, is told in the robot's words, and lasts until the operator recovers."""
    tampering = tampering_of(subject)
    subject.hold(0.2)
    subject.follow(all_joints(subject.profile, subject.read().position), until=0.5)
    word = tampering.raise_fault()
    states = subject.wait(0.5)
    fault = states[-1].fault
    require(bool(fault), "the robot has a fault, and the driver does not")
    require(word in fault, f"the fault does not say '{word}': {fault}")
    speed = float(np.abs(states[-1].velocity).max())
    require(speed < AT_REST, f"it still moves with {speed:.3f} rad/s")
    require(bool(subject.wait(0.5)[-1].fault), "the fault cleared itself")
    require(not subject.recover().fault, f"it does not recover: {subject.read().fault}")
    return fault


def tampering_of(subject: UnderTest[Any, Any, Any]) -> Tampering:
    """What the suite may do to the robot.

    Raises:
        ReinsError: nothing.
    """
    if subject.tampering is None:
        raise ReinsError("this check needs a peer whose network and faults the suite controls")
    return subject.tampering
