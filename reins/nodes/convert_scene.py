"""Task-level data to ROS messages and back: scenes, skill calls, constraints, plans, the truth of simulated worlds."""

from geometry_msgs.msg import Point, Pose, Quaternion, Vector3
from reins_msgs import msg as ros

from reins.contracts.plan import ArgumentValue, Constraint, Plan, SkillCall
from reins.contracts.scene import Quaternion as QuaternionTuple
from reins.contracts.scene import Relation, Scene, SceneObject, by_id
from reins.contracts.scene import Vector3 as VectorTuple
from reins.nodes.convert import fill_time, from_sequence, time_from_msg, time_to_msg, to_sequence
from reins.sim.world_state import TruthObject, WorldState

BASE_FRAME = "base"
"""Name of the frame of scenes and camera poses: the robot's base."""


def pose_to_msg(position: VectorTuple, orientation: QuaternionTuple) -> Pose:
    """A pose: metres, and a quaternion x y z w."""
    x, y, z = map(float, position)
    qx, qy, qz, qw = map(float, orientation)
    return Pose(position=Point(x=x, y=y, z=z), orientation=Quaternion(x=qx, y=qy, z=qz, w=qw))


def pose_from_msg(pose: Pose) -> tuple[VectorTuple, QuaternionTuple]:
    """Position [m] and orientation (x y z w)."""
    p, q = pose.position, pose.orientation
    return (p.x, p.y, p.z), (q.x, q.y, q.z, q.w)


def vector_to_msg(vector: VectorTuple) -> Vector3:
    """Three numbers."""
    x, y, z = map(float, vector)
    return Vector3(x=x, y=y, z=z)


def scene_to_msg(scene: Scene, frame: str) -> ros.Scene:
    """A scene; `frame` is the name of the robot's base frame."""
    message = ros.Scene(source=scene.source, caption=scene.caption, stale=scene.stale, doubted=list(scene.doubted))
    fill_time(message.header.stamp, scene.stamp)
    fill_time(message.described, scene.described)
    message.header.frame_id = frame
    message.objects = [
        ros.SceneObject(
            id=item.id,
            label=item.label,
            colour=item.colour,
            pose=pose_to_msg(item.position, item.orientation),
            size=vector_to_msg(item.size),
            confidence=float(item.confidence),
            last_seen=time_to_msg(item.last_seen),
            name=item.name,
            attributes=list(item.attributes),
        )
        for item in scene.objects.values()
    ]
    message.relations = [
        ros.Relation(subject=r.subject, predicate=r.predicate, object=r.object) for r in sorted(scene.relations)
    ]
    return message


def _object_from_msg(message: ros.SceneObject) -> SceneObject:
    position, orientation = pose_from_msg(message.pose)
    return SceneObject(
        id=message.id,
        label=message.label,
        colour=message.colour,
        position=position,
        orientation=orientation,
        size=(message.size.x, message.size.y, message.size.z),
        confidence=message.confidence,
        last_seen=time_from_msg(message.last_seen),
        name=message.name,
        attributes=tuple(message.attributes),
    )


def scene_from_msg(message: ros.Scene) -> Scene:
    """A scene."""
    return Scene(
        stamp=time_from_msg(message.header.stamp),
        source=message.source,
        objects=by_id(_object_from_msg(item) for item in message.objects),
        relations=frozenset(Relation(r.subject, r.predicate, r.object) for r in message.relations),
        caption=message.caption,
        stale=message.stale,
        doubted=tuple(message.doubted),
        described=time_from_msg(message.described),
    )


def _argument_to_msg(name: str, value: ArgumentValue) -> ros.Argument:
    if isinstance(value, str):
        return ros.Argument(name=name, text=value)
    return ros.Argument(name=name, number=float(value), is_number=True)


def call_to_msg(call: SkillCall) -> ros.SkillCall:
    """A skill call."""
    arguments = [_argument_to_msg(name, value) for name, value in call.arguments.items()]
    return ros.SkillCall(skill=call.skill, arguments=arguments)


def call_from_msg(message: ros.SkillCall) -> SkillCall:
    """A skill call."""
    arguments = {item.name: item.number if item.is_number else item.text for item in message.arguments}
    return SkillCall(skill=message.skill, arguments=arguments)


def constraint_to_msg(constraint: Constraint) -> ros.Constraint:
    """A constraint."""
    x, y, z = constraint.centre
    return ros.Constraint(
        id=constraint.id,
        kind=constraint.kind,
        object=constraint.object,
        scale=constraint.scale,
        centre=Point(x=x, y=y, z=z),
        size=vector_to_msg(constraint.size),
        mass=constraint.mass,
        distance=constraint.distance,
        set_by=constraint.set_by,
    )


def constraint_from_msg(message: ros.Constraint) -> Constraint:
    """A constraint. A scale of 0 counts as none where the kind needs none, for that is what an empty message has.

    Raises:
        pydantic.ValidationError: (a ValueError) unknown kind, scale out of range, or an object where none belongs.
    """
    values = {name: getattr(message, name) for name in ("id", "kind", "object", "mass", "distance", "set_by")}
    values["centre"] = (message.centre.x, message.centre.y, message.centre.z)
    values["size"] = (message.size.x, message.size.y, message.size.z)
    if message.scale or message.kind == ros.Constraint.SPEED:
        values["scale"] = message.scale
    return Constraint.model_validate(values)


def plan_to_msg(plan: Plan, stamp: float) -> ros.Plan:
    """A plan, made at robot time `stamp` [s]."""
    message = ros.Plan(thought=plan.thought, question=plan.question or "", refusal=plan.refusal or "")
    fill_time(message.header.stamp, stamp)
    message.steps = [call_to_msg(step) for step in plan.steps or ()]
    message.constraints = [constraint_to_msg(constraint) for constraint in plan.constraints]
    message.doubts = list(plan.doubts)
    return message


def plan_from_msg(message: ros.Plan) -> Plan:
    """A plan. A message with neither question nor refusal is a plan of steps, maybe of none.

    Raises:
        pydantic.ValidationError: (a ValueError) both a question and a refusal, or an invalid constraint.
    """
    said = bool(message.question or message.refusal)
    return Plan(
        thought=message.thought,
        steps=None if said and not message.steps else tuple(call_from_msg(step) for step in message.steps),
        question=message.question or None,
        refusal=message.refusal or None,
        constraints=tuple(constraint_from_msg(constraint) for constraint in message.constraints),
        doubts=tuple(message.doubts),
    )


def world_to_msg(world: WorldState) -> ros.WorldState:
    """The truth of a simulated world."""
    message = ros.WorldState(world=world.world, seed=world.seed, held=world.held or "")
    fill_time(message.header.stamp, world.stamp)
    message.objects = [
        ros.WorldObject(
            id=item.id,
            label=item.label,
            colour=item.colour,
            pose=pose_to_msg(item.position, item.orientation),
            size=vector_to_msg(item.size),
            touched=item.touched,
        )
        for item in world.objects.values()
    ]
    message.qpos = to_sequence(world.qpos)
    return message


def world_from_msg(message: ros.WorldState) -> WorldState:
    """The truth of a simulated world."""
    objects = {}
    for item in message.objects:
        position, orientation = pose_from_msg(item.pose)
        size = (item.size.x, item.size.y, item.size.z)
        objects[item.id] = TruthObject(item.id, item.label, item.colour, position, orientation, size, item.touched)
    return WorldState(
        stamp=time_from_msg(message.header.stamp),
        world=message.world,
        seed=message.seed,
        objects=objects,
        held=message.held or None,
        qpos=from_sequence(message.qpos),
    )
