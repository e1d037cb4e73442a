"""How the long prompt tells of a kind of robot: who it is, what stands where, what a reply may say besides steps."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from reins.contracts.scene import Scene, SceneObject
from reins.planning.language.examples import Example
from reins.planning.language.plain import Names


@dataclass(frozen=True, slots=True)
class Manner:
    """What the prompt is made of, beside the skills and the task.

    Attributes:
        role: who plans for what, and how places are told.
        limits: what no skill says.
        rules: what constraints are, in a reply.
        numbers: how numbers are told in a reply.
        thing: what is told of an object in a scene, behind its name.
        overall: what is told of the scene as a whole, a line each.
        order: the objects of a scene as they are told.
        examples: instructions with right answers.
    """

    role: str
    limits: str
    rules: str
    numbers: str
    thing: Callable[[SceneObject, Scene, Names], str]
    overall: Callable[[Scene, Names], Iterator[str]]
    order: Callable[[Scene], list[SceneObject]]
    examples: Callable[[], tuple[Example, ...]]
