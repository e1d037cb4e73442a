"""The arm, the table and boxes once more, in MuJoCo: distances, torques and speeds without any safety code."""

from collections.abc import Sequence
from typing import Final

import mujoco
import numpy as np

from reins.hardware.collision_model import FINGERS, link_shapes
from reins.hardware.profile import RobotProfile
from reins.hardware.robot import FloatArray
from reins.sim.model import HAND
from reins.sim.objects import COLLISION_GROUP

BOXES: Final = 8
"""Keep-outs that there may be."""

LOOK: Final = 0.3
"""Smallest distances beyond this are not measured [m]."""

FAR: Final = 2.0
"""Nor are distances of single pairs beyond this [m]."""

UNUSED: Final = np.array([0.0, 0.0, -50.0])
"""Where boxes are that are not used [m]."""


class Twin:
    """One arm. Kinematics are those of the last `move`.

    Args:
        profile: the robot; its MJCF names joints as the profile does, and has a body `hand`.
    """

    def __init__(self, profile: RobotProfile) -> None:
        self._profile = profile
        self.model = _build(profile)
        self.data = mujoco.MjData(self.model)
        joints = [self.model.joint(name) for name in profile.joint_names]
        self._positions = np.array([joint.qposadr[0] for joint in joints])
        self._speeds = np.array([joint.dofadr[0] for joint in joints])
        bodies = [int(joint.bodyid[0]) for joint in joints]
        self._elbow = bodies[profile.joint_names.index(profile.elbow.joint)] if profile.elbow else None
        self._payload = self.model.body("payload").id
        self._jacobian = np.zeros((2, 3, self.model.nv))
        self._number_of = {body: number for number, body in enumerate(bodies, start=1)}
        self._links = {g: self._joint_of(g) for g in range(self.model.ngeom) if self._is_link(g)}
        self._held = self.model.geom("held").id
        self.model.geom_sameframe[self._held] = 0  # it may be moved in its body
        self._boxes = [self.model.geom(f"box_{i}").id for i in range(BOXES)]
        self._fingers = self.model.geom(FINGERS).id
        self._table = self.model.geom("table").id if profile.table is not None else None
        self._used: list[int] = []
        self._holds = False
        self.set_boxes(())
        self.set_held(None)

    # What is around.

    def set_boxes(self, boxes: Sequence[tuple[FloatArray, FloatArray]]) -> None:
        """Keep-outs: centre (3,) and full extents (3,) of each [m], base frame."""
        for number in range(BOXES):
            centre, size = boxes[number] if number < len(boxes) else (UNUSED, np.full(3, 0.01))
            body = self.model.body(f"box_{number}")
            self.data.mocap_pos[body.mocapid[0]] = centre
            self._resize(self._boxes[number], size)
        self._used = self._boxes[: len(boxes)]
        self._pair_up()

    def set_held(self, box: tuple[FloatArray, FloatArray] | None) -> None:
        """What is held: centre (3,) in the tool's frame and full extents (3,) [m]."""
        self._holds = box is not None
        centre, size = box if box is not None else (np.zeros(3), np.full(3, 1e-4))
        self.model.geom_pos[self._held] = centre
        self._resize(self._held, size)
        self._pair_up()

    def set_payload(self, mass: float) -> None:
        """A point mass at the tool point [kg]."""
        self.model.body_mass[self._payload] = mass

    def _resize(self, geom: int, size: FloatArray) -> None:
        self.model.geom_size[geom] = size / 2.0
        self.model.geom_rbound[geom] = float(np.linalg.norm(size)) / 2.0

    def _pair_up(self) -> None:
        """The pairs that must stay apart, by kind, as arrays of geoms."""
        links, n = self._links, len(self._profile.joints)
        moving = [geom for geom, joint in links.items() if joint > 0]
        holding = [self._held] if self._holds else []
        pairs: dict[str, list[tuple[int, int]]] = {
            "self": [(a, b) for a in links for b in links if links[b] - links[a] > 1],
            "keep_out": [(box, other) for box in self._used for other in (*moving, *holding)],
            "fingers": [(box, self._fingers) for box in self._used]
            + [(a, self._fingers) for a in links if links[a] < n - 1],
            "held": [(a, self._held) for a in links if self._holds and links[a] < n - 1],
        }
        self.pairs = {kind: np.array(listed, dtype=np.int64).reshape(-1, 2) for kind, listed in pairs.items()}

    @property
    def boxes(self) -> int:
        """How many keep-outs there are."""
        return len(self._used)

    # Where it is.

    def move(self, position: FloatArray) -> None:
        """The arm is at `position` (n,) [rad]."""
        self.data.qpos[self._positions] = position
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)

    @property
    def tool(self) -> FloatArray:
        """(3,) the tool point [m], base frame."""
        return np.array(self.data.xpos[self._payload])

    def speeds(self, velocity: FloatArray) -> tuple[FloatArray, float, float]:
        """(3,) velocity of the tool point [m/s], its turn rate [rad/s] and the elbow's speed [m/s]."""
        linear, angular = self._jacobian
        mujoco.mj_jacBody(self.model, self.data, linear, angular, self._payload)
        tool = linear[:, self._speeds] @ velocity
        turn = float(np.linalg.norm(angular[:, self._speeds] @ velocity))
        if self._elbow is None:
            return tool, turn, 0.0
        mujoco.mj_jacBody(self.model, self.data, linear, None, self._elbow)
        return tool, turn, float(np.linalg.norm(linear[:, self._speeds] @ velocity))

    def jacobian(self) -> FloatArray:
        """(6, n) of the tool, linear rows first."""
        linear, angular = self._jacobian
        mujoco.mj_jacBody(self.model, self.data, linear, angular, self._payload)
        return np.concatenate([linear[:, self._speeds], angular[:, self._speeds]])

    def torques(self, position: FloatArray, velocity: FloatArray, acceleration: FloatArray) -> FloatArray:
        """(n,) rigid-body torque of each joint [N·m]; moves the arm there."""
        self.data.qpos[self._positions], self.data.qvel[self._speeds] = position, velocity
        self.data.qacc[:] = 0.0
        self.data.qacc[self._speeds] = acceleration
        mujoco.mj_inverse(self.model, self.data)
        torques: FloatArray = self.data.qfrc_inverse[self._speeds].copy()
        self.data.qvel[:] = 0.0
        return torques

    def distance(self, kind: str) -> float:
        """Smallest distance of a kind of pair: "self", "keep_out" or "held" [m]; LOOK where all are farther."""
        pairs = self.pairs[kind]
        if not pairs.size:
            return LOOK
        first, second = pairs[:, 0], pairs[:, 1]
        where, radius = self.data.geom_xpos, self.model.geom_rbound
        gaps = np.linalg.norm(where[first] - where[second], axis=1) - radius[first] - radius[second]
        smallest = LOOK
        for number in np.argsort(gaps):
            if gaps[number] >= smallest:
                break
            a, b = int(first[number]), int(second[number])
            smallest = min(smallest, mujoco.mj_geomDistance(self.model, self.data, a, b, smallest, None))
        return float(smallest)

    def distances(self, kind: str) -> FloatArray:
        """Of every pair of a kind [m]; FAR where it is farther."""
        measure, model, data = mujoco.mj_geomDistance, self.model, self.data
        return np.array([measure(model, data, int(a), int(b), FAR, None) for a, b in self.pairs[kind]])

    def some_pair(self, generator: np.random.Generator) -> tuple[int, int]:
        """Any pair that must stay apart, the table's too."""
        moving = [geom for geom, joint in self._links.items() if joint > 1]
        tables = [] if self._table is None else [np.array([[self._table, geom] for geom in moving])]
        every = [pairs for pairs in (*self.pairs.values(), *tables) if pairs.size]
        chosen = every[int(generator.integers(len(every)))]
        first, second = chosen[int(generator.integers(len(chosen)))]
        return int(first), int(second)

    def slope(self, pair: tuple[int, int], position: FloatArray) -> FloatArray:
        """(n,) how the distance of two geoms changes with each joint at `position` (n,) [m/rad], by differences."""
        slope, tiny = np.zeros(len(position)), 1e-4
        for joint in range(-1, len(position)):
            moved = position.copy()
            if joint >= 0:
                moved[joint] += tiny
            self.move(moved)
            distance = mujoco.mj_geomDistance(self.model, self.data, *pair, 2.0, None)
            if joint < 0:
                here = distance
            else:
                slope[joint] = (distance - here) / tiny
        return slope

    def table_gap(self) -> float:
        """Height of the lowest point of a moving link above the table [m]; LOOK where there is none below that."""
        return self._above([geom for geom, joint in self._links.items() if joint > 0], LOOK)

    def table_gaps(self) -> FloatArray:
        """Height of each moving link above the table [m]; FAR where it is higher."""
        if self._table is None:
            return np.zeros(0)
        measure, model, data = mujoco.mj_geomDistance, self.model, self.data
        moving = [geom for geom, joint in self._links.items() if joint > 0]
        return np.array([measure(model, data, self._table, geom, FAR, None) for geom in moving])

    def fingers_gap(self, look: float = LOOK) -> float:
        """Height of the fingers' hull above the table [m]; `look` where it is higher."""
        return self._above([self._fingers], look)

    def held_gap(self, look: float = LOOK) -> float:
        """Height of what is held above the table [m]; `look` where it is higher, or there is none."""
        return self._above([self._held] if self._holds else [], look)

    def _above(self, geoms: list[int], look: float) -> float:
        if self._table is None:
            return look
        height = self._profile.table or 0.0
        lowest = look
        for geom in geoms:
            if self.data.geom_xpos[geom, 2] - self.model.geom_rbound[geom] - height < lowest:
                gap = mujoco.mj_geomDistance(self.model, self.data, self._table, geom, lowest, None)
                lowest = min(lowest, gap)
        return float(lowest)

    def _is_link(self, geom: int) -> bool:
        return int(self.model.geom_group[geom]) == COLLISION_GROUP and int(self.model.geom_bodyid[geom]) != 0

    def _joint_of(self, geom: int) -> int:
        """Number of the joint that moves a geom, 0 for the base."""
        body = int(self.model.geom_bodyid[geom])
        while body and body not in self._number_of:
            body = int(self.model.body_parentid[body])
        return self._number_of.get(body, 0)


def _build(profile: RobotProfile) -> mujoco.MjModel:
    path = profile.model.path(profile.model.mjcf)
    spec = mujoco.MjSpec.from_file(str(path))
    spec.meshdir = str(path.parent / "meshes")
    for geom in list(spec.geoms):
        if geom.group != COLLISION_GROUP:
            spec.delete(geom)
    off = mujoco.mjtDisableBit
    spec.option.disableflags = int(off.mjDSBL_CONTACT) | int(off.mjDSBL_EQUALITY) | int(off.mjDSBL_LIMIT)
    spec.option.ccd_tolerance, spec.option.ccd_iterations = 1e-10, 200  # of distances; speeds are taken from them
    for joint in spec.joints:
        joint.armature, joint.frictionloss = 0.0, 0.0
        joint.damping[:] = 0.0
    box = mujoco.mjtGeom.mjGEOM_BOX
    if profile.table is not None:
        plane = mujoco.mjtGeom.mjGEOM_PLANE
        spec.worldbody.add_geom(name="table", type=plane, size=[1.0, 1.0, 0.1], pos=[0.0, 0.0, profile.table])
    for number in range(BOXES):
        body = spec.worldbody.add_body(name=f"box_{number}", mocap=True)
        body.add_geom(name=f"box_{number}", type=box, size=[0.01] * 3, group=0)
    _add_fingers(spec, profile)
    payload = spec.body(HAND).add_body(name="payload", pos=list(profile.tool.xyz))
    payload.explicitinertial, payload.mass, payload.inertia = True, 1e-9, [1e-9] * 3
    payload.ipos = [0.0, 0.0, 0.0]
    payload.add_geom(name="held", type=box, size=[1e-4] * 3, group=0, mass=0.0)
    return spec.compile()


def _add_fingers(spec: mujoco.MjSpec, profile: RobotProfile) -> None:
    """The hull of the fingers at every opening: nothing may be between them either, unless it is to be grasped."""
    (hull,) = (shape for shape in link_shapes(profile) if shape.name == FINGERS)
    spec.add_mesh(name=FINGERS, uservert=hull.corners.astype(np.float32).ravel())
    last = next(body for body in spec.bodies if any(j.name == profile.joint_names[-1] for j in body.joints))
    last.add_geom(name=FINGERS, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=FINGERS, group=0, mass=0.0)
