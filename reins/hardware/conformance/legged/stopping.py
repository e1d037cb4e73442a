"""Checks of stops and of the connection: they end on the ground, and nothing gets up by itself."""

import time
from threading import Thread
from typing import Final

import numpy as np

from reins.hardware.conformance.check import require
from reins.hardware.conformance.connecting import tampering_of
from reins.hardware.conformance.legged.lying import CREEP
from reins.hardware.conformance.legged.subject import LeggedSubject
from reins.hardware.conformance.legged.walking import WALK
from reins.hardware.conformance.stopping import WATCH
from reins.hardware.conformance.under_test import SETTLE
from reins.hardware.legged import LeggedState, Posture
from reins.hardware.robot import StopCategory

NOTICED: Final = 0.12
"""A cut network is a fault within this time [s]: a tenth of a second, and the period in which it is looked at."""

FORWARD: Final = (WALK, 0.0, 0.0)


def controlled_stop(subject: LeggedSubject) -> str:
    """Category 1 brakes, lies down, tells the reason, and ignores what is commanded afterwards."""
    return _stop(subject, StopCategory.CONTROLLED)


def cut_stop(subject: LeggedSubject) -> str:
    """Category 0 lets the legs go, and so it lies, too."""
    return _stop(subject, StopCategory.CUT)


def stale_command_stop(subject: LeggedSubject) -> str:
    """Without a fresh command for `stale_after` it stops by itself, says so, and lies down."""
    _into_walking(subject)
    stale = subject.profile.rates.stale_after
    states = subject.wait(stale + WATCH)
    require(bool(states[-1].fault), f"{1e3 * (stale + WATCH):.0f} ms without a command, and it did not stop")
    early = states[max(0, round(0.5 * stale / subject.period) - 1)]
    require(not early.fault, f"it stopped {1e3 * 0.5 * stale:.0f} ms after a command: {early.fault}")
    subject.until_down()
    return states[-1].fault


def recovery(subject: LeggedSubject) -> str:
    """After a recovery it stays lying, nothing earlier resumes, and it stands up when it is told to."""
    _into_walking(subject)
    subject.robot.stop(StopCategory.CONTROLLED, "a check")
    subject.until_down()
    _stays_down(subject)
    return subject.told(subject.stand())


def reconnect(subject: LeggedSubject) -> str:
    """A driver that was closed while the robot stood has it lie; another one takes its place, and it stands up."""
    subject.stand()
    subject.reopen()
    state = subject.until_down() if subject.paced else subject.read()
    require(not state.fault, f"connected again it has a fault: {state.fault}")
    return subject.told(subject.stand())


def own_fault(subject: LeggedSubject) -> str:
    """A fault of the robot itself is told in its words, and lasts until the operator recovers."""
    tampering = tampering_of(subject)
    _into_walking(subject)
    word = tampering.raise_fault()
    fault = subject.go(1.0, np.array(FORWARD))[-1].fault  # so that it is not the end of commands that stops it
    require(bool(fault), "the robot has a fault, and the driver does not")
    require(word in fault, f"the fault does not say '{word}': {fault}")
    require(bool(subject.wait(0.5)[-1].fault), "the fault cleared itself")
    tampering.restore_network()
    require(not subject.recover().fault, f"it does not recover: {subject.read().fault}")
    return fault


def network_cut(subject: LeggedSubject) -> str:
    """Cut while it walks: a fault in time, and nothing that gets up when the network is back."""
    tampering = tampering_of(subject)
    _into_walking(subject)
    cut = Thread(target=tampering.cut_network)  # commands go on meanwhile, so that their end is not what is noticed
    cut.start()
    began, state = time.monotonic(), subject.read()
    while not state.fault and time.monotonic() - began < 2.0:
        state = subject.go(subject.period, np.array(FORWARD))[-1]
    noticed = time.monotonic() - began
    cut.join()
    require(bool(state.fault), "2 s after the network was cut there is no fault")
    require(noticed <= NOTICED, f"the cut was told only after {1e3 * noticed:.0f} ms")
    subject.wait(1.0)
    tampering.restore_network()
    time.sleep(SETTLE)
    require(bool(subject.wait(0.5)[-1].fault), "with the network back, the fault cleared itself")
    subject.until_down()
    _stays_down(subject)
    return f"told after {1e3 * noticed:.0f} ms: {state.fault}"


def _stays_down(subject: LeggedSubject) -> None:
    """Recover, and see that it lies on."""
    before = subject.recover()
    require(not before.fault, f"it does not recover: {before.fault}")
    later = subject.wait(max(0.5, 3 * subject.profile.rates.stale_after))[-1]
    moved = float(np.linalg.norm(later.odometry.position - before.odometry.position))
    require(moved < CREEP and subject.lies(later), f"after the recovery it moved by {moved:.3f} m without a command")


def _into_walking(subject: LeggedSubject) -> LeggedState:
    """Stand up and walk; the last state."""
    subject.stand()
    state = subject.go(1.0, np.array(FORWARD))[-1]
    require(not state.fault, f"it stopped on the way: {state.fault}")
    return state


def _stop(subject: LeggedSubject, category: StopCategory) -> str:
    before = _into_walking(subject)
    subject.robot.stop(category, "a check of stops")
    rest = subject.until_down()
    require(rest.fault == "a check of stops", f"the fault is not the reason given but: {rest.fault or 'none'}")
    for _ in range(round(1.0 / subject.period)):
        subject.write(np.zeros(3), Posture.STAND)
        subject.step()
    after = subject.read()
    require(subject.lies(after), f"a command after the stop had it get up: {subject.told(after)}")
    require(after.sequence == rest.sequence, "a command after the stop counts as applied")
    require(bool(after.fault), "a command after the stop cleared the fault")
    way = float(np.linalg.norm((rest.odometry.position - before.odometry.position)[:2]))
    return f"lies after {way:.2f} m"
