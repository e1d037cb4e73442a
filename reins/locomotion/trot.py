"""A trot with feedback: where each foot goes at a commanded body velocity, and how hard it pushes.

Diagonal legs step together. A foot in the air goes to where half a stance of the commanded velocity is symmetrical
about its hip, and farther where the body moves faster than commanded. A foot on the ground is drawn back under the body
with the commanded velocity and carries its share of the weight. It pulls to its place in a level body, and so against a
tilt. Forces become offsets of the joints' target positions, so that positions are all that a robot has to take.

Sources: M. Raibert, "Legged robots that balance", 1986 (footholds); J. Pratt et al., "Virtual model control", 2001
(forces at the feet as joint torques); A. Iscen et al., "Policies modulating trajectory generators", CoRL 2018.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from reins.hardware.legs import Flags, Sense
from reins.hardware.quadruped import QuadrupedProfile
from reins.hardware.robot import FloatArray
from reins.locomotion.kinematics import LegKinematics
from reins.locomotion.level import levelling, tilt_of

GRAVITY: Final = 9.81
"""[m/s²]"""

OFFSETS: Final = np.array([0.0, 0.5, 0.5, 0.0])
"""Where in its cycle each leg is when the first begins: diagonal legs together."""

MOVING: Final = 0.02
"""A command beyond this asks to walk [m/s, rad/s]."""

ASTRAY: Final = 0.06
"""A foot that stands farther from where it belongs is put right [m]."""

EARLY: Final = 0.6
"""Share of its way through the air after which a foot that touches something has landed."""

BELIEVED: Final = 0.4
"""Share of what the legs say of the body's velocity that is believed at once."""

RAISE: Final = 2.0
"""How fast the body comes back to its height over uneven ground [1/s]."""

STEEPEST: Final = 0.5
"""Largest slope that the body is laid parallel to [rad]."""

GAITS: Final = 2
"""Numbers of a gait: height and style of `reins.hardware.legged.Gait`."""

CHANGING: Final = 1.0
"""How fast a gait changes to another one [1/s]."""


@dataclass(frozen=True, slots=True)
class TrotSettings:
    """How it walks; found by walking in simulation (`reins bench locomotion`).

    Attributes:
        height: of the base above the ground [m].
        cycle: of a whole stride [s].
        swing: share of the cycle that a foot is in the air.
        lift: how high a foot is lifted [m].
        higher: how much higher than `height` a gait of height 1 carries the base, and one of -1 lower [m].
        longer, loftier: by what shares a gait of style 1 lengthens the cycle and lifts the feet higher, and one of -1
            the other way.
        outwards: how much farther apart than the hips the feet stand, to each side [m].
        catch: how far a foot is put beyond its place per velocity error [s].
        reach: farthest that a foot is put from under its hip [m].
        trim: how fast the driven velocity is corrected by the measured one [1/s], and how far at most [m/s, rad/s].
        wake: velocity error of a standing robot [m/s] and tilt [rad] at which it steps.
        rest: velocity below which a robot that is to stand stops stepping [m/s].
        lean: how fast the body is laid parallel to the ground under its feet [1/s].
        probe: how fast a foot that should stand and touches nothing is let down [m/s].
        uneven: how far the feet's heights may differ from an even ground's [m].
    """

    height: float = 0.29
    cycle: float = 0.44
    swing: float = 0.42
    lift: float = 0.08
    higher: float = 0.03
    longer: float = 0.1
    loftier: float = 0.4
    outwards: float = 0.04
    catch: float = 0.14
    reach: float = 0.22
    trim: tuple[float, float] = (1.0, 0.25)
    wake: tuple[float, float] = (0.25, 0.12)
    rest: float = 0.12
    lean: float = 1.0
    probe: float = 0.3
    uneven: float = 0.07


@dataclass(slots=True, eq=False)
class _Memory:
    """What it remembers of n robots between two steps.

    Attributes:
        phase: (n,) of the first leg's cycle, 0 … 1.
        stepping: (n,) whether it takes steps.
        swinging: (n, 4) whether each foot is in the air.
        lifted, place: (n, 4, 3) where feet left the ground, and where standing ones are meant to be [m].
        driven, trim, measured: (n, 3) velocity that the feet are driven with, its correction, and the body's
            [m/s, m/s, rad/s].
        slope: (n, 2) roll and pitch of a body parallel to the ground [rad].
        gait: (n, GAITS) height and style, -1 … 1 each.
    """

    phase: FloatArray
    stepping: Flags
    swinging: Flags
    lifted: FloatArray
    place: FloatArray
    driven: FloatArray
    trim: FloatArray
    measured: FloatArray
    slope: FloatArray
    gait: FloatArray


class Trot:
    """Walks n robots of one kind.

    Args:
        profile: the robot.
        count: how many.
        period: between two steps [s].
        settings: how it walks.

    Attributes:
        kinematics: of the legs.
        stance: (4, 3) joints of a robot that stands where its feet belong, at the usual height [rad].
        settings: how it walks.
        memory: of every robot; `phase` (n,) in cycles, `measured` (n, 3) velocity of the body and `gait` (n, GAITS) are
            of use elsewhere.
    """

    def __init__(
        self, profile: QuadrupedProfile, count: int, period: float, settings: TrotSettings | None = None
    ) -> None:
        self.settings = settings = settings or TrotSettings()
        self.kinematics = LegKinematics(profile.build.legs)
        self._period = period
        self._acceleration = profile.acceleration * period
        self._weight = profile.build.mass * GRAVITY
        self._stiffness = np.array([motor.stiffness for motor in profile.build.motors])
        self._effort = profile.effort.reshape(4, 3)
        self._lower, self._upper = profile.lower.reshape(4, 3), profile.upper.reshape(4, 3)
        self._foot = profile.build.legs.foot
        self._nominal = self.kinematics.shoulders + np.array([0.0, 0.0, self._foot - settings.height])
        self._nominal[:, 1] += settings.outwards * np.sign(self._nominal[:, 1])
        self._nominal[:, 0] += profile.build.trunk.centre[0] * profile.build.trunk.mass / profile.build.mass
        self.stance = self.kinematics.joints(self._nominal)
        self.stance.setflags(write=False)
        self.memory = _Memory(
            phase=np.zeros(count),
            stepping=np.zeros(count, dtype=bool),
            swinging=np.zeros((count, 4), dtype=bool),
            lifted=np.tile(self._nominal, (count, 1, 1)),
            place=np.tile(self._nominal, (count, 1, 1)),
            driven=np.zeros((count, 3)),
            trim=np.zeros((count, 3)),
            measured=np.zeros((count, 3)),
            slope=np.zeros((count, 2)),
            gait=np.zeros((count, GAITS)),
        )

    @property
    def heights(self) -> FloatArray:
        """(n,) of the bases above the ground, as their gaits have it [m]."""
        return self.settings.height + self.settings.higher * self.memory.gait[:, 0]

    def reset(self, which: Flags | slice = slice(None), phase: FloatArray | float = 0.0) -> None:
        """Some robots stand anew, where their feet belong, in the usual gait."""
        memory = self.memory
        memory.phase[which] = phase
        memory.stepping[which] = memory.swinging[which] = False
        memory.lifted[which] = memory.place[which] = self._nominal
        memory.driven[which] = memory.trim[which] = memory.measured[which] = 0.0
        memory.slope[which] = memory.gait[which] = 0.0

    def step(
        self, sense: Sense, command: FloatArray, offset: FloatArray | float = 0.0, gait: FloatArray | float = 0.0
    ) -> FloatArray:
        """Target positions of the joints for the next period.

        Args:
            sense: what was measured.
            command: (n, 3) wanted body velocity [m/s, m/s, rad/s].
            offset: (n, 4, 3) what a policy adds to the places of the feet [m].
            gait: (n, GAITS) wanted height and style, -1 … 1 each; what is beyond is as good as that.

        Returns:
            (n, 4, 3) [rad].
        """
        memory = self.memory
        most = CHANGING * self._period
        memory.gait = memory.gait + np.clip(np.clip(gait, -1.0, 1.0) - memory.gait, -most, most)
        roll, pitch = tilt_of(sense.up)
        tilt = roll - memory.slope[:, 0], pitch - memory.slope[:, 1]
        level = levelling(*tilt)
        feet = self.kinematics.feet(sense.joints)
        jacobians = self.kinematics.jacobians(sense.joints)
        below = feet @ level.transpose(0, 2, 1)
        self._measure(sense, feet, jacobians, level)
        self._drive(command)
        self._wake(command, tilt, below)
        self._lift(sense, below)
        self._lean(sense, below)
        self._move_stance(sense)
        wanted = self._targets(level) + offset
        joints = self.kinematics.joints(wanted)
        joints += self._pushes(sense, jacobians) / self._stiffness
        further: FloatArray = memory.phase + self._period / self._cycle * memory.stepping
        memory.phase = further.round(9) % 1.0  # so that no foot waits a period for a rounding error
        return np.clip(joints, self._lower, self._upper)

    @property
    def _cycle(self) -> FloatArray:
        """(n,) of a whole stride [s]."""
        return self.settings.cycle * (1.0 + self.settings.longer * self.memory.gait[:, 1])

    @property
    def _floor(self) -> FloatArray:
        """(n,) where the middles of feet on even ground are below the base [m], negative."""
        return self._foot - self.heights

    def _measure(self, sense: Sense, feet: FloatArray, jacobians: FloatArray, level: FloatArray) -> None:
        """Velocity of the body from the legs that stand: their feet do not move on the ground."""
        memory = self.memory
        moving = (jacobians @ sense.speeds[..., None])[..., 0] + _crossed(sense.rates, feet)
        standing = sense.contact & ~memory.swinging
        count = standing.sum(axis=1)
        mean = -(moving * standing[..., None]).sum(axis=1) / np.maximum(count, 1)[:, None]
        now = (level @ mean[..., None])[..., 0]
        now[:, 2] = sense.rates[:, 2]
        share = np.where(count > 0, BELIEVED, 0.0)[:, None]
        memory.measured = memory.measured + share * (now - memory.measured)

    def _drive(self, command: FloatArray) -> None:
        """The velocity that the feet are driven with: the command, ramped and trimmed by what is measured."""
        memory, (gain, most) = self.memory, self.settings.trim
        change = np.clip(command - memory.driven, -self._acceleration, self._acceleration)
        memory.driven = memory.driven + change
        error = memory.driven - memory.measured
        memory.trim = np.clip(memory.trim + gain * self._period * error, -most, most)
        memory.trim *= memory.stepping[:, None]

    def _wake(self, command: FloatArray, tilt: tuple[FloatArray, FloatArray], feet: FloatArray) -> None:
        """Who takes steps: whoever is asked to, or is disturbed, and others until half a stride is over."""
        memory, settings = self.memory, self.settings
        asked = (np.abs(command) > MOVING).any(axis=1) | (np.abs(memory.driven) > MOVING).any(axis=1)
        speed = np.hypot(memory.measured[:, 0], memory.measured[:, 1])
        astray = np.abs(feet[..., :2] - self._centred()[..., :2]).max(axis=(1, 2)) > ASTRAY
        unsettled = astray | (np.hypot(*tilt) > settings.wake[1])
        done = (memory.phase % 0.5) < 1.01 * self._period / self._cycle
        calm = (speed < settings.rest) & ~unsettled
        memory.stepping = asked | unsettled | (speed > settings.wake[0]) | (memory.stepping & ~(calm & done))

    def _lift(self, sense: Sense, feet: FloatArray) -> None:
        """Which feet are in the air; from where those leave that begin, and where those land that end."""
        memory, settings = self.memory, self.settings
        local = (memory.phase[:, None] + OFFSETS) % 1.0
        swinging = memory.stepping[:, None] & (local < settings.swing)
        landed = memory.swinging & sense.contact & (local > EARLY * settings.swing)
        swinging &= ~landed
        begins, ends = swinging & ~memory.swinging, memory.swinging & ~swinging
        memory.lifted = np.where(begins[..., None], feet, memory.lifted)
        memory.place = np.where(ends[..., None], self._near_floor(feet), memory.place)
        memory.swinging = swinging

    def _near_floor(self, feet: FloatArray) -> FloatArray:
        """(n, 4, 3) places no higher or lower than uneven ground is."""
        near, uneven, floor = feet.copy(), self.settings.uneven, self._floor[:, None]
        near[..., 2] = np.clip(near[..., 2], floor - uneven, floor + uneven)
        return near

    def _lean(self, sense: Sense, feet: FloatArray) -> None:
        """Lay the body parallel to the ground: to the plane through the feet that stand and those that stood last."""
        memory = self.memory
        known = np.where((sense.contact & ~memory.swinging)[..., None], feet, memory.place)
        away = known - known.mean(axis=1, keepdims=True)
        x, y, z = away[..., 0], away[..., 1], away[..., 2]
        xx, xy, yy = (x * x).sum(1), (x * y).sum(1), (y * y).sum(1)
        xz, yz = (x * z).sum(1), (y * z).sum(1)
        scale: FloatArray = np.maximum(xx * yy - xy * xy, 1e-6)
        rise, side = (yy * xz - xy * yz) / scale, (xx * yz - xy * xz) / scale
        share = self.settings.lean * self._period * sense.contact.any(axis=1, keepdims=True)
        memory.slope = memory.slope + share * np.stack([np.arctan(side), -np.arctan(rise)], axis=-1)
        memory.slope = np.clip(memory.slope, -STEEPEST, STEEPEST)

    def _centred(self) -> FloatArray:
        """(n, 4, 3) where the feet belong, so that the weight is over their middle on a slope, too."""
        floor, slope = self._floor[:, None], self.memory.slope
        shift = floor * np.stack([np.tan(slope[:, 1]), -np.tan(slope[:, 0])], axis=-1)
        centred = np.tile(self._nominal, (len(shift), 1, 1))
        centred[..., :2] -= shift[:, None, :]
        centred[..., 2] = floor
        return centred

    def _move_stance(self, sense: Sense) -> None:
        """Feet on the ground go back under the body; what touches nothing is let down."""
        memory = self.memory
        driven = memory.driven + memory.trim
        turn = driven[:, 2:3]
        x, y = memory.place[..., 0], memory.place[..., 1]
        standing = ~memory.swinging
        off = np.where(standing, memory.place[..., 2] - self._floor[:, None], 0.0).sum(axis=1)
        off /= np.maximum(standing.sum(axis=1), 1)
        down = np.where(sense.contact, -RAISE * off[:, None], -self.settings.probe)
        back = np.stack([-driven[:, 0:1] + turn * y, -driven[:, 1:2] - turn * x, down], axis=-1)
        moved = self._near_floor(memory.place + self._period * back)
        memory.place = np.where(memory.swinging[..., None], memory.place, moved)

    def _targets(self, level: FloatArray) -> FloatArray:
        """(n, 4, 3) places of the feet in the body frame."""
        memory, settings = self.memory, self.settings
        local = (memory.phase[:, None] + OFFSETS) % 1.0
        way = np.clip((local + self._period / self._cycle[:, None]) / settings.swing, 0.0, 1.0)
        even = way * way * (3.0 - 2.0 * way)
        goal = self._footholds()
        flight = memory.lifted + even[..., None] * (goal - memory.lifted)
        lift = settings.lift * (1.0 + settings.loftier * memory.gait[:, 1:])
        flight[..., 2] += lift * np.sin(np.pi * way)
        flight = flight @ level  # level frame → body frame
        return np.where(memory.swinging[..., None], flight, memory.place)

    def _footholds(self) -> FloatArray:
        """(n, 4, 3) where feet in the air will land, level frame."""
        memory, settings = self.memory, self.settings
        standing = 0.5 * (1.0 - settings.swing) * self._cycle[:, None]
        driven, error = memory.driven, memory.measured - memory.driven
        turn = driven[:, 2:3]
        centred = self._centred()
        x, y = centred[..., 0], centred[..., 1]
        along = standing * (driven[:, 0:1] - turn * y) + settings.catch * error[:, 0:1]
        across = standing * (driven[:, 1:2] + turn * x) + settings.catch * error[:, 1:2]
        away = np.stack([along, across, np.zeros_like(along)], axis=-1)
        return centred + np.clip(away, -settings.reach, settings.reach)

    def _pushes(self, sense: Sense, jacobians: FloatArray) -> FloatArray:
        """(n, 4, 3) torques [N·m] with which the standing feet carry the weight, each an equal share."""
        standing = ~self.memory.swinging
        share = self._weight / np.maximum(standing.sum(axis=1), 1)
        force = -(share[:, None] * standing)[..., None] * sense.up[:, None, :]
        torque = (jacobians.swapaxes(-1, -2) @ force[..., None])[..., 0]
        pushes: FloatArray = np.clip(torque, -self._effort, self._effort)
        return pushes


def _crossed(rates: FloatArray, places: FloatArray) -> FloatArray:
    """(n, 4, 3) cross products of (n, 3) and (n, 4, 3); NumPy's own takes ten times as long for so few."""
    a, b, c = rates[:, 0:1], rates[:, 1:2], rates[:, 2:3]
    x, y, z = places[..., 0], places[..., 1], places[..., 2]
    return np.stack([b * z - c * y, c * x - a * z, a * y - b * x], axis=-1)
