"""Identification from start to end: record, fit, and hold the result against trials that the fit did not see."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import yaml

from reins.contracts.errors import ReinsError
from reins.hardware.profile import RobotProfile
from reins.sim.matching import Matching, nominal
from reins.sim.mujoco_robot import MujocoPhysics
from reins.sim.simulators import require_simulator
from reins.training.identify.fit import Errors, Pair, errors, fit_drives, fit_surface
from reins.training.identify.recorded import recorded
from reins.training.identify.trials import Matchable, Trial, respond, slide, trial_world, waves

REFERENCE: Final = "mujoco"
"""The engine that others are matched to where nothing was recorded."""

SEEDS, HELD_OUT_SEED = (0, 1), 7
"""Of the waves that are fitted, and of those that judge."""

SLIDES: Final = (0.6, 1.0)
HELD_OUT_SLIDES: Final = (0.5, 0.8, 1.2)
"""Speeds of the blocks that are fitted, and of those that judge [m/s]."""

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True, eq=False)
class Identified:
    """What was found.

    Attributes:
        matching: the factors; nominal ones where those found did not prove better.
        before, after: errors in the held-out trials, with nominal and with these factors.
        held_out: whether the trials that judge are others than those that were fitted.
    """

    matching: Matching
    before: Errors
    after: Errors
    held_out: bool

    def write(self, path: Path) -> None:
        """Write the matching as YAML, making the folder if needed."""
        path.parent.mkdir(parents=True, exist_ok=True)
        document = self.matching.model_dump(mode="json")
        text = yaml.safe_dump(document, sort_keys=False, default_flow_style=None, allow_unicode=True, width=120)
        path.write_text(f"# Factors of nominal values; made by `reins sim identify`.\n{text}", encoding="utf-8")


def identify(
    profile: RobotProfile,
    engine: str,
    recordings: Sequence[Path] = (),
    seconds: float = 8.0,
    tell: Tell = lambda _: None,
) -> Identified:
    """Match an engine to recorded arms, or to the reference engine where there are none.

    Args:
        profile: the robot.
        engine: which simulator is matched.
        recordings: black box files; with two or more, the last one judges and is not fitted.
        seconds: length of each trial of waves, where nothing was recorded.
        tell: told what is being done.

    Raises:
        UnknownName: no such simulator.
        ReinsError: it is not installed, a recording cannot be used, or the reference would be matched to itself.
    """
    require_simulator(engine)
    if engine == REFERENCE and not recordings:
        raise ReinsError(
            f"'{REFERENCE}' is what other simulators are matched to; give --recording to match it to an arm"
        )
    physics = _engine(engine, profile)
    if recordings:
        fitted = [recorded(path, profile) for path in recordings]
        judging, slides, judging_slides = fitted[-1:], [], []
        title = f"matched to {', '.join(path.name for path in recordings)}"
        fitted = fitted[:-1] or fitted
    else:
        tell(f"recording {REFERENCE}")
        arm = _engine(REFERENCE, profile)
        fitted = _record(arm, [waves(profile, seconds, seed) for seed in SEEDS])
        judging = _record(arm, [waves(profile, seconds, HELD_OUT_SEED)])
        slides = _record(arm, [slide(profile, speed) for speed in SLIDES])
        judging_slides = _record(arm, [slide(profile, speed) for speed in HELD_OUT_SLIDES])
        title = f"matched to {REFERENCE}"
    before = _errors(physics, judging, judging_slides)
    matching = _drives(physics, profile, engine, fitted, judging, tell)
    if slides:
        tell("fitting the friction of table and objects")
        matching = _surface(physics, matching, slides, judging_slides)
    after = _errors(physics, judging, judging_slides)
    found = matching.model_copy(update={"title": title})
    return Identified(found, before, after, held_out=judging[0] is not fitted[0])


def _drives(
    physics: Matchable, profile: RobotProfile, engine: str, fitted: Sequence[Pair], judging: Sequence[Pair], tell: Tell
) -> Matching:
    """The factors of the drives, if they prove better than nominal ones."""
    start = nominal(profile, engine)
    physics.match(start)
    usual = float((errors(physics, judging).position ** 2).sum())
    found = fit_drives(physics, profile, engine, fitted, lambda rms: tell(f"fitting the drives, {1e3 * rms:.3f} mrad"))
    if float((errors(physics, judging).position ** 2).sum()) < usual:
        return found
    physics.match(start)
    return start


def _surface(physics: Matchable, drives: Matching, fitted: Sequence[Pair], judging: Sequence[Pair]) -> Matching:
    """The factor of friction, if it proves better than the nominal one."""
    physics.match(drives)
    usual = errors(physics, judging).block
    found = fit_surface(physics, drives, fitted)
    if errors(physics, judging).block < usual:
        return found
    physics.match(drives)
    return drives


def _errors(physics: Matchable, judging: Sequence[Pair], slides: Sequence[Pair]) -> Errors:
    joints = errors(physics, judging)
    return replace(joints, block=errors(physics, slides).block) if slides else joints


def _record(arm: Matchable, trials: Sequence[Trial]) -> list[Pair]:
    return [(trial, respond(arm, trial)) for trial in trials]


def _engine(name: str, profile: RobotProfile) -> Matchable:
    """An engine with nominal values."""
    matching = nominal(profile, name)
    if name == REFERENCE:
        physics = MujocoPhysics(profile, trial_world())
        physics.match(matching)
        return physics
    from reins.sim.pybullet_robot import PybulletPhysics

    return PybulletPhysics(profile, trial_world(), matching)
