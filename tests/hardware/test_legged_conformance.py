"""The checks of a legged robot pass good drivers, and each finds the driver that breaks its rule."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reins.contracts.errors import ReinsError, UnknownName
from reins.hardware.conformance.legged.subject import LeggedSubject
from reins.hardware.conformance.legged.suite import LEGGED_CHECKS
from reins.hardware.conformance.suite import Ending, choose, run_checks
from reins.hardware.legged import LeggedState, Posture, SafeBodyCommand
from reins.hardware.profile import load_profile
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import StopCategory
from reins.locomotion.walks import make_legs
from reins.sim.legged.ground import load_ground
from reins.sim.legged.simulators import ENGINES, make_engine, make_walker
from reins.sim.legged.walker import SimulatedWalker

GO2 = load_profile("go2", QuadrupedProfile)
FLAT = load_ground("flat")


def simulated(name: str) -> LeggedSubject:
    return LeggedSubject(lambda: make_walker(name, GO2, FLAT, 1, make_legs("scripted", GO2)), GO2)


@pytest.mark.slow
@pytest.mark.timeout(600)  # PyBullet walks for a minute and a half on a quiet core
@pytest.mark.parametrize("name", sorted(ENGINES))
def test_every_simulated_driver_conforms(name: str) -> None:
    if name == "pybullet":
        pytest.importorskip("pybullet")
    subject = simulated(name)
    subject.open()
    results = list(run_checks(subject, LEGGED_CHECKS))
    subject.close()
    assert [result for result in results if result.ending is Ending.FAILED] == []
    left_out = {result.name for result in results if result.ending is Ending.LEFT_OUT}
    assert left_out == {"two_clients", "own_fault", "network_cut"}  # nothing of a simulation is behind a network


def test_nothing_is_commanded_that_is_not_agreed_to() -> None:
    commanded: list[SafeBodyCommand] = []

    class Told(SimulatedWalker):
        def write(self, command: SafeBodyCommand) -> None:
            commanded.append(command)
            super().write(command)

    engine = make_engine("mujoco", GO2, FLAT)
    subject = LeggedSubject(lambda: Told(GO2, FLAT, 1, engine, make_legs("scripted", GO2)), GO2, networked=True)
    subject.open()
    results = list(run_checks(subject, LEGGED_CHECKS, lambda entry: not entry.moves))
    assert commanded == []
    passed = {result.name for result in results if result.ending is Ending.PASSED}
    assert passed == {"identity", "units", "limits", "freshness", "hold", "first_reason", "close_twice"}


class Wrapped(SimulatedWalker):
    """A good driver, to be spoilt."""

    def __init__(self) -> None:
        super().__init__(GO2, FLAT, 1, make_engine("mujoco", GO2, FLAT), make_legs("scripted", GO2))


class Renamed(Wrapped):
    """Has its joints in another order than the profile."""

    @property
    def spec(self) -> Any:
        return replace(super().spec, joint_names=super().spec.joint_names[::-1])


class OneFootShort(Wrapped):
    """Tells of three feet."""

    def read(self) -> LeggedState:
        return replace(super().read(), contact=super().read().contact[:3])


class Percent(Wrapped):
    """Tells its battery in percent."""

    def read(self) -> LeggedState:
        return replace(super().read(), battery=87.0)


class ScalarFirst(Wrapped):
    """Tells quaternions as w x y z."""

    def read(self) -> LeggedState:
        return replace(super().read(), orientation=super().read().orientation[[3, 0, 1, 2]])


class Mirrored(Wrapped):
    """Takes left for right."""

    def write(self, command: SafeBodyCommand) -> None:
        super().write(replace(command, velocity=command.velocity * np.array([1.0, -1.0, -1.0])))


class Slow(Wrapped):
    """Walks with a third of what it is told."""

    def write(self, command: SafeBodyCommand) -> None:
        super().write(replace(command, velocity=command.velocity / 3.0))


class Lazy(Wrapped):
    """Never stands up."""

    def write(self, command: SafeBodyCommand) -> None:
        super().write(replace(command, posture=Posture.SIT))


class Restless(Wrapped):
    """Never lies down by itself."""

    def write(self, command: SafeBodyCommand) -> None:
        super().write(replace(command, posture=Posture.STAND))


class Deaf(Wrapped):
    """Never notices that commands ended."""

    def step(self, dt: float) -> None:
        self._orders._silence = 0.0
        super().step(dt)


class Hasty(Wrapped):
    """Stops at the first late command."""

    def write(self, command: SafeBodyCommand) -> None:
        super().write(command)
        self._orders._silence = 0.07


class Swallowing(Wrapped):
    """Takes what is not a number, and says nothing about a wrong length."""

    def write(self, command: SafeBodyCommand) -> None:
        if len(command.velocity) == 3 and np.isfinite(command.velocity).all():
            super().write(command)


class Forgetful(Wrapped):
    """Tells the last reason of a stop."""

    def stop(self, category: StopCategory, reason: str) -> None:
        super().stop(category, reason)
        self._orders.fault = reason


class Unstoppable(Wrapped):
    """Tells a stop and stands on."""

    def stop(self, category: StopCategory, reason: str) -> None:
        super().stop(StopCategory.CONTROLLED, reason)
        self._orders._posture = Posture.STAND


class Stubborn(Wrapped):
    """Gets up after a stop when it is commanded."""

    def write(self, command: SafeBodyCommand) -> None:
        self._orders.fault, self._orders.cut = "", False
        super().write(command)


class Resuming(Wrapped):
    """Gets up when it is recovered."""

    def recover(self) -> None:
        super().recover()
        self._orders._posture = Posture.STAND


class Once(Wrapped):
    """Cannot be closed twice."""

    def close(self) -> None:
        if self.__dict__.setdefault("_closed", False):
            raise ReinsError("already closed")
        self.__dict__["_closed"] = True


DEFECTS: tuple[tuple[Callable[[], Wrapped], str], ...] = (
    (Renamed, "identity"),
    (OneFootShort, "identity"),
    (Percent, "units"),
    (ScalarFirst, "units"),
    (Swallowing, "wrong_length"),
    (Swallowing, "not_finite"),
    (Forgetful, "first_reason"),
    (Lazy, "stand_up"),
    (Mirrored, "directions"),
    (Slow, "directions"),
    (Hasty, "late_command"),
    (Restless, "sit"),
    (Unstoppable, "stop_controlled"),
    (Unstoppable, "stop_cut"),
    (Stubborn, "stop_controlled"),
    (Deaf, "stale_command"),
    (Resuming, "recovery"),
    (Once, "close_twice"),
)


@pytest.mark.slow
@pytest.mark.parametrize("defective, name", DEFECTS, ids=lambda value: getattr(value, "__name__", value))
def test_the_check_finds_the_driver_that_breaks_its_rule(defective: Callable[[], Wrapped], name: str) -> None:
    subject = LeggedSubject(defective, GO2)
    subject.open()
    (result,) = run_checks(subject, choose([name], LEGGED_CHECKS))
    assert result.ending is Ending.FAILED
    assert len(result.detail) > 10


def test_a_robot_that_does_not_lie_down_ends_the_run() -> None:
    subject = LeggedSubject(Restless, GO2)
    subject.open()
    subject.go(2.5)
    results = list(run_checks(subject, choose(["rates", "not_finite"], LEGGED_CHECKS)))
    assert [result.ending for result in results] == [Ending.FAILED, Ending.LEFT_OUT]
    assert "does not lie down" in results[0].detail and "rates" in results[1].detail


def test_names_are_unique_and_said_and_those_of_arms_are_others() -> None:
    assert len({entry.name for entry in LEGGED_CHECKS}) == len(LEGGED_CHECKS)
    assert all(entry.says and entry.run.__doc__ for entry in LEGGED_CHECKS)
    with pytest.raises(UnknownName, match="did you mean 'directions'"):
        choose(["direction"], LEGGED_CHECKS)
    with pytest.raises(UnknownName, match="no check 'stand_up'"):
        choose(["stand_up"])
