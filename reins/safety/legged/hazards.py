"""What speaks against walking: it tilts, sinks, loses the ground, a joint is beyond its limits, it is empty or hot.

Each hazard is a stop: the robot brakes, sits down, and says why. `faults_of` gives them the form that `FaultFinder`
has, so that the monitor stops, tells and refuses resets for hazards as it does for any fault.
"""

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np

from reins.hardware.legged import LeggedState
from reins.hardware.quadruped import QuadrupedProfile
from reins.safety.legged.limits import share_left, tilt_of
from reins.safety.legged.settings import LeggedSettings
from reins.safety.verdict import Limit

ROBOT: Final = "robot"
"""Whom hazards are about, in events."""


class Spell:
    """How long something has been so without a break."""

    def __init__(self) -> None:
        self._since: float | None = None

    def lasts(self, is_so: bool, now: float) -> float:
        """For how long, at robot time `now` [s]; 0 where it is not so, or begins. Time that goes back begins anew."""
        if not is_so:
            self._since = None
            return 0.0
        if self._since is None or now < self._since:
            self._since = now
        return now - self._since


class HazardFinder:
    """Looks at every measured state.

    Args:
        profile: the robot's limits.
        settings: the filter's own.
    """

    def __init__(self, profile: QuadrupedProfile, settings: LeggedSettings) -> None:
        self._profile, self._settings = profile, settings
        self._lower = profile.lower - settings.leg_joint_tolerance
        self._upper = profile.upper + settings.leg_joint_tolerance
        self._beyond, self._adrift = Spell(), Spell()

    def find(self, state: LeggedState, on_legs: bool) -> Mapping[Limit, str]:
        """What speaks against walking now: which limit, and one sentence.

        Args:
            state: a state that passed `check_legged_state`.
            on_legs: whether the robot is meant to stand or walk; only then do height and feet count.
        """
        found: dict[Limit, str] = {}
        tilt, most = tilt_of(state.orientation), self._profile.tilt.stop
        if tilt >= most:
            found[Limit.TILT] = f"the body tilts by {tilt:.2f} rad, and {most:.2f} rad is the limit"
        if reason := self._about_height(state, on_legs):
            found[Limit.BASE_HEIGHT] = reason
        if reason := self._about_feet(state, on_legs):
            found[Limit.FOOT_CONTACT] = reason
        if reason := self._about_joints(state):
            found[Limit.LEG_JOINT] = reason
        least = self._profile.battery.sit
        if state.battery <= least:
            found[Limit.BATTERY] = f"the battery is at {state.battery:.0%}, and at {least:.0%} the robot sits down"
        if reason := self._about_motors(state):
            found[Limit.MOTOR_TEMPERATURE] = reason
        return found

    def shares(self, state: LeggedState) -> Iterator[tuple[Limit, float]]:
        """What tilt, battery and motors leave of the speed limits, 0 … 1 each."""
        profile, least = self._profile, self._settings.slowest_share
        yield Limit.TILT, share_left(tilt_of(state.orientation), profile.tilt.slow, profile.tilt.stop, least)
        yield Limit.BATTERY, share_left(state.battery, profile.battery.slow, profile.battery.sit, least)
        if state.temperature is not None:
            hottest = float(state.temperature.max())
            yield Limit.MOTOR_TEMPERATURE, share_left(hottest, profile.motor.slow, profile.motor.sit, least)

    def _about_height(self, state: LeggedState, on_legs: bool) -> str:
        limits = self._profile.height
        if not on_legs or state.height is None or limits.lowest <= state.height <= limits.highest:
            return ""
        return f"the base is {state.height:.2f} m above the ground instead of {limits.lowest:g} … {limits.highest:g} m"

    def _about_feet(self, state: LeggedState, on_legs: bool) -> str:
        rule, touching = self._profile.contact, int(np.count_nonzero(state.contact))
        lasted = self._adrift.lasts(on_legs and touching < rule.feet, state.stamp)
        if lasted <= rule.longest:
            return ""
        return f"fewer than {rule.feet} feet have touched the ground for {lasted:.2f} s"

    def _about_joints(self, state: LeggedState) -> str:
        worst = self._worst_joint(state)
        if self._beyond.lasts(bool(worst), state.stamp) <= self._settings.leg_joint_patience:
            return ""
        return worst

    def _worst_joint(self, state: LeggedState) -> str:
        """A sentence about a joint that is beyond a limit; empty if none is."""
        profile, position = self._profile, state.position
        outside = np.maximum(self._lower - position, position - self._upper)
        if outside.max() > 0.0:
            joint = profile.joints[int(outside.argmax())]
            at = position[int(outside.argmax())]
            return f"{joint.name} is at {at:.2f} rad, outside {joint.lower:.2f} … {joint.upper:.2f} rad"
        for what, values, limits, unit in (
            ("moves at", state.velocity, profile.velocity, "rad/s"),
            ("bears", state.effort, profile.effort, "N·m"),
        ):
            worst = int((np.abs(values) / limits).argmax())
            if abs(values[worst]) > limits[worst]:
                name = profile.joint_names[worst]
                return f"{name} {what} {values[worst]:.1f} {unit}, and its limit is {limits[worst]:.1f} {unit}"
        return ""

    def _about_motors(self, state: LeggedState) -> str:
        if state.temperature is None:
            return ""
        hottest, most = int(state.temperature.argmax()), self._profile.motor.sit
        if state.temperature[hottest] < most:
            return ""
        name = self._profile.joint_names[hottest]
        return f"the motor of {name} has {state.temperature[hottest]:.0f} °C, and at {most:.0f} °C the robot sits down"


def faults_of(hazards: Mapping[Limit, str]) -> dict[tuple[str, str], str]:
    """Hazards as the monitor's faults: (kind, who) → one sentence."""
    return {(limit.name.lower(), ROBOT): reason for limit, reason in hazards.items()}
