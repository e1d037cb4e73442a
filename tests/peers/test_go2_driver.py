"""The Go2 driver over the DDS topics of the vendor's SDK: our driver on one side, the peer with MuJoCo on the other."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from reins.contracts.errors import ReinsError
from reins.demo.session import free_domain
from reins.hardware.conformance.legged.subject import LeggedSubject
from reins.hardware.conformance.legged.suite import LEGGED_CHECKS
from reins.hardware.conformance.suite import Ending, run_checks
from reins.hardware.go2 import library
from reins.hardware.legged import LeggedState, Posture
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import StopCategory
from reins.nodes.drivers import LEGGED

pytest.importorskip("cyclonedds", reason="the Go2's SDK is not installed: `./run setup go2`")
pytest.importorskip("unitree_sdk2py", reason="the Go2's SDK is not installed: `./run setup go2`")
from reins.peers.go2.process import ADDRESS, Go2Peer  # of no use without it

pytestmark = [pytest.mark.ros, pytest.mark.timeout(300)]  # not beside others: silence of 80 ms is a fault

SHORT = 0.15
"""A cut network is told within this time [s], the time until the test looks included."""

GO2 = load_profile("go2", QuadrupedProfile)
STILL, AHEAD = np.zeros(3), np.array([0.3, 0.0, 0.0])


def profile_on(domain: int, **drive: Any) -> QuadrupedProfile:
    """The Go2's, on a DDS domain of the test's own."""
    assert GO2.unitree is not None
    return GO2.model_copy(update={"unitree": GO2.unitree.model_copy(update={"domain": domain, **drive})})


def subject_of(peer: Go2Peer, **drive: Any) -> LeggedSubject:
    profile = profile_on(peer.domain, **drive)
    return LeggedSubject(lambda: LEGGED["go2"](profile, ADDRESS), profile, networked=True, tampering=peer)


@pytest.fixture(scope="module")
def shared_peer() -> Iterator[Go2Peer]:
    with Go2Peer(free_domain()) as peer:
        yield peer


@pytest.fixture
def peer(shared_peer: Go2Peer) -> Go2Peer:
    """Well, and lying where it began."""
    shared_peer.thaw()
    shared_peer.restore_network()
    for fault, value in (("lose", 0.0), ("late", 0.0), ("corrupt", 0.0), ("stuck", False), ("not_finite", False)):
        shared_peer.ask(fault, value=value)
    shared_peer.ask("rival", value=False)
    shared_peer.ask("mode", name="")
    shared_peer.ask("reset", seed=0)
    return shared_peer


@pytest.fixture
def subject(peer: Go2Peer) -> Iterator[LeggedSubject]:
    subject = subject_of(peer)
    subject.open()
    yield subject
    subject.close()


def wait_for_fault(subject: LeggedSubject, most: float) -> tuple[LeggedState, float]:
    """Go on commanding it to lie until there is a fault; the state, and how long it took [s]."""
    began, state = time.monotonic(), subject.read()
    while not state.fault and time.monotonic() - began < most:
        state = subject.go(subject.period, posture=Posture.SIT)[-1]
    return state, time.monotonic() - began


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("traits", [[], ["hold"]], ids=["motors with a watchdog", "motors that hold"])
def test_the_driver_conforms(traits: list[str]) -> None:
    with Go2Peer(free_domain(), *traits) as peer:
        subject = subject_of(peer)
        subject.open()
        results = list(run_checks(subject, LEGGED_CHECKS))
        subject.close()
    assert [result for result in results if result.ending is not Ending.PASSED] == []


def test_it_walks_and_lies_where_it_is_told(subject: LeggedSubject, peer: Go2Peer) -> None:
    before = peer.ask("look")
    subject.stand()
    subject.go(2.0, AHEAD)
    state, there = subject.read(), peer.ask("look")
    assert state.height == pytest.approx(there["height"], abs=0.03)
    way = np.linalg.norm(np.subtract(there["position"], before["position"])[:2])
    assert 0.3 < way < 0.9
    assert np.linalg.norm(state.odometry.position[:2]) == pytest.approx(way, rel=0.25)
    assert state.battery == pytest.approx(0.9) and state.temperature is not None
    subject.go(5.0, posture=Posture.SIT)
    assert subject.lies(subject.read()) and peer.ask("look")["height"] < 0.1
    assert peer.ask("look")["wrong"] == 0


def test_messages_that_are_lost_do_not_make_it_fall(subject: LeggedSubject, peer: Go2Peer) -> None:
    subject.stand()
    peer.ask("lose", value=0.2)
    states = subject.go(4.0, AHEAD)
    assert not states[-1].fault and subject.stands(states[-1])
    assert peer.ask("look")["up"] > 0.9


def test_states_with_a_wrong_crc_are_dropped_and_others_are_enough(subject: LeggedSubject, peer: Go2Peer) -> None:
    subject.stand()
    peer.ask("corrupt", value=0.3)
    states = subject.go(3.0, AHEAD)
    assert not states[-1].fault and subject.stands(states[-1])


@pytest.mark.parametrize(
    "fault, value, says",
    [
        ("corrupt", 1.0, "with a wrong CRC"),
        ("stuck", True, "whose tick did not advance"),
        ("not_finite", True, "that are no numbers"),
        ("lose", 1.0, "no good rt/lowstate came"),
        ("late", 0.4, "no good rt/lowstate came"),
    ],
)
def test_a_robot_of_which_nothing_good_is_heard_has_a_fault_until_it_is_recovered(
    subject: LeggedSubject, peer: Go2Peer, fault: str, value: Any, says: str
) -> None:
    subject.hold(0.3)
    peer.ask(fault, value=value)
    state, noticed = wait_for_fault(subject, 2.0)
    assert noticed < SHORT
    assert "no good rt/lowstate came for" in state.fault and says in state.fault
    subject.robot.recover()
    subject.wait(0.5)
    assert subject.read().fault, "it recovered while nothing good was heard"
    peer.ask(fault, value=type(value)(0))
    subject.wait(0.5)
    assert subject.recover().fault == ""


def test_states_that_come_late_all_the_time_are_no_fault_and_held_up_ones_are(
    subject: LeggedSubject, peer: Go2Peer
) -> None:
    subject.hold(0.3)
    peer.ask("late", value=0.04)
    assert not subject.hold(1.0).fault
    peer.ask("late", value=0.3)
    assert "no good rt/lowstate came" in wait_for_fault(subject, 2.0)[0].fault


def test_another_program_that_commands_the_motors_is_told_and_the_motors_only_damp(
    subject: LeggedSubject, peer: Go2Peer
) -> None:
    subject.stand()
    peer.ask("rival", value=True)
    state, noticed = wait_for_fault(subject, 2.0)
    assert noticed < SHORT and "another program publishes rt/lowcmd" in state.fault
    subject.until_down()
    subject.robot.recover()
    assert "another program" in subject.wait(0.6)[-1].fault
    peer.ask("rival", value=False)
    subject.wait(0.3)
    assert subject.recover().fault == ""


def test_a_motion_service_that_becomes_active_is_told(subject: LeggedSubject, peer: Go2Peer) -> None:
    subject.hold(0.3)
    peer.ask("mode", name="normal")
    state, _ = wait_for_fault(subject, 3.0)
    assert "motion service 'normal' is active" in state.fault
    peer.ask("mode", name="")
    subject.wait(0.3)
    assert subject.recover().fault == ""


def test_a_motor_that_switches_itself_off_is_named(subject: LeggedSubject, peer: Go2Peer) -> None:
    subject.stand()
    peer.raise_fault()
    state, _ = wait_for_fault(subject, 2.0)
    assert "switched motors off: FL_hip_joint" in state.fault


def test_a_frozen_robot_is_told_in_time_and_nothing_resumes(subject: LeggedSubject, peer: Go2Peer) -> None:
    subject.stand()
    peer.freeze()
    state, noticed = wait_for_fault(subject, 2.0)
    assert noticed < SHORT and "no good rt/lowstate came" in state.fault
    time.sleep(1.0)
    peer.thaw()
    subject.until_down()
    assert subject.wait(0.5)[-1].fault == state.fault
    assert subject.recover().fault == ""
    assert subject.lies(subject.wait(0.5)[-1])


def test_a_recovery_that_is_asked_for_in_vain_is_over_before_the_robot_is_back(
    subject: LeggedSubject, peer: Go2Peer
) -> None:
    subject.hold(0.2)
    peer.cut_network()
    wait_for_fault(subject, 1.0)
    subject.robot.recover()
    subject.wait(4.5)
    peer.restore_network()
    assert subject.wait(1.0)[-1].fault
    assert subject.recover().fault == ""


def test_a_stop_that_comes_while_the_robot_recovers_is_not_lost(subject: LeggedSubject) -> None:
    subject.robot.stop(StopCategory.CONTROLLED, "first")
    subject.wait(0.1)
    subject.robot.recover()
    subject.wait(0.1)
    subject.robot.stop(StopCategory.CONTROLLED, "somebody came near")
    assert subject.wait(1.0)[-1].fault == "somebody came near"
    assert subject.recover().fault == ""


def test_a_robot_that_was_started_again_is_recovered_and_its_time_goes_on(
    subject: LeggedSubject, peer: Go2Peer
) -> None:
    before = subject.hold(0.5).stamp
    peer.ask("reboot")
    assert "tick did not advance" in wait_for_fault(subject, 1.0)[0].fault
    state = subject.recover()
    assert not state.fault and state.stamp > before + 0.3


def test_calls_of_the_control_thread_do_not_wait_for_a_frozen_robot(subject: LeggedSubject, peer: Go2Peer) -> None:
    subject.hold(0.2)
    peer.freeze()
    costs = []
    for _ in range(60):
        began = time.perf_counter()
        subject.write(STILL, Posture.SIT)
        subject.robot.step(subject.period)
        subject.read()
        costs.append(time.perf_counter() - began)
        time.sleep(subject.period)
    peer.thaw()
    assert np.percentile(costs, 90) < 0.005


def test_closed_while_it_walks_it_lies_and_nothing_commands_it_any_more(subject: LeggedSubject, peer: Go2Peer) -> None:
    subject.stand()
    subject.go(1.0, AHEAD)
    subject.close()
    assert peer.ask("look")["height"] < 0.1
    heard = peer.ask("look")["heard"]
    time.sleep(0.3)
    assert peer.ask("look")["heard"] <= heard + 1


def test_a_cut_lets_the_legs_go_at_once(subject: LeggedSubject, peer: Go2Peer) -> None:
    subject.stand()
    subject.robot.stop(StopCategory.CUT, "a test")
    subject.until_down()
    state = subject.wait(0.2)[-1]
    assert state.fault == "a test" and np.abs(state.effort).max() < 3.0


Meddle = Callable[[Go2Peer], Any]


@pytest.mark.parametrize(
    "meddle, says",
    [
        (lambda peer: peer.ask("rival", value=True), "not taken over: another program publishes rt/lowcmd"),
        (lambda peer: peer.ask("mode", name="ai"), "not taken over: the robot's motion service 'ai' is active"),
        (lambda peer: peer.ask("corrupt", value=1.0), r"only states that are no good: \d+ with a wrong CRC"),
        (lambda peer: peer.ask("stuck", value=True), r"\d+ whose tick did not advance"),
        (lambda peer: peer.cut_network(), "sends no rt/lowstate on DDS domain"),
    ],
    ids=["rival", "sport mode", "wrong CRC", "tick", "silence"],
)
def test_it_does_not_start_where_it_must_not_and_sends_nothing(peer: Go2Peer, meddle: Meddle, says: str) -> None:
    meddle(peer)
    heard = peer.ask("look")["heard"]
    robot = LEGGED["go2"](profile_on(peer.domain), ADDRESS)
    with pytest.raises(ReinsError, match=says) as raised:
        robot.connect()
    robot.close()
    assert "\n" not in str(raised.value)
    peer.ask("rival", value=False)
    assert peer.ask("look")["heard"] - heard <= (100 if "another program" in says else 0)


def test_a_robot_that_does_not_say_whether_sport_mode_is_active_is_refused() -> None:
    with Go2Peer(free_domain(), "no_switcher") as peer:
        robot = LEGGED["go2"](profile_on(peer.domain), ADDRESS)
        with pytest.raises(ReinsError, match="does not say whether a motion service of its own is active"):
            robot.connect()
        subject = subject_of(peer, motion_switcher=False)
        subject.open()
        assert not subject.hold(0.3).fault
        subject.close()


@pytest.mark.parametrize("call", ["read", "recover", "step", "write"])
def test_a_driver_that_is_not_connected_says_so(call: str) -> None:
    robot: Any = LEGGED["go2"](GO2, "127.0.0.1")
    with pytest.raises(ReinsError, match="not connected"):
        getattr(robot, call)(*([0.01] if call in ("step", "write") else []))
    robot.close()


def test_no_address_and_no_way_to_it_are_one_sentence() -> None:
    with pytest.raises(ReinsError, match="needs the address of the robot"):
        LEGGED["go2"](GO2, "")
    with pytest.raises(ReinsError, match=r"no way to the Go2 at 'nowhere\.invalid'"):
        LEGGED["go2"](GO2, "nowhere.invalid").connect()


def test_a_profile_of_another_robot_is_refused() -> None:
    with pytest.raises(ReinsError, match="no part 'unitree'"):
        LEGGED["go2"](GO2.model_copy(update={"unitree": None}), ADDRESS)


def test_without_the_sdk_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(f"No module named '{name}'")

    monkeypatch.setattr(library, "import_module", missing)
    with pytest.raises(ReinsError, match=r"No module named 'cyclonedds.*setup go2"):
        LEGGED["go2"](GO2, ADDRESS)


def test_it_does_not_say_that_it_is_a_simulation() -> None:
    assert not LEGGED["go2"](GO2, ADDRESS).spec.simulated


@pytest.mark.parametrize("roll", [2.4, -2.4])
def test_one_that_fell_turns_over_and_stands_up(peer: Go2Peer, roll: float) -> None:
    peer.ask("fall", roll=roll)
    subject = subject_of(peer)
    subject.open()
    try:
        assert GO2.has_fallen(subject.read().orientation) and peer.ask("look")["up"] < 0.5
        assert GO2.has_fallen(subject.go(1.0, posture=Posture.STAND)[-1].orientation), "it only damps"
        state = subject.go(GO2.body.turn_over, posture=Posture.RECOVER)[-1]
        assert not state.fault and not GO2.has_fallen(state.orientation)
        state = subject.go(GO2.body.stand_up + 1.0)[-1]
        assert not state.fault and GO2.is_up(state.height)
        truth = peer.ask("look")
        assert truth["up"] > 0.95 and GO2.is_up(truth["height"])
    finally:
        subject.close()
